# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on values: conversion of operands, computation, and rounding."""

import math
import operator

import numpy as np

from . import bounds, elements
from .positions import carried
from .problems import NotUnderstood
from .values import Int, Range, Tile, Type, as_int, boolean, divide_int, int_as, is_known, known_as

COMPARISONS = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
               ">=": np.greater_equal}
ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "max": np.maximum,
              "min": np.minimum}


def divide_integers(x, y):
    """Returns quotients: zero for a zero divisor; the smallest integer divided by -1 wraps."""
    special = (y == 0) | (y == -1)
    quotient = np.floor_divide(x, np.where(special, np.ones_like(y), y))
    return np.where(special, x * y, quotient)


INTEGER_ARITHMETIC = {**ARITHMETIC, "/": divide_integers, "%": lambda x, y: x - divide_integers(x, y) * y}
INT_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": divide_int,
                  "%": lambda a, b: a - b * divide_int(a, b), "max": max, "min": min}
SCALAR_COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
                      ">=": operator.ge}


def shift_left(x, amount):
    is_inside = (amount >= 0) & (amount < x.dtype.itemsize * 8)
    return np.where(is_inside, np.left_shift(x, np.where(is_inside, amount, np.zeros_like(amount))), np.zeros_like(x))


def shift_right(x, amount):
    most = x.dtype.itemsize * 8 - 1
    is_inside = (amount >= 0) & (amount <= most)
    # All bits become the sign, which is 0 for unsigned integers.
    return np.where(is_inside, np.right_shift(x, np.where(is_inside, amount, np.zeros_like(amount))), (x < 0) * np.array(-1).astype(x.dtype))


BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "<<": shift_left, ">>": shift_right}
INT_BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}


def shift_int(sign, x, amount):
    if not 0 <= amount < 64:
        return 0 if sign == "<<" or x >= 0 else -1
    return x << amount if sign == "<<" else x >> amount


# Conversion of operands.


def common_type(values):
    """Returns the common element type of operands; "int" for run-time ints, None if all are known."""
    tile = next((v for v in values if type(v) is Tile and v.data.ndim), None)
    if tile is not None:
        dtype = tile.dtype
    elif any(type(v) is Int for v in values):
        floats = [v.dtype for v in values if type(v) is Tile and v.dtype in elements.FLOATS]
        dtype = floats[0] if floats else "int"
    else:
        dtype = next((v.dtype for v in values if type(v) is Tile), None)
    for v in values:
        if type(v) is Tile:
            if v.dtype != dtype and not (dtype == "int" and v.dtype in ("i32", "i64") and not v.data.ndim):
                raise NotUnderstood(f"{v!r} meets {dtype}")
        elif type(v) is Int:
            if dtype == "bool":
                raise NotUnderstood("an int meets a bool")
        elif not is_known(v):
            raise NotUnderstood(f"{v!r} is not a number")
        elif dtype == "int" and type(v) is not int:
            raise NotUnderstood(f"{v!r} meets an int")
    return dtype


def element(value, dtype):
    """Returns an operand as an array of a type."""
    if type(value) is Tile:
        return value.data
    return int_as(value, dtype) if type(value) is Int else known_as(value, dtype)


def meet(values):
    """Returns the common type of operands and their arrays, whose ranks agree."""
    dtype = common_type(values)
    arrays = [element(v, dtype) for v in values]
    ranks = {a.ndim for a in arrays if a.ndim}
    if len(ranks) > 1:
        raise NotUnderstood("operands of different ranks")
    if ranks:
        for extents in zip(*(a.shape for a in arrays if a.ndim)):
            if len(set(extents) - {1}) > 1:
                raise NotUnderstood("the shapes of operands do not match")
    return dtype, arrays


def error_of(value):
    return value.error if type(value) is Tile else 0.0


# Operators.


def known_binary(sign, a, b):
    if sign in SCALAR_COMPARISONS:
        return SCALAR_COMPARISONS[sign](a, b)
    if sign in INT_BITS and type(a) is type(b) is not float:
        return INT_BITS[sign](a, b)
    if type(a) is bool or type(b) is bool:
        raise NotUnderstood("arithmetic on truth values")
    if sign in BITS:
        if type(a) is not int or type(b) is not int or not 0 <= b < 64 or elements.wrap(a << b) != a << b and sign == "<<":
            raise NotUnderstood(f"{a} {sign} {b}")
        return shift_int(sign, a, b)
    if type(a) is int and type(b) is int:
        if sign in "/%" and b == 0:
            raise NotUnderstood("a division by zero at compile time")
        result = INT_ARITHMETIC[sign](a, b)
        if elements.wrap(result) != result:
            raise NotUnderstood("a number known at compile time overflows")
        return result
    a, b = float(a), float(b)
    if sign == "/":
        if b == 0:
            raise NotUnderstood("a division by zero at compile time")
        return a / b
    if sign in ("max", "min"):
        return math.nan if a != a or b != b else INT_ARITHMETIC[sign](a, b)
    return INT_ARITHMETIC[sign](a, b)


