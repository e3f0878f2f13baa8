# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libtessera_runtime.so, as declared in include/tessera-c/Runtime.h."""

import ctypes
import functools
import os
import pathlib

from . import errors

ABI = 3
USAGE, PACKAGE, DEVICE, ARGUMENTS, DRIVER, MEMORY, CHECK = range(1, 8)
TENSOR, INTEGER, FLOAT = range(3)


class Argument(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("address", ctypes.c_uint64),
        ("dtype", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class Size(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


_HANDLE = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_CALL = [_HANDLE, ctypes.POINTER(Argument), ctypes.c_size_t, ctypes.POINTER(Size), ctypes.c_size_t]
# name: (result, parameters); a result of type int is a status.
_FUNCTIONS = {
    "runtime_abi": (ctypes.c_int32, []),
    "last_error": (ctypes.c_char_p, []),
    "last_driver_code": (ctypes.c_int32, []),
    "device_open": (int, [ctypes.c_char_p, ctypes.c_int32, _OUT]),
    "device_free": (None, [_HANDLE]),
    "device_name": (ctypes.c_char_p, [_HANDLE]),
    "stream_wait": (int, [_HANDLE, ctypes.c_uint64]),
    "stream_follow": (int, [_HANDLE, ctypes.c_uint64, ctypes.c_uint64]),
    "package_open": (int, [ctypes.c_char_p, _OUT]),
    "package_free": (None, [_HANDLE]),
    "package_metadata": (ctypes.c_char_p, [_HANDLE]),
    "kernel_load": (int, [_HANDLE, _HANDLE, ctypes.c_char_p, _OUT]),
    "kernel_free": (None, [_HANDLE]),
    "kernel_launch": (int, _CALL + [ctypes.c_uint64]),
    "kernel_prepare": (int, _CALL + [_OUT]),
    "prepared_launch": (int, [_HANDLE, ctypes.c_uint64]),
    "prepared_free": (None, [_HANDLE]),
}


def places(file, variable):
    """Returns the possible paths of a library: the one in an environment variable, or in this folder, a bundle or a
    build."""
    named = os.environ.get(variable)
    if named:
        return [pathlib.Path(named)]
    here = pathlib.Path(__file__).resolve().parent
    root = here.parents[1]
    return [folder / file for folder in (here, root / "lib", root / "build" / "lib")]


def error(status):
    """Returns the exception for a status, with the error text of this thread."""
    library = load()
    text = library.last_error().decode()
    if status == DRIVER:
        return errors.DriverError(text, library.last_driver_code())
    if status == MEMORY:
        return MemoryError(text)
    kinds = {PACKAGE: errors.PackageError, DEVICE: errors.DeviceError, CHECK: errors.KernelError}
    return kinds.get(status, errors.ArgumentError)(text)


def _check(status, function, arguments):
    if status:
        raise error(status)


def open_library(file, variable, version, abi, what, hint=""):
    """Returns the path of a library and the library. `version` is its function that returns the version."""
    looked = places(file, variable)
    path = next((path for path in looked if path.exists()), None)
    if path is None:
        raise errors.LibraryError(f"no {file}; looked for " + ", ".join(map(str, looked))
                                  + f"; name it in {variable}{hint}")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise errors.LibraryError(f"cannot load {path}: {error}") from None
    try:
        found = getattr(library, version)()
    except AttributeError:
        raise errors.LibraryError(f"{path} is not {what} of Tessera") from None
    if found != abi:
        raise errors.LibraryError(f"{path} has version {found} of the interface, expected {abi}")
    return path, library


def bind(library, functions, check):
    """Returns the functions of a library as an object, by their names without `tessera_`. `check` gets statuses."""
    table = type("Library", (), {})()
    for name, (result, parameters) in functions.items():
        function = getattr(library, f"tessera_{name}")
        function.argtypes = parameters
        function.restype = ctypes.c_int32 if result is int else result
        if result is int:
            function.errcheck = check
        setattr(table, name, function)
    return table


@functools.cache
def _open():
    return open_library("libtessera_runtime.so", "TESSERA_RUNTIME_LIBRARY", "tessera_runtime_abi", ABI, "the runtime")


@functools.cache
def load():
    """Returns the library as an object; its functions have their names without `tessera_`."""
    return bind(_open()[1], _FUNCTIONS, _check)


@functools.cache
def prepared_launch_at():
    """Returns tessera_prepared_launch_at for frequent calls: it takes the addresses as bytes, and the caller must
    check the status."""
    path, _ = _open()
    # Loading the library again gives the function its own argument types.
    function = ctypes.CDLL(str(path)).tessera_prepared_launch_at
    function.argtypes = [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64]
    function.restype = ctypes.c_int32
    return function
