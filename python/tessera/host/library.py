# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libtessera_compiler.so, as declared in include/tessera-c/Compiler.h."""

import ctypes
import functools

from .. import errors, library

ABI = 2
COMPILE, DEFECT, UNWRITTEN, INTERRUPTED = 16, 17, 18, 19


class File(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Source(ctypes.Structure):
    _fields_ = [
        ("text", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("file", ctypes.c_char_p),
        ("kernel", ctypes.c_char_p),
        ("defines", ctypes.POINTER(ctypes.c_char_p)),
        ("num_defines", ctypes.c_size_t),
        ("files", ctypes.POINTER(File)),
        ("num_files", ctypes.c_size_t),
    ]


INTERRUPT = ctypes.CFUNCTYPE(ctypes.c_int32)
_HANDLE = ctypes.c_void_p
_TEXTS = ctypes.POINTER(ctypes.c_char_p)
# name: (result, parameters); a result of type int is a status.
_FUNCTIONS = {
    "compiler_last_error": (ctypes.c_char_p, []),
    "compiler_describe": (int, [ctypes.POINTER(Source), ctypes.POINTER(ctypes.c_char_p)]),
    "host_kernel_compile": (int, [ctypes.c_char_p, ctypes.POINTER(Source), _TEXTS, ctypes.c_size_t,
                                  ctypes.POINTER(_HANDLE)]),
    "host_kernel_free": (None, [_HANDLE]),
    "host_kernel_metadata": (ctypes.c_char_p, [_HANDLE]),
    "host_kernel_warnings": (ctypes.c_char_p, [_HANDLE]),
    "host_kernel_run": (int, [_HANDLE, ctypes.POINTER(library.Argument), ctypes.c_size_t,
                              ctypes.POINTER(library.Size), ctypes.c_size_t, INTERRUPT]),
}


def make_source(source, kernel="", values=None):
    """Returns the Source of a sources.Source and compile-time values."""
    defines = [f"{key}={value}" for key, value in (values or {}).items()]
    files = [File(file.path.encode(), file.text, len(file.text)) for file in source.files if file.text is not None]
    return Source(source.text, len(source.text), str(source.path).encode(), kernel.encode(), array_of_texts(defines),
                  len(defines), (File * max(len(files), 1))(*files), len(files))


def describe(source):
    """Returns the output of tilec --emit=signatures for a sources.Source."""
    text = ctypes.c_char_p()
    load().compiler_describe(ctypes.byref(make_source(source)), ctypes.byref(text))
    return text.value


def array_of_texts(texts):
    """Returns texts as a C array."""
    return (ctypes.c_char_p * max(len(texts), 1))(*[text.encode() for text in texts])


def _check(status, function, arguments):
    if not status:
        return
    text = load().compiler_last_error().decode(errors="replace")
    if status == library.MEMORY:
        raise MemoryError(text)
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    kinds = {COMPILE: errors.CompileError, DEFECT: errors.KernelError, UNWRITTEN: errors.UnwrittenError}
    raise kinds.get(status, errors.ArgumentError)(text)


@functools.cache
def load():
    """Returns the library as an object; its functions have their names without `tessera_`."""
    opened = library.open_library("libtessera_compiler.so", "TESSERA_COMPILER_LIBRARY", "tessera_compiler_abi", ABI,
                                  "the compiler", "; './tessera build' makes it in a checkout")[1]
    return library.bind(opened, _FUNCTIONS, _check)
