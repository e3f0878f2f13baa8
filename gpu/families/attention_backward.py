# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradients of attention, from the results of the forward pass."""

import dataclasses

from . import attention, attention_math, attention_peers
from .base import Problem
from .device import torch


class AttentionBackwardProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        q, k, v, do = (self.randn(shape.B, heads, shape.S, shape.D)
                       for heads in (shape.H, shape.HK, shape.HK, shape.H))
        scale = shape.D**-0.5
        heads = [attention_math.by_head(x) for x in (q, k, v)]
        o, lse = attention_math.forward(*heads, scale, shape.causal, with_lse=True)
        self.inputs = {"q": q, "k": k, "v": v, "do": do, "o": o.to(q.dtype).view(q.shape),
                       "lse": lse.view(q.shape[:3]), "scale": scale}
        found = attention_math.backward(*heads, attention_math.by_head(do), scale, shape.causal)
        self.expected = {name: gradient.view(x.shape)
                         for name, gradient, x in zip(("dq", "dk", "dv"), found, (q, k, v))}
        arguments = (q, k, v, do, scale, shape.causal)
        self.peers = {
            **{name: attention_peers.sdpa_backward(name, *arguments)
               for name in attention_peers.BACKENDS},
            "FlashAttention-4": attention_peers.flash4_backward(*arguments),
        }


@dataclasses.dataclass(frozen=True)
class AttentionBackward(attention.Attention):
    family = "attention-backward"
    kernel = "attention_backward"
    parameters = {}
    problem = AttentionBackwardProblem

    @property
    def HK(self):
        return self.H

    @property
    def work(self):
        """Counts five products; the forward pass has two."""
        return super().work * 5 // 2

    @property
    def values(self):
        return {"T": self.T, "B": self.B, "H": self.H, "HK": self.HK, "M": self.S, "N": self.S,
                "DK": self.D, "DV": self.D, "CAUSAL": self.causal}


@dataclasses.dataclass(frozen=True)
class GroupedAttentionBackward(AttentionBackward):
    """Eight query heads share a key head, and there are few sequences: few blocks of keys."""

    family = "attention-backward-grouped"
    H = 64
    HK = 8

    @property
    def id(self):
        mask = "causal" if self.causal else "full"
        return f"{self.family} {self.B}x{self.S} {self.H}/{self.HK} heads of {self.D} {mask} {self.T}"


SHAPES = [AttentionBackward(attention.TOKENS // S, S, D, causal)
          for D in (128, 64) for causal in (False, True) for S in attention.SEQUENCES]
SHAPES += [GroupedAttentionBackward(1, S, 128, causal) for causal in (False, True) for S in (2048, 4096)]
