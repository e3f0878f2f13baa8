# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks candidates before they are measured, by data that needs no GPU."""

import math

from .. import sizes

# Of an H100 or H200.
MULTIPROCESSORS = 132


def fill(grid, shape):
    """Returns the work of a launch divided by the capacity of all multiprocessors in the same time.

    The value is below 1 if tiles reach beyond the edge, or if some multiprocessors get one program less."""
    programs = math.prod(sizes.evaluate(text, shape) for text in grid)
    work = math.prod(sizes.evaluate(text, shape, rounds=False) for text in grid)
    return work / (-(-programs // MULTIPROCESSORS) * MULTIPROCESSORS) if programs else 1.0


def score(candidate, shapes):
    """Estimates the share of peak that a candidate reaches over shapes; spilling candidates come last."""
    fills = [fill(candidate["grid"], shape) for shape in shapes]
    mean = math.exp(sum(math.log(max(value, 1e-9)) for value in fills) / len(fills))
    return mean * candidate["reach"] / (1 + candidate["spilled"])