def binary(sign, a, b):
    """Applies an arithmetic operator, a comparison, "max" or "min"."""
    if is_known(a) and is_known(b):
        return known_binary(sign, a, b)
    if type(a) is Type and type(b) is Type and sign in ("==", "!="):
        return SCALAR_COMPARISONS[sign]((a.name, a.shape), (b.name, b.shape))
    if type(a) is Range or type(b) is Range:
        return moved(sign, a, b)
    dtype = common_type((a, b))
    if dtype == "int":
        x, y = as_int(a), as_int(b)
        if sign in SCALAR_COMPARISONS:
            return boolean(SCALAR_COMPARISONS[sign](x, y))
        if sign in BITS:
            check_amount(sign, b, 64)
            return Int(INT_BITS[sign](x, y) if sign in INT_BITS else shift_int(sign, x, y))
        return Int(INT_ARITHMETIC[sign](x, y))
    dtype, (x, y) = meet((a, b))
    if sign in COMPARISONS:
        bounds.decide_comparison(x, y, error_of(a) + error_of(b))
        return Tile("bool", np.asarray(COMPARISONS[sign](x, y)), 0.0, carried(a, b))
    if sign in BITS:
        if dtype in elements.FLOATS or dtype == "bool" and sign not in INT_BITS:
            raise NotUnderstood(f"{sign} on {dtype}")
        check_amount(sign, b, 8 * x.dtype.itemsize)
        return Tile(dtype, np.asarray(BITS[sign](x, y)), 0.0, carried(a, b))
    if dtype in elements.FLOATS:
        return float_binary(sign, dtype, a, b, x, y)
    if dtype == "bool":
        raise NotUnderstood("arithmetic on truth values")
    return Tile(dtype, np.asarray(INTEGER_ARITHMETIC[sign](x, y)), 0.0, carried(a, b))


def check_amount(sign, amount, width):
    if sign in ("<<", ">>") and is_known(amount) and not 0 <= amount < width:
        raise NotUnderstood(f"a shift of {width} bits by {amount}")


def complement(value):
    """Returns ~value."""
    if type(value) in (bool, int):
        return not value if type(value) is bool else ~value
    if type(value) is Int:
        return Int(~value.value)
    if type(value) is Tile and value.dtype not in elements.FLOATS:
        return Tile(value.dtype, np.asarray(~value.data), 0.0, value.mask)
    raise NotUnderstood(f"~ on {value!r}")


def float_binary(sign, dtype, a, b, x, y):
    first, second = error_of(a), error_of(b)
    if sign in ("max", "min"):
        return extreme(sign, dtype, a, b, x, y)
    if sign not in ARITHMETIC:
        raise NotUnderstood(f"{sign} on floats")
    exact = np.asarray(ARITHMETIC[sign](x, y, dtype=np.float64))
    rounded = elements.round_float(dtype, exact)
    if bounds.is_some(first) or bounds.is_some(second):
        if sign in "+-":
            error = first + second
        elif sign == "*":
            error = bounds.product_of_errors(first, second, x, y)
        elif bounds.IS_BY_ELEMENT.get():
            error = quotient_error(first, second, x, y)
        else:
            least = float(np.abs(y).min()) - second
            # NaN as well.
            error = first / least + bounds.times(second, bounds.magnitude(x)) / least / least if least > 0 else math.inf
    else:
        error = 0.0
    if sign == "+":
        error = error + sum(bounds.accumulation_error(v.terms, other) for v, other in ((a, y), (b, x))
                            if type(v) is Tile and v.terms)
    return Tile(dtype, rounded, bounds.rounding(dtype, exact, rounded, error), carried(a, b))


def extreme(sign, dtype, a, b, x, y):
    """Returns the elementwise maximum or minimum of floats."""
    first, second = error_of(a), error_of(b)
    data = np.asarray(ARITHMETIC[sign](x, y))
    if bounds.IS_BY_ELEMENT.get():
        pair = [np.broadcast_to(one, data.shape) for one in (x, y)]
        errors = [bounds.of_elements(error, data.shape) for error in (first, second)]
        error = bounds.extremum_error(np.stack(pair), np.stack(errors), 0, sign == "max")
        return Tile(dtype, data, error, carried(a, b))
    return Tile(dtype, data, max(first, second), carried(a, b))


def quotient_error(first, second, x, y):
    """Returns the error of each quotient. Exact operands have exact quotients, even for a zero divisor."""
    least = np.abs(np.asarray(y, np.float64)) - second
    is_off = (np.asarray(first) > 0) | (np.asarray(second) > 0)
    error = np.where(least > 0, first / least + bounds.times(second, bounds.size(x)) / least / least, math.inf)
    return np.where(is_off, error, 0.0)


