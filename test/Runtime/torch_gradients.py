"""Tests the torch functions with gradients of the examples against float64; the emulator runs the kernels.

Usage: torch_gradients.py EXAMPLES"""

import sys
import unittest

import tessera
import torch
from emulated_torch import emulated, take_host_for_device

EXAMPLES = sys.argv[1]
for folder in ("08-gated-attention", "09-linear-logp", "12-varlen-backward"):
    sys.path.insert(0, f"{EXAMPLES}/{folder}")
_load = tessera.load
tessera.load = lambda path: _load(path, options=["--ptx-only"])
import torch_gated_attention as gated  # noqa: E402
import torch_linear_logp as logp  # noqa: E402
import torch_packed_attention as packed  # noqa: E402

take_host_for_device()
launched = []


def record(name, kernel):
    def run(*values, **named):
        launched.append(name)
        return kernel(*values, **named)
    return run


for module in (gated, logp, packed):
    module.KERNELS = {name: record(name, emulated(module.KERNELS[name])) for name in module.KERNELS}


def make(*shape, dtype=torch.float16, scale=1.0):
    return (scale * torch.randn(shape)).to(dtype).requires_grad_()


def error(got, expected):
    """Returns the error of all elements, relative to the expected ones."""
    got, expected = got.double(), expected.double()
    same = torch.isfinite(expected)
    assert torch.equal(got[~same].nan_to_num(7), expected[~same].nan_to_num(7))
    size = expected[same].square().mean().sqrt()
    return float((got[same] - expected[same]).square().mean().sqrt() / size) if size else float(got.abs().max())


