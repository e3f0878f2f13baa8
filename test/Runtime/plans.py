"""Tests which plan a repeated call finds, in the extension or in Python. Usage: plans.py MAKER SCRATCH

MAKER, "extension" or "python", is expected to make the calls."""

import gc
import math
import pathlib
import sys
import unittest
import weakref

import tessera
import torch
from tessera import allocation, native

MAKER, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
SOURCE = """kernel scaled<T: type = f32, TWICE: bool = false>(x: T[N], alpha: f32, offset: i32, out y: T[N])
  grid (n in tiles(N, 64))
{
  y[n] = (alpha * (x[n] as f32) + (offset as f32)) as T;
}
kernel parts(x: f32[N], out low: f32[N], out high: f32[N]) grid (n in tiles(N, 64)) {
  low[n] = min(x[n], 0.0);
  high[n] = max(x[n], 0.0);
}
"""


class Subclass(torch.Tensor):
    pass



class Plans(unittest.TestCase):
    def setUp(self):
        file = SCRATCH / f"{self._testMethodName}.tile"
        file.write_text(SOURCE)
        kernels = tessera.load(file, options=["--ptx-only"], cache=tessera.Cache(SCRATCH / "cache"))
        self.scaled, self.parts = kernels["scaled"], kernels["parts"]
        self.x = torch.tensor(torch.np.arange(5))

    def call(self, alpha=2.0, offset=1, **named):
        return self.scaled(self.x, alpha, offset, **named)

    def count(self, call):
        """Returns how many plans a call adds."""
        before = len(self.scaled._plans)
        call()
        return len(self.scaled._plans) - before

    def test_who_makes_them(self):
        self.call()
        self.assertEqual(self.scaled._plans.has_extension, MAKER == "extension")

    def test_packages(self):
        kernel = tessera.Package(self.scaled.compile()).kernel("scaled")
        y = torch.empty((5,))
        for count, call in ((1, lambda: kernel(self.x, 2.0, 1, y)), (2, lambda: kernel(self.x, alpha=2.0, offset=1, y=y))):
            for _ in range(2):
                self.assertIsNone(call())
                self.assertEqual(list(y.numpy()), [1, 3, 5, 7, 9])
                self.assertEqual(len(kernel._plans), count)
        kernel(self.x, 2.0, 1, y, stream=0)
        self.assertEqual(len(kernel._plans), 2)
        with self.assertRaisesRegex(tessera.ArgumentError, "expected dimension 0 of 'y' to be N = 5"):
            kernel(self.x, 2.0, 1, torch.empty((6,)))
        with self.assertRaisesRegex(tessera.ArgumentError, "overlap"):
            kernel(self.x, 2.0, 1, self.x)
        with self.assertRaisesRegex(tessera.ArgumentError, "kernel 'scaled': 'y' is missing"):
            kernel(self.x, 2.0, 1)
        with self.assertRaisesRegex(tessera.ArgumentError, r"kernel 'scaled' takes no grid.*; call it without \[4\]"):
            kernel[4](self.x, 2.0, 1, y)
        # A plan keeps no tensor alive.
        given = weakref.ref(y)
        del y, call
        gc.collect()
        self.assertIsNone(given())

    def test_results(self):
        for _ in range(2):
            self.assertEqual(list(self.call().numpy()), [1, 3, 5, 7, 9])
            low, high = self.parts(self.x)
            self.assertEqual((list(low.numpy()), list(high.numpy())), ([0] * 5, list(range(5))))

    def test_forms_of_outputs(self):
        low, high = torch.empty((5,)), torch.empty((5,))
        for _ in range(2):
            for out in ((low, high), [low, high], {"low": low, "high": high}, {"high": high, "low": low}):
                got = self.parts(self.x, out=out)
                self.assertIs(got[0], low)
                self.assertIs(got[1], high)
            # One is passed, the other is allocated.
            got = self.parts(self.x, out={"high": high})
            self.assertIsNot(got[0], low)
            self.assertIs(got[1], high)
            y = torch.empty((5,))
            for out in (y, [y]):
                self.assertIs(self.call(out=out), y)
            with self.assertRaisesRegex(tessera.ArgumentError, "expected 2 outputs in 'out'"):
                self.parts(self.x, out=low)
            with self.assertRaisesRegex(tessera.ArgumentError, "'out' names 'both'"):
                self.parts(self.x, out={"both": low})

    def test_what_plans_depend_on(self):
        self.assertEqual(self.count(self.call), 1)
        self.assertEqual(self.count(self.call), 0)
        self.assertEqual(self.count(lambda: self.call(stream=0)), 0)
        self.assertEqual(self.count(lambda: self.call(stream=None, out=None)), 0)
        for alpha in (0.0, -0.0, math.inf, 2):
            self.assertEqual(self.count(lambda: self.call(alpha)), 1, alpha)
            self.assertEqual(self.count(lambda: self.call(alpha)), 0, alpha)
        self.assertEqual(self.count(lambda: self.call(offset=-1)), 1)
        # True equals 1, but is another argument.
        self.assertEqual(self.count(lambda: self.call(offset=True)), 1)
        self.assertEqual(self.count(lambda: self.call(T="f32")), 1)
        # Texts are compared by their contents.
        self.assertEqual(self.count(lambda: self.call(**{"".join(["", "T"]): "".join(["f", "32"])})), 0)
        self.assertEqual(self.count(lambda: self.call(T=torch.float32)), 1)
        self.assertEqual(self.count(lambda: self.call(T=torch.float32)), 0)
        self.assertEqual(self.count(lambda: self.call(T="f32", TWICE=True)), 1)
        self.assertEqual(self.count(lambda: self.call(TWICE=True, T="f32")), 1)
        self.x = torch.tensor(torch.np.arange(7))
        self.assertEqual(self.count(self.call), 1)
        self.x = torch.tensor(torch.np.arange(5), torch.float16)
        self.assertEqual(self.count(self.call), 1)
        for _ in range(2):
            self.assertEqual(self.call().dtype, torch.float16)

    def test_arguments_that_no_plan_is_for(self):
        for _ in range(2):
            self.call()
            with self.assertRaisesRegex(tessera.ArgumentError, "does not fit 64 bits"):
                self.call(offset=2**70)
            with self.assertRaisesRegex(tessera.ArgumentError, "expected a number for 'offset', got object"):
                self.call(offset=object())
            with self.assertRaisesRegex(tessera.ArgumentError, "expected a stream, got str"):
                self.call(stream="main")
            with self.assertRaisesRegex(tessera.ArgumentError, "has no parameter 'ofset'; did you mean 'offset'"):
                self.call(ofset=1)
            with self.assertRaisesRegex(tessera.ArgumentError, "expected T to be a type"):
                self.call(T="\ud800")

    def test_kinds_of_tensors(self):
        subclass = Subclass(self.x._memory, self.x.shape, self.x.dtype)
        negated = torch.Tensor(self.x._memory, self.x.shape, self.x.dtype)
        self.call()
        for _ in range(2):
            self.assertEqual(list(self.scaled(subclass, 2.0, 1).numpy()), [1, 3, 5, 7, 9])
            negated.is_negated = True
            with self.assertRaisesRegex(tessera.ArgumentError, "'x' is a view that negates"):
                self.scaled(negated, 2.0, 1)
            negated.is_negated = False
            self.scaled(negated, 2.0, 1)

    def test_failures_after_the_first_call(self):
        self.call()
        y = torch.Tensor(self.x._memory, (5,), torch.float32)
        for _ in range(2):
            with self.assertRaisesRegex(tessera.ArgumentError, r":1:\d+: kernel 'scaled': 'y' is written, and overlaps"):
                self.call(out=y)
            self.call(out=torch.empty((5,)))
            torch.fails = True
            with self.assertRaisesRegex(MemoryError, "no more"):
                self.call()
            torch.fails = False

    def count_quick(self):
        """Returns how many outputs of a call of `parts` the function of torch's compiler allocates."""
        before = torch.quickly_allocated
        outputs = self.parts(self.x)
        for y, expected in zip(outputs, ([0] * 5, list(range(5)))):
            self.assertEqual((list(y.numpy()), y.device.index), (expected, 0))
        return torch.quickly_allocated - before

    def test_who_makes_outputs(self):
        self.parts(self.x)
        self.assertEqual(self.count_quick(), 2)
        self.assertEqual(allocation.dense_strides((2, 0, 3)), (3, 3, 1))
        self.assertEqual(allocation.dense_strides(()), ())

    def plan_anew(self):
        """Makes two calls of kernels without plans, after a change of torch."""
        allocation.quick_empty.cache_clear()
        allocation.device_finder.cache_clear()
        self.setUp()
        self.parts(self.x)
        self.count_quick()

    def test_who_makes_outputs_on_several_devices(self):
        torch.devices = 2
        self.addCleanup(self.plan_anew)
        self.addCleanup(setattr, torch, "devices", 1)
        self.addCleanup(setattr, torch, "current", 0)
        self.plan_anew()
        self.assertEqual(self.count_quick(), 2)
        # The function supports only the current device.
        torch.current = 1
        self.assertEqual(self.count_quick(), 0)
        torch.current = 0
        self.assertEqual(self.count_quick(), 2)

    def test_other_functions_of_the_same_name(self):
        guards = torch._C._dynamo.guards
        right = guards._empty_strided_cuda
        self.addCleanup(self.plan_anew)
        self.addCleanup(setattr, guards, "_empty_strided_cuda", right)
        for wrong in (lambda shape: right(shape, (1,), torch.float32),
                      lambda shape, strides, dtype: right(shape[::-1], strides, dtype),
                      lambda shape, strides, dtype: right(shape, strides, torch.float32), None):
            guards._empty_strided_cuda = wrong
            self.plan_anew()
            self.assertEqual(self.count_quick(), 0)

    @unittest.skipUnless(MAKER == "extension", "of the extension")
    def test_the_interface_of_the_extension(self):
        kind = native._module().Calls
        library = [torch.Tensor, torch.Tensor, torch.dtype, torch.Tensor.is_neg,
                   torch.Tensor.__dlpack_c_exchange_api__, torch.empty_like, None, None, None, None, None, 0,
                   10]
        calls = kind(*library)
        self.assertEqual(len(calls), 0)
        self.assertIs(calls.call((), {}), NotImplemented)
        for wrong in ((), ((),), ([], {}), ((), [])):
            with self.assertRaisesRegex(TypeError, "expected a tuple and a dict"):
                calls.call(*wrong)
        with self.assertRaisesRegex(IndexError, "a position is beyond the arguments"):
            calls.keep((), {}, [0], [], (), (), None, 0, 0)
        with self.assertRaisesRegex(ValueError, "as many of each for outputs"):
            calls.keep((), {}, [0], [], ((),), (), None, 0, 0)
        with self.assertRaises(TypeError):
            calls.keep((), {}, ["x"], [], (), (), None, 0, 0)
        with self.assertRaises(TypeError):
            calls.keep([], {}, [], [], (), (), None, 0, 0)
        # More than a key can hold.
        self.assertFalse(calls.keep((1,) * 65, {}, [], [], (), (), None, 0, 0))
        self.assertFalse(calls.keep(("x" * 5000,), {}, [], [], (), (), None, 0, 0))
        self.assertTrue(calls.keep((1,) * 64, {}, [], [], (), (), None, 0, 0))
        self.assertEqual(len(calls), 1)
        with self.assertRaisesRegex(ValueError, "incorrect name|invalid PyCapsule"):
            kind(*library[:4], object(), *library[5:])
        with self.assertRaisesRegex(NotImplementedError, "no version 1 of DLPack's exchange"):
            kind(*library[:4], torch.exchange_of_version_2, *library[5:])
        native._module.cache_clear()
        native._VERSION += 1
        try:
            with self.assertRaisesRegex(tessera.LibraryError, r"tessera_calls.abi3.so has version 2, expected 3"):
                self.call()
        finally:
            native._VERSION -= 1
            native._module.cache_clear()


unittest.main(argv=[sys.argv[0]])
