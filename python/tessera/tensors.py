# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes tensors of other libraries by their protocols."""

import sys
import typing

from . import dlpack
from .errors import ArgumentError
from .support.numbers import integer

# Names of dtypes in torch and NumPy, and in __cuda_array_interface__.
TORCH = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "bool": "i1", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64",
}
# Element types of the language by their names in metadata; the tensor protocols are read into the latter.
LANGUAGE = {
    "f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16", "f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2",
    "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
    "i1": "bool",
}

_TYPESTR = {
    "f8": "f64", "f4": "f32", "f2": "f16", "b1": "i1", "i1": "i8", "i2": "i16", "i4": "i32",
    "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64",
}


# The device of kernels that run on a GPU.
GPU = "cuda"
# The device type of the torch tensors that these kernels take; tests with a driver that launches nothing change it.
DEVICE_TYPE = "cuda"


class Tensor(typing.NamedTuple):
    """A tensor in the memory of a GPU or of the host."""

    address: int
    dtype: str
    shape: tuple
    # In elements; None if dense and row-major.
    strides: "tuple | None"
    is_read_only: bool = False
    # The ordinal of its device; None if the protocol does not include it.
    device: "int | None" = None
    # The stream that produces its contents; None if no wait is needed.
    stream: "int | None" = None


def _integers(values, what):
    try:
        values = tuple(values)
    except TypeError:
        raise ArgumentError(
            f"expected {what} to be integers, got {type(values).__name__}") from None
    return tuple(integer(value, what) for value in values)


def _address(value, name):
    return integer(value, f"the address of '{name}'", is_signed=False)


def _way_out(is_complex):
    """Returns the end of the message about a tensor of a type that no kernel takes."""
    return ("; pass real and imaginary parts as two tensors" if is_complex else
            "; kernels take numbers of 8 to 64 bits, and bool")


def _describe_torch(name, tensor, on_host):
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype not in TORCH:
        raise ArgumentError(f"'{name}' has the dtype {dtype}, which no kernel takes{_way_out('complex' in dtype)}")
    device = getattr(tensor, "device", None)
    if device is not None and device.type != ("cpu" if on_host else DEVICE_TYPE):
        raise ArgumentError(f"'{name}' is on the device '{device}'; move it with .{'cpu' if on_host else 'cuda'}()")
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        raise ArgumentError(f"'{name}' has the layout {tensor.layout}; make it dense with .to_dense()")
    if getattr(tensor, "is_neg", bool)():
        raise ArgumentError(f"'{name}' is a view that negates; copy it with .resolve_neg()")
    shape = _integers(tensor.shape, f"the shape of '{name}'")
    strides = _integers(tensor.stride(), f"the strides of '{name}'")
    return Tensor(_address(tensor.data_ptr(), name), TORCH[dtype], shape, strides,
                  device=None if on_host else getattr(device, "index", None))


def _field(name, interface, field):
    if not isinstance(interface, dict) or field not in interface:
        raise ArgumentError(f"the __cuda_array_interface__ of '{name}' has no '{field}'")
    return interface[field]


