# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, by who can do something about them."""


class TesseraError(Exception):
    """What every error here is."""


class LibraryError(TesseraError):
    """libtessera_runtime.so is not found, or is of another version."""


class PackageError(TesseraError):
    """A package that cannot be read, or a kernel that it lacks."""


class DeviceError(TesseraError):
    """No driver, no such device, or one that cannot run the kernel."""


class ArgumentError(TesseraError, ValueError):
    """Arguments that do not fit the kernel."""


class DriverError(TesseraError):
    """The driver refused. `code` is its CUresult."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class CompileError(TesseraError):
    """tilec is not found, or has refused a kernel; the text is its own."""


class CacheError(TesseraError):
    """A folder of compiled kernels that cannot be read or written."""


class CacheMissError(CacheError):
    """A read-only cache lacks what a call needs."""


class TuningError(TesseraError):
    """A file of what to tune, or of tuned choices, that cannot be read; or nothing came of tuning."""


class CompilerWarning(UserWarning):
    """What tilec says of a kernel that it has compiled."""