class Gradients(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        launched.clear()

    def check(self, attend, expected, inputs, bars, others=()):
        """Checks results and gradients by all inputs; `expected` computes them from float64 copies."""
        copies = [x.detach().double().requires_grad_() for x in inputs]
        found, wanted = attend(*inputs), expected(*copies)
        found, wanted = (x if isinstance(x, tuple) else (x,) for x in (found, wanted))
        loss = wanted_loss = 0.0
        for got, result in zip(found, wanted, strict=True):
            self.assertLess(error(got, result), bars[0])
            weights = torch.randn(result.shape)
            finite = torch.isfinite(result)
            loss = loss + (got.float() * weights)[finite].sum()
            wanted_loss = wanted_loss + (result * weights)[finite].sum()
        loss.backward()
        wanted_loss.backward()
        for tensor, copy in zip(inputs, copies):
            self.assertEqual((tensor.grad.shape, tensor.grad.dtype), (tensor.shape, tensor.dtype))
            self.assertLess(error(tensor.grad, copy.grad), bars[1])

    def check_gated(self, batch, length, columns, g=False, sink=False, **rest):
        heads, groups = 4, 2
        q = make(batch, length, heads, columns[0])
        k, v = make(batch, length, groups, columns[0]), make(batch, length, groups, columns[1])
        more = {}
        if g:
            more["g"] = torch.nn.functional.logsigmoid(torch.randn(batch, length, heads)).div(4).requires_grad_()
        if sink:
            more["sink"] = torch.randn(heads, requires_grad=True)
        expected = {key: value for key, value in rest.items() if key != "longest"}
        self.check(lambda q, k, v, *x: gated.gated_attention(q, k, v, 0.2, **dict(zip(more, x)), **rest,
                                                             fallback=False),
                   lambda q, k, v, *x: gated.expression(q, k, v, 0.2, **dict(zip(more, x)), **expected),
                   [q, k, v, *more.values()], (2e-3, 6e-3))

    def test_parts_of_the_vocabulary(self):
        for rows, words, parts in [(1, 100, 1), (64, 151936, 132), (256, 151936, 66), (1000, 151936, 33),
                                   (4096, 151936, 4), (16384, 151936, 1), (64, 2000, 11)]:
            self.assertEqual(logp.choices.choose_parts(rows, words, 132), parts)

    def test_gated_attention(self):
        self.check_gated(2, 70, (32, 48))
        self.assertNotIn("gate_cumsum", launched)
        self.check_gated(2, 70, (32, 32), g=True)
        self.check_gated(1, 70, (32, 32), sink=True, window=20)
        self.check_gated(1, 40, (144, 32), g=True)
        self.assertEqual(launched[-4:], ["gated_attention_dq", "gated_attention_dkv", "gated_attention_dkv",
                                         "gate_gradient"])

    def test_gated_attention_of_packed_sequences(self):
        cu = torch.tensor([0, 30, 30, 31, 75], dtype=torch.int32)
        self.check_gated(1, 75, (32, 32), g=True, sink=True, window=20, cu=cu, longest=44)

    def check_packed(self, cu_q, cu_k, columns=(32, 32), rows=0, **masks):
        """Checks packed attention with `rows` additional rows after the last sequence."""
        cu_q, cu_k = (torch.tensor(cu, dtype=torch.int32) for cu in (cu_q, cu_k))
        count_q, count_k = int(cu_q[-1]) + rows, int(cu_k[-1]) + rows
        q = make(count_q, 4, columns[0])
        k, v = make(count_k, 2, columns[0]), make(count_k, 2, columns[1])
        most = int(cu_q.diff().max()), int(cu_k.diff().max())
        self.check(lambda *x: packed.packed_attention(*x, cu_q, cu_k, *most, 0.2, **masks, fallback=False),
                   lambda *x: packed.expression(*x, cu_q, cu_k, 0.2, **masks), [q, k, v], (2e-3, 6e-3))

    def test_packed_attention(self):
        self.check_packed([0, 30, 30, 75], [0, 30, 30, 75], causal=True)
        self.check_packed([0, 30, 40], [0, 20, 70])
        # Queries without keys, and rows outside all sequences.
        self.check_packed([0, 30, 40, 60], [0, 10, 50, 50], causal=True, bottom_right=True, rows=9)
        self.check_packed([0, 30, 75], [0, 30, 75], (96, 80), causal=True)
        self.check_packed([0, 30], [0, 30], (192, 128), causal=True)
        # Tiles of one query head, and tiles shared by all heads of a key head.
        self.check_packed([0, 70, 75], [0, 70, 75], causal=True)
        self.check_packed([0, 70, 75], [0, 70, 75])

    def test_tiles_of_packed_attention(self):
        for heads, columns, longest, causal, tiles in [
                ((32, 8), 128, 16384, False, (128, 1)), ((32, 8), 64, 16384, True, (192, 1)),
                ((32, 8), 64, 2048, True, (64, 1)), ((32, 8), 64, 2048, False, (192, 1)),
                ((32, 8), 128, 448, False, (64, 1)), ((32, 8), 64, 448, False, (64, 4)),
                ((32, 8), 64, 448, True, (64, 1)), ((32, 8), 128, 64, True, (64, 4)), ((6, 2), 64, 64, True, (64, 1))]:
            q, k = (torch.empty(0, count, columns) for count in heads)
            self.assertEqual(packed.choose_tiles(q, k, k, longest, causal), tiles)

    def test_padding(self):
        lengths = [5, 0, 7, 1]
        padded = torch.randn(4, 8, 3, requires_grad=True)
        rows, bounds = tessera.unpad(padded, lengths)
        self.assertEqual(bounds.tolist(), [0, 5, 5, 12, 13])
        self.assertEqual(bounds.dtype, torch.int32)
        self.assertTrue(torch.equal(rows[5:12], padded[2, :7]))
        again = tessera.pad(rows, bounds, 8)
        is_row = torch.arange(8) < torch.tensor(lengths)[:, None]
        self.assertTrue(torch.equal(again, padded * is_row[..., None]))
        again.sum().backward()
        self.assertTrue(torch.equal(padded.grad, is_row[..., None].expand(4, 8, 3).float()))
        self.assertTrue(torch.equal(tessera.unpad(padded, torch.tensor(lengths))[0], rows))
        # Rows outside all sequences, or beyond the longest, are dropped.
        rows = torch.randn(20, 3, requires_grad=True)
        made = tessera.pad(rows, bounds, 6)
        self.assertTrue(torch.equal(made[2], rows[5:11]))
        self.assertEqual(float(made[1].abs().max()), 0)
        made.sum().backward()
        self.assertEqual(rows.grad[:, 0].tolist(), [1.0] * 11 + [0.0] + [1.0] + [0.0] * 7)
        self.assertEqual(tessera.unpad(padded[:0], [])[0].shape, (0, 3))
        for wrong, message in (([5, 0, 7], r"expected 4 lengths \(dimension 0\), got 3"),
                               ([5, 0, 9, 1], "the length of sequence 2 is 9, expected 0 to 8"),
                               ([5, 0, -1, 1], "the length of sequence 2 is -1, expected 0 to 8"),
                               ([5, 0, 0.5, 1], "expected an integer for the length of sequence 2, got float")):
            with self.assertRaisesRegex(tessera.ArgumentError, message):
                tessera.unpad(padded, wrong)

    def test_a_padded_batch(self):
        lengths, longest = [30, 0, 45], 48
        q, k, v = (make(3, longest, heads, 32) for heads in (4, 2, 2))

        def attend(q, k, v):
            (q, cu), (k, _), (v, _) = (tessera.unpad(x, lengths) for x in (q, k, v))
            o, _ = packed.packed_attention(q, k, v, cu, cu, longest, longest, 0.2, causal=True, fallback=q.dtype
                                           == torch.float64)
            return tessera.pad(o, cu, longest)

        self.check(attend, attend, [q, k, v], (2e-3, 6e-3))
        self.assertIn("varlen_bwd", launched)

    def check_logp(self, rows=(40,), words=300, bias=False, temperature=False, grad=True, target=None, step=0.0,
                   stored=None, dtype=torch.bfloat16, **options):
        h, w = make(*rows, 64, dtype=dtype), make(words, 64, dtype=dtype, scale=0.3)
        more = {}
        if bias:
            more["bias"] = (torch.randn(words) + step * (torch.arange(words) // 256)).to(dtype).requires_grad_()
        if temperature:
            more["temperature"] = (torch.rand(rows) + 0.5).requires_grad_(grad)
        if target is None:
            target = torch.randint(0, words, rows)
            target.view(-1)[3] = -100
        given = {name: x for name, x in more.items() if x.requires_grad}
        fixed = {name: x for name, x in more.items() if not x.requires_grad}

        def expected(h, w, *x):
            named = {**dict(zip(given, x)), **{name: y.double() for name, y in fixed.items()}}
            if "temperature" in named:
                named["temperature"] = named["temperature"].flatten()
            found = logp.expression(h.flatten(0, -2), w, target.flatten(), **named, **options)
            return tuple(y.view(rows) for y in found) if isinstance(found, tuple) else found.view(rows)

        memory = {} if stored is None else {"stored": stored}
        self.check(lambda h, w, *x: logp.linear_logp(h, w, target, **dict(zip(given, x)), **fixed, **options, **memory,
                                                     fallback=False),
                   expected, [h, w, *given.values()], (2e-3, 6e-3))

    def test_linear_logp(self):
        self.check_logp(dtype=torch.float16)
        recomputed = ["linear_logp_dz", "linear_logp_dh", "linear_logp_dw"]
        self.assertEqual(launched, ["linear_logp", "linear_logp_merge", *recomputed])
        launched.clear()
        self.check_logp(words=304)
        stored = ["linear_logp_scale", "linear_logp_dh", "linear_logp_dw"]
        after = ["linear_logp_merge", "linear_logp_restore", "linear_logp_target", *stored]
        self.assertEqual(launched, ["linear_logp_bound", "linear_logp", *after])
        # Four words remain.
        launched.clear()
        self.check_logp(words=300)
        self.assertEqual(launched, ["linear_logp_bound", "linear_logp", "linear_logp", *after, *recomputed])
        self.check_logp((2, 20), bias=True, temperature=True, entropy=True)
        self.assertEqual(launched[-1], "linear_logp_dtemperature")
        self.check_logp(entropy=True)
        self.check_logp(temperature=True)
        self.assertEqual(launched[-1], "linear_logp_dtemperature")
        self.check_logp(temperature=True, grad=False, ignored=2.0)
        self.assertNotEqual(launched[-1], "linear_logp_dtemperature")

    def test_linear_logp_in_chunks(self):
        most, logp.MOST_LOGITS = logp.MOST_LOGITS, 1
        try:
            self.check_logp(words=600, bias=True, stored=0)
            self.assertEqual(launched.count("linear_logp_dz"), 3)
            launched.clear()
            self.check_logp(words=600, bias=True, temperature=True, stored=2 * 40 * 300)
            self.assertEqual(launched.count("linear_logp_dz"), 2)
        finally:
            logp.MOST_LOGITS = most

    def test_linear_logp_without_a_bound_in_range(self):
        """The bias makes the first words far smaller than the others."""
        for step in (20.0, 300.0):
            self.check_logp(words=600, bias=True, step=step)

    def test_what_is_stored(self):
        for rows, words, most, stored in [(4096, 128256, 2**31, 128256), (4096, 50257, 2**31, 50256),
                                          (4096, 128256, 2**29, 65536), (4096, 128256, 0, 0), (0, 300, 2**31, 296),
                                          (2**20, 300, 2**31, 296), (2**20, 300, 2**20, 0)]:
            self.assertEqual(logp.choices.choose_stored(rows, words, most), stored)
        h, w, target = torch.randn(8, 64).bfloat16(), make(304, 64, dtype=torch.bfloat16), torch.arange(8)
        with torch.no_grad():
            logp.linear_logp(h, w, target)
        logp.linear_logp(h, w, target, entropy=True)
        logp.linear_logp(h.half(), make(304, 64), target)
        self.assertNotIn("linear_logp_bound", launched)
        logp.linear_logp(h, w, target)
        self.assertIn("linear_logp_bound", launched)

    def test_targets(self):
        target = torch.tensor([5, -100, -1, 300, 2**32 + 5, -2**40, 299, 0])
        self.check_logp((8,), target=target)
        h, w = make(2, 4, 64), make(300, 64)
        with self.assertRaisesRegex(tessera.ArgumentError, r"target\[0, 2\] is -1, expected 0 to 299, or -100 to ignore"):
            logp.linear_logp(h, w, target.view(2, 4), check=True)
        tessera.require_targets(target[:2], 300)
        with self.assertRaisesRegex(tessera.ArgumentError, r"target\[1\] is -100, expected 0 to 299, or 7 to ignore"):
            tessera.require_targets(target[:2], 300, ignore=7)

    def test_what_no_kernel_is_for(self):
        def refuse(message, call):
            with self.assertRaisesRegex(tessera.ArgumentError, message):
                call(fallback=False)
            found = call()
            for x in found if isinstance(found, tuple) else (found,):
                self.assertTrue(x.isfinite().all())
            self.assertEqual(launched, [])

        def attend(dtype=torch.float16, columns=32, device="cpu", other=None):
            q, k, v = (torch.randn(1, 20, 2, columns, dtype=dtype, device=device) for _ in range(3))
            v = v.to(other or dtype)
            return lambda **named: gated.gated_attention(q, k, v, 0.1, **named)

        refuse("no kernel of gated attention: 'q' has elements of torch.float32", attend(torch.float32))
        refuse("no kernel of gated attention: heads have 272 and 272 columns, of at most 256", attend(columns=272))
        with self.assertRaisesRegex(tessera.ArgumentError, "'v' has elements of torch.bfloat16, and 'q' of torch.float16"):
            attend(other=torch.bfloat16)(fallback=False)
        with self.assertRaisesRegex(tessera.ArgumentError, "'q' is on the device 'meta'"):
            attend(device="meta")(fallback=False)
        with self.assertRaisesRegex(tessera.ArgumentError, "packed sequences: 'longest', the rows of the longest sequence, is missing"):
            attend()(cu=torch.tensor([0, 20], dtype=torch.int32))

        cu = torch.tensor([0, 20], dtype=torch.int32)
        for columns, message in (((40, 32), "heads of 'q' have 40 columns, expected a multiple of 16 up to 192"),
                                 ((32, 144), "heads of 'v' have 144 columns, expected a multiple of 16 up to 128")):
            q, k = (torch.randn(20, 2, columns[0], dtype=torch.bfloat16) for _ in range(2))
            v = torch.randn(20, 2, columns[1], dtype=torch.bfloat16)
            refuse("no kernel of packed attention: " + message,
                   lambda **named: packed.packed_attention(q, k, v, cu, cu, 20, 20, 0.1, **named))
        refuse("no kernel of linear_logp: 'h' has elements of torch.float64",
               lambda **named: logp.linear_logp(torch.randn(9, 8).double(), torch.randn(5, 8).double(),
                                                torch.arange(9) % 5, entropy=True, **named))

    def test_compiles_without_a_break(self):
        cu = torch.tensor([0, 30, 75], dtype=torch.int32)

        def attend(q, k, v, w):
            o, lse = packed.packed_attention(q * 1.0, k, v, cu, cu, 45, 45, 0.2, causal=True)
            g = gated.gated_attention(o[None], k[None], v[None], 0.2, window=16)
            return logp.linear_logp(g[0].flatten(1), w, torch.arange(75), entropy=True), lse

        def expected(q, k, v, w):
            o, lse = packed.expression(q, k, v, cu, cu, 0.2, causal=True)
            g = gated.expression(o[None], k[None], v[None], 0.2, window=16)
            return logp.expression(g[0].flatten(1), w, torch.arange(75), entropy=True), lse

        inputs = [make(75, 2, 32), make(75, 1, 32), make(75, 1, 32), make(300, 64)]
        compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
        flat = [lambda *x, f=f: (*f(*x)[0], f(*x)[1]) for f in (compiled, expected)]
        self.check(*flat, inputs, (5e-3, 2e-2))

        compiled = torch.compile(lambda h, w: logp.linear_logp(h * 1.0, w, torch.arange(75)), fullgraph=True,
                                 backend="aot_eager")
        launched.clear()
        self.check(compiled, lambda h, w: logp.expression(h, w, torch.arange(75)),
                   [make(75, 64, dtype=torch.bfloat16), make(300, 64, dtype=torch.bfloat16)], (2e-3, 6e-3))
        self.assertIn("linear_logp_scale", launched)

    def test_torch_finds_nothing_wrong(self):
        checks = ("test_schema", "test_autograd_registration", "test_faketensor")
        cu = torch.tensor([0, 9, 20], dtype=torch.int32)
        q, k, v = (make(1, 20, 2, 32) for _ in range(3))
        g, sink = torch.zeros(1, 20, 2), torch.zeros(2)
        for arguments in ((None, None, None, 0), (g, sink, cu, 11)):
            torch.library.opcheck(gated.forward_op, (q, k, v, *arguments, 0.2, 0), test_utils=checks)
        torch.library.opcheck(packed.forward_op, (q[0], k[0], v[0], cu, cu, 11, 11, 0.2, True, False),
                              test_utils=checks)
        target = torch.zeros(20, dtype=torch.int32)
        for moments, stored in ((0, 0), (1, 0), (2, 0), (0, 296), (0, 256), (1, 296)):
            h, w = make(20, 64, dtype=torch.bfloat16), make(300, 64, dtype=torch.bfloat16)
            torch.library.opcheck(logp.forward_op, (h, w, target, None, torch.ones(20), -100, 0.0, moments, 2, stored),
                                  test_utils=checks)


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
