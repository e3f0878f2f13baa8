# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs windows.tile with windows that begin at any column, and compares with NumPy: windows.py KERNELS SCRATCH"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tile_run import Source

source = Source(*sys.argv[1:])
rng = np.random.default_rng()


def shifted(x, first, count):
    """Returns `count` columns from column `first` on, with zeros past the last one."""
    result = np.zeros((*x.shape[:-1], count))
    there = x[..., first:first + count]
    result[..., :there.shape[-1]] = there
    return result


def check_windows(device, dtype, shape, *starts):
    """Numbers are small integers, so all sums are exact."""
    m, k, n = shape
    a, b, y = (rng.integers(-1, 2, extents).astype(np.float32) for extents in ((m, k), (k, n), (m, n)))
    options = [f"-D{name}={start}" for name, start in zip("ABY", starts)]
    given = {"a": a, "b": b, "y": y}
    (got,) = source.run(device, "windows", ["y"], f"-DT={dtype}", *options, **given)
    expected = y.copy()
    expected[:, starts[2]:] = (shifted(a, starts[0], k) @ shifted(b, starts[1], n))[:, :n - starts[2]]
    assert np.array_equal(got.astype(np.float32), expected), (device, dtype, shape, starts)


def check_heads(device, rows, heads, width, start):
    a = rng.integers(-1, 2, (rows, heads * width)).astype(np.float32)
    b = rng.integers(-1, 2, (width, 64)).astype(np.float32)
    y = np.full((heads, rows, 72), 7, np.float32)
    (got,) = source.run(device, "heads", ["y"], a=a, b=b, y=y, S=start)
    expected = y.copy()
    product = np.einsum("mhd,dn->hmn", a.reshape(rows, heads, width), b)
    expected[:, :, start:start + 64] = product[:, :, :72 - start]
    assert np.array_equal(got.astype(np.float32), expected), (device, rows, heads, width, start)


def check_halves(device, m, n, k):
    """Each byte has the weights of two columns. Without a full last pair of bytes, columns are zero."""
    x = rng.integers(-1, 2, (m, k)).astype(np.float32)
    w = rng.integers(0, 256, (n, k // 2)).astype(np.uint8)
    (got,) = source.run(device, "halves", ["c"], x=x, w=w, c=f"({m}, {n})")
    weights = np.stack([w & 15, w >> 4], axis=-1).reshape(n, k).astype(np.float32) - 8
    assert np.array_equal(got, x @ weights.T), (device, m, n, k)


for on in ("interpreter", "cpu", "sim", "ptx"):
    for starts in ((0, 0, 0), (3, 5, 1), (8, 64, 16), (8, 5, 0), (3, 8, 0), (0, 0, 4), (0, 0, 8)):
        check_windows(on, "bf16", (70, 136, 72), *starts)
    for starts in ((1, 3, 1), (4, 4, 4)):
        check_windows(on, "f32", (70, 76, 72), *starts)
    check_windows(on, "f8e4m3", (70, 144, 80), 1, 16, 0)
    for heads, width, start in ((3, 64, 0), (3, 40, 8), (3, 20, 3), (1, 64, 5)):
        check_heads(on, 70, heads, width, start)
    for k in (256, 200, 96):
        check_halves(on, 70, 72, k)
    print(f"{on}: right")
