# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kimi delta attention and its gradients, which include the tensors that the forward pass does not keep."""

import dataclasses

from . import peers
from .delta import CHUNK, SIZES, Delta, DeltaGradients, DeltaGradientsProblem, DeltaProblem, run_chunks
from .device import torch

# Gates are LOWEST sigmoid(x), as FlashKDA computes them from x.
LOWEST = -5.0


def multiply(q, k, c):
    """Returns q kᵀ and k kᵀ; the decay of an element is split at the middle of a chunk.

    The type must represent the decay of half a chunk."""
    middle = c[..., CHUNK // 2, None, :]
    to, back = (c - middle).exp(), (middle - c).exp()
    return ((q * to) @ (k * back).mT).tril(), (k * to) @ (k * back).mT


class KimiProblem(DeltaProblem):
    def make_gates(self, *size):
        self.raw_gates, self.raw_beta = self.randn(*size, self.shape.D) - 4.0, self.randn(*size)
        return LOWEST * self.raw_gates.float().sigmoid(), self.raw_beta.float().sigmoid()

    def load_fla(self):
        return peers.load("fla of KDA").chunk_kda

    def run_chunks(self, *given):
        return run_chunks(*given, self.scale, multiply)


class KimiForwardProblem(KimiProblem):
    """FlashKDA computes only the forward pass, in bf16 and with heads of 128. It normalises q and k again, and computes the
    gates and beta from their inputs."""

    def find_peers(self):
        found = super().find_peers()
        return found | {"FlashKDA": self.prepare_flash_kda} if self.shape.D == 128 else found

    def prepare_flash_kda(self):
        run = peers.load("FlashKDA").fwd
        q, k, v = (self.tensors[name] for name in "qkv")
        heads, final = self.shape.H, torch.empty_like(self.expected["final"].mT, memory_format=torch.contiguous_format)
        rates, bias = (q.new_zeros(*size, dtype=torch.float32) for size in ((heads,), (heads, self.shape.D)))
        o = torch.empty_like(v)

        def launch():
            run(q, k, v, self.raw_gates, self.raw_beta, self.scale, o, A_log=rates, dt_bias=bias, lower_bound=LOWEST,
                initial_state=None, final_state=final, cu_seqlens=None)
            return {"o": o, "final": final.mT}
        return launch


class KimiGradientsProblem(KimiProblem, DeltaGradientsProblem):
    pass


@dataclasses.dataclass(frozen=True)
class Kimi(Delta):
    family = "kda"
    kernel = "kda"
    problem = KimiForwardProblem


@dataclasses.dataclass(frozen=True)
class KimiGradients(DeltaGradients):
    family = "kda-gradients"
    kernel = "kda_gradients"
    problem = KimiGradientsProblem


SHAPES = [kind(*size) for kind in (Kimi, KimiGradients) for size in SIZES]
