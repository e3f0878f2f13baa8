# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads tensors by DLPack: parses the C structs of versions 0.8 and 1.x in the capsule."""

import ctypes

from . import streams
from .errors import ArgumentError

# DLDeviceType: memory of a CUDA device, and managed memory, which the driver migrates.
_CPU, _CUDA, _MANAGED = 1, 2, 13
# DLDataTypeCode and bits.
_DTYPES = {
    (0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64",
    (1, 8): "u8", (1, 16): "u16", (1, 32): "u32", (1, 64): "u64",
    (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "i1",
    (10, 8): "f8E4M3FN", (12, 8): "f8E5M2",
}
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    ]


_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def device_of(value):
    """Returns the ordinal of the CUDA device of `value`, or None if DLPack names no CUDA device."""
    if not hasattr(value, "__dlpack__") or not hasattr(value, "__dlpack_device__"):
        return None
    kind, ordinal = value.__dlpack_device__()
    return int(ordinal) if int(kind) in (_CUDA, _MANAGED) else None


def is_host(value):
    """Returns whether DLPack names the CPU."""
    if not hasattr(value, "__dlpack__") or not hasattr(value, "__dlpack_device__"):
        return False
    return int(value.__dlpack_device__()[0]) == _CPU


def _export(value, stream):
    """Returns the capsule of a tensor whose contents are ready for work queued on `stream`."""
    try:
        return value.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        # The library predates versions of DLPack.
        return value.__dlpack__(stream=stream)


def describe(name, value, stream):
    """Returns the fields of a tensors.Tensor. The capsule is not consumed: `value` keeps its memory alive."""
    ordinal = device_of(value)
    # The default stream is 0 for the driver and 1 for DLPack; the CPU has no streams.
    stream = None if ordinal is None else streams.handle(stream, ordinal) or 1
    capsule = _export(value, stream)
    kind = _name_of(capsule)
    if kind == b"dltensor_versioned":
        versioned = ctypes.cast(_pointer_of(capsule, kind), ctypes.POINTER(_Versioned))[0]
        if versioned.major != 1:
            raise ArgumentError(f"'{name}' uses version {versioned.major} of DLPack, expected 1")
        tensor, is_read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    elif kind == b"dltensor":
        tensor = ctypes.cast(_pointer_of(capsule, kind), ctypes.POINTER(_Tensor))[0]
        is_read_only = False
    else:
        raise ArgumentError(f"the __dlpack__ of '{name}' returned no tensor")
    dtype = _DTYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise ArgumentError(f"'{name}' has the type {tensor.code} of DLPack with {tensor.lanes} x "
                            f"{tensor.bits} bits, which no kernel takes")
    rank = tensor.ndim
    strides = tuple(tensor.strides[:rank]) if tensor.strides else None
    return ((tensor.data or 0) + tensor.byte_offset, dtype, tuple(tensor.shape[:rank]), strides,
            is_read_only, None if ordinal is None else tensor.device_id, stream)
