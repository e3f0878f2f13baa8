# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of other libraries."""

from ..errors import ArgumentError


def is_boolean(value):
    """Returns whether a value is a bool of Python or NumPy, or a bool array without dimensions."""
    dtype = getattr(value, "dtype", None)
    return isinstance(value, bool) or (getattr(dtype, "kind", None) == "b" and getattr(value, "shape", None) == ())


def index(value):
    """Returns a value as an int; None for booleans and for values that are not integers."""
    if is_boolean(value) or not hasattr(value, "__index__"):
        return None
    try:
        return value.__index__()
    # Arrays of floats have the method as well.
    except TypeError:
        return None


def size(name, value):
    """Returns the value of the size `name` of a call as an int."""
    found = index(value)
    if found is None or found < 0:
        raise ArgumentError(f"expected size '{name}' to be an int of at least 0, got {value!r}")
    return integer(found, f"the size '{name}'")


def integer(value, what, bits=64, is_signed=True):
    """Returns `value` as an int of the given number of bits; ctypes would silently truncate a larger one."""
    if not hasattr(value, "__index__"):
        raise ArgumentError(f"expected an integer for {what}, got {type(value).__name__}")
    value = value.__index__()
    if value < 0 and not is_signed:
        raise ArgumentError(f"{value} for {what} is negative")
    if not -(2**bits) <= value * (2 if is_signed else 1) < 2**bits:
        raise ArgumentError(f"{value} for {what} does not fit {bits} bits")
    return value
