# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of names and expressions.

A compile-time number is a Python bool, int or float; the other values are classes below.
"""

import numpy as np

from . import elements
from .problems import NotUnderstood


class Type:
    """An element type (rank None), `int`, `float`, `type`, or a tile type."""

    __slots__ = "name", "shape"

    def __init__(self, name, shape=None):
        self.name, self.shape = name, shape

    def __repr__(self):
        return self.name if self.shape is None else f"{self.name}{list(self.shape)}"


class Int:
    """A run-time `int`: 64 bits that wrap."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = elements.wrap(value)

    def __repr__(self):
        return f"int {self.value}"


class Tile:
    """A tile, or a scalar of an element type if `data` has no dimensions.

    `error` bounds the distance between correct evaluations, for the tile or for each element (bounds.py). `mask` has
    the elements that are positions (positions.py); None if all are. `terms` are the terms of a product that was just
    formed (bounds.py), since a compiler may add them one by one to another tile; else None.
    """

    __slots__ = "dtype", "data", "error", "mask", "terms"

    def __init__(self, dtype, data, error=0.0, mask=None, terms=None):
        self.dtype, self.data, self.error, self.mask, self.terms = dtype, data, error, mask, terms

    @property
    def shape(self):
        return self.data.shape

    def __repr__(self):
        return f"{self.dtype}{list(self.data.shape)}"


class Function:
    """The name of a function as an argument; `fn` is None for a built-in function."""

    __slots__ = "name", "fn"

    def __init__(self, name, fn):
        self.name, self.fn = name, fn


# A parameter of a kernel whose condition does not hold.
ABSENT = object()


class Range:
    """`extent` positions from `start`; positions below `limit` are valid."""

    __slots__ = "start", "limit", "extent"

    def __init__(self, start, limit, extent):
        self.start, self.limit, self.extent = elements.wrap(start), elements.wrap(limit), extent

    def moved(self, offset):
        return Range(self.start + offset, self.limit + offset, self.extent)

    @property
    def index(self):
        """The positions; beyond 32 bits their low bits."""
        return (np.arange(self.extent, dtype=np.int64) + np.int64(elements.wrap(self.start, 32))).astype(np.int32)

    @property
    def valid(self):
        # Positions may be beyond 64 bits.
        return np.arange(self.extent) < min(max(self.limit - self.start, 0), self.extent)


class Tensor:
    """A tensor in memory. `is_known` has for each dimension whether it is known at compile time; `error` is that of
    its elements."""

    __slots__ = "name", "dtype", "data", "access", "is_known", "error"

    def __init__(self, name, dtype, data, access, is_known):
        self.name, self.dtype, self.data, self.access, self.is_known = name, dtype, data, access, is_known
        self.error = 0.0


WHOLE, NEW = ":", "_"


def is_known(value):
    return type(value) in (int, float, bool)


def scalar(dtype, number):
    return Tile(dtype, np.asarray(number, elements.carrier(dtype)))


def boolean(truth):
    return Tile("bool", np.asarray(bool(truth)))


def known_as(number, dtype):
    """Returns a compile-time number as an element of a type, which must be able to represent it."""
    if dtype in elements.FLOATS and type(number) is not bool:
        if type(number) is int:
            return elements.floats_of_integers(dtype, np.asarray(number, np.int64))
        return elements.round_float(dtype, np.asarray(number, np.float64))
    if dtype in elements.INTEGERS and type(number) is int:
        limits = np.iinfo(elements.INTEGERS[dtype])
        if limits.min <= number <= limits.max:
            return np.asarray(number, elements.INTEGERS[dtype])
    if dtype == "bool" and type(number) is bool:
        return np.asarray(number)
    raise NotUnderstood(f"{number} does not fit {dtype}")


def int_as(value, dtype):
    """Returns a run-time int as an element of a type."""
    return elements.convert(np.asarray(value.value, np.int64), "i64", dtype)


def as_int(value):
    """Returns a value that must be an `int`, as a Python number."""
    kind = type(value)
    if kind is int:
        return value
    if kind is Int:
        return value.value
    if kind is Tile and not value.shape and value.dtype in ("i32", "i64"):
        return int(value.data)
    raise NotUnderstood(f"expected an int and not {value!r}")


def truth(value):
    """Returns a condition; known conditions are bools."""
    if type(value) is bool:
        return value
    if type(value) is Tile and value.dtype == "bool" and not value.shape:
        return bool(value.data)
    raise NotUnderstood(f"expected a condition and not {value!r}")


def fix(value):
    """Returns the value of a `var`, which has its own type."""
    kind = type(value)
    if kind is bool:
        return boolean(value)
    if kind is int:
        return Int(value)
    if kind is float:
        return Tile("f32", known_as(value, "f32"))
    if kind in (Int, Tile):
        return value
    raise NotUnderstood(f"{value!r} cannot change")


def shape_of(value):
    return value.shape if type(value) is Tile else ()


def divide_int(a, b):
    """Returns a quotient; zero if the divisor is zero."""
    return a // b if b else 0
