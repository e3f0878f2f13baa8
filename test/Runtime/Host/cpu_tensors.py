"""Tests kernels on torch tensors of the CPU: calls, operators, gradients. Usage: cpu_tensors.py EXAMPLES"""

import sys
import unittest
import warnings

import tessera
import tessera.torch_ops
import torch

EXAMPLES = sys.argv[1]
for folder in ("08-gated-attention", "09-linear-logp", "11-attention-backward", "12-varlen-backward",
               "16-gated-delta-rule", "17-kimi-delta-attention"):
    sys.path.insert(0, f"{EXAMPLES}/{folder}")
import torch_attention  # noqa: E402
import torch_gated_attention as gated  # noqa: E402
import torch_gated_delta_rule as delta  # noqa: E402
import torch_kimi_delta_attention as kimi  # noqa: E402
import torch_linear_logp as logp  # noqa: E402
import torch_packed_attention as packed  # noqa: E402


def reference(q, k, v, scale):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)


class Device:
    """A tensor of a GPU."""

    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (64, False), "version": 3}


class HostTensors(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.q, self.k, self.v = (torch.randn(1, 2, 40, 16, dtype=torch.bfloat16) for _ in range(3))

    def test_calls(self):
        expected = reference(self.q.float(), self.k.float(), self.v.float(), 0.25)
        for device in (None, "interpreter", "sim", "ptx"):
            flash = tessera.load(f"{EXAMPLES}/07-flash-attention/kernel.tile", device=device)["flash_fwd"]
            o, lse = flash(self.q, self.k.transpose(1, 2).contiguous().transpose(1, 2), self.v, scale=0.25)
            self.assertEqual((o.dtype, o.device.type, lse.dtype), (torch.bfloat16, "cpu", torch.float32))
            torch.testing.assert_close(o.float(), expected, atol=2e-2, rtol=2e-2)
            given = torch.zeros_like(o), torch.zeros_like(lse)
            made = flash(self.q, self.k, self.v, scale=0.25, out=given)
            self.assertIs(made[0], given[0])
            torch.testing.assert_close(made[0], o)

    def test_gradients(self):
        leaves = [x.clone().requires_grad_() for x in (self.q, self.k, self.v)]
        o, _ = torch_attention.attention(*leaves, 0.25)
        o.float().square().sum().backward()
        others = [x.float().requires_grad_() for x in (self.q, self.k, self.v)]
        reference(*others, 0.25).square().sum().backward()
        for got, other in zip(leaves, others):
            torch.testing.assert_close(got.grad.float(), other.grad, atol=0.05, rtol=0.05)

    def check(self, function, expression, inputs):
        """Checks results and gradients of a function against its expression on float32 copies."""
        leaves = [x.clone().requires_grad_() for x in inputs]
        copies = [x.float().requires_grad_() for x in inputs]
        found, expected = function(*leaves), expression(*copies)
        torch.testing.assert_close(found.float(), expected, atol=2e-2, rtol=2e-2)
        weights = torch.randn(found.shape)
        (found.float() * weights).sum().backward()
        (expected * weights).sum().backward()
        for leaf, other in zip(leaves, copies):
            torch.testing.assert_close(leaf.grad.float(), other.grad, atol=0.05, rtol=0.05)

    def test_functions_with_a_fallback(self):
        q, k, v = (torch.randn(1, 40, 2, 16, dtype=torch.bfloat16) for _ in range(3))
        g, sink = -torch.rand(1, 40, 2), torch.randn(2)
        self.check(lambda q, k, v, g, sink: gated.gated_attention(q, k, v, 0.25, g, sink, fallback=False),
                   lambda q, k, v, g, sink: gated.expression(q, k, v, 0.25, g, sink), [q, k, v, g, sink])
        cu = torch.tensor([0, 13, 40], dtype=torch.int32)
        self.check(lambda q, k, v: packed.packed_attention(q, k, v, cu, cu, 27, 27, 0.25, causal=True, fallback=False)[0],
                   lambda q, k, v: packed.expression(q, k, v, cu, cu, 0.25, causal=True)[0], [q[0], k[0], v[0]])
        h, w = torch.randn(20, 64, dtype=torch.bfloat16), 0.1 * torch.randn(300, 64, dtype=torch.bfloat16)
        target = torch.arange(20)
        self.check(lambda h, w: logp.linear_logp(h, w, target, fallback=False),
                   lambda h, w: logp.expression(h, w, target), [h, w])
        # Inputs that no kernel takes still use the expression.
        torch.testing.assert_close(logp.linear_logp(h.float(), w.float(), target),
                                   logp.expression(h.float(), w.float(), target))
        with self.assertRaisesRegex(tessera.ArgumentError, "'k' is on the device 'meta'"):
            gated.gated_attention(q, k.to("meta"), v, 0.25, fallback=False)

    def delta_inputs(self, length, columns, dtype):
        """Returns q, k, v, g, beta and an initial state, with keys of length 1."""
        q, k, v = (torch.randn(2, length, 2, size, dtype=dtype) for size in (16, 16, columns))
        k = torch.nn.functional.normalize(k.float(), dim=3).to(dtype)
        return [q, k, v, -torch.rand(2, length, 2), torch.rand(2, length, 2), torch.randn(2, 2, 16, columns)]

    def test_delta_rule(self):
        def both(o, final):
            return torch.cat([o.float().flatten(), final.flatten()])

        self.check(lambda *given: both(*delta.gated_delta_rule(*given[:5], 0.25, given[5], fallback=False)),
                   lambda *given: both(*delta.expression(*given[:5], 0.25, given[5])),
                   self.delta_inputs(70, 32, torch.bfloat16))
        *given, _ = self.delta_inputs(5, 16, torch.bfloat16)
        self.check(lambda *given: delta.gated_delta_rule(*given, 0.25, fallback=False)[0],
                   lambda *given: delta.expression(*given, 0.25)[0], given)
        q, k, v, *rest = self.delta_inputs(5, 24, torch.bfloat16)
        with self.assertRaisesRegex(tessera.ArgumentError, "16 and 24 columns; expected multiples of 16"):
            delta.gated_delta_rule(q, k, v, *rest[:2], 0.25, fallback=False)
        compiled = torch.compile(delta.gated_delta_rule, fullgraph=True, backend="aot_eager")
        *given, _ = self.delta_inputs(70, 16, torch.bfloat16)
        for got, expected in zip(compiled(*given, 0.25), delta.gated_delta_rule(*given, 0.25)):
            torch.testing.assert_close(got, expected)

    def test_delta_rule_on_arrays(self):
        *given, initial = self.delta_inputs(70, 32, torch.float16)
        do = torch.randn(given[2].shape, dtype=torch.float16)
        found = []
        for convert in (lambda x: x, lambda x: x.numpy()):
            q, k, v, g, beta, state, grad = map(convert, (*given, initial, do))
            o, final, kept = delta.arrays.forward(q, k, v, g, beta, 0.25, state)
            gradients = delta.arrays.backward(q, k, v, beta, kept, grad, 0.25, state)
            found.append([torch.as_tensor(x) for x in (o, final, *gradients)])
        for one, other in zip(*found):
            torch.testing.assert_close(one, other)

    def test_kimi_delta_attention(self):
        def both(o, final):
            return torch.cat([o.float().flatten(), final.flatten()])

        def inputs(length, columns, dtype=torch.bfloat16):
            q, k, v, _, beta, initial = self.delta_inputs(length, columns, dtype)
            return [q, k, v, -torch.rand(k.shape), beta, initial]

        self.check(lambda *given: both(*kimi.kimi_delta_attention(*given[:5], 0.25, given[5], fallback=False)),
                   lambda *given: both(*kimi.expression(*given[:5], 0.25, given[5])), inputs(70, 32))
        q, k, v, *rest = inputs(5, 24)
        with self.assertRaisesRegex(tessera.ArgumentError, "16 and 24 columns; expected multiples of 16"):
            kimi.kimi_delta_attention(q, k, v, *rest[:2], 0.25, fallback=False)
        compiled = torch.compile(kimi.kimi_delta_attention, fullgraph=True, backend="aot_eager")
        given = [x.requires_grad_() for x in inputs(70, 16)[:5]]
        found = [compiled(*given, 0.25), kimi.kimi_delta_attention(*given, 0.25)]
        for got, expected in zip(*found):
            torch.testing.assert_close(got, expected)
        gradients = [torch.autograd.grad(both(*pair).sum(), given) for pair in found]
        for got, expected in zip(*gradients):
            torch.testing.assert_close(got, expected)
        *given, initial = inputs(70, 32, torch.float16)
        do = torch.randn(given[2].shape, dtype=torch.float16)
        found = []
        for convert in (lambda x: x, lambda x: x.numpy()):
            q, k, v, g, beta, state, grad = map(convert, (*given, initial, do))
            o, final, kept = kimi.arrays.forward(q, k, v, g, beta, 0.25, state)
            gradients = kimi.arrays.backward(q, k, v, g, beta, kept, grad, 0.25, state)
            found.append([torch.as_tensor(x) for x in (o, final, *gradients)])
        for one, other in zip(*found):
            torch.testing.assert_close(one, other)

    def test_operators(self):
        add = tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device="cpu")["vector_add"]
        x, y = torch.randn(100), torch.randn(100)
        operator = tessera.torch_ops.register("tessera_test::add", add)
        torch.testing.assert_close(operator(x, y), x + y)
        compiled = torch.compile(lambda x, y: add(x, y) * 2, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x, y), 2 * (x + y))

    def test_plain_calls_and_gradients(self):
        """A plain call warns of inputs that require gradients; other calls do not."""
        add = tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device="cpu")["vector_add"]
        x, y = torch.randn(100, requires_grad=True), torch.randn(100)
        with self.assertWarnsRegex(UserWarning, "vector_add: 'x' requires a gradient, but a plain call records none; "
                                   "tessera.torch_ops.register makes an operator") as caught:
            self.assertFalse(add(x, y).requires_grad)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            add(x.detach(), y)
            with torch.no_grad():
                add(x, y)
            tessera.torch_ops.register("tessera_test::added", add)(x, y)

    def test_errors(self):
        add = tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile")["vector_add"]
        with self.assertRaisesRegex(tessera.ArgumentError, "'y' has elements of f32, but 'x' gives T = f64"):
            add(torch.randn(3).double(), torch.randn(3))
        with self.assertRaisesRegex(tessera.ArgumentError, "expected a tensor in device memory for 'y', got ndarray"):
            tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device="cuda")["vector_add"](
                Device(), type("ndarray", (), {})())
        with self.assertRaisesRegex(tessera.ArgumentError, "'x' is on the device 'meta'; move it with .cpu"):
            tessera.load(f"{EXAMPLES}/01-vector-add/kernel.tile", device="cpu")["vector_add"](
                torch.randn(3, device="meta"), torch.randn(3))


unittest.main(argv=["cpu_tensors.py"], warnings="ignore")
