"""Runs kernels on torch tensors without a GPU: the emulator computes the contents."""

import ctypes
import math
import os

import torch
from tessera import allocation, tensors

driver = ctypes.CDLL(os.environ["TESSERA_CUDA_DRIVER"])
context = ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0


class Emulated:
    """A tensor in the memory of the emulator that looks like a torch tensor on a GPU."""

    device = torch.device("cuda", 0)

    def __init__(self, shape, dtype):
        self.shape, self.dtype = torch.Size(shape), dtype
        self.bytes = math.prod(shape) * dtype.itemsize
        self.address = ctypes.c_uint64()
        assert driver.cuCtxSetCurrent(context) == 0
        assert driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)) == 0

    def data_ptr(self):
        return self.address.value

    def stride(self):
        return torch.empty(self.shape, device="meta").stride()

    def put(self, tensor):
        # Kernels need contiguous tensors; others would have to be copied.
        assert tensor.is_contiguous()
        assert driver.cuMemcpyHtoDAsync_v2(self.address, ctypes.c_void_p(tensor.data_ptr()),
                                           ctypes.c_size_t(self.bytes), None) == 0
        return self

    def get(self, tensor=None):
        tensor = torch.empty(self.shape, dtype=self.dtype) if tensor is None else tensor
        assert driver.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(tensor.data_ptr()), self.address,
                                           ctypes.c_size_t(self.bytes), None) == 0
        return tensor


allocation._LIBRARIES["torch"] = lambda shape, dtype, like: Emulated(
    shape, getattr(torch, allocation.torch_name(dtype)))


def take_host_for_device():
    """Makes kernels accept host tensors from now on."""
    tensors.DEVICE_TYPE = "cpu"
    Emulated.device = torch.device("cpu")


def emulated(kernel):
    """Returns the kernel for tensors on the CPU."""
    def run(*values, **named):
        # Several outputs are a tuple.
        outputs = named["out"] if isinstance(named.get("out"), tuple) else ()
        given = [*values, *(x for x in named.values() if not isinstance(x, tuple)), *outputs]
        pairs = [(value, Emulated(value.shape, value.dtype).put(value))
                 for value in given if isinstance(value, torch.Tensor)]

        def there(value):
            if isinstance(value, tuple):
                return tuple(map(there, value))
            return next((other for tensor, other in pairs if tensor is value), value)

        got = kernel(*map(there, values), **{name: there(value) for name, value in named.items()})
        for tensor, other in pairs:
            if not tensor.requires_grad:
                other.get(tensor)
        return tuple(other.get() for other in got) if isinstance(got, tuple) else got and got.get()
    return run
