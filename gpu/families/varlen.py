# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over packed sequences of unequal lengths, and its gradients."""

import dataclasses
import itertools
import random

from . import attention_math, attention_peers, peers
from .base import Problem, Shape
from .device import torch


class VarlenProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        self.scale = shape.DK**-0.5
        self.arrays = [self.randn(shape.tokens, heads, size) for heads, size in
                       ((shape.HQ, shape.DK), (shape.H, shape.DK), (shape.H, shape.DV))]
        # Starts of sequences, and the longest sequence
        starts = list(itertools.accumulate(shape.lengths, initial=0))
        self.ends = list(itertools.pairwise(starts))
        self.starts = torch.tensor(starts, dtype=torch.int32, device=device)
        self.most = max(shape.lengths)
        self.is_even = shape.DK == shape.DV
        self.inputs = {**dict(zip("qkv", self.arrays)), "scale": self.scale,
                       # For kernels that pack the query heads of a key head into one tile
                       "packed_q": self.arrays[0].view(-1, 1, shape.DK),
                       "cu_q": self.starts, "cu_k": self.starts,
                       "max_q": self.most, "max_k": self.most, "TQ": shape.tokens}
        self.compute()

    def by_sequence(self, function, *tensors):
        """Applies `function` to each sequence [heads, S, D]; returns the results joined as [tokens, heads, D]."""
        found = [function(*(x[low:high].transpose(0, 1) for x in tensors), self.scale,
                          self.shape.causal) for low, high in self.ends]
        return [torch.cat([x.transpose(0, 1) for x in parts]) for parts in zip(*found)]

    def compute(self):
        (o,) = self.by_sequence(lambda *args: [attention_math.forward(*args)], *self.arrays)
        self.expected = {"o": o}
        self.peers = {"FlashAttention-3": self.prepare_flash3, "FlashAttention-4": self.prepare_flash4}
        if self.is_even:
            self.peers["FA2"] = self.prepare_flash2

    def check(self, results, bar=None):
        """Compares results; kernels that pack query heads write tensors of one head."""
        super().check({name: array.view(self.expected[name].shape) if name in self.expected
                       and array.numel() == self.expected[name].numel() else array
                       for name, array in results.items()}, bar)

    def prepare_flash3(self):
        flash = peers.load("FlashAttention-3")
        return lambda: {"o": flash.flash_attn_varlen_func(
            *self.arrays, self.starts, self.starts, self.most, self.most, softmax_scale=self.scale,
            causal=self.shape.causal)}

    def flash4(self, arrays, **options):
        flash = peers.load("FlashAttention-4")
        return flash._flash_attn_fwd(
            *arrays, softmax_scale=self.scale, causal=self.shape.causal,
            cu_seqlens_q=self.starts, cu_seqlens_k=self.starts, max_seqlen_q=self.most,
            max_seqlen_k=self.most, **options)

    def prepare_flash4(self):
        return lambda: {"o": self.flash4(self.arrays)[0]}

    def flash2(self, q, k, v):
        return torch.ops.aten._flash_attention_forward(
            q, k, v, self.starts, self.starts, self.most, self.most, 0.0, self.shape.causal, False,
            scale=self.scale)[0]

    def prepare_flash2(self):
        return lambda: {"o": self.flash2(*self.arrays)}


