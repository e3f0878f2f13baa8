# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of positions.tile on all devices without a GPU and compares their results with NumPy's.

    positions.py SOURCE FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

DEVICES = ("interpreter", "cpu", "sim", "ptx")


def gathered(x, *positions, fill=0):
    """Returns x[positions], with the fill where a position is outside."""
    positions = np.broadcast_arrays(*positions)
    valid = np.ones(positions[0].shape, bool)
    for position, size in zip(positions, x.shape):
        valid &= (position >= 0) & (position < size)
    y = x[tuple(np.where(valid, p, 0) for p in positions)]
    y[~valid] = fill
    return y


def cut_to_bf16(x):
    return (x.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


def make_cases(data):
    rows = 75
    i = np.arange(rows)
    x = data.standard_normal((rows, 40)).astype(np.float32)
    t = data.integers(0, 40, rows)
    t[[3, 17, 60]] = -100, 40, 2**40 + 1
    yield "picked", dict(x=x, t=t), [], gathered(x, i, t, fill=7)
    p = data.integers(-1, 42, (rows, 8))
    yield "several", dict(x=x, p=p), [], gathered(x, i[:, None], p)
    code, table = data.integers(0, 256, (50, 100)).astype(np.uint8), data.standard_normal(250).astype(np.float32)
    yield "decoded", dict(code=code, table=table), [], gathered(table, code.astype(int))
    cache = cut_to_bf16(data.standard_normal((6, 9, 3, 64)))
    page, slot = data.integers(-1, 7, rows).astype(np.int32), data.integers(0, 9, rows).astype(np.int32)
    yield "paged", dict(cache=cache, page=page, slot=slot), [], gathered(cache, page, slot)
    z = data.standard_normal((rows, 3, 40, 2)).astype(np.float32)
    t32 = np.clip(t, -100, 100).astype(np.int32)
    yield "between", dict(x=z, t=t32), ["--arg=k=1"], gathered(z, i, np.ones(rows, int), t32)
    v, y = data.standard_normal(rows).astype(np.float32), x.copy()
    valid = (t >= 0) & (t < 40)
    expected = y.copy()
    expected[i[valid], t[valid]] = v[valid]
    yield "scattered", dict(v=v, t=t, y=y), [], expected
    a, b = data.integers(-1, 5, 1000).astype(np.int32), data.integers(0, 8, 1000).astype(np.uint32)
    b[5] = 2**32 - 1
    inside = (a >= 0) & (a < 4) & (b < 7)
    expected = np.zeros((4, 7), np.int32)
    np.add.at(expected, (a[inside], b[inside]), 1)
    yield "counted", dict(a=a, b=b, y=np.zeros((4, 7), np.int32)), [], expected
    order = data.permutation(200)[:148].reshape(37, 4).astype(np.int32)
    w = data.standard_normal(200).astype(np.float32)
    expected = np.zeros(200, np.float32)
    expected[order] = w[order] + 1
    yield "chained", dict(p=order, x=w, y=np.zeros(200, np.float32)), [], expected
    far = np.array([0, 3, -1, 2**32, 2**32 + 3, -(2**32) + 1, 199, 200, 2**63 - 1], np.int64)
    yield "wide", dict(x=w, p=far), [], gathered(w, far, fill=-1)
    p = data.integers(-2, 45, (rows, 50)).astype(np.int32)
    yield "padded", dict(x=x, p=p), [], 2 * gathered(x, i[:, None], p)
    # The last row has no next one. It is shifted by all bits, and divided by 0.
    p, bits, d = data.integers(0, 200, rows).astype(np.uint32), np.zeros(rows, np.uint32), np.ones(rows, np.uint32)
    bits[-1], d[-1] = 32, 0
    expected = np.tile(np.append(w[p[1:]], np.float32(-1)), (2, 1))
    yield "emptied", dict(p=p, bits=bits, d=d, x=w), [], expected


def main():
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, arrays, options, expected in make_cases(np.random.default_rng(0)):
        for array, values in arrays.items():
            np.save(folder / f"{array}.npy", values)
        wrong = []
        for device in DEVICES:
            run = subprocess.run(
                ["tile-run", source, f"--kernel={name}", f"--device={device}", *options,
                 *(f"--arg={array}={folder}/{array}.npy" for array in arrays), f"--save=y={folder}/result.npy"],
                capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{name} on {device}: {run.stderr}")
            if not np.array_equal(np.load(folder / "result.npy").view(expected.dtype), expected):
                wrong.append(device)
        print(f"{name}: {'wrong on ' + ', '.join(wrong) if wrong else 'right'}")


if __name__ == "__main__":
    main()
