# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies by weights of 4 bits that masks and shifts unpack, and counts the instructions of several forms.

    unpacked_nibbles.py SOURCE FOLDER

SOURCE has the kernel `int4_product`, which unpacks by quotients. The same kernel with `& 15` and `>> 4` must not take
more instructions, and must have the results of NumPy.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

# The numbers that a packed byte gives, by the type of the bytes, and the replacements in the source.
QUOTIENTS = ("packed % 16 - 8", "packed / 16", "w: i8[N, H]")
FORMS = {
    "i8": ("(packed & 15) - 8", "packed >> 4", "w: i8[N, H]"),
    "u8": ("packed & 15", "packed >> 4", "w: u8[N, H]"),
}


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    return result.stdout


def count_instructions(source, folder):
    run("tilec", source, "--kernel=int4_product", "--emit=ptx", "-o", folder / "kernel.ptx")
    return len(re.findall(r"^[ \t]+[a-z@%].*;$", (folder / "kernel.ptx").read_text(), re.MULTILINE))


def main():
    original, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    data = np.random.default_rng(0)
    m, n, h = 200, 130, 96
    x = data.integers(-3, 4, (m, 2, h)).astype(np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "scale.npy", np.ones(n, np.float32))
    most = count_instructions(original, folder)
    for dtype, form in FORMS.items():
        text = original.read_text()
        for old, new in zip(QUOTIENTS, form):
            if old not in text:
                sys.exit(f"{original} lacks {old}")
            text = text.replace(old, new)
        source = folder / f"{dtype}.tile"
        source.write_text(text)
        count = count_instructions(source, folder)
        print(f"{dtype}: {'as many instructions' if count == most else 'fewer' if count < most else 'more'}")
        packed = data.integers(0, 256, (n, h)).astype(np.uint8).view("i1" if dtype == "i8" else "u1")
        np.save(folder / "w.npy", packed)
        low, high = (packed & 15).astype(np.float64) - (8 if dtype == "i8" else 0), (packed >> 4).astype(np.float64)
        expected = x[:, 0].astype(np.float64) @ low.T + x[:, 1] @ high.T
        for device in ("interpreter", "cpu", "sim", "ptx"):
            run("tile-run", source, "--kernel=int4_product", "--device", device, "-D", "T=f16",
                *(f"--arg={name}={folder}/{name}.npy" for name in ("x", "w", "scale")), "--save", f"c={folder}/c.npy")
            error = float(np.abs(np.load(folder / "c.npy") - expected).max())
            # Integers below 2^11 are exact in f16, others are rounded to 11 bits.
            print(f"{dtype} {device}: {'right' if error <= np.abs(expected).max() / 2**11 else error}")


if __name__ == "__main__":
    main()
