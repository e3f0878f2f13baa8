# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of two floats, signs, and the tests for infinity and NaN."""

import functools

import numpy as np

from . import bounds, elements
from .operations import error_of, meet
from .positions import carried
from .problems import NotUnderstood, Undecided
from .values import Tile, is_known

OF_TWO = {"atan2": np.arctan2, "copysign": np.copysign, "fmod": np.fmod, "pow": np.power}
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
# The largest distance between an f32 implementation and the function, relative to its value.
ACCURACY = 2.0**-23


def of_two(name, x, y):
    """atan2(y, x), copysign(x, sign), fmod(x, y) and pow(x, y)."""
    if is_known(x) and is_known(y):
        return float(OF_TWO[name](np.float64(x), np.float64(y)))
    dtype, (a, b) = meet((x, y))
    if dtype not in elements.FLOATS or dtype == "f64" and name != "copysign":
        raise NotUnderstood(f"{name} on {dtype}")
    if bounds.is_some(error_of(x)) or bounds.is_some(error_of(y)):
        raise Undecided(f"{name} of inexact numbers")
    with np.errstate(all="ignore"):
        exact = np.asarray(OF_TWO[name](a.astype(np.float64), b.astype(np.float64)))
    rounded = elements.round_float(dtype, exact)
    error = 0.0
    if name in ("atan2", "pow"):
        largest = bounds.size(rounded)
        error = ACCURACY * largest + bounds.unit(dtype, largest)
    return Tile(dtype, rounded, error, carried(x, y))


def sign(value):
    if is_known(value) and type(value) is not bool:
        return float(np.sign(value)) if value else float(value)
    if type(value) is not Tile or value.dtype not in elements.FLOATS:
        raise NotUnderstood(f"sign of {value!r}")
    bounds.decide_comparison(value.data, np.zeros_like(value.data), value.error)
    signs = np.where(value.data > 0, 1, np.where(value.data < 0, -1, value.data))
    return Tile(value.dtype, np.asarray(signs, value.data.dtype), 0.0, value.mask)


def test(name, value):
    if is_known(value) and type(value) is not bool:
        return bool(TESTS[name](np.float64(value)))
    if type(value) is not Tile or value.dtype not in elements.FLOATS:
        raise NotUnderstood(f"{name} of {value!r}")
    if np.isinf(value.error).any():
        raise Undecided("whether an inexact number is finite")
    return Tile("bool", np.asarray(TESTS[name](value.data)), 0.0, value.mask)


FUNCTIONS = {
    **{name: (("y", "x") if name == "atan2" else ("x", "sign" if name == "copysign" else "y"), 2,
              functools.partial(of_two, name)) for name in OF_TWO},
    **{name: (("x",), 1, functools.partial(test, name)) for name in TESTS},
    "sign": (("x",), 1, sign),
}  # fmt: skip
