# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocates outputs with the library of the tensors that a call passes."""

import contextlib
import functools
import importlib
import math

from . import tensors
from .errors import ArgumentError
from .tensors import GPU, LANGUAGE, TORCH, torch_name

_NUMPY = {ours: theirs for theirs, ours in TORCH.items() if not theirs.startswith(("bfloat", "float8"))}


# Limits.h has the same number.
LARGEST_EXTENT = 2**31 - 2**24


def library_of(tensor):
    """Returns the name of the library that made a tensor. A subclass counts as the class of a known library."""
    if hasattr(tensor, "data_ptr"):
        return "torch"
    names = [kind.__module__.partition(".")[0] for kind in type(tensor).__mro__]
    return next((name for name in names if name in _LIBRARIES), names[0])


def _allocate_torch(_name, shape, dtype, like):
    torch = importlib.import_module("torch")
    return torch.empty(shape, dtype=getattr(torch, torch_name(dtype)), device=like.device)


def _allocate_numpy(name, shape, dtype, _like):
    numpy = importlib.import_module("numpy")
    try:
        # NumPy knows narrow floats if ml_dtypes is imported.
        found = numpy.dtype(torch_name(dtype))
    except TypeError:
        # From version 0.6 on, ml_dtypes cannot be imported with NumPy 1.
        is_old = numpy.__version__.startswith("1.")
        package = "'ml_dtypes<0.6' for NumPy 1; later versions need NumPy 2" if is_old else "ml_dtypes"
        raise ArgumentError(f"NumPy {numpy.__version__} has no type for {LANGUAGE[dtype]}; import ml_dtypes, which adds "
                            f"it (pip install {package})") from None
    try:
        return numpy.empty(shape, found)
    except MemoryError:
        raise ArgumentError(f"'{name}' of shape {tuple(shape)} has {math.prod(shape) * found.itemsize} bytes, which "
                            "do not fit in memory") from None


def _allocate_cupy(_name, shape, dtype, like):
    cupy = importlib.import_module("cupy")
    with getattr(like, "device", None) or contextlib.nullcontext():
        return cupy.empty(shape, _NUMPY[dtype])


def _allocate_numba(_name, shape, dtype, like):
    cuda = importlib.import_module("numba.cuda")
    return cuda.device_array(shape, _NUMPY[dtype])


@functools.cache
def quick_empty(torch):
    """Returns the allocation function that torch's own compiler calls, or None if this torch has none.

    The function takes a shape, strides and a type. It allocates on the current device in half the time of others."""
    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    function = getattr(guards, f"_empty_strided_{tensors.DEVICE_TYPE}", None)
    if function is None:
        return None
    # The function is not part of torch's documented interface, so try it. This call allocates no memory.
    try:
        made = function((0, 3), (3, 1), torch.float16)
        found = tuple(made.shape), tuple(made.stride()), made.dtype, made.device.type
    except Exception:
        return None
    return function if found == ((0, 3), (3, 1), torch.float16, tensors.DEVICE_TYPE) else None


@functools.cache
def device_finder(torch):
    """Returns the function that returns the ordinal of torch's current device, or None if there is only one device."""
    if torch.cuda.device_count() <= 1:
        return None
    return getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def dense_strides(shape):
    """Returns the strides of a dense tensor as torch computes them: an extent of zero counts as one."""
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * max(extent, 1))
    return tuple(reversed(strides)) if shape else ()


_LIBRARIES = {"torch": _allocate_torch, "cupy": _allocate_cupy, "numba": _allocate_numba, "numpy": _allocate_numpy}


def allocate(name, shape, dtype, like, device):
    """Returns a dense tensor for the output `name`, made by the library of `like` on its device.

    Without a tensor, NumPy makes those of the host. Raises an ArgumentError if the caller must pass the tensor."""
    if any(extent < 0 for extent in shape):
        raise ArgumentError(f"'{name}' would have a negative extent: {tuple(shape)}")
    if any(extent > LARGEST_EXTENT for extent in shape):
        raise ArgumentError(f"'{name}' would have the shape {tuple(shape)}; extents are at most 2^31 - 2^24")
    if like is None and device != GPU:
        return _allocate_numpy(name, shape, dtype, like)
    if like is None:
        raise ArgumentError(f"no argument is a tensor, so the device of '{name}' is unknown; pass it")
    library = library_of(like)
    if library not in _LIBRARIES:
        raise ArgumentError(f"'{name}' cannot be allocated as a tensor of {library}; pass it")
    if library not in ("torch", "numpy") and dtype not in _NUMPY:
        raise ArgumentError(f"{library} has no type for '{name}', which is {LANGUAGE[dtype]}; pass it")
    return _LIBRARIES[library](name, shape, dtype, like)
