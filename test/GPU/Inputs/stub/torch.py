"""The part of torch that check.py calls, over NumPy arrays on the host."""

import contextlib
import os
import types

import numpy as np

inf = float("inf")


class DType:
    def __init__(self, name, numpy):
        self.name, self.numpy, self.itemsize = name, numpy, np.dtype(numpy).itemsize

    def __str__(self):
        return "torch." + self.name


float64, float32, float16 = (DType(f"float{n}", f"f{n // 8}") for n in (64, 32, 16))
int8, int16, int32, int64 = (DType(f"int{n}", f"i{n // 8}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{n}", f"u{n // 8}") for n in (8, 16, 32, 64))
bool = DType("bool", "b1")
# NumPy lacks these types; words of their size suffice, as nothing is computed.
bfloat16, float8_e4m3fn, float8_e5m2 = DType("bfloat16", "i2"), DType("f8", "u1"), DType("f8", "u1")
DTYPES = {np.dtype(dtype.numpy): dtype
          for dtype in (float64, float32, float16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool)}


class Tensor:
    device = types.SimpleNamespace(type="cuda")

    def __init__(self, array):
        self.array = array
        self.dtype, self.shape = DTYPES[array.dtype], array.shape

    def __getitem__(self, index):
        return Tensor(self.array[index])

    def __ne__(self, other):
        return Tensor(self.array != other)

    def __bool__(self):
        return self.array.item()

    def any(self):
        return Tensor(self.array.any(keepdims=True))

    def view(self, what):
        return Tensor(self.array.view(what.numpy) if isinstance(what, DType) else self.array.reshape(what))

    def copy_(self, other):
        self.array[...] = other.array

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(stride // self.dtype.itemsize for stride in self.array.strides)

    def is_floating_point(self):
        return self.array.dtype.kind == "f"

    def double(self):
        return Tensor(self.array.astype(np.float64))

    def cpu(self):
        return self

    def numpy(self):
        return self.array


def full(shape, value, dtype, device):
    return Tensor(np.full(shape, value, dtype.numpy))


def from_numpy(array):
    return Tensor(array)


def cat(tensors):
    return Tensor(np.concatenate([tensor.array for tensor in tensors]))


def equal(a, b):
    """Compares two arrays; always false if the environment has STUB_DIFFERS."""
    return "STUB_DIFFERS" not in os.environ and np.array_equal(a.array, b.array)


class CUDAGraph:
    """A graph without effect: on a driver that launches nothing, its launches have already run."""

    def replay(self):
        pass


cuda = types.SimpleNamespace(init=lambda: None, synchronize=lambda: None, is_available=lambda: True,
                             is_initialized=lambda: False, CUDAGraph=CUDAGraph,
                             graph=lambda graph: contextlib.nullcontext())
