"""The part of torch that python/tessera/tune uses: the stub of test/Runtime, and functions that make, compare and
time arrays with NumPy. Kernels run in the emulator."""

import contextlib
import ctypes
import importlib.util
import pathlib
import time
import types

import numpy as np

_PATH = pathlib.Path(__file__).resolve().parents[4] / "Runtime" / "Inputs" / "stub" / "torch.py"
_spec = importlib.util.spec_from_file_location("torch_base", _PATH)
_base = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_base)
globals().update({name: value for name, value in vars(_base).items() if not name.startswith("__")})


class Array(np.ndarray):
    """A result computed from tensors."""

    def split(self, size):
        return [self[at:at + size] for at in range(0, max(len(self), 1), size)]

    def double(self):
        return self.astype(np.float64)

    def square(self):
        return self * self


class OutOfMemoryError(RuntimeError):
    pass


def _write(self, values):
    """Writes in place: prepared launches know the address."""
    made = tensor(np.broadcast_to(np.asarray(values, np.float64), self.shape), self.dtype)
    data = np.empty(self.shape, self.dtype.carrier)
    data[...] = made.bits()
    _base._check(_base._driver.cuMemcpyHtoDAsync_v2(
        self._memory.address, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes), None))
    return self


def _bits(self):
    data = np.empty(self.shape, self.dtype.carrier)
    _base._check(_base._driver.cuMemcpyDtoHAsync_v2(
        data.ctypes.data_as(ctypes.c_void_p), self._memory.address, ctypes.c_size_t(data.nbytes), None))
    return data


_base.dtype.is_floating_point = property(lambda self: "float" in self.name)
Tensor.bits = _bits
Tensor.fill_ = _write
Tensor.copy_ = lambda self, other: _write(self, other.numpy())
Tensor.clone = lambda self: tensor(self.numpy(), self.dtype)
Tensor.flatten = lambda self: self.numpy().reshape(-1).view(Array)
Tensor.to = lambda self, dtype: tensor(self.numpy(), dtype)


class Generator:
    def __init__(self, device):
        assert device == "cuda"

    def manual_seed(self, seed):
        self.random = np.random.default_rng(seed)
        return self


def empty(shape, dtype=float32, device="cuda"):
    assert device == "cuda"
    return _base.empty(shape, dtype)


def is_grad_enabled():
    return False


def empty_like(like):
    return _base.empty(like.shape, like.dtype)


def randn(shape, generator, device):
    return tensor(generator.random.standard_normal(shape), float32)


def randint(low, high, shape, generator, device):
    return tensor(generator.random.integers(low, high, shape), float32)


def full(shape, value, device):
    return tensor(np.full(shape, value), float32)


isfinite, isnan = np.isfinite, np.isnan


def where(condition, some, other):
    return np.where(condition, some, other).view(Array)


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.time = time.perf_counter()

    def elapsed_time(self, other):
        return 1000 * (other.time - self.time)


def _no_graph():
    raise RuntimeError("the emulator captures no graphs")


cuda = types.SimpleNamespace(
    is_initialized=lambda: True, init=lambda: None, synchronize=lambda: None, empty_cache=lambda: None,
    get_device_name=lambda: "the emulator", Event=Event, CUDAGraph=_no_graph, Stream=lambda: None,
    stream=contextlib.nullcontext,
    current_stream=lambda ordinal=0: types.SimpleNamespace(cuda_stream=0))