def _host_interface_of(tensor):
    """Returns the __array_interface__ of an array of the host, or None. NumPy's scalars are numbers."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(tensor, numpy.generic):
        return None
    return getattr(tensor, "__array_interface__", None)


def _interface_of(tensor):
    """Returns the __cuda_array_interface__ of a tensor, or None."""
    try:
        return getattr(tensor, "__cuda_array_interface__", None)
    except Exception:
        # JAX raises for types without a name in the interface; DLPack has them.
        if dlpack.device_of(tensor) is None:
            raise
        return None


def _describe_interface(name, interface, dtype=None):
    """`dtype` is the type of elements if the interface does not tell it."""
    typestr = _field(name, interface, "typestr")
    dtype = dtype or (_TYPESTR.get(typestr[1:]) if isinstance(typestr, str) else None)
    if dtype is None or typestr[0] not in "<|=":
        if isinstance(typestr, str) and typestr.startswith(">"):
            way_out = f"; convert it by .astype('<{typestr[1:]}')"
        else:
            way_out = _way_out(isinstance(typestr, str) and typestr[1:2] == "c")
        raise ArgumentError(f"'{name}' has the type {typestr}, which no kernel takes{way_out}")
    shape = _integers(_field(name, interface, "shape"), f"the shape of '{name}'")
    data = _field(name, interface, "data")
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ArgumentError(f"expected 'data' of '{name}' to be an address and a "
                            "read-only flag")
    if interface.get("mask") is not None:
        raise ArgumentError(f"'{name}' has a mask, which kernels ignore; fill the masked elements")
    strides = interface.get("strides")
    if strides is not None:
        strides = _integers(strides, f"the strides of '{name}'")
        bytes_each = int(typestr[2:])
        if any(stride % bytes_each for stride in strides):
            raise ArgumentError(f"'{name}' has strides that are not whole elements")
        strides = tuple(stride // bytes_each for stride in strides)
    made_on = interface.get("stream")
    if made_on is not None:
        made_on = integer(made_on, f"the stream of '{name}'", is_signed=False)
        if made_on == 0:
            raise ArgumentError(f"'{name}' names the stream 0, which the array interface does not "
                                "define; expected 1 for the default stream")
    return Tensor(_address(data[0], name), dtype, shape, strides, bool(data[1]), stream=made_on)


def describe(name, tensor, stream=None, device=GPU, dtype="float32"):
    """Returns the Tensor that describes `tensor` for the parameter `name`; a Tensor is returned as it is.

    A tensor read by DLPack is made ready for `stream`, by default the current one. `dtype` is the type of elements
    that errors recommend."""
    if isinstance(tensor, Tensor):
        return tensor
    on_host = device != GPU
    if hasattr(tensor, "data_ptr"):
        found = _describe_torch(name, tensor, on_host)
    elif on_host:
        found = _describe_host(name, tensor, dtype)
    elif (interface := _interface_of(tensor)) is not None:
        found = _describe_interface(name, interface)
    elif dlpack.device_of(tensor) is not None:
        found = Tensor(*dlpack.describe(name, tensor, stream))
    else:
        way_out = "; load(path, device=\"cpu\") takes arrays of the host" if is_host(tensor) else ""
        raise ArgumentError(
            f"expected a tensor in device memory for '{name}', got {type(tensor).__name__}{way_out}")
    # The runtime library reads one stride per extent.
    if found.strides is not None and len(found.strides) != len(found.shape):
        raise ArgumentError(f"expected {len(found.shape)} strides for '{name}', "
                            f"got {len(found.strides)}")
    return found


def _describe_host(name, array, wanted):
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(array, masked.MaskedArray):
        raise ArgumentError(f"'{name}' has a mask, which kernels ignore; pass .filled(value) of the array")
    interface = _host_interface_of(array)
    if interface is not None:
        return _describe_interface(name, interface, dtype_name(getattr(array, "dtype", None)))
    if dlpack.is_host(array):
        return Tensor(*dlpack.describe(name, array, None))
    if is_tensor(array):
        raise ArgumentError(f"'{name}' is in the memory of a GPU; copy it to the host, or load the file without device=")
    way_out = f"; convert it with numpy.array(…, dtype='{wanted}')" if isinstance(array, (list, tuple)) else ""
    raise ArgumentError(f"expected an array or a tensor for '{name}', got {type(array).__name__}{way_out}")


def is_host(value):
    """Returns whether a value is an array in memory of the host."""
    if hasattr(value, "data_ptr"):
        type = getattr(getattr(value, "device", None), "type", DEVICE_TYPE)
        return type == "cpu" and type != DEVICE_TYPE
    if _interface_of(value) is not None:
        return False
    return _host_interface_of(value) is not None or dlpack.is_host(value)


def is_tensor(value):
    return (hasattr(value, "data_ptr") or _interface_of(value) is not None
            or dlpack.device_of(value) is not None)


def dtype_name(dtype):
    """Returns the name in metadata of a dtype of torch or NumPy, or None."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return TORCH.get(name.removeprefix("torch."))


def torch_name(dtype):
    """Returns the name in torch of a dtype of metadata."""
    return next(theirs for theirs, ours in TORCH.items() if ours == dtype)
