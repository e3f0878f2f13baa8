# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements of a tile of positions are positions at all.

A position that is computed from a load carries the load's mask: what was not valid there is not valid as
a position either, so that it loads zero (or the fill) and stores nothing. A load with a fill has none.
"""

from .values import Tile


def carried(*operands):
    """The mask of what is computed element by element from integers; None if all of it is valid.

    Scalars carry none.
    """
    result = None
    for operand in operands:
        if type(operand) is Tile and operand.mask is not None:
            result = operand.mask if result is None else result & operand.mask
    return result
