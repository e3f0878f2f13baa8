"""Tests kernels on arrays of the host. Usage: arrays.py EXAMPLES SCRATCH"""

import ctypes
import os
import pathlib
import re
import signal
import sys
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np
import tessera
from tessera import compiler, errors
from tessera.host import library

EXAMPLES, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
DEVICES = ("cpu", "interpreter", "sim", "ptx")
SOURCE = """kernel scaled<T: type = f32, N: int>(x: T[M, N], scale: f32, rows: int, out y: f32[M, N], out sums: f32[M])
  grid (m in tiles(M, 32))
{
  let tile = x[m, :] as f32 * scale;
  y[m, :] = tile;
  sums[m] = sum(tile, axis = 1);
}
kernel add(inout y: f32[N], x: f32[N]) grid (n in tiles(N, 64)) {
  y[n] = y[n] + x[n];
}
kernel half(x: f32[N], out y: f32[N]) grid (n in tiles(N / 2, 64)) {
  y[n] = x[n];
}
kernel shift(inout x: f32[N]) grid (n in tiles(64, 64)) {
  x[n] = 1.0;
  x[n] = x[n + 1];
}
kernel long<N: int>(x: f32[M, N], rounds: int, out y: f32[M, N]) grid (m in tiles(M, 4)) {
  var sum = x[m, :];
  for i in range(0, rounds) {
    sum = sum * 0.5 + x[m, :];
  }
  y[m, :] = sum;
}
kernel count(x: i32[N], out y: i32[N]) grid (n in tiles(N, 64)) {
  y[n] = x[n];
}
kernel precise(x: f64[N], shift: f64, out y: f64[N]) grid (n in tiles(N, 64)) {
  y[n] = x[n] + shift;
}
kernel fill<V: int>(out y: f32[N + 1]) grid (n in tiles(N, 64)) {
  y[0 + n] = V;
}
"""
FILE = SCRATCH / "host.tile"
FILE.write_text(SOURCE)
rng = np.random.default_rng(0)


def load(device="cpu", **options):
    return tessera.load(FILE, device=device, **options)


