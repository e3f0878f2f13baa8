# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels of .tile files at their first call, and launches kernels on tensors of other libraries.

    import tessera, torch

    flash = tessera.load("flash.tile")["flash_fwd"]
    o, lse = flash(q, k, v, scale=0.088, CAUSAL=True)

    matmul = tessera.Package("matmul.tpk").kernel("matmul_nn")
    matmul(a, b, c)                    # on the current stream of torch
    step = matmul.prepare(a, b, c)     # arguments are checked here, once
    step(); step()

A tensor is a torch tensor or any object with `__cuda_array_interface__` or `__dlpack__`. NumPy arrays and tensors of
the CPU run without a GPU. Launching requires only libtessera_runtime.so and the CUDA driver. Compiling for a GPU also
requires tilec and ptxas.
"""

from __future__ import annotations

import pathlib
import typing

from .cache import Cache
from .errors import (ArgumentError, CacheError, CacheMissError, CompileError, CompilerWarning, DeviceError,
                     DeviceWarning, DriverError, FileError, KernelError, LibraryError, MissingFileError, PackageError,
                     TesseraError, TuningError, UnknownKernelError, UnwrittenError)
from .kernels import Device, Kernel, Launch, Package
from .packed import pad, require_sequences, unpad
from .sources import compile, load
from .targets import require_targets
from .version import __version__


_HERE = pathlib.Path(__file__).resolve().parent
# The folder of the examples: examples / "02-softmax" / "kernel.tile". A wheel has its own copy.
examples: pathlib.Path = next((folder for folder in (_HERE / "examples", _HERE.parents[1] / "examples")
                               if folder.is_dir()), _HERE / "examples")


def load_ipython_extension(shell: typing.Any) -> None:
    """Called by IPython for `%load_ext tessera`: adds the cell magic %%tile."""
    from .notebook import magic
    magic.register(shell)


__all__ = [
    "ArgumentError", "Cache", "CacheError", "CacheMissError", "CompileError", "CompilerWarning", "Device",
    "DeviceError", "DeviceWarning", "DriverError", "FileError", "Kernel", "KernelError", "Launch", "LibraryError",
    "MissingFileError", "Package", "PackageError", "TesseraError", "TuningError", "UnknownKernelError",
    "UnwrittenError", "__version__", "compile", "examples", "load", "pad", "require_sequences", "require_targets",
    "unpad",
]
