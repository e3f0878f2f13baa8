# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions, one class for each place where the cause can be repaired."""

from __future__ import annotations

import difflib
import re
import typing

_PLACE = re.compile(r"(.+?):(\d+):\d+: ")
# The first line of a diagnostic; lines of the source are indented.
_DIAGNOSTIC = re.compile(r"^(?=\S.*?\b(?:error|warning): )", re.MULTILINE)
_WARNING = re.compile(r"(?:(?!error: ).)*?\bwarning: ")


class TesseraError(Exception):
    """The base class of all exceptions of this package."""

    @property
    def file(self) -> str | None:
        """The file with which the text begins, or None."""
        place = _PLACE.match(str(self))
        return place[1] if place else None

    @property
    def line(self) -> int | None:
        """The line in that file, or None."""
        place = _PLACE.match(str(self))
        return int(place[2]) if place else None


class LibraryError(TesseraError):
    """libtessera_runtime.so is not found, or has another version."""


class PackageError(TesseraError):
    """A package cannot be read, or lacks the requested kernel."""


class UnknownKernelError(PackageError, KeyError):
    """A source or a package has no kernel of that name."""

    # KeyError would print the text in quotes.
    __str__ = Exception.__str__


def unknown_kernel(owner: object, name: object, names: typing.Iterable[str]) -> UnknownKernelError:
    """Returns the error that `owner`, which has the kernels `names`, has no kernel `name`."""
    # A package may have several variants of a kernel.
    names = list(dict.fromkeys(names))
    nearest = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean '{nearest[0]}'? " if nearest else ""
    return UnknownKernelError(f"{owner} has no kernel '{name}'; {hint}it has {', '.join(names)}")


class FileError(PackageError, OSError):
    """A source or a package cannot be read."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class DeviceError(TesseraError):
    """There is no driver or no such device, or the device cannot run the kernel."""


class ArgumentError(TesseraError, ValueError):
    """The arguments do not fit the kernel."""


class DriverError(TesseraError):
    """The driver reported an error. `code` is its CUresult."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class CompileError(TesseraError):
    """tilec is not found, or rejected a kernel; the text is that of tilec, with warnings after the errors."""

    def __init__(self, text: str) -> None:
        parts = [part.strip("\n") for part in _DIAGNOSTIC.split(text)]
        super().__init__("\n".join(sorted(filter(None, parts), key=lambda part: bool(_WARNING.match(part)))))


class KernelError(TesseraError):
    """A `check` did not hold, or a run without a GPU found a race, a deadlock or an access out of bounds.

    The text is the diagnostics."""


class UnwrittenError(KernelError):
    """No program of the kernel wrote some elements of an output."""


class CacheError(TesseraError):
    """A folder of compiled kernels cannot be read or written."""


class CacheMissError(CacheError):
    """A read-only cache lacks a file that a call needs."""


class TuningError(TesseraError):
    """A kernel.tune.toml or a file of tuned choices cannot be read, or tuning gave no result."""


class DeviceWarning(UserWarning):
    """Kernels run on another device than the caller may expect."""


class CompilerWarning(UserWarning):
    """A warning of tilec for a kernel that it compiled."""
