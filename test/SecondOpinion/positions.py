# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements of a tile are positions.

What a load has not read, and an index beyond the limit of its range, is none; neither is what is computed
from it element by element. A load with a fill yields positions, and so do scalars, reductions and all
else. Tiles of one dimension alone carry a mask: others index nothing.
"""

import numpy as np

from .values import Tile


def mask_of(value):
    """The elements that are positions; None if all are."""
    return value.mask if type(value) is Tile else None


def carried(*operands):
    """Those of what is computed from operands element by element."""
    result = None
    for operand in operands:
        if type(operand) is Tile and operand.mask is not None:
            result = operand.mask if result is None else result & operand.mask
    return result


def chosen(condition, x, y):
    """Those of a `where`, which asks its condition and the operand that it chooses."""
    first, second = mask_of(x), mask_of(y)
    if first is None and second is None:
        return condition.mask
    mask = np.where(condition.data, True if first is None else first, True if second is None else second)
    if mask.ndim != 1:
        return None
    return mask if condition.mask is None else mask & condition.mask
