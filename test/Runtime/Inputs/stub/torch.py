"""The part of torch that python/tessera uses, on the driver of TESSERA_CUDA_DRIVER: the emulator, or the fake
driver."""

import ctypes
import os
import types

import numpy as np
from tessera import dlpack

_driver = ctypes.CDLL(os.environ["TESSERA_CUDA_DRIVER"])
_context = ctypes.c_void_p()
Size = tuple


def _check(status):
    assert status == 0, status


_check(_driver.cuInit(0))
_check(_driver.cuDevicePrimaryCtxRetain(ctypes.byref(_context), 0))
_check(_driver.cuCtxSetCurrent(_context))


class dtype:
    def __init__(self, name, carrier):
        self.name, self.carrier = name, np.dtype(carrier)

    def __repr__(self):
        return f"torch.{self.name}"


float32, float16, bfloat16 = dtype("float32", "f4"), dtype("float16", "f2"), dtype("bfloat16", "u2")
int32 = dtype("int32", "i4")


class device:
    def __init__(self, type, index):
        self.type, self.index = type, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        return f"{self.type}:{self.index}"


_CUDA = device("cuda", 0)
# The number of allocated tensors, those allocated by the function of torch's compiler, and whether allocation fails.
allocated, quickly_allocated, fails = 0, 0, False
# Of torch.cuda.
devices, current = 1, 0


def _dense(shape):
    return tuple(int(np.prod(shape[i + 1:])) for i in range(len(shape)))


class _Memory:
    def __init__(self, bytes):
        self.address = ctypes.c_uint64()
        _check(_driver.cuCtxSetCurrent(_context))
        _check(_driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(bytes, 1))))


class Tensor:
    def __init__(self, memory, shape, dtype, device=_CUDA, strides=None):
        self._memory, self.shape, self.dtype, self.device = memory, tuple(shape), dtype, device
        self._strides = strides or _dense(self.shape)

    def data_ptr(self):
        return self._memory.address.value

    def stride(self):
        return self._strides

    is_negated = False

    def is_neg(self):
        return self.is_negated

    def is_contiguous(self):
        return self._strides == _dense(self.shape)

    def get_device(self):
        return self.device.index

    def untyped_storage(self):
        return types.SimpleNamespace(resize_=lambda size: None)

    def transpose(self):
        return Tensor(self._memory, self.shape[::-1], self.dtype, self.device, self._strides[::-1])

    def expand(self, shape):
        return Tensor(self._memory, shape, self.dtype, self.device, (0,) * len(shape))

    def numpy(self):
        """Returns the elements, bf16 as f32."""
        # The view must have the size of its base.
        flat = np.empty(int(np.prod(self.shape)), self.dtype.carrier)
        _check(_driver.cuCtxSetCurrent(_context))
        _check(_driver.cuMemcpyDtoHAsync_v2(flat.ctypes.data_as(ctypes.c_void_p), self._memory.address,
                                            ctypes.c_size_t(flat.nbytes), None))
        array = np.lib.stride_tricks.as_strided(
            flat, self.shape, [stride * flat.itemsize for stride in self._strides]).copy()
        if self.dtype is not bfloat16:
            return array
        return (array.astype(np.uint32) << 16).view(np.float32)


_CODES = {"float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "int32": (0, 32)}


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(dlpack._Tensor))
def _describe(tensor, out):
    """Fills the struct that C requests; its shape and strides live as long as the tensor."""
    tensor._extents = tuple((ctypes.c_int64 * len(x))(*x) for x in (tensor.shape, tensor._strides))
    shape, strides = (ctypes.cast(x, ctypes.POINTER(ctypes.c_int64)) for x in tensor._extents)
    out[0] = dlpack._Tensor(tensor.data_ptr(), 2, tensor.device.index, len(tensor.shape), *_CODES[tensor.dtype.name],
                            1, shape, strides, 0)
    return 0


def _exchange(version, previous=None):
    """Returns a table of the functions of DLPack: its version, an older table, and the functions, here only one."""
    table = (ctypes.c_void_p * 7)(version, previous, None, None, None, ctypes.cast(_describe, ctypes.c_void_p))
    _tables.append(table)
    return ctypes.addressof(table)


_tables = []
_make_capsule = ctypes.pythonapi.PyCapsule_New
_make_capsule.restype = ctypes.py_object
_make_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# The capsule keeps only a pointer to its name.
_NAME = b"dlpack_exchange_api"
# A table of version 2, and a link to the known version before it.
Tensor.__dlpack_c_exchange_api__ = _make_capsule(_exchange(2, _exchange(1)), _NAME, None)
exchange_of_version_2 = _make_capsule(_exchange(2), _NAME, None)


def empty(shape, dtype=float32, device=_CUDA):
    global allocated
    allocated += 1
    return Tensor(_Memory(int(np.prod(shape)) * dtype.carrier.itemsize), shape, dtype, device)


def is_grad_enabled():
    return False


def empty_like(tensor):
    """Returns a dense tensor if the given one is dense or an expanded element."""
    assert tensor.is_contiguous() or set(tensor.stride()) <= {0}
    if fails:
        raise MemoryError("there is no more")
    return empty(tensor.shape, tensor.dtype, tensor.device)


def _empty_strided_cuda(shape, strides, dtype):
    """Allocates on the current device."""
    global quickly_allocated
    assert strides == _dense(shape) or 0 in shape
    if fails:
        raise MemoryError("there is no more")
    quickly_allocated += 1
    return empty(shape, dtype, device("cuda", current))


def tensor(values, dtype=float32):
    """Returns a tensor with the elements of a NumPy array."""
    made = empty(values.shape, dtype)
    if dtype is bfloat16:
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        # To the nearest, ties to even.
        values = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    values = np.ascontiguousarray(values, dtype.carrier)
    _check(_driver.cuMemcpyHtoDAsync_v2(made._memory.address, values.ctypes.data_as(ctypes.c_void_p),
                                        ctypes.c_size_t(values.nbytes), None))
    return made


cuda = types.SimpleNamespace(
    is_initialized=lambda: True,
    device_count=lambda: devices,
    current_device=lambda: current,
    current_stream=lambda ordinal: types.SimpleNamespace(cuda_stream=0))
compiler = types.SimpleNamespace(is_compiling=lambda: False)
_guards = types.SimpleNamespace(_empty_strided_cuda=_empty_strided_cuda)
_C = types.SimpleNamespace(_dynamo=types.SimpleNamespace(guards=_guards))
