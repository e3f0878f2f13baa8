# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kimi delta attention and its gradients, which include the tensors that the forward pass does not keep."""

import dataclasses

from . import peers
from .delta import CHUNK, Delta, DeltaGradients, DeltaGradientsProblem, DeltaProblem, split
from .device import torch

# Gates are LOWEST sigmoid(x), as FlashKDA computes them from x.
LOWEST = -5.0


def chunked(q, k, v, g, beta, scale):
    """Returns o and the final state by operations of torch; L is a multiple of CHUNK.

    Factors have decays to and from the middle of a chunk, so decays of half a chunk must be numbers of the type."""
    q, k, v, g, beta = map(split, (q, k, v, g, beta))
    c = g.cumsum(-2)
    middle, last = c[..., CHUNK // 2, None, :], c[..., -1:, :]
    here, there = k * (c - middle).exp(), k * (middle - c).exp()
    unit = torch.eye(CHUNK, dtype=q.dtype, device=q.device)
    a = unit + (beta[..., None] * (here @ there.mT)).tril(-1)
    solve = torch.linalg.solve_triangular
    u = solve(a, beta[..., None] * v, upper=False, unitriangular=True)
    w = solve(a, beta[..., None] * c.exp() * k, upper=False, unitriangular=True)
    p, before = ((q * (c - middle).exp()) @ there.mT).tril(), q * c.exp()
    after, last = (last - c).exp() * k, last.mT.exp()
    s, rows = q.new_zeros(*q.shape[1:3], q.shape[4], v.shape[4]), []
    for n in range(len(q)):
        e = u[n] - w[n] @ s
        rows.append(scale * (before[n] @ s + p[n] @ e))
        s = last[n] * s + after[n].mT @ e
    return torch.stack(rows).transpose(2, 3).movedim(0, 1).flatten(1, 2), s


class KimiProblem(DeltaProblem):
    def make_gates(self, *size):
        self.raw_gates, self.raw_beta = self.randn(*size, self.shape.D) - 4.0, self.randn(*size)
        return LOWEST * self.raw_gates.float().sigmoid(), self.raw_beta.float().sigmoid()

    def load_fla(self):
        return peers.load("fla of KDA").chunk_kda

    def run_chunked(self, *given):
        return chunked(*given, self.scale)


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


SIZES = [(1, 8192, 16, 128), (4, 4096, 16, 128), (1, 32768, 32, 128), (8, 2048, 32, 64)]
SHAPES = [kind(*size) for kind in (Kimi, KimiGradients) for size in SIZES]
