# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up masked rows in tiles of any extent on devices, and compares with NumPy.

    masked_rows.py FOLDER DEVICE…

The mask makes the end of a load open, loops of whole tiles have no mask, and threads hold padded tiles. Together these
must not add elements of the next tile.
"""

import pathlib
import sys

import numpy as np
from devices import check

KERNEL = """kernel rows(x: f32[M, N], out total: f32[M], out squares: f32[M], out scanned: f32[M, N])
  grid (m in tiles(M, {bm}))
{{
  var sums = zeros(f32[{bm}]);
  var products = zeros(f32[{bm}]);
  for n in tiles(N, {bn}) {{
    let t = where(n.valid[_, :], x[m, n], 0.0);
    sums += sum(t, axis = 1);
    products += sum(t * t, axis = 1);
    scanned[m, n] = cumsum(t, axis = 1, reverse = true);
  }}
  total[m] = sums;
  squares[m] = products;
}}
"""
# Rows and columns of a tile, and rows and columns of the tensor.
SHAPES = [(8, 48, 8, 97), (8, 48, 3, 48), (4, 24, 5, 200), (1, 40, 2, 161), (16, 96, 17, 300), (3, 80, 7, 79),
          (8, 64, 9, 130)]  # fmt: skip


def is_close(found, expected):
    return np.isclose(found, expected, rtol=1e-5, atol=1e-4)


def main():
    folder, devices = pathlib.Path(sys.argv[1]), sys.argv[2:]
    runs, problems = 0, []
    for bm, bn, rows, columns in SHAPES:
        x = np.random.default_rng(columns).standard_normal((rows, columns)).astype(np.float32)
        wide = x.astype(np.float64)
        parts = [wide[:, i:i + bn] for i in range(0, columns, bn)]
        scanned = np.concatenate([part[:, ::-1].cumsum(axis=1)[:, ::-1] for part in parts], axis=1)
        expected = {"total": wide.sum(axis=1), "squares": (wide * wide).sum(axis=1), "scanned": scanned}
        for device in devices:
            runs += 1
            found = check(KERNEL.format(bm=bm, bn=bn), device, {"x": x}, expected, folder, is_same=is_close)
            problems += [f"{bm}x{bn} of {rows}x{columns} on {device}: {problem}" for problem in found]
    print(*problems, sep="\n")
    print(f"{runs} runs, {len(problems)} problems")


if __name__ == "__main__":
    main()
