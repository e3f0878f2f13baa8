# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches kernels of packages on tensors that another library made.

    import tessera, torch
    matmul = tessera.Package("matmul.tpk").kernel("matmul_nn")
    matmul(a, b, c)                    # on the current stream of torch
    step = matmul.prepare(a, b, c)     # arguments are checked here, once
    step(); step()

Tensors are those of torch and whatever has `__cuda_array_interface__`. Nothing is needed beside
libtessera_runtime.so and the CUDA driver.
"""

from .errors import ArgumentError, DeviceError, DriverError, LibraryError, PackageError, TesseraError
from .kernels import Device, Kernel, Launch, Package
from .packed import require_sequences

__all__ = [
    "ArgumentError", "Device", "DeviceError", "DriverError", "Kernel", "Launch", "LibraryError",
    "Package", "PackageError", "TesseraError", "require_sequences",
]
