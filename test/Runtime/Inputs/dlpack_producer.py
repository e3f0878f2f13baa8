"""Makes tensors with handwritten DLPack capsules."""

import ctypes
import math
import struct

_new = ctypes.pythonapi.PyCapsule_New
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR]

# A capsule may be released last.
_kept = []


class Producer:
    """`alive` counts the capsules in use, `streams` has the requested streams."""

    def __init__(self, address, shape, dtype=(2, 32), strides=None, versioned=False, read_only=False, device=2,
                 ordinal=0, offset=0, major=1):
        self.streams, self.alive = [], 0
        self._device, self._versioned = (device, ordinal), versioned
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        tensor = struct.pack("<QiiiBBHQQQ", address, device, ordinal, len(shape), *dtype, 1,
                             ctypes.addressof(self._shape),
                             ctypes.addressof(self._strides) if strides else 0, offset)
        head = struct.pack("<IIQQQ", major, 0, 0, 0, 1 if read_only else 0) if versioned else b""
        self._bytes = ctypes.create_string_buffer(head + tensor)
        self._name = b"dltensor_versioned" if versioned else b"dltensor"
        self._destroy = _DESTRUCTOR(self._end)
        _kept.append(self)
        assert math.prod(shape) > 0

    def _end(self, _):
        self.alive -= 1

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, **rest):
        if rest and not self._versioned:
            raise TypeError("this library knows no versions")
        self.streams.append(stream)
        self.alive += 1
        return _new(ctypes.addressof(self._bytes), self._name, self._destroy)
