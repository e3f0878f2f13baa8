# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts streams of other libraries to those of the driver."""

import sys

from .errors import ArgumentError
from .support.numbers import integer


def handle(stream, ordinal):
    """Returns a CUstream as an integer.

    None is torch's current stream on the device if torch is in use, else the default stream."""
    if stream is None:
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return 0
        return torch.cuda.current_stream(ordinal).cuda_stream
    if not hasattr(stream, "__index__"):
        for attribute in ("cuda_stream", "ptr", "handle"):
            if hasattr(stream, attribute):
                stream = getattr(stream, attribute)
                # Numba's handles are c_void_p, which is None for the default stream.
                if hasattr(stream, "value"):
                    stream = stream.value or 0
                break
        else:
            raise ArgumentError(f"expected a stream, got {type(stream).__name__}")
    return integer(stream, "the stream", is_signed=False)


def finder(torch):
    """Returns a function that returns the handle of torch's current stream on a device, without overhead if torch
    has one."""
    return getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda ordinal: handle(None, ordinal))
