# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all families have in common: shapes, and the arrays of one shape with its peers."""

from .device import torch

# The largest relative RMS error beside float64. Results in bf16 are as those of the examples; peers
# may be somewhat worse, but not by another type.
BARS = {"bf16": 5e-3, "f16": 2e-3}
PEER_BAR = 1e-2
# Elements of a result that are compared at once
CHUNK = 1 << 26


class Shape:
    """One line of the table. Subclasses are frozen dataclasses and say

    id, group    its name, and the table that it stands in
    kernel       what it computes: `computes` in configurations.toml, or the name of a kernel there
    parameters   compile-time parameters that a kernel for it must have
    values       all that a case of an example says, as far as the shape decides it: sizes, types,
                 choices
    work         operations, or with `unit` GB/s bytes
    problem      its Problem
    """

    unit = "TFLOP/s"
    parameters = {}
    values = {}

    def make_problem(self, device="cuda"):
        return self.problem(self, device)


class ProductShape(Shape):
    """A product of M x K by K x N, whose fields are what a case says."""

    @property
    def work(self):
        return 2 * self.M * self.N * self.K

    @property
    def parameters(self):
        return {"T": self.T}

    @property
    def values(self):
        return vars(self)


class Problem:
    """Arrays of a shape, on a device. A subclass fills in

    inputs     arguments of our kernels by name; what else they want is made for them
    expected   results by name, computed in float64
    peers      {name: prepare}; prepare() returns a function that computes some of the results
    ceilings   the same for work that is only part of the shape's, such as its product; not compared
    """

    def __init__(self, shape, device="cuda"):
        self.shape, self.device = shape, device
        self.random = torch.Generator(device).manual_seed(1)
        self.inputs, self.expected, self.peers, self.ceilings = {}, {}, {}, {}

    def randn(self, *size, dtype=None):
        dtype = dtype or getattr(torch, {"bf16": "bfloat16", "f16": "float16"}[self.shape.T])
        return torch.randn(size, dtype=dtype, device=self.device, generator=self.random)

    def check(self, results, bar=None):
        """Raises ValueError for results that are not as expected; a peer may lack some."""
        known = [name for name in self.expected if name in results]
        if not known:
            raise ValueError(f"none of {', '.join(self.expected)} among the results")
        for name in known:
            error = relative_error(results[name], self.expected[name])
            if not error <= (bar or BARS[self.shape.T]):
                raise ValueError(f"{name} has a relative error of {error:.1e}")


def relative_error(result, expected):
    """Relative RMS error, in pieces of rows, as a whole result in float64 may not fit."""
    if result.shape != expected.shape:
        raise ValueError(f"a result of {list(result.shape)} in place of {list(expected.shape)}")
    wrong = size = 0.0
    rows = max(1, CHUNK * len(expected) // max(1, expected.numel()))
    for some, other in zip(result.split(rows), expected.split(rows)):
        other = other.double()
        wrong += (some.double() - other).square().sum().item()
        size += other.square().sum().item()
    return (wrong / size) ** 0.5


def product(a, b):
    """a b in float64, rounded to float32, in pieces of rows."""
    result = torch.empty(a.shape[0], b.shape[1], dtype=torch.float32, device=a.device)
    b = b.double()
    for some, rows in zip(a.split(2048), result.split(2048)):
        rows.copy_(some.double() @ b)
    return result