class VarlenBackwardProblem(VarlenProblem):
    def compute(self):
        do = self.randn(self.shape.tokens, self.shape.HQ, self.shape.DV)

        def forward(*args):
            o, lse = attention_math.forward(*args, with_lse=True)
            return o, lse[:, :, None]

        o, lse = self.by_sequence(forward, *self.arrays)
        self.inputs |= {"do": do, "o": o.to(do.dtype), "lse": lse[:, :, 0].contiguous()}
        found = self.by_sequence(lambda *args: attention_math.backward(*args)[:3], *self.arrays, do)
        self.expected = dict(zip(("dq", "dk", "dv"), found))
        # FlashAttention-4 has no gradients for shared heads of unequal sizes.
        name = "FlashAttention-4" if self.is_even else "FlashAttention-4 with padded v"
        self.peers = {name: self.prepare_flash4}
        if self.is_even:
            self.peers["FA2"] = self.prepare_flash2

    def pad(self, tensor):
        """Pads a tensor with heads of DV to heads of DK."""
        return torch.nn.functional.pad(tensor, (0, self.shape.DK - self.shape.DV))

    def prepare_flash4(self):
        flash = peers.load("FlashAttention-4")
        q, k, v = self.arrays
        arrays, do = (q, k, self.pad(v)), self.pad(self.inputs["do"])
        o, lse = self.flash4(arrays, return_lse=True)[:2]

        def run():
            dq, dk, dv = flash._flash_attn_bwd(
                *arrays, o, do, lse, softmax_scale=self.scale, causal=self.shape.causal,
                cu_seqlens_q=self.starts, cu_seqlens_k=self.starts, max_seqlen_q=self.most,
                max_seqlen_k=self.most)
            return {"dq": dq, "dk": dk, "dv": dv[..., :self.shape.DV]}
        return run

    def prepare_flash2(self):
        inputs = attention_peers.with_gradient(*self.arrays)
        return attention_peers.gradients(self.flash2(*inputs), inputs, self.inputs["do"])


@dataclasses.dataclass(frozen=True)
class Varlen(Shape):
    """Sequences of `lengths` tokens, HQ query heads that share H key heads; heads of q and k have DK elements, those
    of v DV."""

    lengths: tuple
    HQ: int
    H: int
    DK: int
    DV: int
    causal: bool
    T: str = "bf16"
    family = "varlen"
    kernel = "varlen_fwd"
    problem = VarlenProblem

    @property
    def tokens(self):
        return sum(self.lengths)

    @property
    def head(self):
        return str(self.DK) if self.DK == self.DV else f"{self.DK}/{self.DV}"

    @property
    def mask(self):
        return "causal" if self.causal else "full"

    @property
    def id(self):
        return (f"{self.family} {len(self.lengths)} of {self.tokens} {self.HQ}/{self.H} heads of "
                f"{self.head} {self.mask} {self.T}")

    @property
    def group(self):
        return f"{self.family} {self.head}"

    def count(self, products_of_k, products_of_v):
        """Returns the operations of the given numbers of products over DK and DV; counts only unmasked scores."""
        pairs = sum(length * length for length in self.lengths) // (2 if self.causal else 1)
        return 2 * self.HQ * pairs * (products_of_k * self.DK + products_of_v * self.DV)

    @property
    def work(self):
        return self.count(1, 1)

    @property
    def values(self):
        starts = list(itertools.accumulate(self.lengths, initial=0))
        return {"T": self.T, "HQ": self.HQ, "H": self.H, "DK": self.DK, "DV": self.DV,
                "CAUSAL": self.causal, "cu_q": starts, "cu_k": starts}


@dataclasses.dataclass(frozen=True)
class VarlenBackward(Varlen):
    family = "varlen-backward"
    kernel = "varlen_backward"
    problem = VarlenBackwardProblem

    @property
    def work(self):
        return self.count(3, 2)


# 16384 tokens; the longest sequence is nearly five times as long as the shortest.
LENGTHS = (2931, 613, 1733, 2210, 2875, 1366, 2659, 1997)
# 16 query heads per key head and heads of unequal sizes; lengths from a third of the longest.
THIRDS = (1024, 342, 877, 611, 498, 960, 725, 389)


def draw(count, low, high):
    """Returns `count` pseudorandom lengths from low to high, the same in every run."""
    generator = random.Random(39)
    return tuple(low + int(generator.random() * (high - low + 1)) for _ in range(count))


# For the forward pass alone: short sequences, one long sequence with many short ones, very short sequences.
MIXES = [draw(64, 64, 448), (8192, *draw(32, 1, 64)), draw(512, 1, 64)]

SIZES = [(LENGTHS, 32, 8, D, D, causal) for D in (128, 64) for causal in (False, True)]
SIZES += [(THIRDS, 32, 2, 192, 128, True)]

SHAPES = [kind(*size) for kind in (Varlen, VarlenBackward) for size in SIZES]
SHAPES += [Varlen(lengths, 32, 8, D, D, causal) for lengths in MIXES for D in (128, 64) for causal in (False, True)]
SHAPES += [VarlenBackward(MIXES[1], 32, 8, D, D, causal) for D in (128, 64) for causal in (False, True)]
