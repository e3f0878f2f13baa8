# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determines the elements of a tile that are positions.

Elements that a load has not read, and indices beyond the limit of their range, are not positions; nor are
elementwise results of them. A load with a fill yields positions, and so do scalars, reductions and all other
operations.
"""

import numpy as np

from .values import Tile


def of_range(base):
    """Returns `.index` of a range."""
    return Tile("i32", base.index, 0.0, None if base.valid.all() else base.valid)


def mask_of(value):
    """Returns the mask of positions; None if all elements are positions."""
    return value.mask if type(value) is Tile else None


def carried(*operands):
    """Returns the mask of an elementwise result."""
    result = None
    for operand in operands:
        if type(operand) is Tile and operand.mask is not None:
            result = operand.mask if result is None else result & operand.mask
    return result


def chosen(condition, x, y):
    """Returns the mask of a `where`, from its condition and the chosen operand."""
    first, second = mask_of(x), mask_of(y)
    if first is None and second is None:
        return condition.mask
    mask = np.where(condition.data, True if first is None else first, True if second is None else second)
    return mask if condition.mask is None else mask & condition.mask
