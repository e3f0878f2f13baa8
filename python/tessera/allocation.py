# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory for outputs, from the library whose tensors a call is given."""

import contextlib
import importlib
import math

from .errors import ArgumentError
from .tensors import TORCH, torch_name

_NUMPY = {ours: theirs for theirs, ours in TORCH.items() if not theirs.startswith(("bfloat", "float8"))}


def library_of(tensor):
    """The name of the library that has made a tensor."""
    if hasattr(tensor, "data_ptr"):
        return "torch"
    return type(tensor).__module__.partition(".")[0]


def _allocate_torch(shape, dtype, like):
    torch = importlib.import_module("torch")
    return torch.empty(shape, dtype=getattr(torch, torch_name(dtype)), device=like.device)


def _allocate_cupy(shape, dtype, like):
    cupy = importlib.import_module("cupy")
    with getattr(like, "device", None) or contextlib.nullcontext():
        return cupy.empty(shape, _NUMPY[dtype])


def _allocate_numba(shape, dtype, like):
    cuda = importlib.import_module("numba.cuda")
    return cuda.device_array(shape, _NUMPY[dtype])


_LIBRARIES = {"torch": _allocate_torch, "cupy": _allocate_cupy, "numba": _allocate_numba}


def allocate(name, shape, dtype, like):
    """A dense tensor for the output `name` of the library and on the device of `like`, or an error that
    says that it must be given."""
    if like is None:
        raise ArgumentError(f"no argument is a tensor, so where '{name}' is to be is open; give it")
    library = library_of(like)
    if library not in _LIBRARIES:
        raise ArgumentError(f"'{name}' cannot be allocated as a tensor of {library}; give it")
    if library != "torch" and dtype not in _NUMPY:
        raise ArgumentError(f"{library} has no type for '{name}', which is {dtype}; give it")
    if math.prod(shape) < 0:
        raise ArgumentError(f"'{name}' would have the shape {tuple(shape)}")
    return _LIBRARIES[library](shape, dtype, like)
