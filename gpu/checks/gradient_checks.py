# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of check_python.py for the functions with gradients of the examples.

Results and gradients are compared with the same torch operations in float64."""

import pathlib
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.path[:0] = [str(EXAMPLES / folder) for folder in ("08-gated-attention", "09-linear-logp", "12-varlen-backward")]

# With exactly the values that the functions pass: an omitted value and an explicit default give different packages.
_HEADS = {"T": "bf16", "DK": 128, "DV": 128}
_GATED = {"GATED": True, "VARLEN": True, "WINDOW": 200}
_MASK = {"CAUSAL": True, "BOTTOM_RIGHT": False}
# Determined by the extents of the sums.
_SUMS = {"BM": 64, "R": 64, "C": 128}
_LOGP = {"T": "bf16", "BIAS": True, "TEMPERATURE": True}
_PACKAGES = {
    "08-gated-attention": [
        ("gate_cumsum", {"VARLEN": True}), ("gated_attention", {**_HEADS, **_GATED, "SINK": True}),
        ("gated_attention_rows", {"T": "bf16", "DV": 128}), ("gated_attention_dq", {**_HEADS, **_GATED, "SINK": True}),
        ("gated_attention_dkv", {**_HEADS, **_GATED}), ("gate_gradient", {"SINK": True, "VARLEN": True}),
        ("sink_gradient", {})],
    "09-linear-logp": [
        ("linear_logp", {**_LOGP, "ENTROPY": True, "VARIANCE": True}),
        ("linear_logp_merge", {"ENTROPY": True, "VARIANCE": True, "STORED": False}),
        ("linear_logp_dz", {**_LOGP, "ENTROPY": True, "BV": 128}),
        *(("linear_logp_dh", {"T": "bf16", "FIRST": False, "LAST": last}) for last in (True, False)),
        ("linear_logp_dw", {"T": "bf16"}), ("linear_logp_dbias", {"T": "bf16"}),
        ("linear_logp_dtemperature", {"ENTROPY": True}),
        # With stored exponentials.
        ("linear_logp_bound", _LOGP), ("linear_logp", {**_LOGP, "ENTROPY": True, "VARIANCE": False, "STORED": True}),
        ("linear_logp", {**_LOGP, "ENTROPY": True, "VARIANCE": False}),
        ("linear_logp_merge", {"ENTROPY": True, "VARIANCE": False, "STORED": True}), ("linear_logp_restore", _LOGP),
        ("linear_logp_target", {"T": "bf16"}), ("linear_logp_scale", {"T": "bf16", "TEMPERATURE": True}),
        ("linear_logp_dh", {"T": "bf16", "STORED": True, "FIRST": True, "LAST": False}),
        ("linear_logp_dbias", {"T": "bf16", "STORED": True}), ("linear_logp_dz", {**_LOGP, "ENTROPY": False}),
        ("linear_logp_dtemperature", {"ENTROPY": False})],
    "10-varlen-attention": [("varlen_tiles", {"BM": 128}), ("varlen_fwd", {**_HEADS, **_MASK, "BM": 128})],
    "12-varlen-backward": [
        ("varlen_delta", {**_HEADS, "BM": 64, "LSE": True}), ("varlen_bwd", {**_HEADS, **_MASK, **_SUMS, "GROUPED": True}),
        ("varlen_bwd_round", {"T": "bf16", "DK": 128, **_SUMS})],
}


def fill(tessera):
    """Compiles the kernels of the checks. Returns the paths."""
    return [tessera.load(EXAMPLES / example / "kernel.tile")[name].compile(**values)
            for example, kernels in _PACKAGES.items() for name, values in kernels]


def make(*shape, dtype=None, scale=1.0):
    import torch
    x = scale * torch.randn(shape, device="cuda")
    return x.to(dtype or torch.bfloat16).requires_grad_()


def require_gradients(require_near, attend, expected, inputs, bar):
    """Checks results and gradients of `attend` against `expected` on float64 copies of the inputs."""
    import torch
    copies = [x.detach().double().requires_grad_() for x in inputs]
    found, wanted = attend(*inputs), expected(*copies)
    loss = wanted_loss = 0.0
    for got, result in zip(found, wanted, strict=True):
        require_near(got, result.detach())
        weights = torch.randn_like(result)
        loss, wanted_loss = loss + (got * weights).sum(), wanted_loss + (result * weights).sum()
    loss.backward()
    wanted_loss.backward()
    for tensor, copy in zip(inputs, copies, strict=True):
        require_near(tensor.grad, copy.grad, bar)


def check_gated(require_near):
    import torch
    import torch_gated_attention as gated
    cu = torch.tensor([0, 300, 300, 301, 1000], device="cuda", dtype=torch.int32)
    q, k, v = (make(1, 1000, heads, 128) for heads in (8, 2, 2))
    g = torch.nn.functional.logsigmoid(torch.randn(1, 1000, 8, device="cuda")).requires_grad_()
    rest = {"window": 200, "cu": cu}
    require_gradients(
        require_near,
        lambda q, k, v, g, sink: [gated.gated_attention(q, k, v, 0.0884, g, sink, longest=699, fallback=False, **rest)],
        lambda q, k, v, g, sink: [gated.expression(q, k, v, 0.0884, g, sink, **rest)],
        [q, k, v, g, make(8, dtype=torch.float32)], 1.5e-2)


def check_packed(require_near):
    """Checks a padded batch."""
    import tessera
    import torch_packed_attention as packed
    lengths, longest = [300, 0, 1, 699], 704

    def attend(q, k, v):
        (q, cu), (k, _), (v, _) = (tessera.unpad(x, lengths) for x in (q, k, v))
        if q.dtype.itemsize == 8:
            return [tessera.pad(packed.expression(q, k, v, cu, cu, 0.0884, causal=True)[0], cu, longest)]
        return [tessera.pad(packed.packed_attention(q, k, v, cu, cu, longest, longest, 0.0884, causal=True,
                                                    fallback=False)[0], cu, longest)]

    require_gradients(require_near, attend, attend, [make(4, longest, heads, 128) for heads in (8, 2, 2)], 1.5e-2)


def check_logp(require_near):
    import torch
    import torch_linear_logp as logp
    most, logp.MOST_LOGITS = logp.MOST_LOGITS, 512 * 1000
    h, w, bias = make(500, 512), make(5003, 512, scale=0.1), make(5003)
    temperature = (torch.rand(500, device="cuda") + 0.5).requires_grad_()
    target = torch.randint(0, 5003, (500,), device="cuda")
    target[7] = -100
    try:
        require_gradients(
            require_near,
            lambda h, w, b, t: logp.linear_logp(h, w, target, b, t, entropy=True, check=True, fallback=False),
            lambda h, w, b, t: logp.expression(h, w, target, b, t, entropy=True), [h, w, bias, temperature], 1.5e-2)
        # With the exponentials of 5000 of the 5003 words stored.
        inputs = [make(500, 512), make(5003, 512, scale=0.1), make(5003),
                  (torch.rand(500, device="cuda") + 0.5).requires_grad_()]
        require_gradients(
            require_near, lambda h, w, b, t: [logp.linear_logp(h, w, target, b, t, fallback=False)],
            lambda h, w, b, t: [logp.expression(h, w, target, b, t)], inputs, 1.5e-2)
    finally:
        logp.MOST_LOGITS = most


CHECKS = {"gated attention": check_gated, "packed attention": check_packed, "linear log-probabilities": check_logp}
