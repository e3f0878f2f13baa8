"""Tests wrong calls of kernels of source files, and calls with other libraries. Usage: call_errors.py FAKE_CUDA
SCRATCH"""

import ctypes
import pathlib
import sys
import types
import unittest
import warnings

import tessera
import torch
from dlpack_producer import Producer

FAKE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
fake = ctypes.CDLL(FAKE)
fake.fakecuda_log.restype = ctypes.c_char_p
SOURCE = """kernel gemm<T: type = bf16, U: type = f32, D: int = 64, SCALED: bool = false, EPS: float = 0.5,
            BM: int = 32>(
    a: T[M, D], b: T[D, N], scale: f32[N] if SCALED, alpha: f32, rows: int,
    out c: U[M, N], out sums: f32[M] if SCALED)
  grid (m in tiles(M, BM), n in tiles(N, 32))
{
  c[m, n] = (alpha * (a[m, :] @ b[:, n])) as U;
}
kernel fill<V: int>(out y: f32[N + 1]) grid (n in tiles(N, 64)) {
  y[0 + n] = V;
}
kernel add(inout y: f32[N], x: f32[N]) grid (n in tiles(N, 64)) {
  y[n] = y[n] + x[n];
}
kernel wide(x: f32[N], out y: f32[N]) schedule (warpgroups = 2) grid (n in tiles(N, 64)) {
  y[n] = x[n];
}
kernel names(self: f32[N], inout stream: f32[N], out out: f32[N]) grid (n in tiles(N, 64)) {
  out[n] = self[n];
  stream[n] = self[n];
}
kernel hidden<stream: int>(x: f32[N], out y: f32[N]) grid (n in tiles(N, 64)) {
  y[n] = x[n] * (stream as f32);
}
kernel sized(x: f32[N], out y: f32[N, out]) grid (n in tiles(N, 64), m in out) {
  y[n, m] = x[n];
}
"""


def log(word="cuLaunchKernelEx"):
    """Returns the new calls of the driver that begin with a word."""
    return [line for line in fake.fakecuda_log().decode(errors="replace").splitlines()
            if line.startswith(word)]


class Interface:
    """A tensor with the array interface."""

    def __init__(self, address, shape, typestr="<f4", stream=None, **rest):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": shape, "typestr": typestr,
                                         "version": 3, "stream": stream, **rest}


