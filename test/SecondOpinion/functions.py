# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the language."""

import functools
import math
from fractions import Fraction

import numpy as np

from . import bounds, elements
from .operations import binary, cast, common_type, element, error_of, meet
from .positions import carried, chosen
from .problems import NotUnderstood, Undecided
from .values import Int, Tile, Type, as_int, boolean, is_known, truth

# The functions in float64, and their largest slopes within a distance of x.
erf = np.frompyfunc(math.erf, 1, 1)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


FLOAT_FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x), "tanh": np.tanh, "sigmoid": sigmoid,
    "erf": lambda x: np.asarray(erf(x), np.float64), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "log1p": np.log1p,
    "expm1": np.expm1, "cbrt": np.cbrt,
}  # fmt: skip
SLOPES = {
    "exp": np.exp, "exp2": np.exp2, "log": lambda x: 1.0 / x, "log2": lambda x: 1.5 / x,
    "sqrt": lambda x: 0.5 / np.sqrt(x), "rsqrt": lambda x: 0.5 / (x * np.sqrt(x)),
    "tanh": np.ones_like, "sigmoid": np.ones_like, "erf": lambda x: np.full_like(x, 1.2),
    "sin": np.ones_like, "cos": np.ones_like, "atan": np.ones_like, "sinh": np.cosh, "cosh": np.sinh, "expm1": np.exp,
    "asin": lambda x: 1.0 / np.sqrt(1.0 - x * x), "acos": lambda x: 1.0 / np.sqrt(1.0 - x * x),
    "log1p": lambda x: 1.0 / (1.0 + x),
    # Unbounded at poles and at 0.
    "tan": lambda x: np.full_like(x, np.inf), "cbrt": lambda x: np.full_like(x, np.inf),
}  # fmt: skip
# The largest distance between an f32 implementation and the function, relative to its value and absolute.
ACCURACY = 2.0**-19
SMALLEST_NORMAL = 2.0**-126
# Bounds by element permit a compiler to scale moderate s and t of exp(s - t) before the subtraction: up to ten times
# this number.
MODERATE = 8.0
ROUNDINGS = {"floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc}


def elementwise(name, value):
    """Applies a function of floats; the argument may be a compile-time number."""
    if is_known(value):
        if type(value) is bool:
            raise NotUnderstood(f"{name} of a truth value")
        if name in ROUNDINGS:
            return float(ROUNDINGS[name](float(value)))
        return float(FLOAT_FUNCTIONS[name](np.float64(value)))
    if type(value) is not Tile or value.dtype not in elements.FLOATS:
        raise NotUnderstood(f"{name} of {value!r}")
    if name in ROUNDINGS:
        decided = {"floor": value.data, "ceil": -value.data, "round": value.data + 0.5, "trunc": np.abs(value.data)}
        bounds.decide_rounding(decided[name], value.error)
        return Tile(value.dtype, np.asarray(ROUNDINGS[name](value.data)), 0.0, value.mask)
    if value.dtype == "f64" and name not in ("sqrt", "rsqrt"):
        raise NotUnderstood(f"{name} of f64")
    wide = value.data.astype(np.float64)
    exact = FLOAT_FUNCTIONS[name](wide)
    rounded = elements.round_float(value.dtype, exact)
    largest = bounds.size(rounded)
    accuracy = 0.0 if value.dtype == "f64" else ACCURACY
    # The argument of an exponential is scaled before it is decomposed.
    scale = scale_of_argument(wide) if name in ("exp", "exp2", "sigmoid") else 1.0
    error = accuracy * (largest * scale + (1.0 if name not in ("exp", "exp2", "rsqrt") else 0.0)) + bounds.unit(value.dtype, largest)
    # These may be zero below the normal numbers.
    error = error + (SMALLEST_NORMAL if name in ("exp", "exp2", "sigmoid") else 0.0)
    if type(value.error) is np.ndarray:
        error = error + bounds.times(value.error, slope_of_elements(name, wide, value.error))
    elif value.error:
        near = np.abs(SLOPES[name](wide + value.error)), np.abs(SLOPES[name](wide - value.error))
        slope = max(bounds.magnitude(n) if np.isfinite(n).all() else math.inf for n in near)
        error += bounds.times(value.error, slope)
    return Tile(value.dtype, rounded, error, value.mask)


def scale_of_argument(wide):
    """Returns the factor from the relative error of an exponential's argument to that of its result."""
    if bounds.IS_BY_ELEMENT.get():
        return np.maximum(MODERATE, bounds.size(wide))
    return max(1.0, bounds.magnitude(wide))


def slope_of_elements(name, wide, error):
    near = np.maximum(np.abs(SLOPES[name](wide + error)), np.abs(SLOPES[name](wide - error)))
    # The slope of a logarithm or a root is unbounded near zero.
    has_end = wide - error > 0 if name in ("log", "log2", "sqrt", "rsqrt") else True
    has_end = wide - error > -1 if name == "log1p" else has_end
    return np.where(np.isfinite(near) & has_end, near, math.inf)


def absolute(value):
    if is_known(value) and type(value) is not bool:
        return abs(value)
    if type(value) is Int:
        return Int(abs(value.value))
    if type(value) is Tile and value.dtype != "bool":
        return Tile(value.dtype, np.asarray(np.abs(value.data)), value.error, value.mask)
    raise NotUnderstood(f"abs of {value!r}")


def counted(name, value):
    """popcount(x) or clz(x)."""
    if type(value) in (int, Int):
        number = (value if type(value) is int else value.value) & (2**64 - 1)
        count = number.bit_count() if name == "popcount" else 64 - number.bit_length()
        return count if type(value) is int else Int(count)
    if type(value) is not Tile or value.dtype not in elements.INTEGERS:
        raise NotUnderstood(f"{name} of {value!r}")
    width = 8 * value.data.dtype.itemsize
    numbers = [int(number) & (2**width - 1) for number in value.data.flat]
    counts = [number.bit_count() if name == "popcount" else width - number.bit_length() for number in numbers]
    return Tile(value.dtype, np.array(counts, value.data.dtype).reshape(value.data.shape), 0.0, value.mask)


def bits(value, kind):
    """bits(x, type)."""
    if type(value) is not Tile or type(kind) is not Type or kind.shape is not None:
        raise NotUnderstood(f"bits of {value!r}")
    for dtype in (value.dtype, kind.name):
        if dtype not in elements.INTEGERS and dtype not in ("f64", "f32"):
            raise NotUnderstood(f"bits of {dtype}")
    if value.data.dtype.itemsize != np.dtype(elements.carrier(kind.name)).itemsize:
        raise NotUnderstood("bits of another width")
    if bounds.is_some(value.error) or value.dtype in elements.FLOATS and np.isnan(value.data).any():
        raise Undecided("the bits of an inexact number, or of a NaN")
    return Tile(kind.name, np.ascontiguousarray(value.data).view(elements.carrier(kind.name)).reshape(value.data.shape), 0.0, value.mask)


def mulhi(x, y):
    dtype, (a, b) = meet((x, y))
    if dtype not in elements.INTEGERS or elements.carrier(dtype)().itemsize > 4:
        raise NotUnderstood(f"mulhi of {dtype}")
    product = a.astype(np.int64) * b.astype(np.int64)
    return Tile(dtype, np.asarray((product >> (8 * a.dtype.itemsize)).astype(a.dtype)), 0.0, carried(x, y))


def fma_of_f64(x, y, z, a, b, c):
    """Computes with fractions. The result is only known for exact operands."""
    if any(bounds.is_some(error_of(v)) for v in (x, y, z)):
        raise Undecided("a multiply-add of inexact numbers of f64")
    numbers = np.broadcast_arrays(a, b, c)
    data = a * b + c
    flat = data.reshape(-1)
    for place, (p, q, r) in enumerate(zip(*(n.flat for n in numbers), strict=True)):
        # A zero keeps its sign.
        if np.isfinite([p, q, r]).all() and (total := Fraction(p.item()) * Fraction(q.item()) + Fraction(r.item())):
            flat[place] = rounded_fraction(total)
    return Tile("f64", flat.reshape(data.shape), 0.0, carried(x, y, z))


def rounded_fraction(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def fma(x, y, z):
    if all(map(is_known, (x, y, z))):
        return binary("+", binary("*", x, y), z)
    dtype, (a, b, c) = meet((x, y, z))
    if dtype not in elements.FLOATS:
        raise NotUnderstood(f"fma on {dtype}")
    if dtype == "f64":
        return fma_of_f64(x, y, z, a, b, c)
    wide = np.multiply(a, b, dtype=np.float64)
    c = c.astype(np.float64)
    total = wide + c
    # Rounds the sum to odd: the rounding error decides the direction, and the last bit marks a nonzero error.
    back = total - wide
    lost = (wide - (total - back)) + (c - back)
    is_odd = np.asarray(total).view(np.int64) & 1 == 0
    toward = np.where(lost > 0, np.inf, -np.inf)
    exact = np.where((lost != 0) & np.isfinite(total) & is_odd, np.nextafter(total, toward), total)
    rounded = elements.round_float(dtype, np.asarray(exact))
    first, second = error_of(x), error_of(y)
    error = error_of(z)
    if bounds.is_some(first) or bounds.is_some(second):
        error = error + bounds.product_of_errors(first, second, a, b)
    return Tile(dtype, rounded, bounds.rounding(dtype, exact, rounded, error), carried(x, y, z))


def where(condition, x, y):
    if type(condition) is bool and not any(type(v) is Tile and v.shape for v in (x, y)):
        return x if condition else y
    if type(condition) is bool:
        condition = boolean(condition)
    if type(condition) is not Tile or condition.dtype != "bool":
        raise NotUnderstood("where without a truth value")
    dtype = common_type((x, y))
    if dtype is None or dtype == "int" and condition.shape:
        if all(type(v) is bool for v in (x, y)):
            dtype = "bool"
        elif any(type(v) is float for v in (x, y)):
            dtype = "f32"
        else:
            dtype = "i32" if condition.shape else "int"
    if dtype == "int":
        # A scalar of ints.
        return Int(as_int(x if truth(condition) else y))
    a, b = element(x, dtype), element(y, dtype)
    shapes = [v.shape for v in (condition.data, a, b) if v.ndim]
    if len({len(shape) for shape in shapes}) > 1:
        raise NotUnderstood("operands of different ranks")
    return Tile(dtype, np.where(condition.data, a, b), error_of_choice(condition, x, y), chosen(condition, x, y))


def error_of_choice(condition, x, y):
    first, second = error_of(x), error_of(y)
    if type(first) is np.ndarray or type(second) is np.ndarray:
        return np.where(condition.data, first, second)
    return max(first, second)


def check_axis(value, axis):
    if type(value) is not Tile or type(axis) is not int or not 0 <= axis < value.data.ndim:
        raise NotUnderstood(f"no axis {axis!r} of {value!r}")


def summed(value):
    """Returns what a sum adds up: integers of 8 bits as i32."""
    return cast(value, "i32") if value.dtype in elements.INTEGERS and value.data.dtype.itemsize < 4 else value


def total(value, axis):
    """sum(x, axis = n)."""
    check_axis(value, axis)
    value = summed(value)
    if value.dtype in elements.INTEGERS:
        return Tile(value.dtype, np.asarray(value.data.sum(axis, dtype=value.data.dtype)))
    if value.dtype == "bool":
        raise NotUnderstood("a sum of truth values")
    wide = value.data.astype(np.float64)
    exact = np.asarray(wide.sum(axis))
    error = error_of_sum(value, wide, axis)
    return Tile(value.dtype, elements.round_float(value.dtype, exact), error)


def error_of_sum(value, wide, axis):
    total = bounds.finite(wide).sum(axis)
    if bounds.IS_BY_ELEMENT.get():
        own = bounds.of_elements(value.error, wide.shape).sum(axis)
        return bounds.sum_error(value.dtype, wide, total, value.shape[axis], own)
    return bounds.sum_error(value.dtype, wide, float(total.max(initial=0.0)), value.shape[axis], value.error)


def running(value, axis, reverse=False):
    """cumsum(x, axis = n, reverse = false)."""
    check_axis(value, axis)
    value = summed(value)
    data = np.flip(value.data, axis) if reverse else value.data
    if value.dtype in elements.INTEGERS:
        result, error = np.cumsum(data, axis, dtype=data.dtype), 0.0
    elif value.dtype in elements.FLOATS:
        wide = data.astype(np.float64)
        result = elements.round_float(value.dtype, np.cumsum(wide, axis))
        error = error_of_sum(value, wide, axis)
        if type(error) is np.ndarray:
            # Partial sums have the error of the whole sum.
            error = np.broadcast_to(np.expand_dims(error, axis), wide.shape)
    else:
        raise NotUnderstood("a running sum of truth values")
    # The error is the same along the axis.
    return Tile(value.dtype, np.flip(result, axis) if reverse else result, error)


def extremum(name, value, axis):
    check_axis(value, axis)
    if value.dtype == "bool":
        raise NotUnderstood(f"{name} of truth values")
    error = value.error
    if type(error) is np.ndarray:
        error = bounds.extremum_error(value.data, error, axis, name == "max")
    return Tile(value.dtype, np.asarray((np.max if name == "max" else np.min)(value.data, axis)), error)


def full(kind, value):
    if type(kind) is not Type or kind.shape is None:
        raise NotUnderstood("a tile needs a type with a shape")
    number = element(value, kind.name) if type(value) is not Tile else value.data
    if type(value) is Tile and (value.dtype != kind.name or value.shape):
        raise NotUnderstood(f"a tile of {value!r}")
    return Tile(kind.name, np.full(kind.shape, number, elements.carrier(kind.name)), error_of(value))


def iota(extent):
    if type(extent) is not int:
        raise NotUnderstood("the extent of iota is known at compile time")
    return Tile("i32", np.arange(extent, dtype=np.int32))


def zero_of(kind, number):
    return bool(number) if getattr(kind, "name", "") == "bool" else number


# Names of parameters, the minimum number of arguments, and the function.
FUNCTIONS = {
    **{name: (("x",), 1, functools.partial(elementwise, name)) for name in [*FLOAT_FUNCTIONS, *ROUNDINGS]},
    "abs": (("x",), 1, absolute),
    "popcount": (("x",), 1, functools.partial(counted, "popcount")),
    "clz": (("x",), 1, functools.partial(counted, "clz")),
    "bits": (("x", "type"), 2, bits),
    "mulhi": (("x", "y"), 2, mulhi),
    "fma": (("x", "y", "z"), 3, fma),
    "where": (("condition", "x", "y"), 3, where),
    "sum": (("x", "axis"), 2, total),
    "cumsum": (("x", "axis", "reverse"), 2, running),
    "zeros": (("type",), 1, lambda kind: full(kind, zero_of(kind, 0))),
    "ones": (("type",), 1, lambda kind: full(kind, zero_of(kind, 1))),
    "full": (("type", "value"), 2, full),
    "iota": (("extent",), 1, iota),
}
# The number of arguments that may have no name, where it is less than all.
POSITIONAL = dict.fromkeys(["sum", "cumsum", "prod", "cumprod", "cummax", "cummin", "argmax", "argmin", "any", "all"], 1)
