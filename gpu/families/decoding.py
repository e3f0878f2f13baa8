# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of one new query per sequence over its cache of keys and values, limited by memory bandwidth."""

import dataclasses

from . import attention_math, attention_peers, peers
from .base import Problem, Shape
from .device import torch


class DecodingProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        scale = shape.D**-0.5
        q = self.randn(shape.B, shape.G * shape.H, shape.D)
        k, v = (self.randn(shape.B, shape.L, shape.H, shape.D) for _ in range(2))
        lengths = torch.full((shape.B,), shape.L, dtype=torch.int32, device=device)
        self.inputs = {"q": q, "k": k, "v": v, "lengths": lengths, "M": 1, "scale": scale}
        self.expected = {"o": torch.stack([
            attention_math.forward(q[b, :, None], k[b].transpose(0, 1), v[b].transpose(0, 1), scale,
                                   False)[:, 0] for b in range(shape.B)])}
        # Peers are faster if the keys of a head are dense; making them dense is not timed.
        query, caches = q[:, :, None], [x.transpose(1, 2).contiguous() for x in (k, v)]

        def prepare_backend(name):
            return lambda: lambda: {
                "o": attention_peers.sdpa(name, query, *caches, scale, False)[:, :, 0]}

        def prepare_flash4(num_splits):
            def prepare():
                flash = peers.load("FlashAttention-4")
                return lambda: {"o": flash._flash_attn_fwd(q[:, None], k, v, softmax_scale=scale,
                                                           num_splits=num_splits)[0][:, 0]}
            return prepare

        # With 0 FlashAttention-4 chooses the number of splits of a sequence itself. The default, 1, is measured as
        # well, in case 0 does not compile.
        self.peers = {**{name: prepare_backend(name) for name in attention_peers.BACKENDS},
                      "FlashAttention-4": prepare_flash4(0),
                      "FlashAttention-4 in one part": prepare_flash4(1)}

        def prepare_copy():
            half = k.flatten()
            target = torch.empty_like(half)
            return lambda: target.copy_(half)

        # The copy reads and writes as many bytes as the keys, in total the bytes of keys and values.
        self.ceilings = {"copy": prepare_copy}


@dataclasses.dataclass(frozen=True)
class Decoding(Shape):
    """B sequences of L keys, H key heads, each shared by G query heads."""

    B: int
    L: int
    H: int
    G: int
    D: int = 128
    T: str = "bf16"
    family = "decoding"
    group = "decoding"
    kernel = "decode"
    unit = "GB/s"
    problem = DecodingProblem

    @property
    def id(self):
        return f"decoding {self.B}x{self.L} {self.G * self.H}/{self.H} heads of {self.D} {self.T}"

    @property
    def work(self):
        """Counts bytes: keys and values are read once; other data is small."""
        return 2 * 2 * self.B * self.L * self.H * self.D

    @property
    def values(self):
        return {**vars(self), "M": 1, "PAGE": 0, "lengths": [self.L] * self.B}


SHAPES = [Decoding(8, 8192, 32, 1), Decoding(32, 8192, 8, 4), Decoding(4, 32768, 8, 8), Decoding(1, 131072, 8, 8)]