class CallErrors(unittest.TestCase):
    def setUp(self):
        self.file = SCRATCH / "gemm.tile"
        self.file.write_text(SOURCE)
        self.kernels = tessera.load(self.file, options=["--ptx-only"], cache=tessera.Cache(SCRATCH / "cache"))
        self.gemm = self.kernels["gemm"]
        self.a, self.b = torch.empty((70, 64), torch.bfloat16), torch.empty((64, 40), torch.bfloat16)
        log()

    def refuse(self, message, *values, kernel=None, kind=tessera.ArgumentError, **named):
        with self.assertRaises(kind) as caught:
            (kernel or self.gemm)(*values, **named)
        self.assertEqual(str(caught.exception).replace(str(self.file), "gemm.tile"), message)
        self.assertEqual(log(), [])

    def test_names(self):
        a, b, at = self.a, self.b, "gemm.tile:1:8: kernel 'gemm'"
        known = "its arguments are a, b, alpha, rows"
        self.refuse(f"{at} has no parameter 'SCALD'; did you mean 'SCALED'? {known}", a, b, 1.0, 2, SCALD=True)
        self.refuse(f"{at} has no parameter 'd'; did you mean 'D'? {known}", a, b, 1.0, 2, d=64)
        self.refuse(f"{at} has no parameter 'sream'; did you mean 'stream'? {known}", a, b, 1.0, 2, sream=0)
        self.refuse(f"{at} has no parameter 'zebra'; it has a, b, scale, alpha, rows, c, sums, T, U, D, SCALED, "
                    "EPS, BM, M, N", a, b, 1.0, 2, zebra=0)
        self.refuse(f"{at} takes 4 arguments by position (a, b, alpha, rows), got 5; pass scale= by name and "
                    "outputs (c, sums) by out=", a, b, 1.0, 2, 3)
        self.refuse("gemm.tile:3:5: kernel 'gemm': 'a' is given twice", a, b, 1.0, 2, a=a)
        self.refuse(f"gemm.tile:3:54: kernel 'gemm': 'alpha' is missing; {known}", a, b, rows=2)

    def test_outputs(self):
        a, b, c = self.a, self.b, torch.empty((70, 40))
        self.refuse("gemm.tile:1:8: kernel 'gemm': 'out' names 'd', but the outputs are c, sums",
                    a, b, 1.0, 2, out={"d": c})
        self.refuse("gemm.tile:1:8: kernel 'gemm': expected 1 output in 'out' (c), got 2",
                    a, b, 1.0, 2, out=(c, c))
        self.refuse("gemm.tile:4:9: kernel 'gemm': 'c' is given twice", a, b, 1.0, 2, out=c, c=c)
        self.refuse("gemm.tile:4:9: kernel 'gemm': expected dimension 1 of 'c' to be N = 40 (N = 40 by dimension "
                    "1 of 'b'), got 41", a, b, 1.0, 2, out=torch.empty((70, 41)))
        self.refuse("gemm.tile:4:9: kernel 'gemm': 'c' is written, and overlaps 'a' in memory; give it memory of "
                    "its own", a, b, 1.0, 2, U="bf16", c=torch.Tensor(a._memory, (70, 40), torch.bfloat16))

    def test_what_arguments_say(self):
        a, b = self.a, self.b
        self.refuse("gemm.tile:3:17: kernel 'gemm': 'b' has elements of f16, but 'a' gives T = bf16",
                    a, torch.empty((64, 40), torch.float16), 1.0, 2)
        self.refuse("gemm.tile:3:5: kernel 'gemm': 'a' has elements of bf16, but T = f16 is given",
                    a, b, 1.0, 2, T=torch.float16)
        self.refuse("gemm.tile:3:17: kernel 'gemm': 'b' has 32 elements in dimension 0, but 'a' gives D = 64",
                    a, torch.empty((32, 40), torch.bfloat16), 1.0, 2)
        self.refuse("gemm.tile:3:5: kernel 'gemm': 'a' has 64 elements in dimension 1, but D = 128 is given",
                    a, b, 1.0, 2, D=128)
        self.refuse("gemm.tile:3:5: kernel 'gemm': expected 'a' to have rank 2, got 1; it is declared as T[M, D]",
                    torch.empty((70,), torch.bfloat16), b, 1.0, 2)
        self.refuse("gemm.tile:3:29: kernel 'gemm': expected 'scale' to have elements of f32, got bf16; "
                    "convert it, for example by .astype('float32') of NumPy or .to(torch.float32) of torch",
                    a, b, 1.0, 2, SCALED=True, scale=torch.empty((40,), torch.bfloat16))
        self.refuse("gemm.tile:3:54: kernel 'gemm': expected a number for 'alpha', got a tensor; .item() returns "
                    "the number of one element", a, b, a, 2)
        self.refuse("gemm.tile:3:5: kernel 'gemm': expected a tensor in device memory for 'a', got list",
                    [1], b, 1.0, 2)
        self.refuse("gemm.tile:3:66: kernel 'gemm': expected 'rows' to be int, got a float", a, b, 1.0, 2.5)

    def test_compile_time_values(self):
        a, b = self.a, self.b
        types = "f64, f32, f16, bf16, f8e4m3, f8e5m2, i8, i16, i32, i64, u8, u16, u32, u64, bool"
        for name, place, value, expected in (
                ("D", "1:44", 1.5, "int"), ("D", "1:44", True, "int"), ("SCALED", "1:57", 1, "bool"),
                ("EPS", "1:79", "1", "float"), ("T", "1:13", "f128", f"a type, such as {types}"),
                ("T", "1:13", 3, f"a type, such as {types}")):
            self.refuse(f"gemm.tile:{place}: kernel 'gemm': expected {name} to be {expected}, got {value!r}",
                        a, b, 1.0, 2, **{name: value})
        self.refuse("gemm.tile:9:13: kernel 'fill': 'V' has no default, and no argument determines it; pass V=",
                    kernel=self.kernels["fill"], out=torch.empty((5,)))
        with self.assertRaisesRegex(tessera.ArgumentError, "has no compile-time parameter 'alpha'; it has T, U"):
            self.gemm.compile(alpha=1)

    def test_conditions(self):
        a, b = self.a, self.b
        self.refuse("gemm.tile:3:29: kernel 'gemm' has no 'scale' for these compile-time parameters: T = bf16, "
                    "D = 64; 'scale' is a parameter if SCALED; pass SCALED=True",
                    a, b, 1.0, 2, scale=torch.empty((40,)))
        self.refuse("gemm.tile:3:29: kernel 'gemm': 'scale' is missing", a, b, 1.0, 2, SCALED=True)
        c, sums = self.gemm(a, b, 1.0, 2, SCALED=True, scale=torch.empty((40,)))
        self.assertEqual((c.shape, sums.shape), ((70, 40), (70,)))
        self.assertEqual(len(log()), 1)

    def test_sizes(self):
        fill = self.kernels["fill"]
        self.refuse("gemm.tile:9:25: kernel 'fill': no argument is a tensor, so the device of 'y' is unknown; pass it",
                    kernel=fill, V=1, N=4)
        self.refuse("gemm.tile:9:8: kernel 'fill': size 'N' in 'N + 1' is bound by no argument; pass N= with its value",
                    kernel=fill, V=1)
        y = torch.empty((5,))
        self.assertIs(fill(V=1, y=y), y)
        self.assertIs(fill(V=1, out=[y]), y)
        self.assertEqual(len(log()), 2)

    def test_nothing_to_return(self):
        x, y = torch.empty((5,)), torch.empty((5,))
        for _ in range(2):
            self.assertIsNone(self.kernels["add"](y, x))
        self.assertEqual(len(log()), 2)
        self.refuse("gemm.tile:12:18: kernel 'add': 'y' is missing; its arguments are y, x", x=x,
                    kernel=self.kernels["add"])

    def test_names_that_calls_have_themselves(self):
        x, y, z = (torch.empty((5,)) for _ in range(3))
        for _ in range(2):
            self.assertEqual(self.kernels["names"](x, y).shape, (5,))
            self.assertIs(self.kernels["names"](x, y, stream=0, out=z), z)
        one, two, three = (Interface(0x10000 * n, (5,)) for n in (1, 2, 3))
        self.assertIs(self.kernels["names"](one, two, out=three), three)
        self.assertEqual(len(log()), 5)
        self.refuse("gemm.tile:18:34: kernel 'names': 'stream' is missing; pass it by position, since stream= gives "
                    "the stream of a call; its arguments are self, stream", x, stream=y, kernel=self.kernels["names"])
        hidden, sized = self.kernels["hidden"], self.kernels["sized"]
        self.refuse("gemm.tile:22:15: kernel 'hidden': stream= gives the stream of a call, so no call passes the "
                    "compile-time parameter 'stream'; rename it", x, stream=3, kernel=hidden)
        self.refuse("gemm.tile:22:15: kernel 'hidden': 'stream' has no default, and no argument determines it; "
                    "stream= gives the stream of a call, so rename it", x, kernel=hidden)
        self.refuse("gemm.tile:25:8: kernel 'sized': out= gives the outputs of a call, so no call passes the size "
                    "'out'; rename it", x, out=3, kernel=sized)

    def test_a_plan_launches_and_does_nothing_else(self):
        a, b = self.a, self.b
        first = self.gemm(a, b, 0.5, rows=2)
        log()
        other = torch.empty(a.shape, torch.bfloat16)
        fake.fakecuda_log()
        c = self.gemm(other, b, 0.5, rows=2)
        self.assertNotEqual(c.data_ptr(), first.data_ptr())
        calls = [line.split()[0] for line in log("cu")]
        # The stub of torch makes its context current for each allocation.
        self.assertEqual([call for call in calls if call not in ("cuCtxSetCurrent", "cuMemAlloc")],
                         ["cuTensorMapEncodeTiled"] * calls.count("cuTensorMapEncodeTiled") + ["cuLaunchKernelEx"])
        self.gemm(a, b, 0.5, rows=2, out=c)
        log()
        self.gemm(a, b, 0.5, rows=2, out=c)
        self.assertEqual([line.split()[0] for line in log("cu")], ["cuLaunchKernelEx"])
        # Checks that depend on addresses also run with a plan.
        plans = len(self.gemm._plans) - 1
        out = torch.Tensor(other._memory, (70, 40), torch.float32)
        self.gemm(a, b, 0.5, rows=2, out=c)
        log()
        self.refuse("gemm.tile:4:9: kernel 'gemm': 'c' is written, and overlaps 'a' in memory; give it memory of "
                    "its own", other, b, 0.5, rows=2, out=out)
        self.assertEqual(len(self.gemm._plans), plans + 1)
        # Numbers, strides and types are part of the key of a plan.
        for alpha in (0.25, 0.0, -0.0):
            self.gemm(a, b, alpha, rows=2)
        self.assertEqual(len(self.gemm._plans), plans + 4)
        log()
        self.refuse("gemm.tile:3:66: kernel 'gemm': expected 'rows' to be int, got a float", a, b, 0.5, rows=2.0)

    def test_plans_end(self):
        x, y = torch.empty((5,)), torch.empty((5,))
        kernel = self.gemm
        for rows in range(1030):
            kernel(self.a, self.b, 1.0, rows)
        self.assertLess(len(kernel._plans), 1025)
        self.kernels["add"](y, x)

    def test_the_stream_of_torch(self):
        torch.cuda.current_stream = lambda ordinal: types.SimpleNamespace(cuda_stream=12345)
        try:
            for _ in range(2):
                with self.assertRaisesRegex(tessera.DriverError, "cuLaunchKernelEx: CUDA_ERROR_INVALID_HANDLE"):
                    self.gemm(self.a, self.b, 2.0, 2)
            self.gemm(self.a, self.b, 2.0, 2, stream=0)
        finally:
            torch.cuda.current_stream = lambda ordinal: types.SimpleNamespace(cuda_stream=0)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.kernels["wide"].compile()
        for warning in caught:
            self.assertIs(warning.category, tessera.CompilerWarning)
            self.assertTrue(str(warning.message).startswith(str(self.file)))

    def test_other_libraries(self):
        add = self.kernels["add"]
        y = Interface(0x10000, (5,))
        self.assertIsNone(add(y, Interface(0x20000, (5,))))
        self.assertEqual(len(log()), 1)
        # On another stream: an event, and no wait on the host.
        add(y, Interface(0x20000, (5,), stream=2))
        self.assertEqual([line.split()[0] for line in log("cu") if "Ctx" not in line],
                         ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy",
                          "cuLaunchKernelEx"])
        wide = self.kernels["wide"]
        self.refuse("gemm.tile:15:28: kernel 'wide': 'y' cannot be allocated as a tensor of __main__; pass it",
                    y, kernel=wide)
        self.assertIs(wide(Interface(0x20000, (5,)), out=y), y)
        log()

    def test_dlpack(self):
        add = self.kernels["add"]
        for versioned in (False, True):
            x = Producer(0x20000, (5,), versioned=versioned)
            self.assertIsNone(add(Producer(0x10000, (5,), offset=32, versioned=versioned), x))
            self.assertEqual(len(log()), 1)
            self.assertEqual(x.streams, [1])
            self.assertEqual(x.alive, 0)
            torch.cuda.current_stream = lambda ordinal: types.SimpleNamespace(cuda_stream=2)
            try:
                add(Producer(0x10000, (5,), versioned=versioned), x)
            finally:
                torch.cuda.current_stream = lambda ordinal: types.SimpleNamespace(cuda_stream=0)
            self.assertEqual(x.streams, [1, 2])
            log()
        # JAX raises its own error for types without a name in the array interface.
        class Refusing(Producer):
            @property
            def __cuda_array_interface__(self):
                raise RuntimeError("no name for this type")

        add(Refusing(0x10000, (5,)), x)
        self.assertEqual(len(log()), 1)
        with self.assertRaisesRegex(RuntimeError, "no name for this type"):
            add(Refusing(0x10000, (5,), device=1), x)
        a = Producer(0x10000, (70, 64), dtype=(4, 16))
        b = Producer(0x20000, (64, 40), dtype=(4, 16), strides=(1, 64))
        c = Producer(0x30000, (70, 40))
        self.refuse("gemm.tile:3:17: kernel 'gemm': expected 'b' to be dense and row-major; copy it first",
                    a, b, 1.0, 2, out=c)
        b = Producer(0x20000, (64, 40), dtype=(4, 16), strides=(40, 1))
        self.assertIs(self.gemm(a, b, 1.0, 2, out=c), c)
        log()
        self.refuse("gemm.tile:12:18: kernel 'add': 'y' is written, but the tensor is read-only",
                    Producer(0x10000, (5,), versioned=True, read_only=True), x, kernel=add)
        self.refuse("gemm.tile:12:18: kernel 'add': 'y' has the type 5 of DLPack with 1 x 64 bits, which no kernel "
                    "takes", Producer(0x10000, (5,), dtype=(5, 64)), x, kernel=add)
        self.refuse("gemm.tile:12:18: kernel 'add': 'y' uses version 2 of DLPack, expected 1",
                    Producer(0x10000, (5,), versioned=True, major=2), x, kernel=add)
        self.refuse("gemm.tile:12:18: kernel 'add': expected a tensor in device memory for 'y', got Producer; "
                    "load(path, device=\"cpu\") takes arrays of the host",
                    Producer(0x10000, (5,), device=1), x, kernel=add)
        self.refuse("there is no device 3; the driver has 1", Producer(0x10000, (5,), ordinal=3), x, kernel=add,
                    kind=tessera.DeviceError)


unittest.main(argv=[sys.argv[0]])