def moved(sign, a, b):
    if sign != "+" or type(a) is Range and type(b) is Range:
        raise NotUnderstood("a range can only be moved")
    span, offset = (a, b) if type(a) is Range else (b, a)
    return span.moved(as_int(offset))


def logic(sign, a, b):
    """Applies && or || to operands that do not decide at compile time."""
    if type(a) is bool and type(b) is bool:
        return a and b if sign == "&&" else a or b
    dtype, (x, y) = meet((a, b))
    if dtype != "bool":
        raise NotUnderstood(f"{sign} on {dtype}")
    return Tile("bool", np.asarray(x & y if sign == "&&" else x | y), 0.0, carried(a, b))


def negate(value):
    kind = type(value)
    if kind in (int, float):
        return known_binary("-", 0, value) if kind is int else -value
    if kind is Int:
        return Int(-value.value)
    if kind is Tile and value.dtype != "bool":
        return Tile(value.dtype, np.asarray(-value.data), value.error, value.mask)
    raise NotUnderstood(f"- on {value!r}")


def invert(value):
    if type(value) is bool:
        return not value
    if type(value) is Tile and value.dtype == "bool":
        return Tile("bool", np.asarray(~value.data), 0.0, value.mask)
    raise NotUnderstood(f"! on {value!r}")


def product(a, b):
    """Returns a @ b."""
    if type(a) is not Tile or type(b) is not Tile or a.data.ndim != 2 or b.data.ndim != 2 or a.shape[1] != b.shape[0]:
        raise NotUnderstood(f"{a!r} @ {b!r}")
    if a.dtype != b.dtype and not (a.dtype in elements.F8 and b.dtype in elements.F8):
        raise NotUnderstood(f"{a!r} @ {b!r}")
    if a.dtype == "tf32":
        a, b = (Tile("f32", t.data, t.error) for t in (a, b))
    if a.dtype == "i8":
        return Tile("i32", a.data.astype(np.int32) @ b.data.astype(np.int32))
    if a.dtype == "f64":
        raise NotUnderstood("a product of f64")
    if a.dtype not in elements.FLOATS:
        raise NotUnderstood(f"{a!r} @ {b!r}")
    x, y = a.data.astype(np.float64), b.data.astype(np.float64)
    magnitudes = bounds.size(bounds.finite(x) @ bounds.finite(y))
    terms = bounds.terms_of(a, b, magnitudes)
    return Tile("f32", (x @ y).astype(np.float32), bounds.product_error(a, b, terms), None, terms)


def cast(value, dtype):
    """Returns value as dtype, which may be "int"."""
    kind = type(value)
    if is_known(value):
        return cast_known(value, dtype)
    if kind is Int:
        return value if dtype == "int" else Tile(dtype, int_as(value, dtype))
    if kind is not Tile:
        raise NotUnderstood(f"{value!r} as {dtype}")
    if dtype == "int":
        if value.shape:
            raise NotUnderstood("a tile as int")
        if value.dtype == "i64" or value.dtype == "i32":
            return Int(as_int(value))
        wide = cast(value, "i64")
        return Int(int(wide.data))
    if dtype == "bool" and value.dtype != "bool":
        raise NotUnderstood("nothing becomes a bool")
    if value.dtype == dtype:
        return value
    if dtype == "tf32":
        return as_tf32(value)
    if value.dtype in elements.FLOATS and dtype not in elements.FLOATS:
        decide_truncation(value)
    data = np.asarray(elements.convert(value.data, value.dtype, dtype))
    error = 0.0
    if bounds.is_some(value.error) and dtype in elements.FLOATS:
        error = value.error + bounds.unit(dtype, bounds.size(data))
        error = np.where(value.error > 0, error, 0.0) if type(error) is np.ndarray else error
    return Tile(dtype, data, error, value.mask)


def as_tf32(value):
    """Returns a tile without the 13 low bits of its elements, as an operand of a product."""
    if value.dtype != "f32" or not value.shape:
        raise NotUnderstood(f"{value!r} as tf32")
    data = (np.ascontiguousarray(value.data).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    error = value.error
    if bounds.is_some(error):
        # Of two near numbers, one may lose a step that the other keeps.
        error = error + 2.0**-9 * bounds.size(data)
    return Tile("tf32", data, error, value.mask)


def decide_truncation(value):
    if bounds.is_some(value.error):
        bounds.decide_rounding(np.abs(value.data), value.error)


def cast_known(value, dtype):
    """A known value is kept if possible, as an element of the type."""
    if dtype == "int":
        return int(value)
    if dtype == "bool":
        return Tile("bool", known_as(value, "bool"))
    if type(value) is bool:
        return Tile(dtype, np.asarray(value, elements.carrier(dtype)))
    if type(value) is float and dtype in elements.INTEGERS:
        value = int(value)
    return Tile(dtype, known_as(value, dtype))
