# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the arguments and results of positions.tile, element by element; None is a missing element."""

import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
M, R, B = 13, 64, 8
generator = np.random.default_rng(1)
x = np.float32(generator.integers(1, 6, (M, 4)))
# No two programs store to the same row.
rows = np.int32(3 * generator.permutation(M) + 1)
before = np.full((R, 4), -9.0, np.float32)
flag = np.int32([1, 0, 1])
following = np.int32(generator.integers(-1, 16, 30))


def read(tensor, position):
    """Returns an element of a tensor, or None."""
    return tensor[position] if position is not None and 0 <= position < len(tensor) else None


def write(y, position, value):
    if position is not None and 0 <= position < len(y):
        y[position] = value if value is not None else 0.0


def tiles():
    return [range(start, start + B) for start in range(0, M, B)]


def scatter(places, value=lambda row: row, y=None):
    """Returns y after a scatter to `places` of each element of each tile."""
    y = before.copy() if y is None else y
    for tile in tiles():
        for i in tile:
            row = read(x, i)
            write(y, places(i), value(row if row is not None else np.zeros(4)))
    return y


def index(i):
    return read(rows, i)


results = {"scattered": scatter(index), "computed": scatter(lambda i: None if index(i) is None else index(i) + 2)}
one, two = (lambda row: 1.0), (lambda row: 2.0)
results["filled"] = scatter(index, y=scatter(lambda i: 11 if index(i) is None else index(i), one))
results["chosen"] = scatter(lambda i: 9 if index(i) is not None else None, two,
                            scatter(lambda i: 11 if index(i) is None else index(i), one))
results["ordered"] = before.copy()
for tile in tiles():
    order = sorted(range(B), key=lambda k: index(tile[k]) or 0)
    for i, place in zip(tile, order):
        row = read(x, i)
        write(results["ordered"], tile[0] + place, row if row is not None else np.zeros(4))
results["indices"] = scatter(lambda i: i if i < M else None)
results["moved"] = before.copy()
for i in range(2, M):
    results["moved"][rows[i]] = x[i]
results["outside"] = scatter(index)
changed = before.copy()
for tile in tiles():
    p, q = [index(i) for i in tile], [i + 40 if i < M else None for i in tile]
    for turn in range(3):
        for i, place in zip(tile, p):
            row = read(x, i)
            write(changed, place, (row if row is not None else 0.0) + turn)
        if flag[turn]:
            p = [None if place is None else place + 1 for place in p]
        else:
            p, q = q, [index(i) for i in tile]
results["changed"] = changed
chained = np.zeros(M)
for tile in tiles():
    found = [read(x, None if index(i) is None else read(following, index(i))) for i in tile]
    sums = [0.0 if row is None else float(row.sum()) for row in found]
    for i, own in zip(tile, sums):
        if i < M:
            chained[i] = own + sum(sums)
results["chained"] = chained
counted = np.zeros((R, 4))
for i in range(M):
    counted[int(x[i, 0]), 1] += 1
results["counted"] = counted

arrays = {"x": x, "rows": rows, "y": before, "flag": flag, "next": following, "zeros": np.zeros((R, 4), np.float32)}
for name, array in {**arrays, **{name: np.float32(y) for name, y in results.items()}}.items():
    np.save(FOLDER / f"{name}.npy", array)
