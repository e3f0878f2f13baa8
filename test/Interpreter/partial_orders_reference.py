# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the arguments and results of partial-orders.tile: rows of 5 elements, in tiles of 8."""

import itertools
import math
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])


def key(value):
    """Orders NaN after all numbers."""
    return (math.isnan(value), 0 if math.isnan(value) else value)


def write(kernel, x):
    # Sorts of Python are stable, also in reverse.
    rise = [sorted(range(len(row)), key=lambda i, row=row: key(row[i])) for row in x]
    fall = [sorted(range(len(row)), key=lambda i, row=row: key(row[i]), reverse=True) for row in x]
    results = {"rise": np.int32(rise), "fall": np.int32(fall)}
    results |= {"least": results["rise"][:, :4], "most": results["fall"][:, :4]}
    results |= {"up": np.take_along_axis(x, results["rise"], 1), "down": np.take_along_axis(x, results["fall"], 1)}
    np.save(FOLDER / f"{kernel}.npy", x)
    for name, values in results.items():
        np.save(FOLDER / f"{kernel}_{name}.npy", np.ascontiguousarray(values))


# All rows of these values: NaN and infinity at each place, alone and repeated.
write("floats", np.float32(list(itertools.product([np.nan, np.inf, -np.inf, 0, 3], repeat=5))))
write("integers", np.int32(list(itertools.product([-2**31, 2**31 - 1, 0, 7], repeat=5))))
