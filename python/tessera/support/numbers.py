# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of other libraries."""

from ..errors import ArgumentError


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
