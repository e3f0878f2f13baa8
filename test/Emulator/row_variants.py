# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel that walks rows twice, on rows for each of its variants, simulated and as PTX. Results must equal
those of the interpreter, bit by bit.

The second walk has another fill value than the first; stored values must not depend on it. Sums are of small
integers, so their order does not matter.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
KERNEL = """kernel walk<T: type, BM: int>(x: T[M, N], out y: T[M, N], out s: f32[M])
  grid (m in tiles(M, BM))
{
  var total = zeros(f32[BM]);
  for n in tiles(N, 256) { total += sum(x[m, n] as f32, axis = 1); }
  for n in tiles(N, 256) {
    y[m, n] = (load(x[m, n], fill = 3.0) as f32 + total[:, _]) as T;
  }
  s[m] = total;
}
"""
# One tile, aligned, unaligned, and a row within a vector; rows of tensors that end within a tile.
COLUMNS = [256, 264, 250, 3]
ROWS = 5


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def main():
    source = FOLDER / "walk.tile"
    source.write_text(KERNEL)
    launches = 0
    for T, BM in [("bf16", 4), ("f32", 1)]:
        values = ["-D", f"T={T}", "-D", f"BM={BM}"]
        names = re.findall(r"sm\.kernel @(\w+)", run("tilec", source, *values, "--emit=specialize", "-o", "-"))
        if names != ["walk", "walk_aligned", "walk_plain"]:
            print("WRONG variants", names)
        for columns in COLUMNS:
            x = np.random.default_rng(columns).integers(-2, 3, (ROWS, columns)).astype(np.float32)
            np.save(FOLDER / "x.npy", x)
            results = {}
            for device in ("interpreter", "sim", "ptx"):
                run("tile-run", "--device", device, source, *values, "--arg", f"x=@{FOLDER / 'x.npy'}",
                    "--save", f"y={FOLDER / 'y.npy'}", "--save", f"s={FOLDER / 's.npy'}")
                results[device] = np.load(FOLDER / "y.npy"), np.load(FOLDER / "s.npy")
            for device in ("sim", "ptx"):
                launches += 1
                if any(not np.array_equal(*pair) for pair in zip(results["interpreter"], results[device])):
                    print(f"WRONG {device} {T} {BM} rows of {columns}")
    print(f"{launches} launches")


main()
