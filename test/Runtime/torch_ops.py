"""Tests torch operators with torch itself, without a GPU: the emulator computes the contents of tensors.

Usage: torch_ops.py EXAMPLES
"""

import math
import shutil
import sys
import tempfile
import unittest

import tessera
import torch
from emulated_torch import Emulated, emulated

EXAMPLES = sys.argv[1]
sys.path.insert(0, f"{EXAMPLES}/11-attention-backward")
_load = tessera.load
tessera.load = lambda path: _load(path, options=["--ptx-only"])
import torch_attention  # noqa: E402

for name in ("DELTA", "GRADIENTS", "QUERIES"):
    setattr(torch_attention, name, emulated(getattr(torch_attention, name)))
torch_attention.backward_op.register_kernel("cpu")(torch_attention.run_backward)
for operator, causal in ((torch_attention.attention_op, False), (torch_attention.causal_attention_op, True)):
    operator.register_kernel("cpu")(
        lambda q, k, v, scale, causal=causal: emulated(torch_attention.FLASH)(q, k, v, scale, CAUSAL=causal))


def reference(q, k, v, scale, causal):
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    s = scale * q @ k.mT
    if causal:
        m, n = s.shape[2:]
        s = s.masked_fill(torch.arange(n) > torch.arange(m)[:, None] + n - m, -math.inf)
    return s.softmax(-1) @ v, s.logsumexp(-1)


def make(*shapes, dtype=torch.float16, grad=False):
    torch.manual_seed(1)
    return [torch.randn(shape, dtype=torch.float32).to(dtype).requires_grad_(grad) for shape in shapes]


def error(got, expected):
    return float(((got.double() - expected.double()).square().mean() / expected.double().square().mean()).sqrt())


