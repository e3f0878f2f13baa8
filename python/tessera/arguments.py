# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts Python arguments to arguments of the runtime."""

import ctypes

from . import library
from .errors import ArgumentError
from .support.numbers import integer, is_boolean
from .tensors import describe, is_tensor


def _array(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def _fill_tensor(argument, parameter, value, ordinal, stream):
    """Returns the stream that produces the contents, or None."""
    name = parameter["name"]
    tensor = describe(name, value, stream)
    rank = len(parameter["dims"])
    if len(tensor.shape) != rank:
        raise ArgumentError(f"expected '{name}' to have rank {rank}, got {len(tensor.shape)}")
    if tensor.is_read_only and parameter["access"] != "read":
        raise ArgumentError(f"'{name}' is written, but the tensor is read-only")
    if tensor.device not in (None, ordinal):
        raise ArgumentError(f"'{name}' is on device {tensor.device}, but the kernel is loaded on "
                            f"device {ordinal}")
    argument.kind, argument.rank, argument.address = library.TENSOR, rank, tensor.address
    argument.dtype = tensor.dtype.encode()
    argument.shape = _array(tensor.shape)
    if tensor.strides is not None:
        argument.strides = _array(tensor.strides)
    return tensor.stream


def _fill_number(argument, parameter, value):
    name = parameter["name"]
    if is_tensor(value):
        raise ArgumentError(f"expected a number for '{name}', got a tensor")
    if is_boolean(value):
        value = bool(value)
    # Integers have __index__; this includes Python's bool and NumPy's integers.
    is_integer = hasattr(value, "__index__")
    if not is_integer and not hasattr(value, "__float__"):
        raise ArgumentError(f"expected a number for '{name}', got {type(value).__name__}")
    try:
        if is_integer and parameter["dtype"] == "u64" and 2**63 <= value.__index__() < 2**64:
            raise ArgumentError(f"{value} for '{name}' is too large: a u64 argument is at most 2^63 - 1; pass a larger "
                                "number in a tensor of one element")
        if is_integer and not parameter["dtype"].startswith(("f", "bf")):
            argument.kind, argument.integer = library.INTEGER, integer(value, f"'{name}'")
        else:
            argument.kind, argument.number = library.FLOAT, float(value)
    # An array has __index__ and __float__ as well; it is a number only if it has one element.
    except (OverflowError, TypeError) as error:
        raise ArgumentError(f"expected a number for '{name}': {error}") from None


def fill(argument, parameter, value, ordinal, stream=None):
    """Writes `value` into a library.Argument for `parameter` of a kernel on device `ordinal`.

    Returns the stream that produces the contents, or None. `stream` is the stream of the launch."""
    if parameter["kind"] == "tensor":
        return _fill_tensor(argument, parameter, value, ordinal, stream)
    _fill_number(argument, parameter, value)
    return None


def make_sizes(sizes):
    """Returns sizes that support.numbers.size has checked as an array of the library."""
    rows = [(name.encode(), value) for name, value in sizes.items()]
    return (library.Size * max(len(rows), 1))(*rows)
