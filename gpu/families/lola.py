# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoLA: layer norm, linear layer and GELU in one pass. The column sums of the weight are inputs, as they are
computed once per weight."""

import dataclasses

from . import peers
from .base import Problem, ProductShape
from .device import torch

EPS = 1e-5


def eager(x, w, bias):
    normal = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=EPS)
    return torch.nn.functional.gelu(torch.nn.functional.linear(normal, w.T, bias),
                                    approximate="tanh")


def with_epilogue(x, w, bias):
    """Computes bias and GELU in the epilogue of cuBLASLt."""
    normal = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=EPS)
    return torch._addmm_activation(bias, normal, w, use_gelu=True)


class LolaProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        x, bias = self.randn(shape.M, shape.K), self.randn(shape.N)
        w = (self.randn(shape.K, shape.N).float() / shape.K**0.5).to(x.dtype)
        # The bias is f32, as if a shift were folded into it.
        self.inputs = {"x": x, "w": w, "bias": bias.float(), "eps": EPS,
                       "wsum": w.double().sum(0).float(), "shift": bias.float()}
        double = w.double(), bias.double()
        # Float64 of all rows at once would not fit in memory for the largest shape.
        self.expected = {"y": torch.cat([eager(rows.double(), *double).float()
                                         for rows in x.split(1024)])}

        def prepare(function):
            return lambda: lambda: {"y": function(x, w, bias)}

        self.peers = {
            "torch": prepare(eager),
            "torch with cuBLASLt": prepare(with_epilogue),
            "torch.compile": lambda: prepare(peers.compiled(eager))(),
        }

        def prepare_product():
            y = torch.empty(shape.M, shape.N, dtype=x.dtype, device=device)
            return lambda: torch.mm(x, w, out=y)

        self.ceilings = {"cuBLAS product": prepare_product}


@dataclasses.dataclass(frozen=True)
class Lola(ProductShape):
    M: int
    K: int
    N: int
    T: str = "f16"
    family = "lola"
    group = "lola"
    kernel = "lola"
    problem = LolaProblem

    @property
    def id(self):
        return f"lola {self.M}x{self.K}x{self.N} {self.T}"


# The first shape is that of the publication of the method.
SHAPES = [Lola(*size) for size in
          ((512, 1024, 4096), (8192, 1024, 4096), (4096, 4096, 16384), (16384, 4096, 16384))]
