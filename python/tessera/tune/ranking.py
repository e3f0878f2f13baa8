# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which candidates are measured, from what is known without a GPU."""

import math

from .. import sizes

# Of an H100 or H200.
MULTIPROCESSORS = 132


def fill(grid, shape):
    """The work of a launch over what all multiprocessors could do in the time that it takes: less than 1 where
    tiles reach over the edge, or some multiprocessors have a program less than others."""
    programs = math.prod(sizes.evaluate(text, shape) for text in grid)
    work = math.prod(sizes.evaluate(text, shape, rounds=False) for text in grid)
    return work / (-(-programs // MULTIPROCESSORS) * MULTIPROCESSORS) if programs else 1.0


def score(candidate, shapes):
    """How much of the peak a candidate may reach, over shapes; what spills comes last."""
    fills = [fill(candidate["grid"], shape) for shape in shapes]
    mean = math.exp(sum(math.log(max(value, 1e-9)) for value in fills) / len(fills))
    return mean * candidate["reach"] / (1 + candidate["spilled"])
