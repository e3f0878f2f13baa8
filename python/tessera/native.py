# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension tessera_calls, which makes a call that has a plan faster than Python does."""

import ctypes
import functools
import importlib.machinery
import importlib.util

from . import allocation, errors, library, streams

# The version of the extension's interface.
_VERSION = 2


@functools.cache
def _module():
    """Returns the extension; None if it is missing or Python is older than 3.10.

    A path in TESSERA_CALLS_LIBRARY that does not exist turns the extension off."""
    path = next((path for path in library.places("tessera_calls.abi3.so", "TESSERA_CALLS_LIBRARY")
                 if path.exists()), None)
    if path is None:
        return None
    loader = importlib.machinery.ExtensionFileLoader("tessera_calls", str(path))
    spec = importlib.util.spec_from_file_location("tessera_calls", str(path), loader=loader)
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        return None
    if module.VERSION != _VERSION:
        raise errors.LibraryError(f"{path} has version {module.VERSION}, expected {_VERSION}")
    return module


def _fail(status):
    raise library.error(status)


def make_calls(torch, most_plans):
    """Returns a tessera_calls.Calls for torch tensors, or None.

    The extension reads tensors through the C functions of DLPack, which torch has since 2.10."""
    exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    module = _module() if exchange is not None else None
    if module is None:
        return None
    parameter = torch.nn.Parameter if hasattr(torch, "nn") else torch.Tensor
    launch_at = ctypes.cast(library.prepared_launch_at(), ctypes.c_void_p).value
    try:
        return module.Calls(torch.Tensor, parameter, torch.dtype, torch.Tensor.is_neg, exchange, torch.empty_like,
                            allocation.quick_empty(torch), allocation.device_finder(torch), streams.finder(torch),
                            streams.handle, _fail, launch_at, most_plans)
    except NotImplementedError:
        return None
