"""Tests of the Python binding. Usage: binding.py FAKE_CUDA SCRATCH.tpk"""

import copy
import ctypes
import gc
import pickle
import sys
import threading
import unittest

import tessera
from package_writer import kernel, scalar, tensor, write_package

FAKE, FILE = sys.argv[1:3]
fake = ctypes.CDLL(FAKE)
fake.fakecuda_log.restype = ctypes.c_char_p
fake.fakecuda_fail_at.argtypes = [ctypes.c_char_p, ctypes.c_int]
fake.fakecuda_set_foreign.argtypes = [ctypes.c_uint64]


def log(word="cuLaunchKernelEx"):
    """Returns the new calls of the driver that begin with a word."""
    return [line for line in fake.fakecuda_log().decode(errors="replace").splitlines()
            if line.startswith(word)]


def argument_sizes(*sizes):
    fake.fakecuda_set_argument_sizes((ctypes.c_uint * len(sizes))(*sizes), ctypes.c_size_t(len(sizes)))


class Tensor:
    """An object with the CUDA array interface."""

    def __init__(self, address, shape, typestr="<f4", strides=None, **rest):
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": typestr, "strides": strides,
            "version": 3, **rest}


class Device:
    def __init__(self, type="cuda", index=0):
        self.type, self.index = type, index


class TorchTensor:
    """The part of a torch tensor that the binding reads."""

    def __init__(self, address, shape, dtype="torch.bfloat16", stride=None, device=Device()):
        self.address, self.shape, self.dtype, self.device = address, shape, dtype, device
        self.strides = stride or tuple(shape[1:]) + (1,)

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides


write_package(FILE, [
    kernel("scale", [tensor("x", "f32", ["M", "K"], dense=False), scalar("alpha", "f32"),
                     scalar("n", "i32"), tensor("y", "f32", ["M + 1", "2 * K"], "write")],
           ["M", "K", "P"], grid=["M ceildiv 2", "P", "1"]),
    kernel("cast", [tensor("x", "bf16", ["M", "N"])], ["M", "N"]),
])


