# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward."""

import dataclasses

from . import attention_math, attention_peers
from .base import Problem, Shape


class AttentionProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        q, k, v = (self.randn(shape.B, shape.H, shape.S, shape.D) for _ in range(3))
        scale = shape.D**-0.5
        self.inputs = {"q": q, "k": k, "v": v, "scale": scale}
        o = attention_math.forward(*map(attention_math.by_head, (q, k, v)), scale, shape.causal)
        self.expected = {"o": o.view(q.shape)}
        arguments = (q, k, v, scale, shape.causal)
        self.peers = {
            **{name: attention_peers.sdpa_forward(name, *arguments)
               for name in attention_peers.BACKENDS},
            "FlashAttention-3": attention_peers.flash3_forward(*arguments),
            "FlashAttention-4": attention_peers.flash4_forward(*arguments),
            "Triton": attention_peers.triton_forward(*arguments),
        }


class HandWrittenProblem(AttentionProblem):
    """Attention by a kernel that takes sequences as heads."""

    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        self.inputs = {name: value if name == "scale" else value.flatten(0, 1)
                       for name, value in self.inputs.items()}

    def check(self, results, bar=None):
        whole = self.expected["o"].shape
        super().check({name: value.view(whole) if value.dim() == 3 and name == "o" else value
                       for name, value in results.items()}, bar)


@dataclasses.dataclass(frozen=True)
class Attention(Shape):
    """Attention forward over B sequences of S tokens, H heads of D."""

    B: int
    S: int
    D: int
    causal: bool
    T: str = "bf16"
    family = "attention"
    kernel = "flash_fwd"
    problem = AttentionProblem

    @property
    def H(self):
        return 2048 // self.D

    @property
    def id(self):
        mask = "causal" if self.causal else "full"
        return f"{self.family} {self.B}x{self.S} {self.H} heads of {self.D} {mask} {self.T}"

    @property
    def group(self):
        return f"{self.family} {self.D} {'causal' if self.causal else 'full'}"

    @property
    def work(self):
        """Counts only unmasked scores."""
        return 4 * self.B * self.H * self.S * self.S * self.D // (2 if self.causal else 1)

    @property
    def parameters(self):
        return {"T": self.T, "D": self.D, "CAUSAL": self.causal}


@dataclasses.dataclass(frozen=True)
class HandWrittenAttention(Attention):
    """The same shapes for a kernel written at the `sm` level, which a tree may lack."""

    family = "attention-sm"
    kernel = "attention"
    parameters = {}
    problem = HandWrittenProblem


TOKENS = 16384
SEQUENCES = (16384, 8192, 4096, 2048, 1024)

SHAPES = [Attention(TOKENS // S, S, D, causal)
          for D in (128, 64) for causal in (False, True) for S in SEQUENCES]
SHAPES += [HandWrittenAttention(TOKENS // S, S, 128, False) for S in SEQUENCES]
