"""Tests kernels of source files, compiled and executed in the emulator. Usage: calls.py EXAMPLES"""

import sys
import threading
import unittest

import numpy as np
import tessera
import torch

EXAMPLES = sys.argv[1]


def load(example):
    # The emulator runs PTX.
    return tessera.load(f"{EXAMPLES}/{example}/kernel.tile", options=["--ptx-only"])


def attention(q, k, v, scale, causal):
    s = scale * q @ k.swapaxes(2, 3)
    if causal:
        rows, columns = s.shape[2:]
        s = np.where(np.arange(columns) > np.arange(rows)[:, None] + columns - rows, -np.inf, s)
    top = s.max(axis=3, keepdims=True)
    p = np.exp(s - top)
    total = p.sum(axis=3, keepdims=True)
    return p / total @ v, (top + np.log(total))[..., 0]


class Calls(unittest.TestCase):
    def setUp(self):
        self.flash = load("07-flash-attention")["flash_fwd"]
        self.rng = np.random.default_rng(1)
        self.tiles = {"BM": 64, "BN": 64}

    def random(self, *shape, dtype=torch.bfloat16):
        return torch.tensor(self.rng.standard_normal(shape), dtype)

    def check(self, outputs, q, k, v, scale, causal, tolerance=2e-2):
        expected = attention(q.numpy(), k.numpy(), v.numpy(), scale, causal)
        for output, reference in zip(outputs, expected, strict=True):
            np.testing.assert_allclose(output.numpy(), reference, rtol=tolerance, atol=tolerance)

    def test_allocates_what_it_returns(self):
        for causal in (False, True):
            for trial in range(3):
                q = self.random(1, 2, 70, 64)
                k, v = self.random(1, 1, 70, 64), self.random(1, 1, 70, 64)
                # T and D are those of the tensors.
                k, v = (torch.tensor(np.repeat(x.numpy(), 2, axis=1), torch.bfloat16) for x in (k, v))
                o, lse = self.flash(q, k, v, scale=0.125, CAUSAL=causal, **self.tiles)
                self.assertEqual((o.shape, o.dtype, lse.shape, lse.dtype),
                                 ((1, 2, 70, 64), torch.bfloat16, (1, 2, 70), torch.float32))
                self.check((o, lse), q, k, v, 0.125, causal)
        # One plan for each of the two kernels.
        self.assertEqual(len(self.flash._plans), 2)

    def test_types_follow_the_tensors(self):
        q, k, v = (self.random(1, 1, 64, 32, dtype=torch.float16) for _ in range(3))
        o, lse = self.flash(q, k, v, 0.2, **self.tiles)
        self.assertEqual(o.dtype, torch.float16)
        self.check((o, lse), q, k, v, 0.2, False)

    def test_outputs_that_are_given(self):
        q, k, v = (self.random(1, 1, 64, 64) for _ in range(3))
        for repeat in range(2):
            o, lse = torch.empty(q.shape, torch.bfloat16), torch.empty(q.shape[:3])
            before = torch.allocated
            got = self.flash(q, k, v, scale=0.125, out=(o, lse), **self.tiles)
            self.assertIs(got[0], o)
            self.assertIs(got[1], lse)
            self.check(got, q, k, v, 0.125, False)
            got = self.flash(v=v, k=k, q=q, scale=0.125, out={"lse": lse, "o": o}, **self.tiles)
            self.assertEqual([id(tensor) for tensor in got], [id(o), id(lse)])
            self.assertEqual(torch.allocated, before)
            got = self.flash(q, k, v, scale=0.125, lse=lse, **self.tiles)
            # The first call also allocates an element for the plan.
            self.assertEqual(torch.allocated, before + (1 if repeat else 2))
            self.assertIs(got[1], lse)
            self.check(got, q, k, v, 0.125, False)

    def test_damaged_packages_are_made_again(self):
        x = self.random(8, 32, dtype=torch.float32)
        kernel = load("02-softmax")["softmax"]
        path = kernel.compile(T="f32", BM=2, BN=32)
        path.write_bytes(path.read_bytes()[:-7])
        y = kernel(x, BM=2, BN=32)
        e = np.exp(x.numpy())
        np.testing.assert_allclose(y.numpy(), e / e.sum(axis=1, keepdims=True), rtol=1e-5)
        # A read-only cache raises an error instead.
        cache = tessera.Cache(path.parent, read_only=True)
        path = kernel.compile(T="f32", BM=1, BN=32)
        path.write_bytes(path.read_bytes()[:-7])
        reader = tessera.load(f"{EXAMPLES}/02-softmax/kernel.tile", cache=cache, options=["--ptx-only"])
        with self.assertRaisesRegex(tessera.PackageError, "cut off|damaged|checksum|bytes"):
            reader["softmax"](x, BM=1, BN=32)

    def test_checks_on_request(self):
        text = """kernel take(x: f32[R], rows: i32[N], out y: f32[N]) grid (n in tiles(N, 16)) {
  let at = rows[n];
  check (at < R) || !n.valid, "rows has positions of x";
  y[n] = x[at];
}
"""
        x, rows = self.random(20, dtype=torch.float32), torch.tensor(np.arange(20), torch.int32)
        checked, plain = (tessera.compile(text, checks=checks, options=["--ptx-only"])["take"] for checks in (True, False))
        self.assertNotEqual(checked.compile(), plain.compile())
        np.testing.assert_array_equal(checked(x, rows).numpy(), x.numpy())
        for repeat in range(2):
            with self.assertRaises(tessera.KernelError) as raised:
                checked(x, torch.tensor(np.arange(3, 23), torch.int32))
            self.assertEqual(str(raised.exception),
                             "kernel.tile:3:3: error: check failed at element [1]: rows has positions of x\n"
                             "note: in program (n = 1) of kernel 'take'")
            self.assertEqual((raised.exception.file, raised.exception.line), ("kernel.tile", 3))
        np.testing.assert_array_equal(checked(x, rows).numpy(), x.numpy())
        np.testing.assert_array_equal(plain(x, torch.tensor(np.arange(3, 23), torch.int32)).numpy()[:17], x.numpy()[3:])

    def test_one_tensor_twice_and_then_two(self):
        x, y = self.random(1, 1, 64, 64), self.random(1, 1, 64, 64)
        self.check(self.flash(x, x, x, 0.125, **self.tiles), x, x, x, 0.125, False)
        self.check(self.flash(y, x, x, 0.125, **self.tiles), y, x, x, 0.125, False)
        self.check(self.flash(x, y, x, 0.125, **self.tiles), x, y, x, 0.125, False)

    def test_views_have_plans_of_their_own(self):
        kernel = load("02-softmax")["softmax"]
        square = self.random(64, 64, dtype=torch.float32)
        e = np.exp(square.numpy().astype(np.float64))
        for given, expected in ((square, e / e.sum(axis=1, keepdims=True)),
                                (square.transpose(), (e / e.sum(axis=0, keepdims=True)).T),
                                (square, e / e.sum(axis=1, keepdims=True))):
            try:
                np.testing.assert_allclose(kernel(given).numpy(), expected, rtol=1e-4)
            except tessera.ArgumentError as error:
                self.assertIn("'x' to be dense and row-major", str(error))
                self.assertIsNot(given, square)

    def test_threads(self):
        kernel = load("02-softmax")["softmax"]
        rows = [self.random(4, 40, dtype=torch.float32) for _ in range(4)]
        right = []

        def run(x):
            e = np.exp(x.numpy().astype(np.float64))
            for _ in range(10):
                y = kernel(x, BN=64).numpy()
                right.append(np.allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-4))

        threads = [threading.Thread(target=run, args=(x,)) for x in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(right, [True] * 40)

    def test_gradients(self):
        """Makes the calls of autograd, in the order of example 11."""
        backward = load("11-attention-backward")
        q, k, v, do = (self.random(1, 1, 64, 32) for _ in range(4))
        tiles = {"BM": 64, "BN": 64, "CAUSAL": True}
        o, lse = self.flash(q, k, v, 0.2, **tiles)
        delta, shift, sums = backward["attention_delta"](o, do, lse, BM=64, DK=32)
        dk, dv = backward["attention_bwd"](q, k, v, do, shift, delta, 0.2, sums=sums, **tiles)
        dq = backward["attention_dq"](sums, scale=0.2, M=64, T="bf16", DK=32, BM=64)
        p, s = (x.numpy().astype(np.float64) for x in (q, k)), None
        qn, kn, vn, don = (x.numpy().astype(np.float64) for x in (q, k, v, do))
        s = 0.2 * qn @ kn.swapaxes(2, 3)
        s = np.where(np.arange(64) > np.arange(64)[:, None], -np.inf, s)
        p = np.exp(s - s.max(axis=3, keepdims=True))
        p /= p.sum(axis=3, keepdims=True)
        dp = don @ vn.swapaxes(2, 3)
        ds = p * (dp - (p * dp).sum(axis=3, keepdims=True))
        for got, expected in ((dq, 0.2 * ds @ kn), (dk, 0.2 * ds.swapaxes(2, 3) @ qn),
                              (dv, p.swapaxes(2, 3) @ don)):
            error = np.sqrt(((got.numpy() - expected) ** 2).mean() / (expected ** 2).mean())
            self.assertLess(error, 1e-2)


unittest.main(argv=[sys.argv[0]])
