# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of rows with the matrices of their experts."""

import dataclasses
import itertools

from .base import Problem, Shape, product
from .device import torch


class GroupedProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        counts = shape.counts
        total = sum(counts)
        first = torch.tensor([0, *itertools.accumulate(counts)], dtype=torch.int32, device=device)
        x = self.randn(shape.tokens if shape.gather else total, shape.K)
        w = self.randn(len(counts), shape.K, shape.N)
        self.inputs = {"x": x, "w": w, "first": first, "longest": max(counts)}
        sorted_rows = x
        if shape.gather:
            rows = torch.randint(shape.tokens, (total,), device=device, generator=self.random)
            self.inputs["rows"] = rows.int()
            sorted_rows = x[rows]
        self.expected = {"y": torch.cat([product(part, matrix) for part, matrix
                                         in zip(sorted_rows.split(counts), w)])}

        def prepare():
            if shape.gather:
                return lambda: {"y": torch._grouped_mm(x[rows], w, offs=first[1:])}
            return lambda: {"y": torch._grouped_mm(x, w, offs=first[1:])}

        def prepare_sorted():
            return lambda: torch._grouped_mm(sorted_rows, w, offs=first[1:])

        self.peers = {"torch grouped_mm": prepare}
        if shape.gather:
            # Without the time of sorting the rows.
            self.ceilings = {"torch grouped_mm, rows sorted": prepare_sorted}


@dataclasses.dataclass(frozen=True)
class Grouped(Shape):
    tokens: int
    experts: int
    chosen: int  # experts of a token
    K: int
    N: int
    gather: bool
    is_even: bool = True
    T: str = "bf16"
    family = "grouped"
    group = "grouped"
    kernel = "grouped_matmul"
    problem = GroupedProblem

    @property
    def counts(self):
        """Returns the rows of each expert: equal numbers, or from 0 to twice the mean."""
        total = self.tokens * self.chosen
        if self.is_even:
            return [total // self.experts] * self.experts
        shares = [2 * total * e // (self.experts * (self.experts - 1)) for e in range(self.experts)]
        return [*shares[:-1], total - sum(shares[:-1])]

    @property
    def id(self):
        return (f"grouped {self.tokens}x{self.K}x{self.N} {self.chosen} of {self.experts} experts"
                f"{'' if self.is_even else ', uneven'}{', gathered' if self.gather else ', sorted'}")

    @property
    def parameters(self):
        return {"T": self.T, "GATHER": self.gather}

    @property
    def values(self):
        return {"T": self.T, "GATHER": self.gather, "K": self.K, "N": self.N, "counts": self.counts, "X": self.tokens}

    @property
    def work(self):
        return 2 * sum(self.counts) * self.K * self.N


# Few large experts, and many small ones; each with gathered and with sorted rows.
SIZES = [(8192, 8, 2, 4096, 14336), (8192, 8, 2, 14336, 4096), (8192, 64, 8, 2048, 2816),
         (4096, 128, 8, 7168, 2048), (1024, 64, 4, 2048, 2816)]
SHAPES = [Grouped(*size, gather) for size in SIZES for gather in (True, False)]
SHAPES += [Grouped(*SIZES[0], gather, is_even=False) for gather in (True, False)]
