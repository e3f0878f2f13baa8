# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit numbers with scales per block of 128."""

import dataclasses

from .base import Problem, ProductShape, product
from .device import torch

BLOCK = 128


class ScaledProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        blocks, columns = -(-shape.K // BLOCK), -(-shape.N // BLOCK)

        def numbers(*size):
            return (50 * self.randn(*size)).to(torch.float8_e4m3fn)

        def scales(*size):
            return self.randn(*size, dtype=torch.float32).exp() / 50

        a, b = numbers(shape.M, shape.K), numbers(shape.N, shape.K)
        sa, sb = scales(blocks, shape.M), scales(columns, blocks)
        self.inputs = {"a": a, "sa": sa, "b": b, "sb": sb}

        def spread(x, dim, size):
            return x.repeat_interleave(BLOCK, dim).narrow(dim, 0, size)

        self.expected = {"c": product(
            a.double() * spread(sa.T, 1, shape.K),
            (b.double() * spread(spread(sb, 0, shape.N), 1, shape.K)).T)}

        def prepare_blocks():
            return lambda: {"c": torch._scaled_mm(a, b.T, sa.T, sb.T, out_dtype=torch.bfloat16)}

        self.peers = {"cuBLASLt in blocks": prepare_blocks}

        def prepare_whole():
            one = torch.ones((), device=device)
            return lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.bfloat16)

        # One scale per tensor, and sums in the precision of the tensor cores.
        self.ceilings = {"cuBLASLt with one scale": prepare_whole}


@dataclasses.dataclass(frozen=True)
class Scaled(ProductShape):
    M: int
    N: int
    K: int
    T: str = "bf16"
    F: str = "f8e4m3"
    family = "scaled"
    group = "scaled"
    kernel = "scaled_matmul"
    problem = ScaledProblem

    @property
    def id(self):
        return f"scaled {self.M}x{self.N}x{self.K} {self.F}"

    @property
    def parameters(self):
        return {"T": self.T, "F": self.F}


# Square ones, and layers of a mixture of experts.
SHAPES = [Scaled(*size) for size in
          ((8192, 8192, 8192), (4096, 4096, 4096), (4096, 7168, 2048), (4096, 4096, 7168),
           (128, 7168, 2048))]