class Binding(unittest.TestCase):
    def setUp(self):
        argument_sizes()
        fake.fakecuda_log()
        self.package = tessera.Package(FILE, tessera.Device(driver=FAKE))
        self.scale = self.package.kernel("scale")
        self.x, self.y = Tensor(0x1000, (5, 8)), Tensor(0x2000, (6, 16))

    def test_describes(self):
        self.assertEqual(self.package.names, ["scale", "cast"])
        self.assertEqual(self.package.metadata["target"], "sm_90a")
        self.assertEqual(self.package.device.name, "Fake GPU")
        self.assertIs(self.package.kernel("scale"), self.scale)
        self.assertIs(copy.deepcopy(self.scale), self.scale)
        with self.assertRaisesRegex(TypeError, "a Kernel belongs to its process; open the package in each process"):
            pickle.dumps(self.scale)

    def test_launches(self):
        argument_sizes(8, 4, 4, 8)
        self.scale(self.x, 0.5, 3, self.y, P=2)
        expected = ("cuLaunchKernelEx scale_entry grid=3,2,1 block=128,1,1 shared=0 "
                    "0010000000000000 0000003f 03000000 0020000000000000")
        self.assertEqual(log(), [expected])
        self.scale(self.x, y=self.y, n=True + 2, alpha=1 / 2, P=2, stream=0)
        self.assertEqual(log(), [expected])

    def test_prepares(self):
        launch = self.scale.prepare(self.x, 2, 3, self.y, P=1)
        self.assertEqual(log(), [])
        launch()
        launch(stream=1)
        self.assertEqual(len(log()), 2)

    def test_launches_from_threads_without_a_context(self):
        launch = self.scale.prepare(self.x, 2, 3, self.y, P=1)
        thread = threading.Thread(target=launch)
        thread.start()
        thread.join()
        self.assertEqual(len(log()), 1)

    def test_torch(self):
        self.package.kernel("cast")(TorchTensor(0x4000, (2, 3)))
        self.assertEqual(len(log()), 1)

    def test_shapes(self):
        self.assertEqual(self.scale.shapes(x=self.x), {"y": (6, 16)})
        self.assertEqual(self.scale.shapes(M=3, K=4), {"x": (3, 4), "y": (4, 8)})
        with self.assertRaisesRegex(tessera.ArgumentError, "size 'M' is bound by no argument; pass M="):
            self.scale.shapes(K=3)

    def refuse(self, message, *values, kind=tessera.ArgumentError, **named):
        with self.assertRaisesRegex(kind, message):
            self.scale(*values, **named)
        self.assertEqual(log(), [])

    def test_arguments(self):
        x, y = self.x, self.y
        self.refuse("'y' is missing", x, 1, 2, P=1)
        self.refuse("expected 4 arguments, got 5", x, 1, 2, y, y)
        self.refuse("no parameter or size 'z'; it has x, alpha, n, y, M, K, P", x, 1, 2, y, z=1)
        self.refuse("'x' is given twice", x, 1, 2, y, x=x)
        self.refuse("expected a tensor in device memory for 'x', got float", 1.0, 1, 2, y, P=1)
        self.refuse("expected a number for 'alpha', got a tensor", x, y, 2, y, P=1)
        self.refuse("expected a number for 'alpha', got str", x, "1", 2, y, P=1)
        self.refuse("expected a stream, got str", x, 1, 2, y, P=1, stream="main")
        self.refuse("does not fit 64 bits", x, 1, 2**80, y, P=1)
        self.refuse("kernel 'scale': expected size 'P' to be an int of at least 0, got 1.5", x, 1, 2, y, P=1.5)
        self.refuse("expected size 'P' to be an int of at least 0, got -1", x, 1, 2, y, P=-1)
        self.refuse("for the size 'P' does not fit 64 bits", x, 1, 2, y, P=2**63)
        self.refuse("'x' has the type <c8", Tensor(0, (5, 8), "<c8"), 1, 2, y, P=1)
        self.refuse("not whole elements", Tensor(0, (5, 8), strides=(33, 4)), 1, 2, y, P=1)
        self.refuse("move it with .cuda", TorchTensor(0, (5, 8), device=Device("cpu")), 1, 2, y,
                    P=1)
        self.refuse("expected a number for 'alpha': int too large", x, 2**2000, 2, y, P=1)
        self.refuse("1.000000e.300 of 'alpha' does not fit in f32", x, 1e300, 2, y, P=1)
        self.refuse("-1 for the stream is negative", x, 1, 2, y, P=1, stream=-1)
        self.refuse("for the stream does not fit 64 bits", x, 1, 2, y, P=1, stream=2**70)

    def refuse_tensor(self, message, **interface):
        self.refuse(message, Tensor(**{"address": 0x1000, "shape": (5, 8), **interface}), 1, 2,
                    self.y, P=1)

    def test_the_array_interface(self):
        self.refuse_tensor("expected 2 strides for 'x', got 1", strides=(4,))
        self.refuse_tensor("expected 2 strides for 'x', got 3", strides=(4, 4, 4))
        self.refuse_tensor("strides of 'x' to be integers, got int", strides=4)
        self.refuse_tensor("rank 2, got 100000", shape=(1,) * 100000)
        self.refuse_tensor("18446744073709551621 for the shape of 'x' does not fit 64 bits",
                           shape=(2**64 + 5, 8))
        self.refuse_tensor("expected an integer for the shape of 'x', got float", shape=(5.0, 8))
        self.refuse_tensor("'x' has a negative extent", shape=(-5, 8))
        self.refuse_tensor("'x' has a mask", mask=self.y)
        self.refuse_tensor("'x' has the type <f4 x", typestr="<f4 x")
        self.refuse_tensor("'x' has the type >f4, which no kernel takes; convert it by .astype[(]'<f4'[)]",
                           typestr=">f4")
        self.refuse_tensor("'x' has the type <c8, which no kernel takes; pass real and imaginary parts", typestr="<c8")
        self.refuse_tensor("'x' has the type None, which no kernel takes; kernels take numbers", typestr=None)
        self.refuse_tensor("-4096 for the address of 'x' is negative", address=-4096)
        self.refuse_tensor("for the address of 'x' does not fit 64 bits", address=2**64 + 4096)
        self.refuse_tensor("expected an integer for the address of 'x', got NoneType", address=None)
        self.refuse_tensor("'x' has elements, but its address is 0", address=0)
        self.refuse_tensor("expected 'data' of 'x' to be an address and", data=0x1000)
        self.refuse_tensor("'x' names the stream 0", stream=0)
        self.refuse_tensor("for the stream of 'x', got str", stream="main")
        for field in ("data", "shape", "typestr"):
            broken = Tensor(0x1000, (5, 8))
            del broken.__cuda_array_interface__[field]
            self.refuse(f"the __cuda_array_interface__ of 'x' has no '{field}'", broken, 1, 2,
                        self.y, P=1)
        # Missing strides and those of a dense tensor are equivalent; single bytes have no byte order.
        dense = Tensor(0x1000, (5, 8))
        del dense.__cuda_array_interface__["strides"]
        self.scale(dense, 1, 2, self.y, P=1)
        self.assertEqual(len(log()), 1)

    def test_memory(self):
        x, y = self.x, self.y
        self.refuse("'y' is written, but the tensor is read-only", x, 1, 2,
                    Tensor(0, (6, 16), data=(0x2000, True)), P=1)
        self.refuse("'y' is written, and overlaps 'x' in memory", x, 1, 2, Tensor(0x109C, (6, 16)),
                    P=1)
        self.scale(Tensor(0, (5, 8), data=(0x1000, True)), 1, 2, Tensor(0x10A0, (6, 16)), P=1)
        self.assertEqual(len(log()), 1)
        fake.fakecuda_set_foreign(0x2000)
        self.refuse("'y' is not in memory that kernels on 'Fake GPU' can reach", x, 1, 2, y, P=1)
        fake.fakecuda_set_foreign(0)
        there = TorchTensor(0x4000, (2, 3), device=Device(index=1))
        with self.assertRaisesRegex(tessera.ArgumentError, "'x' is on device 1, but the kernel is "
                                                           "loaded on device 0"):
            self.package.kernel("cast")(there)
        there.device, there.is_neg = Device(), lambda: True
        with self.assertRaisesRegex(tessera.ArgumentError, "'x' is a view that negates"):
            self.package.kernel("cast")(there)
        self.assertEqual(log(), [])

    def test_waits_for_the_streams_of_others(self):
        x = Tensor(0x1000, (5, 8), stream=2)
        fake.fakecuda_log()
        self.scale(x, 1, 2, self.y, P=1)
        self.assertEqual([line.split()[0] for line in log("cu") if "Ctx" not in line],
                         ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy",
                          "cuLaunchKernelEx"])
        self.scale(x, 1, 2, self.y, P=1, stream=2)
        self.scale(Tensor(0x1000, (5, 8), stream=1), 1, 2, self.y, P=1)
        self.assertEqual(log("cuStream"), [])
        launch = self.scale.prepare(x, 1, 2, self.y, P=1)
        self.assertEqual(len(log("cuStreamSynchronize")), 1)
        launch()
        self.assertEqual(len(log()), 1)

    def test_errors_of_the_runtime(self):
        x, y = self.x, self.y
        self.refuse("'P'", x, 1, 2, y)
        self.refuse("'x'", Tensor(0x1000, (5, 8), "<f2"), 1, 2, y, P=1)
        self.refuse("'n'", x, 1, 2.5, y, P=1)
        self.refuse("'y'", x, 1, 2, Tensor(0x2000, (6, 17)), P=1)
        for kind in (tessera.PackageError, KeyError, tessera.UnknownKernelError):
            with self.assertRaisesRegex(kind, "[.]tpk has no kernel 'conv'; it has scale, cast$"):
                self.package.kernel("conv")
            with self.assertRaisesRegex(kind, "[.]tpk has no kernel 'scal'; did you mean 'scale'[?] it has scale, cast$"):
                self.package.kernel("scal")
        for kind in (tessera.PackageError, FileNotFoundError):
            with self.assertRaisesRegex(kind, "^cannot read '/nonexistent.tpk'"):
                tessera.Package("/nonexistent.tpk")
        with self.assertRaisesRegex(tessera.DeviceError, "there is no device 4"):
            tessera.Device(4, driver=FAKE)
        for ordinal, message in ((2**31, "2147483648 for the ordinal of the device does not fit"),
                                 ("0", "expected an integer for the ordinal of the device, got")):
            with self.assertRaisesRegex(tessera.ArgumentError, message):
                tessera.Device(ordinal, driver=FAKE)
        with self.assertRaisesRegex(tessera.ArgumentError, "contains a zero byte"):
            tessera.Package(FILE + "\0")
        fake.fakecuda_fail_at(b"cuLaunchKernelEx", 700)
        with self.assertRaisesRegex(tessera.DriverError, "CUDA_ERROR_ILLEGAL_ADDRESS") as caught:
            self.scale(x, 1, 2, y, P=1)
        self.assertEqual(caught.exception.code, 700)
        fake.fakecuda_log()

    def test_strides(self):
        argument_sizes(8)
        self.scale(Tensor(0x1000, (5, 8), strides=(64, 4)), 1, 2, self.y, P=1)
        self.assertEqual(len(log()), 1)

    def test_nothing_is_left(self):
        kept = tessera.Package(FILE, tessera.Device(driver=FAKE)).kernel("cast")
        launch = kept.prepare(TorchTensor(0x4000, (2, 3)))
        del kept
        gc.collect()
        fake.fakecuda_log()
        launch()
        self.assertEqual(len(log()), 1)
        del launch
        gc.collect()
        self.assertEqual(len(log("cuModuleUnload")), 1)


unittest.main(argv=[sys.argv[0]])
