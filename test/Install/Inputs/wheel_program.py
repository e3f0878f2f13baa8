"""Calls a kernel of the examples with an installed wheel in an otherwise empty environment.

Usage: wheel_program.py softmax|attention EXAMPLES [option of tilec...]

softmax: compares softmax of random rows, by the driver in TESSERA_CUDA_DRIVER, with Python. attention: makes the
first call of the README and prints the seconds.
"""

import array
import ctypes
import math
import os
import random
import sys
import time

import tessera

WHAT, EXAMPLES, *OPTIONS = sys.argv[1:]
DRIVER = ctypes.CDLL(os.environ["TESSERA_CUDA_DRIVER"])


def driver(function, *arguments):
    status = getattr(DRIVER, function)(*arguments)
    assert status == 0, f"{function}: {status}"


class Tensor:
    """Elements in memory of the driver, described by the array interface."""

    def __init__(self, shape, type, values=None):
        self.count, size = math.prod(shape), int(type[-1])
        self.address, self.bytes = ctypes.c_uint64(), ctypes.c_size_t(self.count * size)
        driver("cuMemAlloc_v2", ctypes.byref(self.address), self.bytes)
        self.__cuda_array_interface__ = {"data": (self.address.value, False), "shape": shape, "typestr": type,
                                         "strides": None, "version": 3}
        if values is not None:
            data = array.array("f", values)
            driver("cuMemcpyHtoDAsync_v2", self.address, ctypes.c_void_p(data.buffer_info()[0]), self.bytes, None)

    def read(self):
        data = array.array("f", bytes(4 * self.count))
        driver("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(data.buffer_info()[0]), self.address, self.bytes, None)
        return list(data)


def softmax():
    rows, columns = 5, 70
    x = [random.uniform(-3, 3) for _ in range(rows * columns)]
    out = Tensor((rows, columns), "<f4")
    # The emulator runs PTX.
    kernel = tessera.load(f"{EXAMPLES}/02-softmax/kernel.tile", options=["--ptx-only"])["softmax"]
    kernel(Tensor((rows, columns), "<f4", x), out=out, BN=64)
    worst = 0
    for row in range(0, len(x), columns):
        powers = [math.exp(value) for value in x[row:row + columns]]
        worst = max([worst, *(abs(got - power / sum(powers))
                              for got, power in zip(out.read()[row:row + columns], powers))])
    assert worst < 1e-6, worst
    print(f"softmax of {rows} x {columns}, emulated: largest error {worst:.1e}")


def attention():
    q, k, v, o = (Tensor((1, 8, 4096, 128), "<f2") for _ in range(4))
    lse = Tensor((1, 8, 4096), "<f4")
    started = time.perf_counter()
    flash = tessera.load(f"{EXAMPLES}/07-flash-attention/kernel.tile", options=OPTIONS)["flash_fwd"]
    flash(q, k, v, scale=128 ** -0.5, CAUSAL=True, out=(o, lse))
    print(time.perf_counter() - started)


if "numpy" in sys.modules or "torch" in sys.modules:
    sys.exit("the package has imported what it must do without")
device, context = tessera.Device(), ctypes.c_void_p()
driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device.ordinal)
driver("cuCtxSetCurrent", context)
{"softmax": softmax, "attention": attention}[WHAT]()
