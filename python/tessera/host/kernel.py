# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that was compiled in this process and runs on arrays of the host."""

import ctypes
import json
import re
import signal
import threading
import warnings
import weakref

from .. import kernels
from ..errors import ArgumentError, CompilerWarning, KernelError, UnwrittenError
from . import library
from .devices import translate


class _Interruptible:
    """Lets Ctrl-C end a run. Python calls handlers of signals in the main thread, during the calls of `_poll`."""

    def __enter__(self):
        self._count, self._previous = 0, None
        if threading.current_thread() is not threading.main_thread():
            return library.INTERRUPT()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._note)
        # Keeps the function alive during the run.
        self._function = library.INTERRUPT(self._poll)
        return self._function

    def _note(self, *_):
        self._count += 1

    def _poll(self):
        return self._count

    def __exit__(self, kind, *_):
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            # The run ended before it was asked.
            if self._count and kind is None:
                raise KeyboardInterrupt


class HostKernel(kernels.Signature):
    """A kernel with its compile-time values for one device. A call passes one argument per parameter."""

    def __init__(self, source, signature, values, device, options):
        """`source` is a sources.Source, `signature` that of the kernel; `values` has compile-time values as texts."""
        self._library, self._declared = library.load(), signature
        given = library.make_source(source, signature.name, values)
        handle = ctypes.c_void_p()
        try:
            self._library.host_kernel_compile(device.encode(), ctypes.byref(given), library.array_of_texts(options),
                                              len(options), ctypes.byref(handle))
        except ArgumentError as error:
            raise ArgumentError(translate(str(error))) from None
        weakref.finalize(self, self._library.host_kernel_free, handle)
        self._handle = handle
        super().__init__(json.loads(self._library.host_kernel_metadata(handle)))
        found = self._library.host_kernel_warnings(handle).decode(errors="replace")
        if found:
            line = re.search(r":(\d+):\d+: ", found)
            warnings.warn_explicit(found, CompilerWarning, str(source.path), int(line[1]) if line else 1)

    def run(self, values, named, stream=None):
        """Makes a call; its named arguments may have any name."""
        if stream is not None:
            raise ArgumentError("'stream' is for kernels on a GPU; leave it out")
        array, sizes, count, _ = self._pack(values, named, None, None)
        try:
            with _Interruptible() as interrupt:
                self._library.host_kernel_run(self._handle, array, len(self.parameters), sizes, count, interrupt)
        except UnwrittenError as error:
            name = re.match(r"'(\w+)'", str(error))[1]
            raise UnwrittenError(f"{self._declared.place(name)}: kernel '{self.name}': {error}") from None
        except KernelError as error:
            raise KernelError(translate(str(error))) from None
