# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python passes, as the runtime takes it."""

import ctypes
import sys

from . import library
from .errors import ArgumentError

# The names of dtypes in torch and in __cuda_array_interface__.
_TORCH = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "bool": "i1", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32",
}
_TYPESTR = {
    "f8": "f64", "f4": "f32", "f2": "f16", "b1": "i1", "i1": "i8", "i2": "i16", "i4": "i32",
    "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32",
}


def _describe_torch(name, tensor):
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype not in _TORCH:
        raise ArgumentError(f"'{name}' has the dtype {dtype}, which no kernel takes")
    device = getattr(tensor, "device", None)
    if device is not None and device.type != "cuda":
        raise ArgumentError(f"'{name}' is on the device '{device}'; move it with .cuda()")
    return tensor.data_ptr(), _TORCH[dtype], tuple(tensor.shape), tuple(tensor.stride())


def _describe_interface(name, tensor):
    interface = tensor.__cuda_array_interface__
    typestr, shape = interface["typestr"], tuple(interface["shape"])
    dtype = _TYPESTR.get(typestr[1:])
    if dtype is None or typestr[0] == ">":
        raise ArgumentError(f"'{name}' has the type {typestr}, which no kernel takes")
    strides = interface.get("strides")
    if strides is not None:
        bytes_each = int(typestr[2:])
        if any(stride % bytes_each for stride in strides):
            raise ArgumentError(f"'{name}' has strides that are not whole elements")
        strides = tuple(stride // bytes_each for stride in strides)
    return interface["data"][0], dtype, shape, strides


def describe(name, tensor):
    """(address, dtype, shape, strides in elements or None) of a tensor."""
    if hasattr(tensor, "data_ptr"):
        return _describe_torch(name, tensor)
    if hasattr(tensor, "__cuda_array_interface__"):
        return _describe_interface(name, tensor)
    raise ArgumentError(
        f"expected a tensor in device memory for '{name}', got {type(tensor).__name__}")


def is_tensor(value):
    return hasattr(value, "data_ptr") or hasattr(value, "__cuda_array_interface__")


def _array(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def fill(argument, parameter, value):
    """Writes `value`, meant for `parameter`, into a library.Argument."""
    name = parameter["name"]
    if parameter["kind"] == "tensor":
        address, dtype, shape, strides = describe(name, value)
        argument.kind, argument.rank, argument.address = library.TENSOR, len(shape), address
        argument.dtype = dtype.encode()
        argument.shape = _array(shape)
        if strides is not None:
            argument.strides = _array(strides)
        return
    if is_tensor(value):
        raise ArgumentError(f"expected a number for '{name}', got a tensor")
    # What counts as an integer, Python's bool and NumPy's numbers too, says so by __index__.
    integer = hasattr(value, "__index__")
    if not integer and not hasattr(value, "__float__"):
        raise ArgumentError(f"expected a number for '{name}', got {type(value).__name__}")
    if integer and not parameter["dtype"].startswith(("f", "bf")):
        argument.kind = library.INTEGER
        try:
            argument.integer = _in_range(name, value.__index__())
        except OverflowError as error:
            raise ArgumentError(str(error)) from None
    else:
        argument.kind, argument.number = library.FLOAT, float(value)


def _in_range(name, value):
    """ctypes would cut off what does not fit."""
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} for '{name}' does not fit 64 bits")
    return value


def make_sizes(sizes):
    for name, value in sizes.items():
        if not hasattr(value, "__index__"):
            raise ArgumentError(f"expected an integer for the size '{name}'")
    try:
        rows = [(name.encode(), _in_range(name, value.__index__())) for name, value in sizes.items()]
    except OverflowError as error:
        raise ArgumentError(str(error)) from None
    return (library.Size * max(len(rows), 1))(*rows)


def stream_handle(stream):
    """A CUstream as an integer. None is torch's current stream where torch is in use, else the
    default stream."""
    if stream is None:
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return 0
        return torch.cuda.current_stream().cuda_stream
    if isinstance(stream, int):
        return stream
    for attribute in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    raise ArgumentError(f"expected a stream, got {type(stream).__name__}")
