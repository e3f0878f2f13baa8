# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention with a forget gate, and its gradients; the work includes the cumulative sum of the gates."""

import dataclasses

from . import attention_math, attention_peers, peers
from .base import Problem, Shape
from .device import torch


def heads_first(tensor):
    """Views [B, L, H, D] as [B, H, L, D]."""
    return tensor.transpose(1, 2)


class GatedProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        self.scale = shape.D**-0.5
        size = {"q": shape.HQ, "k": shape.H, "v": shape.H}
        arrays = {name: self.randn(shape.B, shape.L, heads, shape.D) for name, heads in size.items()}
        noise = self.randn(shape.B, shape.L, shape.HQ, dtype=torch.float32)
        # A decay: its cumulative sum falls.
        self.inputs = {**arrays, "g": torch.nn.functional.logsigmoid(noise), "scale": self.scale}
        # [B, HQ, L]
        self.decay = self.inputs["g"].transpose(1, 2).double().cumsum(2)
        # Dense, heads first: the fastest layout for the peers.
        self.dense = [heads_first(x).contiguous() for x in arrays.values()]
        self.compute()

    def arguments(self):
        """Returns the arguments of attention_math for all heads of all sequences."""
        heads = [attention_math.by_head(x) for x in self.dense]
        return heads, self.scale, True, attention_math.by_head(self.decay)

    def compute(self):
        heads, *rest = self.arguments()
        o = attention_math.forward(*heads, *rest)
        self.expected = {"o": heads_first(o.view(self.dense[0].shape))}
        self.peers = {"FlexAttention": self.prepare_flex}
        self.ceilings = {
            "cuDNN without gate": attention_peers.sdpa_forward("cuDNN", *self.dense, self.scale, True)}

    def flex(self):
        """Returns FlexAttention with these gates, as a function of q, k, v."""
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        decay, length = self.decay.float().contiguous(), self.shape.L
        mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, length, length,
                                 device=self.device)

        def add_gate(score, b, h, q, k):
            return score + decay[b, h, q] - decay[b, h, k]

        attend = peers.compiled(flex_attention)
        return lambda q, k, v: attend(q, k, v, score_mod=add_gate, block_mask=mask,
                                      scale=self.scale, enable_gqa=True)

    def prepare_flex(self):
        attend = self.flex()

        def run():
            with torch.no_grad():
                return {"o": heads_first(attend(*self.dense))}
        return run


class GatedBackwardProblem(GatedProblem):
    """Gradients; peers do not compute the gradient of the gates."""

    def compute(self):
        heads, *rest = self.arguments()
        o, lse = attention_math.forward(*heads, *rest, with_lse=True)
        do = self.randn(*self.inputs["q"].shape)
        # The results of the forward pass: float32 [B, HQ, L].
        self.inputs |= {
            "do": do, "o": heads_first(o.view(self.dense[0].shape)).to(do.dtype).contiguous(),
            "lse": lse.view(self.decay.shape), "c": self.decay.float().contiguous()}
        self.grad = heads_first(do).contiguous()
        *found, dc = attention_math.backward(*heads, attention_math.by_head(self.grad), *rest)
        self.expected = {name: heads_first(x.view(like.shape))
                         for name, x, like in zip(("dq", "dk", "dv"), found, self.dense)}
        dg = dc.view(self.decay.shape).double().flip(2).cumsum(2).flip(2)
        self.expected["dg"] = dg.transpose(1, 2).float()
        self.peers = {"FlexAttention": self.prepare_flex}
        self.ceilings = {"cuDNN without gate": attention_peers.sdpa_backward(
            "cuDNN", *self.dense, self.grad, self.scale, True)}

    def prepare_flex(self):
        inputs = attention_peers.with_gradient(*self.dense)
        run = attention_peers.gradients(self.flex()(*inputs), inputs, self.grad)
        return lambda: {name: heads_first(x) for name, x in run().items()}


@dataclasses.dataclass(frozen=True)
class Gated(Shape):
    """B sequences of L tokens, HQ query heads of D that share H key heads."""

    B: int
    L: int
    D: int
    T: str = "bf16"
    HQ = 32
    H = 8
    family = "gated"
    kernel = "gated_attention"
    problem = GatedProblem

    @property
    def id(self):
        return f"{self.family} {self.B}x{self.L} {self.HQ}/{self.H} heads of {self.D} {self.T}"

    @property
    def group(self):
        return f"{self.family} {self.D}"

    @property
    def work(self):
        return 2 * self.B * self.HQ * self.L * self.L * self.D

    @property
    def values(self):
        return {"T": self.T, "B": self.B, "L": self.L, "H": self.H, "HQ": self.HQ, "DK": self.D,
                "DV": self.D}


@dataclasses.dataclass(frozen=True)
class GatedBackward(Gated):
    family = "gated-backward"
    kernel = "gated_attention_backward"
    problem = GatedBackwardProblem

    @property
    def work(self):
        return super().work * 5 // 2


SIZES = [(4, 4096, 128), (1, 16384, 128), (4, 4096, 64), (1, 16384, 64)]

SHAPES = [kind(*size) for kind in (Gated, GatedBackward) for size in SIZES]
