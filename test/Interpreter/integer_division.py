# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of a file on each device, and compares quotients and remainders with Python's.

Usage: integer_division.py FILE
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64}


def divide(x, y):
    return x // y if y else 0


def remain(x, y):
    return x - divide(x, y) * y


def operands(dtype):
    """Returns all pairs of edge cases."""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    numbers = [int(n) for n in (least, least + 1, -7, -2, -1, 0, 1, 2, 7, most)]
    return [(x, y) for x in numbers for y in numbers]


def wrapped(values, dtype):
    """Returns the low bits."""
    bits = 8 * np.dtype(dtype).itemsize
    return np.array([(value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for value in values], dtype)


def run(file, device, kernel, given, arrays, outputs, folder):
    command = ["tile-run", "--device", device, file, "--kernel", kernel]
    for name, value in given.items():
        command += ["-D", f"{name}={value}"]
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}=@{folder / name}.npy"]
    for name in outputs:
        command += ["--save", f"{name}={folder / name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {name: np.load(folder / f"{name}.npy") for name in outputs}


def main():
    file, results, differences = sys.argv[1], 0, 0
    for name, dtype in TYPES.items():
        pairs = operands(dtype)
        x, y = (np.array(column, dtype) for column in zip(*pairs))
        size = len(pairs)
        kernels = {
            "tiles_of": ({}, [(divide(a, b), remain(a, b), divide(a, b) if b else 7) for a, b in pairs]),
            "scalars": ({}, [(divide(a, b), remain(a, b), divide(size, i - 5) + remain(size, i - 5))
                             for i, (a, b) in enumerate(pairs)])}
        for number in (-1, 7, -128):
            kernels["constants", number] = (
                {"D": number}, [(divide(a, number), remain(a, number), divide(number, a or b)) for a, b in pairs])
        for kernel, (given, expected) in kernels.items():
            kernel = kernel if isinstance(kernel, str) else kernel[0]
            outputs = dict(zip(("q", "r", "chosen"), (wrapped(column, dtype) for column in zip(*expected))))
            results += len(outputs)
            for device in ("interpreter", "sim", "ptx"):
                with tempfile.TemporaryDirectory() as folder:
                    got = run(file, device, kernel, {"T": name, **given}, {"x": x, "y": y}, outputs,
                              pathlib.Path(folder))
                for output, values in outputs.items():
                    if not np.array_equal(got[output], values):
                        at = np.flatnonzero(got[output] != values)[0]
                        print(f"{device}: {kernel} {given} of {name}: {output} of {pairs[at]} is {got[output][at]}, "
                              f"expected {values[at]}")
                        differences += 1
    print(f"{results} results on 3 devices, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