class TestCalls(unittest.TestCase):
    def test_devices_agree(self):
        x = rng.standard_normal((50, 16)).astype("f4")
        for device in DEVICES:
            with self.subTest(device):
                y, sums = load(device)["scaled"](x, 2.0, 3)
                self.assertIsInstance(y, np.ndarray)
                np.testing.assert_array_equal(y, 2 * x)
                np.testing.assert_allclose(sums, 2 * x.sum(axis=1), rtol=1e-4, atol=1e-5)

    def test_strides_and_types(self):
        x = rng.standard_normal((16, 100)).astype("f2")
        for device in DEVICES:
            with self.subTest(device):
                y, _ = load(device)["scaled"](x.T[::2], scale=1.0, rows=1)
                np.testing.assert_array_equal(y, x.T[::2].astype("f4"))

    def test_integers(self):
        file = SCRATCH / "integers.tile"
        file.write_text("kernel turn<T: type>(x: T[N], out y: T[N], out most: T[1]) {\n"
                        "  let n = tile(0, N, 64);\n  y[n] = ~x[n] >> 1;\n  most[0] = max(x[n], axis = 0);\n}\n")
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            limits = np.iinfo(dtype)
            x = np.array([limits.min, limits.max, 0, 1, 2], dtype)
            for device in DEVICES:
                with self.subTest(f"{dtype} {device}"):
                    y, most = tessera.load(file, device=device)["turn"](x)
                    self.assertEqual((y.dtype, most.dtype), (x.dtype, x.dtype))
                    np.testing.assert_array_equal(y, ~x >> np.array(1, dtype))
                    self.assertEqual(most[0], limits.max)

    def test_out_and_inout(self):
        x = np.ones((4, 16), "f4")
        for device in DEVICES:
            with self.subTest(device):
                y, sums = np.zeros((4, 32), "f4"), np.zeros(4, "f4")
                made = load(device)["scaled"](x, 3.0, 1, out={"y": y[:, ::2], "sums": sums})
                self.assertTrue(made[1] is sums and (y[:, ::2] == 3).all() and (y[:, 1::2] == 0).all())
                self.assertIsNone(load(device)["add"](sums, np.ones(4, "f4")))
                np.testing.assert_array_equal(sums, np.full(4, 49, "f4"))

    def test_subclasses(self):
        class Named(np.ndarray):
            pass

        x = np.ones((2, 4), "f4")
        for array in (x.view(Named), np.asmatrix(x)):
            y, _ = load()["scaled"](array, 2.0, 1)
            self.assertIs(type(y), np.ndarray)
            np.testing.assert_array_equal(y, 2 * x)

    def test_empty(self):
        for device in DEVICES:
            y, sums = load(device)["scaled"](np.ones((0, 16), "f4"), 3.0, 1)
            self.assertEqual((y.shape, sums.shape), ((0, 16), (0,)))

    def test_attention(self):
        q, k, v = (rng.standard_normal((1, 1, 70, 16)).astype("f2") for _ in range(3))
        s = np.einsum("bhmd,bhnd->bhmn", q.astype("f4"), k.astype("f4")) * 0.25
        p = np.exp(s - s.max(axis=-1, keepdims=True))
        expected = np.einsum("bhmn,bhnd->bhmd", p / p.sum(axis=-1, keepdims=True), v.astype("f4"))
        # The rows of k are apart.
        k = k.transpose(0, 2, 1, 3).repeat(2, axis=2)[:, :, ::2].transpose(0, 2, 1, 3)
        for device in ("cpu", "interpreter", "sim"):
            flash = tessera.load(f"{EXAMPLES}/07-flash-attention/kernel.tile", device=device)["flash_fwd"]
            o, _ = flash(q, k, v, scale=0.25)
            np.testing.assert_allclose(o.astype("f4"), expected, atol=2e-3)

    def test_costs_little(self):
        x, y = np.ones(10, "f4"), np.ones(10, "f4")
        for device in DEVICES:
            add = tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device=device)["vector_add"]
            add(x, y)
            times = []
            for _ in range(20):
                start = time.perf_counter()
                add(x, y)
                times.append(time.perf_counter() - start)
            self.assertLess(min(times), 5e-3, device)

    def test_interrupt(self):
        x = np.ones((40000, 16), "f4")
        # A process in the background may ignore the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        # On the processor, a run ends between two of its 10000 programs.
        for device, steps, rounds in (("cpu", 2**60, 10**7), ("interpreter", 10**8, 2**30), ("sim", 10**8, 2**30),
                                      ("ptx", 10**8, 2**30)):
            kernel = load(device, step_limit=steps)["long"]
            kernel(x[:1], 1)
            timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            start = time.perf_counter()
            with self.assertRaises(KeyboardInterrupt):
                kernel(x, rounds)
            self.assertLess(time.perf_counter() - start, 30)
            kernel(x[:1], 1)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_threads(self):
        add, x = tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device="ptx")["vector_add"], np.ones(99, "f4")
        right = []
        threads = [threading.Thread(target=lambda: right.append((add(x, x) == 2).all())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(right, [True] * 4)


class TestChoice(unittest.TestCase):
    def test_arrays_choose_the_cpu(self):
        with self.assertWarnsRegex(tessera.DeviceWarning, "no CUDA driver.*device='cpu'") as caught:
            y, _ = tessera.load(FILE)["scaled"](np.ones((2, 4), "f4"), 2.0, 1)
        self.assertEqual(caught.filename, __file__)
        self.assertTrue((y == 2).all())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tessera.load(FILE)["scaled"](np.ones((2, 4), "f4"), 2.0, 1)

    def test_no_tensor(self):
        self.assertTrue((load()["scaled"](np.ones((2, 4), "f4"), np.float32(2), np.int64(1))[0] == 2).all())
        with self.assertRaisesRegex(tessera.UnwrittenError, r"host.tile:\d+:\d+: kernel 'fill': 'y': no program wrote 1"):
            load()["fill"](N=5, V=3)


class TestDoubles(unittest.TestCase):
    def test_devices(self):
        x = rng.standard_normal(100)
        for device in DEVICES:
            y = load(device)["precise"](x, 0.1)
            self.assertEqual((y.dtype, y.tolist()), (np.float64, (x + 0.1).tolist()))

    def test_inferred_type(self):
        x = rng.standard_normal((3, 8))
        y, _ = load()["scaled"](x, 2.0, 1)
        np.testing.assert_array_equal(y, 2 * x.astype("f4"))

    def test_errors(self):
        with self.assertRaisesRegex(tessera.ArgumentError, "expected 'x' to have elements of f64, got f32; convert it"):
            load()["precise"](np.ones(3, "f4"), 1.0)


class TestErrors(unittest.TestCase):
    def refuse(self, text, call, *values, kind=tessera.ArgumentError, **named):
        with self.assertRaisesRegex(kind, re.escape(text)) as caught:
            call(*values, **named)
        return caught.exception

    def test_arguments(self):
        kernel, x = load()["scaled"], np.ones((2, 4), "f4")
        self.refuse("'x' has a mask, which kernels ignore; pass .filled(value) of the array",
                    kernel, np.ma.array(x, mask=x > 0), 1.0, 1)
        self.refuse("expected an array or a tensor for 'x', got list; "
                    "convert it with numpy.array(…, dtype='float32')", kernel, [[1.0]], 1.0, 1)
        self.refuse("expected 'x' to have elements of f32, got f64; convert it, for example by .astype('float32')",
                    load()["half"], np.ones(3))
        self.refuse("expected 'y' to have elements of f32, got f64; allocate it with the type float32",
                    load()["half"], np.ones(3, "f4"), out=np.ones(3))
        count = load()["count"]
        narrow = tessera.compile("""
            kernel narrow(x: f32[N], out y: bf16[N]) grid (n in tiles(N, 64)) { y[n] = x[n] as bf16; }
            kernel widen(x: bf16[N], out y: f32[N]) grid (n in tiles(N, 64)) { y[n] = x[n] as f32; }""", device="cpu")
        self.refuse("expected 'x' to have elements of bf16, got f32; convert it, for example by .astype('bfloat16') of "
                    "NumPy, after import ml_dtypes, or", narrow["widen"], np.zeros(5, "f4"))
        try:
            np.dtype("bfloat16")
        except TypeError:
            for version, package in (("1.24.2", "'ml_dtypes<0.6' for NumPy 1; later versions need NumPy 2"),
                                     ("2.3.0", "ml_dtypes")):
                with unittest.mock.patch.object(np, "__version__", version):
                    self.refuse(f"NumPy {version} has no type for bf16; import ml_dtypes, which adds it (pip install "
                                f"{package})", narrow["narrow"], np.zeros(5, "f4"))
        with unittest.mock.patch.object(np, "empty", side_effect=MemoryError):
            self.refuse("kernel 'half': 'y' of shape (5,) has 20 bytes, which do not fit in memory", load()["half"],
                        np.zeros(5, "f4"))
        self.refuse("kernel 'fill': V=1000000000000000000000000000000 is not an integer of 64 bits", load()["fill"],
                    V=10**30, N=3)
        for device in ("cpu", "interpreter", "sim"):
            last = tessera.compile("kernel last(x: f32[N], out y: f32[1]) { y[0] = x[N - 1]; }", device=device)["last"]
            self.refuse(f"with 'x' of shape [268435457], the tensors have 268435457 elements; the device '{device}' "
                        "takes at most 268435456", last, np.broadcast_to(np.float32(3), 2**28 + 1))
        self.refuse("expected 'x' to have elements of i32, got i64; convert it, for example by .astype('int32')",
                    count, np.arange(3))
        self.refuse("convert it with numpy.array(…, dtype='int32')", count, [1])
        self.refuse("expected 'x' to have rank 2, got 0; it is declared as T[M, N]; .reshape(1, 1) makes",
                    kernel, np.array(3, "f4"), 1.0, 1)
        self.refuse("'stream' is for kernels on a GPU; leave it out", kernel, x, 1.0, 1, stream=1)
        self.refuse("expected 'rows' to be int, got a float", kernel, x, 1.0, 1.5)
        self.refuse("the value 4294967296 of 'rows' does not fit in int, which a launch gives in 32 bits; take an i64 "
                    "for larger numbers", kernel, x, 1.0, 2**32)
        self.refuse("'y' has 8 elements in dimension 1, but 'x' gives N = 4", kernel, x, 1.0, 1,
                    out=(np.ones((2, 8), "f4"), np.ones(2, "f4")))
        self.refuse("overlap", load()["add"], x[0], x[0])
        x.flags.writeable = False
        self.refuse("'y' is written, but the tensor is read-only", load()["add"], x[0], np.ones(3, "f4"))
        self.refuse("unknown device 'gpu'; expected 'cuda', 'cpu', 'interpreter', 'sim', 'ptx', or None", load, "gpu")
        self.refuse("load(path, device=\"cpu\") takes arrays of the host", load("cuda")["add"], x[0], x[0])

    def test_sizes(self):
        x = np.ones(6, "f4")
        for device in (*DEVICES, "cuda"):
            fill, half = load(device)["fill"], load(device)["half"]
            for wrong in (6.0, np.float32(6), np.array(6.0), None, "6", True, np.True_, -1):
                text = f"expected size 'N' to be an int of at least 0, got {wrong!r}"
                self.refuse(f"host.tile:31:8: kernel 'fill': {text}", fill, V=3, N=wrong)
                self.refuse(f"host.tile:11:8: kernel 'half': {text}", half, x, N=wrong)
                self.refuse(f"kernel 'fill': {text}", fill.compile, V=3, N=wrong)
            self.refuse("9223372036854775808 for the size 'N' does not fit 64 bits", fill, V=3, N=2**63)
        for size in (6, np.int32(6), np.array(6)):
            np.testing.assert_array_equal(load()["add"](x, x + 1, N=size), None)
        less = tessera.compile("kernel f(out y: f32[N - 5, N - 5]) grid (n in tiles(N, 4)) { }", device="cpu")["f"]
        self.refuse("kernel 'f': 'y' would have a negative extent: (-2, -2)", less, N=3)
        more = "would have the shape (1099511627776,); extents are at most 2^31 - 2^24"
        self.refuse(more, tessera.compile("kernel f(out y: f32[N]) grid (n in tiles(N, 4)) { y[n] = 0; }",
                                          device="cpu")["f"], N=2**40)

    def test_loads_outside(self):
        text = "kernel shift(x: f32[N], out y: f32[N]) grid (n in tiles(N, 4)) { y[n] = x[n + 1]; }"
        for device in ("cpu", "interpreter", "sim", "ptx"):
            for fill, last in ((None, 0), ("nan", np.nan)):
                kernel = tessera.compile(text, device=device, fill_outside=fill)["shift"]
                np.testing.assert_array_equal(kernel(np.ones(3, "f4")), [1, 1, last])

    def test_bytes_of_bool(self):
        text = "kernel pick(c: bool[N], out y: i32[N]) grid (n in tiles(N, 4)) { y[n] = where(c[n], 7, c[n] as i32); }"
        for device in ("cpu", "interpreter", "sim", "ptx"):
            truth = np.array([0, 1, 2, 3], np.uint8).view(np.bool_)
            np.testing.assert_array_equal(tessera.compile(text, device=device)["pick"](truth), [0, 7, 0, 7])

    def test_scalars_that_are_bool(self):
        text = "kernel pick<S: bool = false>(b: bool, x: f32[N], out y: f32[N]) grid (n in tiles(N, 4)) {\n" \
               "  y[n] = if b == S { 0.0 } else { x[n] };\n}\n"
        x = np.ones(3, "f4")
        for device in DEVICES:
            pick = tessera.compile(text, device=device)["pick"]
            for value in (True, False, 1, np.any(x > 0), np.any(x < 0), np.array(True), np.array(False)):
                np.testing.assert_array_equal(pick(value, x), x * bool(value))
            np.testing.assert_array_equal(pick(np.False_, x, S=np.array(True)), x)
            self.refuse("expected 'b' to be bool, got a float", pick, np.float32(1), x)
            self.refuse("expected a number for 'b'", pick, np.array([True]), x)
            self.refuse("expected S to be bool, got 1", pick, True, x, S=1)

    def test_options(self):
        x = np.ones(3, "f4")
        self.refuse("seed= is for device='sim' or 'ptx'", load, "cpu", seed=1)
        self.refuse("grid_order= is for device='cpu' or 'interpreter'", load, "sim", grid_order=1)
        self.refuse("step_limit= is for device='cpu'", load, None, step_limit=1)
        self.refuse("seeds= is for order='random'", load("sim", order="late", seeds=2)["add"], x, x + 1)
        self.refuse("order=: expected program, late, early, random or exhaustive, got 'lat'; did you mean 'late'?",
                    load, "ptx", order="lat")
        self.refuse("seeds=: expected a number of at least 1, got 'x'", load, "sim", seeds="x")
        self.refuse("seeds=: expected a number of at least 1, got -1", load, "sim", order="random", seeds=-1)
        self.refuse("seed= is for random interleavings; pass order='random' as well", load, "sim", seed=3)
        self.refuse("step_limit=: expected a number of at least 1, got 0", load, "cpu", step_limit=0)
        self.refuse("fill_outside=: expected nan, got 'inf'", load("cpu", fill_outside="inf")["add"], x, x + 1)
        self.refuse("replay=: ", load("sim", replay="1")["add"], x, x + 1)
        for wrong in ({"target": "sm_80"}, {"options": ["--target=sm_80"]}, {"options": ["--target", "sm_80"]}):
            self.refuse("unknown target 'sm_80'; there is sm_90a", load, "cpu", **wrong)
        # The compiler has the same targets.
        self.refuse(f"there is {', '.join(compiler.TARGETS)}", tessera.load(FILE, target="sm_80")["add"].compile,
                    kind=tessera.CompileError)
        load("sim", order=["late", "random"], seeds=2, multiprocessors=1)["add"](x, x + 1)
        np.testing.assert_array_equal(x, np.full(3, 3, "f4"))
        load("sim", seeds=2, seed=3)["add"](x, x + 1)
        np.testing.assert_array_equal(x, np.full(3, 7, "f4"))
        load("cpu", grid_order=3, target="sm_90a")["add"](x, x + 1)

    def test_arguments_of_helpers(self):
        with self.assertRaisesRegex(TypeError, "^require_targets takes a torch tensor, got ndarray$"):
            tessera.require_targets(np.ones(3, "i8"), 5)
        # A package may have several variants of a kernel.
        error = errors.unknown_kernel("matmul.tpk", "gemm", ["matmul", "matmul"])
        self.assertEqual(str(error), "matmul.tpk has no kernel 'gemm'; it has matmul")

    def test_defects(self):
        line = SOURCE.splitlines().index("  x[n] = x[n + 1];") + 1
        race = "race: warp 1 reads 'x[1]', and nothing orders this and what warp 0 writes there"
        for device, text in (("interpreter", "reads 'x[1]', which this program wrote before"), ("sim", race), ("ptx", race)):
            x = np.arange(200, dtype="f4")
            error = self.refuse(f"host.tile:{line}:10: error: {text}", load(device)["shift"], x, kind=tessera.KernelError)
            self.assertEqual((error.file, error.line), (str(FILE), line))
            # A run that fails writes nothing.
            np.testing.assert_array_equal(x, np.arange(200, dtype="f4"))
        x = np.arange(200, dtype="f4")
        self.refuse("repeat this run with order='random' seed=7", load("sim", order="random", seed=7)["shift"], x,
                    kind=tessera.KernelError)
        self.refuse("repeat it with order='exhaustive' max_runs=1", load("ptx", order="exhaustive")["shift"], x,
                    kind=tessera.KernelError)
        for device in DEVICES:
            self.refuse("kernel 'half': 'y': no program wrote 100 of its 200 elements; the first is at [100]",
                        load(device)["half"], x, kind=tessera.UnwrittenError)
            self.refuse("is reached (a loop may never end; step_limit= raises the limit)", load(device, step_limit=9)["add"], x.copy(), x, kind=tessera.KernelError)

    def test_compile(self):
        file = SCRATCH / "wrong.tile"
        file.write_text(SOURCE.replace("y[n] + x[n]", "y[n] + z[n]"))
        error = self.refuse(f"{file}:9:17: error:", lambda: tessera.load(file, device="cpu")["add"],
                            kind=tessera.CompileError)
        self.assertIn("y[n] = y[n] + z[n];", str(error))

    def test_unsigned_scalars(self):
        text = "kernel k(x: u32[N], by: u32, seed: u64, out y: u32[N], out z: u64[N]) grid (n in tiles(N, 64)) {\n" \
               "  y[n] = x[n] / by;\n  z[n] = full(u64[64], seed) / 2;\n}\n"
        x = np.full(3, 4100000000, "u4")
        for device in DEVICES:
            kernel = tessera.compile(text, device=device)["k"]
            y, z = kernel(x, 4000000000, 2**63 - 1)
            np.testing.assert_array_equal(y, np.ones(3, "u4"))
            np.testing.assert_array_equal(z, np.full(3, 2**62 - 1, "u8"))
            self.refuse("the value 4294967296 of 'by' does not fit in u32", kernel, x, 2**32, 0)
            self.refuse("the value -1 of 'seed' does not fit in u64", kernel, x, 1, -1)

    def test_files_that_a_source_uses(self):
        """A kernel is compiled from the texts that were loaded, for each device."""
        folder = SCRATCH / "uses"
        (folder / "lib").mkdir(parents=True)
        kernel, library_file = folder / "kernel.tile", folder / "lib" / "steps.tile"
        kernel.write_text('use "lib/steps.tile" (step);\n'
                          "kernel k(x: f32[N], out y: f32[N]) grid (n in tiles(N, 64)) {\n  y[n] = step(x[n]);\n}\n")
        library_file.write_text("fn step(x) { return x + 1; }\n")
        before = {device: tessera.load(kernel, device=device) for device in DEVICES}
        library_file.write_text("fn step(x) { return x + 2; }\n")
        x = np.arange(3, dtype="f4")
        for device, source in before.items():
            np.testing.assert_array_equal(source["k"](x), x + 1)
            np.testing.assert_array_equal(tessera.load(kernel, device=device)["k"](x), x + 2)
        library_file.write_text("fn step(x) {\n  return x + y;\n}\n")
        error = self.refuse(f"{library_file}:2:14: error: unknown name `y`",
                            lambda: tessera.load(kernel, device="cpu")["k"], kind=tessera.CompileError)
        self.assertIn(f"{kernel}:3:10: note: in this call of `step`", str(error))

    def test_warnings(self):
        file = SCRATCH / "warned.tile"
        file.write_text(SOURCE.replace("= tile;", "= exp(tile as bf16) as f32;"))
        with self.assertWarnsRegex(tessera.CompilerWarning, "narrow-function") as caught:
            tessera.load(file, device="sim")["scaled"](np.ones((2, 4), "f4"), 2.0, 1)
        self.assertEqual((caught.filename, caught.lineno), (str(file), 5))


class TestChecks(unittest.TestCase):
    def test_message(self):
        """A check that fails is an error on each device, and leaves the results alone."""
        file = SCRATCH / "checked.tile"
        file.write_text('kernel k(x: f32[N], out y: f32[N]) grid (n in tiles(N, 4)) {\n  check x[n] >= 0.0, "x has a root";\n  y[n] = sqrt(x[n]);\n}\n')
        for device in ("cpu", "interpreter", "sim", "ptx"):
            kernel = tessera.load(file, device=device)["k"]
            np.testing.assert_array_equal(kernel(np.full(6, 4, "f4")), np.full(6, 2, "f4"))
            x, y = np.array([1, 4, 9, 1, 4, -9], "f4"), np.zeros(6, "f4")
            with self.assertRaisesRegex(tessera.KernelError, r"checked.tile:2:3: error: check failed at element \[1\]: x has a root") as caught:
                kernel(x, out=y)
            self.assertIn("in program (n = 1) of kernel 'k'", str(caught.exception), device)
            np.testing.assert_array_equal(y, np.zeros(6))


class TestLibrary(unittest.TestCase):
    """The functions of C."""

    def compile(self, device="sim", kernel=b"add", defines=(), options=()):
        functions, handle = library.load(), ctypes.c_void_p()
        text = SOURCE.encode()
        source = library.Source(text, len(text), b"host.tile", kernel, library.array_of_texts(defines), len(defines))
        functions.host_kernel_compile(device.encode(), ctypes.byref(source), library.array_of_texts(options),
                                      len(options), ctypes.byref(handle))
        functions.host_kernel_free(handle)

    def refuse(self, text, **named):
        with self.assertRaisesRegex(tessera.ArgumentError, re.escape(text)):
            self.compile(**named)

    def test_compile(self):
        self.compile(options=["--order=random", "--seeds=2"])
        self.refuse("'host.tile' has several kernels; name one of them", kernel=b"", defines=["V=1", "N=16"])
        self.refuse("expected NAME=VALUE, got 'T'", defines=["T"])
        self.refuse("unknown device 'gpu'; expected one of cpu, interpreter, sim, ptx", device="gpu")
        self.refuse("--order: expected program, late, early, random or exhaustive, got 'x'", options=["--order=x"])
        self.refuse("--grid-order is for the interpreter", options=["--grid-order=1"])
        self.refuse("--seeds is for --device sim and ptx", device="cpu", options=["--seeds=1"])
        self.refuse("there is no option --sedes", options=["--sedes=1"])

    def test_describe(self):
        functions, text = library.load(), ctypes.c_char_p()
        source = library.Source(b"kernel f{", 9, b"f.tile", None, None, 0)
        with self.assertRaisesRegex(tessera.CompileError, "f.tile:1:9: error: expected"):
            functions.compiler_describe(ctypes.byref(source), ctypes.byref(text))
        self.assertIsNone(text.value)
        source = library.Source(b"", 0, b"f.tile", None, None, 0, (library.File * 1)(library.File(None, b"", 0)), 1)
        with self.assertRaisesRegex(tessera.ArgumentError, "a used file has no path or no text"):
            functions.compiler_describe(ctypes.byref(source), ctypes.byref(text))
        # No tilec is needed.
        os.environ["TESSERA_TILEC"] = "/nonexistent"
        try:
            self.assertEqual(list(tessera.compile(SOURCE + "// changed", device="sim"))[:2], ["scaled", "add"])
        finally:
            del os.environ["TESSERA_TILEC"]

    def test_null(self):
        functions = library.load()
        for text, call in (("'json' is NULL", lambda: functions.compiler_describe(None, None)),
                           ("'kernel' is NULL", lambda: functions.host_kernel_compile(b"sim", None, None, 0, None)),
                           ("'source' is NULL", lambda: functions.host_kernel_compile(
                               b"sim", None, None, 0, ctypes.byref(ctypes.c_void_p()))),
                           ("'files' is NULL", lambda: functions.compiler_describe(ctypes.byref(library.Source(
                               b"", 0, b"f.tile", None, None, 0, None, 1)), ctypes.byref(ctypes.c_char_p()))),
                           ("'kernel' is NULL", lambda: functions.host_kernel_run(None, None, 0, None, 0, library.INTERRUPT()))):
            with self.assertRaisesRegex(tessera.ArgumentError, text):
                call()


unittest.main(argv=["arrays.py"])
