# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and layer norm along rows, limited by memory bandwidth."""

import dataclasses

from . import peers
from .base import Problem, Shape
from .device import torch

EPS = 1e-5


def softmax(x):
    return torch.softmax(x, dim=1)


def layer_norm(x, gain, bias):
    return torch.nn.functional.layer_norm(x, x.shape[1:], gain, bias, EPS)


class RowsProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        x = self.randn(shape.M, shape.N)
        function, arguments, self.inputs = softmax, [x], {"x": x}
        if shape.family == "layer norm":
            gain, bias = self.randn(shape.N), self.randn(shape.N)
            function, arguments = layer_norm, [x, gain, bias]
            self.inputs |= {"gain": gain, "bias": bias, "eps": EPS}
        further = [other.double() for other in arguments[1:]]
        self.expected = {"y": torch.cat([function(rows.double(), *further).float()
                                         for rows in x.split(1024)])}

        def prepare(function):
            return lambda: {"y": function(*arguments)}

        def prepare_triton():
            kernels = peers.load("Triton")
            if shape.family == "layer norm":
                return kernels.layer_norm(*arguments, EPS)
            return kernels.softmax(x)

        self.peers = {"torch": lambda: prepare(function),
                      "torch.compile": lambda: prepare(peers.compiled(function)),
                      "Triton": prepare_triton}

        def prepare_copy():
            y = torch.empty_like(x)
            return lambda: y.copy_(x)

        self.ceilings = {"copy": prepare_copy}


@dataclasses.dataclass(frozen=True)
class Rows(Shape):
    """M rows of N."""

    M: int
    N: int
    family: str
    kernel: str
    T: str = "bf16"
    unit = "GB/s"
    problem = RowsProblem

    @property
    def group(self):
        return self.family

    @property
    def id(self):
        return f"{self.family} {self.M}x{self.N} {self.T}"

    @property
    def work(self):
        """Counts bytes: x is read once and y written once."""
        return 2 * 2 * self.M * self.N

    @property
    def parameters(self):
        return {"T": self.T}

    @property
    def values(self):
        return {"T": self.T, "M": self.M, "N": self.N}


SIZES = [(8192, 8192), (4096, 50257), (32768, 1024), (8192, 4097), (4096, 12289)]

SHAPES = [Rows(*size, family, kernel)
          for family, kernel in (("softmax", "softmax"), ("layer norm", "layer_norm"))
          for size in SIZES]
