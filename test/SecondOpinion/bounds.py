# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far two correct evaluations of an operation may lie apart.

What is computed element by element from equal operands is equal, but that compilers may reorder f32 sums
and contract; so an f32 result that is rounded is taken to be off by a unit of its last place. A sum is
exact, in any order, if all its terms are multiples of a step and their magnitudes add up to less than
2^24 steps. Infinities and NaN have no error; where a sum overflows in one
order and not in another, nothing is known.
"""

import dataclasses
import math
import typing

import numpy as np

from .elements import LARGEST, PRECISION, SMALLEST
from .problems import Undecided

# Exponents of the steps that are tried, finest last.
STEPS = (0, 3, 8, 14)


def magnitude(x):
    """The largest finite magnitude."""
    x = np.abs(x)
    largest = x.max(initial=0.0)
    if np.isfinite(largest):
        return float(largest)
    return float(np.where(np.isfinite(x), x, 0.0).max(initial=0.0))


def finite(x):
    """Magnitudes, but zero for infinities and NaN."""
    return np.where(np.isfinite(x), np.abs(x), 0.0)


def product_of_errors(first, second, x, y):
    """The error of products of numbers x and y that are off by so much."""
    return times(first, magnitude(y)) + times(second, magnitude(x)) + times(first, second)


def times(error, factor):
    """What may be off by infinity may be infinite, and zero times that is NaN."""
    return error * factor if error and factor else 0.0 if error < math.inf else math.inf


def unit(dtype, largest):
    """A unit of the last place of numbers up to so large."""
    return largest * 2.0 ** (1 - PRECISION[dtype]) + SMALLEST[dtype]


def rounding(dtype, exact, rounded, error):
    """The error of results that were off by so much before they were rounded."""
    # Within its error it may overflow or not.
    if error and magnitude(exact) + error >= LARGEST[dtype]:
        return math.inf
    if error == 0.0:
        if dtype != "f32":
            return 0.0
        with np.errstate(invalid="ignore"):
            if not (np.abs(exact - rounded) > 0).any():
                return 0.0
    return error + unit(dtype, magnitude(rounded))


def step_of(x):
    """The exponent of a step that all elements are multiples of, or None."""
    for exponent in STEPS:
        scaled = x * 2.0**exponent
        if (scaled == np.rint(scaled)).all():
            return exponent
    return None


def sum_error(dtype, x, total, count, error):
    """The error of sums of so many elements x, off by so much each; `total` is the sum of magnitudes."""
    if total >= LARGEST[dtype]:
        return math.inf
    result = count * error
    step = step_of(x)
    if step is None or not total * 2.0**step < 2.0 ** PRECISION[dtype]:
        result += count * unit(dtype, total)
    return result


@dataclasses.dataclass
class Terms:
    """Those of a matrix product in f32: how many each element has, the exponent of a step that all are
    multiples of (or None), and the largest sum of their magnitudes."""

    count: int
    step: typing.Optional[int]
    total: float


def terms_of(a, b, magnitudes):
    steps = step_of(a.data), step_of(b.data)
    return Terms(a.shape[1], None if None in steps else sum(steps), magnitudes)


def product_error(a, b, terms):
    """That of a matrix product in f32."""
    if terms.total >= LARGEST["f32"]:
        return math.inf
    result = terms.count * product_of_errors(a.error, b.error, a.data, b.data)
    return result + accumulation_error(terms, None)


def accumulation_error(terms, start):
    """That of adding the terms of a product to numbers `start`, or to zero, one by one."""
    step, total = terms.step, terms.total
    if start is not None:
        own = step_of(start)
        step = None if step is None or own is None else max(step, own)
        total += magnitude(start)
    if step is None or not total * 2.0**step < 2.0**24:
        return terms.count * unit("f32", total)
    return 0.0


def decide_comparison(a, b, error):
    """Raises if operands that are off by `error` in all may compare otherwise."""
    if error:
        with np.errstate(invalid="ignore"):
            if (np.abs(np.asarray(a, np.float64) - b) <= error).any():
                raise Undecided("a comparison")


def decide_rounding(x, error):
    """Raises if numbers that are off by so much may be rounded to other integers."""
    if error:
        with np.errstate(invalid="ignore"):
            wide = np.asarray(x, np.float64)
            if (np.floor(wide - error) != np.floor(wide + error)).any():
                raise Undecided("a rounding to an integer")
