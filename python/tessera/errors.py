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