class Operators(unittest.TestCase):
    def check_gradients(self, attend):
        """Checks gradients of both outputs, with heads that share keys."""
        for causal in (False, True):
            q, k, v = make((1, 2, 40, 32), (1, 1, 40, 32), (1, 1, 40, 32), grad=True)
            weights, lse_weights = make((1, 2, 40, 32), (1, 2, 40), dtype=torch.float32)
            o, lse = attend(q, k, v, 0.2, causal)
            ((o.float() * weights).sum() + (lse * lse_weights).sum()).backward()
            copies = [x.detach().double().requires_grad_() for x in (q, k, v)]
            expected = reference(*copies, 0.2, causal)
            ((expected[0] * weights).sum() + (expected[1] * lse_weights).sum()).backward()
            self.assertLess(error(o, expected[0]), 2e-3)
            self.assertLess(error(lse, expected[1]), 1e-4)
            for tensor, copy in zip((q, k, v), copies):
                self.assertLess(error(tensor.grad, copy.grad), 4e-3)

    def test_gradients(self):
        self.check_gradients(torch_attention.attention)

    def test_gradients_of_one_output(self):
        q, k, v = make(*[(1, 1, 40, 32)] * 3, grad=True)
        torch_attention.attention(q, k, v, 0.2)[1].sum().backward()
        copies = [x.detach().double().requires_grad_() for x in (q, k, v)]
        reference(*copies, 0.2, False)[1].sum().backward()
        self.assertLess(error(q.grad, copies[0].grad), 4e-3)
        self.assertEqual(float(v.grad.abs().max()), 0)

    def test_compiles_without_a_break(self):
        graphs = []

        def backend(module, inputs):
            graphs.append(module)
            return module.forward

        def attend(q, k, v, scale, causal):
            o, lse = torch_attention.attention(q * 1.0, k, v, scale, causal)
            return o, lse * 1.0

        for aot in (False, True):
            torch._dynamo.reset()
            chosen = torch._dynamo.backends.common.aot_autograd(fw_compiler=backend) if aot else backend
            self.check_gradients(torch.compile(attend, fullgraph=True, backend=chosen))
        calls = [str(node.target) for graph in graphs for node in graph.graph.nodes if node.op == "call_function"]
        for name in ("attention", "causal_attention", "attention_backward"):
            self.assertTrue(any(f"tessera_examples.{name}.default" == call for call in calls), calls)

    def test_sizes_may_be_symbols(self):
        counts = []

        def backend(module, inputs):
            counts.append(module)
            return module.forward

        compiled = torch.compile(lambda q, k, v: torch_attention.attention(q, k, v, 0.2, True)[0], fullgraph=True,
                                 dynamic=True, backend=backend)
        for length in (24, 33, 40):
            q, k, v = make(*[(1, 1, length, 32)] * 3)
            self.assertLess(error(compiled(q, k, v), reference(q, k, v, 0.2, True)[0]), 2e-3)
        self.assertEqual(len(counts), 1)

    def test_plain_calls_become_operators(self):
        flash = torch_attention.FLASH
        graphs = []

        def backend(module, inputs):
            graphs.append(module)
            return module.forward

        def attend(q, k, v):
            o, lse = flash(q * 1, k, v=v, scale=0.2, CAUSAL=True)
            return o + 0, lse

        q, k, v = make(*[(1, 1, 24, 32)] * 3)
        operator = getattr(torch.ops.tessera, flash._operator((("CAUSAL", True),), False)).default
        torch.library.register_kernel(
            operator, "cpu", lambda q, k, v, scale: emulated(flash)(q, k, v, scale, CAUSAL=True))
        o, lse = torch.compile(attend, fullgraph=True, backend=backend)(q, k, v)
        self.assertEqual(len(graphs), 1)
        self.assertEqual([node.target for node in graphs[0].graph.nodes if "tessera" in str(node.target)], [operator])
        expected = reference(q, k, v, 0.2, True)
        self.assertLess(error(o, expected[0]), 2e-3)
        self.assertLess(error(lse, expected[1]), 1e-4)

        # The same text at another path is the same operator.
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(f"{EXAMPLES}/07-flash-attention/kernel.tile", folder)
            other = _load(copy, options=["--ptx-only"])["flash_fwd"]
            self.assertEqual(other._operator((("CAUSAL", True),), False), flash._operator((("CAUSAL", True),), False))

        class Model(torch.nn.Module):
            def forward(self, q, k, v):
                return attend(q, k, v)[0]

        for strict in (False, True):
            program = torch.export.export(Model(), (q, k, v), strict=strict)
            self.assertIn("torch.ops.tessera.flash_fwd_", program.graph_module.code)
            self.assertLess(error(program.module()(q, k, v), expected[0]), 2e-3)

    def test_plain_calls_that_become_none(self):
        flash = torch_attention.FLASH
        q, k, v = make(*[(1, 1, 24, 32)] * 3)
        for call, message in (
                (lambda: flash(q, k, v, scale=0.2, CASUAL=True), "no compile-time parameter 'CASUAL'"),
                (lambda: flash(q, k, v, scale=0.2, stream=0), "without 'out' and 'stream'")):
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, message):
                torch.compile(call, fullgraph=True, backend="eager")()
        kernel = _load(f"{EXAMPLES}/11-attention-backward/kernel.tile", options=["--ptx-only"])["attention_delta"]
        with self.assertRaisesRegex(Exception, "returns sums only under a condition"):
            torch.compile(lambda: kernel(q, q, q), fullgraph=True, backend="eager")()

    def test_export(self):
        class Model(torch.nn.Module):
            def forward(self, q, k, v):
                return torch_attention.attention(q, k, v, 0.2)[0] + 1

        q, k, v = make(*[(1, 1, 24, 32)] * 3)
        length = torch.export.Dim("length", min=2, max=4096)
        program = torch.export.export(Model(), (q, k, v), dynamic_shapes=[{2: length}] * 3)
        self.assertIn("torch.ops.tessera_examples.attention.default", program.graph_module.code)
        q, k, v = make(*[(1, 1, 40, 32)] * 3)
        self.assertLess(error(program.module()(q, k, v) - 1, reference(q, k, v, 0.2, False)[0]), 5e-3)

    def test_torch_finds_nothing_wrong(self):
        arguments = make(*[(1, 1, 24, 32)] * 3, grad=True)
        checks = ("test_schema", "test_autograd_registration", "test_faketensor")
        for operator in (torch_attention.attention_op, torch_attention.causal_attention_op):
            torch.library.opcheck(operator, (*arguments, 0.2), test_utils=checks)

    def test_what_runs_on_a_device(self):
        q, k, v = make(*[(1, 1, 24, 32)] * 3)
        there = [Emulated(x.shape, x.dtype).put(x) for x in (q, k, v)]
        operator = tessera.torch_ops._Operator(torch_attention.FLASH, {"CAUSAL": True}, None)
        o, lse = operator.run(*there, 0.2)
        self.assertLess(error(o.get(), reference(q, k, v, 0.2, True)[0]), 2e-3)
        # With conditional parameters of the kernel; other calls may be traced meanwhile.
        backward = _load(f"{EXAMPLES}/11-attention-backward/kernel.tile", options=["--ptx-only"])
        operator = tessera.torch_ops._Operator(backward["attention_bwd"], {"CAUSAL": True}, ["dk", "dv"])
        delta, shift, sums = backward["attention_delta"](o, o, lse, DK=32)
        torch.compiler.is_compiling, before = lambda: True, torch.compiler.is_compiling
        try:
            dk, dv = operator.run(*there, o, shift, delta, 0.2, sums)
        finally:
            torch.compiler.is_compiling = before
        copies = [x.double().requires_grad_() for x in (q, k, v)]
        (reference(*copies, 0.2, True)[0] * o.get().double()).sum().backward()
        self.assertLess(error(dk.get(), copies[1].grad), 4e-3)
        self.assertLess(error(dv.get(), copies[2].grad), 4e-3)

    def test_what_kernels_write_over(self):
        delta = _load(f"{EXAMPLES}/11-attention-backward/kernel.tile", options=["--ptx-only"])
        operator = tessera.torch_ops.register("tessera_test::bwd", delta["attention_bwd"], outputs=["dk"],
                                              VALUES=False)
        self.assertIn("(Tensor q, Tensor k, Tensor v, Tensor do, Tensor shift, Tensor delta, float scale, "
                      "Tensor(a7!)? sums=None, ", str(operator._opoverload._schema))
        q, k, v, do = (torch.empty(1, 1, 64, 32, dtype=torch.float16, device="meta") for _ in range(4))
        delta_of, shift = (torch.empty(1, 1, 64, device="meta") for _ in range(2))
        sums = torch.empty(1, 1, 1, 64, 32, device="meta")
        try:
            dk = operator(q, k, v, do, shift, delta_of, 0.2, sums)
        except IndexError:
            self.skipTest("this torch requires all mutated arguments, also optional ones")
        self.assertEqual((dk.shape, dk.dtype, dk.device.type), (k.shape, torch.float16, "meta"))
        with self.assertRaisesRegex(tessera.ArgumentError, "kernel.tile:.*: 'sums' is missing"):
            operator(q, k, v, do, shift, delta_of, 0.2)

    def test_errors(self):
        flash = torch_attention.FLASH
        place = f"^{EXAMPLES}/.*/kernel.tile:19:8: kernel 'flash_fwd'"
        with self.assertRaisesRegex(tessera.ArgumentError, f"{place} has no compile-time parameter 'CASUAL'"):
            tessera.torch_ops.register("tessera_test::flash", flash, CASUAL=True)
        with self.assertRaisesRegex(tessera.ArgumentError, "'p' is not an output; expected o, lse"):
            tessera.torch_ops.register("tessera_test::flash", flash, outputs=["p"])
        part = tessera.torch_ops.register("tessera_test::part", flash, outputs=["o"])
        q = torch.empty(1, 1, 64, 32, dtype=torch.float16, device="meta")
        with self.assertRaisesRegex(tessera.ArgumentError, "'lse' is written, but the operator does not return it"):
            part(q, q, q, 0.2)
        with self.assertRaisesRegex(tessera.ArgumentError, "'v' has 16 elements in dimension 3, but 'q' gives D = 32"):
            torch_attention.attention_op(q, q, torch.empty(1, 1, 64, 16, dtype=torch.float16, device="meta"), 0.2)
        # Host memory is not taken for device memory.
        on_gpu = _load(flash.source.path, device="cuda")["flash_fwd"]
        with self.assertRaisesRegex(tessera.ArgumentError, "'q' is on the device 'cpu'; move it with .cuda"):
            on_gpu(*make(*[(1, 1, 24, 32)] * 3), scale=0.2)


unittest.main(argv=[sys.argv[0]])
