# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Base classes of all families: shapes, and the arrays of one shape with its peers."""

from .device import torch

# The largest relative RMS error against float64. The bars of results are those of the examples. Peers may be slightly
# less accurate, but not by the precision of another type.
BARS = {"bf16": 5e-3, "f16": 2e-3}
PEER_BAR = 1e-2
# Elements of a result compared at once
CHUNK = 1 << 26


class Shape:
    """One line of the table. Subclasses are frozen dataclasses with these attributes:

    - id, group: its name, and the table of its line
    - kernel: the computation, `computes` in configurations.toml or the name of a kernel in that file
    - parameters: compile-time parameters that its kernel must have
    - values: the values of a case of the example that the shape determines, such as sizes, types and choices
    - work: operations, or bytes if `unit` is GB/s
    - problem: its Problem
    """

    unit = "TFLOP/s"
    parameters = {}
    values = {}

    def make_problem(self, device="cuda"):
        return self.problem(self, device)


class ProductShape(Shape):
    """A product of M x K by K x N; its fields are the values of a case."""

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
    """Arrays of a shape on a device. A subclass sets these attributes:

    - inputs: arguments of our kernels by name; missing arrays are allocated
    - expected: results by name, computed in float64
    - peers: {name: prepare}; prepare() returns a function that computes some of the results
    - ceilings: the same for only a part of the work, such as its product; results are not compared
    """

    def __init__(self, shape, device="cuda"):
        self.shape, self.device = shape, device
        self.random = torch.Generator(device).manual_seed(1)
        self.inputs, self.expected, self.peers, self.ceilings = {}, {}, {}, {}

    def randn(self, *size, dtype=None):
        dtype = dtype or getattr(torch, {"bf16": "bfloat16", "f16": "float16"}[self.shape.T])
        return torch.randn(size, dtype=dtype, device=self.device, generator=self.random)

    def check(self, results, bar=None):
        """Raises a ValueError if a result differs from the expected one; a peer may omit results."""
        known = [name for name in self.expected if name in results]
        if not known:
            raise ValueError(f"none of {', '.join(self.expected)} among the results")
        for name in known:
            error = relative_error(results[name], self.expected[name])
            if not error <= (bar or BARS[self.shape.T]):
                raise ValueError(f"{name} has a relative error of {error:.1e}")


def relative_error(result, expected):
    """Returns the relative RMS error; works on slices of rows, as a whole result in float64 may not fit."""
    if result.shape != expected.shape:
        raise ValueError(f"a result has the shape {list(result.shape)}, expected {list(expected.shape)}")
    wrong = size = 0.0
    rows = max(1, CHUNK * len(expected) // max(1, expected.numel()))
    for some, other in zip(result.split(rows), expected.split(rows)):
        other = other.double()
        wrong += (some.double() - other).square().sum().item()
        size += other.square().sum().item()
    return (wrong / size) ** 0.5


def product(a, b):
    """Returns a b in float64, rounded to float32; works on slices of rows."""
    result = torch.empty(a.shape[0], b.shape[1], dtype=torch.float32, device=a.device)
    b = b.double()
    for some, rows in zip(a.split(2048), result.split(2048)):
        rows.copy_(some.double() @ b)
    return result
