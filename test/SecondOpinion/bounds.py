# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds the distance between two correct evaluations of an operation.

Elementwise results of equal operands are equal. However, compilers may reorder and contract f32 sums, so a rounded f32
result may be off by a unit in its last place. A sum is exact in any order if all its terms are multiples of a step and
their magnitudes add up to less than 2^24 steps. Infinities and NaN have no error. If a sum overflows in one order but
not in another, its result is unknown.

An error is one number per tile. Within `by_element` it is an array with a bound for each element. Only arrays are
useful for tiles whose elements differ in magnitude, such as scores masked with -1e9.
"""

import contextlib
import contextvars
import dataclasses
import math
import typing

import numpy as np

from .elements import LARGEST, PRECISION, SMALLEST
from .problems import Undecided

# Exponents of the steps that are tried, finest last.
STEPS = (0, 3, 8, 14)


IS_BY_ELEMENT = contextvars.ContextVar("by_element", default=False)


@contextlib.contextmanager
def by_element(is_on=True):
    """Bounds each element separately."""
    token = IS_BY_ELEMENT.set(is_on)
    try:
        yield
    finally:
        IS_BY_ELEMENT.reset(token)


def size(x):
    """Returns the magnitude that an error is relative to: the largest one of a tile, or one for each element."""
    return finite(np.asarray(x, np.float64)) if IS_BY_ELEMENT.get() else magnitude(x)


def is_some(error):
    """Checks whether an error is not zero."""
    return error.any() if type(error) is np.ndarray else error != 0.0


def of_elements(error, shape):
    """Returns an error as an array with one for each element."""
    return np.broadcast_to(np.asarray(error, np.float64), shape)


def shaped(error, shape, change):
    """Returns the error of a tile whose elements move; `change` moves the elements of an array."""
    return change(of_elements(error, shape)) if type(error) is np.ndarray else error


def magnitude(x):
    """Returns the largest finite magnitude."""
    x = np.abs(x)
    largest = x.max(initial=0.0)
    if np.isfinite(largest):
        return float(largest)
    return float(np.where(np.isfinite(x), x, 0.0).max(initial=0.0))


def finite(x):
    """Returns magnitudes, with zero for infinities and NaN."""
    return np.where(np.isfinite(x), np.abs(x), 0.0)


def product_of_errors(first, second, x, y):
    """Returns the error of products of numbers x and y with the given errors."""
    return times(first, size(y)) + times(second, size(x)) + times(first, second)


def times(error, factor):
    """Returns an error times a factor; zero times an infinite error is infinite instead of NaN."""
    if type(error) is np.ndarray or type(factor) is np.ndarray:
        product = np.asarray(error) * factor
        return np.where((error != 0) & (factor != 0), product, np.where(np.asarray(error) < math.inf, 0.0, math.inf))
    return error * factor if error and factor else 0.0 if error < math.inf else math.inf


def unit(dtype, largest):
    """Returns a unit in the last place of numbers up to `largest`."""
    return largest * 2.0 ** (1 - PRECISION[dtype]) + SMALLEST[dtype]


def overflows(dtype, exact, rounded):
    """Checks where an f32 result overflows. As a product in a multiply-add, it does not."""
    return np.isinf(rounded) & np.isfinite(exact) if dtype == "f32" else False


def rounding(dtype, exact, rounded, error):
    """Returns the error of rounded results with a given error before rounding."""
    if IS_BY_ELEMENT.get():
        return rounding_of_elements(dtype, exact, rounded, error)
    # Within its error it may overflow or not.
    if error and magnitude(exact) + error >= LARGEST[dtype] or np.any(overflows(dtype, exact, rounded)):
        return math.inf
    if error == 0.0:
        if dtype != "f32":
            return 0.0
        with np.errstate(invalid="ignore"):
            if not (np.abs(exact - rounded) > 0).any():
                return 0.0
    return error + unit(dtype, magnitude(rounded))


def rounding_of_elements(dtype, exact, rounded, error):
    with np.errstate(invalid="ignore"):
        is_off = np.asarray(error) > 0
        is_rounded = np.abs(exact - rounded) > 0 if dtype == "f32" else False
        result = np.where(is_off | is_rounded, error + unit(dtype, size(rounded)), 0.0)
        may_overflow = is_off & (size(exact) + error >= LARGEST[dtype]) | overflows(dtype, exact, rounded)
        return np.where(may_overflow, math.inf, result)


def extremum_error(x, error, axis, is_max):
    """Returns the error of maxima (or minima) of x along an axis. Elements that cannot be the maximum do not count."""
    error = of_elements(error, x.shape)
    wide = np.asarray(x, np.float64) if is_max else -np.asarray(x, np.float64)
    result, low, high = wide.max(axis), (wide - error).max(axis), (wide + error).max(axis)
    # Infinities have no error.
    return np.where(np.isfinite(result), np.maximum(high - result, result - low), 0.0)


def step_of(x):
    """Returns the exponent of a step that divides all elements, or None."""
    for exponent in STEPS:
        scaled = x * 2.0**exponent
        if (scaled == np.rint(scaled)).all():
            return exponent
    return None


def sum_error(dtype, x, total, count, error):
    """Returns the error of sums of `count` elements x with the given error; `total` is the sum of magnitudes.

    By element, `error` is the sum of the errors, and `total` an array."""
    if IS_BY_ELEMENT.get():
        step = step_of(x)
        is_exact = step is not None and total * 2.0**step < 2.0 ** PRECISION[dtype]
        return np.where(total >= LARGEST[dtype], math.inf, error + np.where(is_exact, 0.0, count * unit(dtype, total)))
    if total >= LARGEST[dtype]:
        return math.inf
    result = count * error
    step = step_of(x)
    if step is None or not total * 2.0**step < 2.0 ** PRECISION[dtype]:
        result += count * unit(dtype, total)
    return result


@dataclasses.dataclass
class Terms:
    """The terms of an f32 matrix product: their number per element, the exponent of a common step (or None), and the
    largest sum of their magnitudes."""

    count: int
    step: typing.Optional[int]
    total: typing.Union[float, np.ndarray]


def terms_of(a, b, magnitudes):
    steps = step_of(a.data), step_of(b.data)
    return Terms(a.shape[1], None if None in steps else sum(steps), magnitudes)


def product_error(a, b, terms):
    """Returns the error of an f32 matrix product."""
    if IS_BY_ELEMENT.get():
        own = product_of_error_tiles(a, b)
        return np.where(terms.total >= LARGEST["f32"], math.inf, own + accumulation_error(terms, None))
    if terms.total >= LARGEST["f32"]:
        return math.inf
    result = terms.count * product_of_errors(a.error, b.error, a.data, b.data)
    return result + accumulation_error(terms, None)


def product_of_error_tiles(a, b):
    """Returns the error of a matrix product caused by errors of its operands.

    An infinite error makes the errors of its row or column infinite."""
    first, second = of_elements(a.error, a.shape), of_elements(b.error, b.shape)
    rows, columns = np.isinf(first).any(1), np.isinf(second).any(0)
    first, second = finite(first), finite(second)
    error = first @ size(b.data) + size(a.data) @ second + first @ second
    return np.where(rows[:, None] | columns[None, :], math.inf, error)


def accumulation_error(terms, start):
    """Returns the error of adding the terms of a product one by one to numbers `start`, or to zero."""
    step, total = terms.step, terms.total
    if start is not None:
        own = step_of(start)
        step = None if step is None or own is None else max(step, own)
        total = total + size(start)
    if IS_BY_ELEMENT.get():
        is_exact = step is not None and total * 2.0**step < 2.0**24
        return np.where(is_exact, 0.0, terms.count * unit("f32", total))
    if step is None or not total * 2.0**step < 2.0**24:
        return terms.count * unit("f32", total)
    return 0.0


def decide_comparison(a, b, error):
    """Raises if operands with the total error `error` may compare differently."""
    if is_some(error):
        with np.errstate(invalid="ignore"):
            if ((np.abs(np.asarray(a, np.float64) - b) <= error) & (np.asarray(error) > 0)).any():
                raise Undecided("a comparison")


def decide_rounding(x, error):
    """Raises if numbers with the given error may be rounded to other integers."""
    if is_some(error):
        with np.errstate(invalid="ignore"):
            wide = np.asarray(x, np.float64)
            if (np.floor(wide - error) != np.floor(wide + error)).any():
                raise Undecided("a rounding to an integer")
