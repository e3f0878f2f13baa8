# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

import dataclasses

from . import peers
from .base import Problem, ProductShape, product
from .device import torch


class MatmulProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)

        def matrix(rows, columns, order):
            return self.randn(rows, columns) if order == "n" else self.randn(columns, rows)

        self.inputs = {"a": matrix(shape.M, shape.K, shape.form[0]),
                       "b": matrix(shape.K, shape.N, shape.form[1])}
        a, b = (value if order == "n" else value.T
                for value, order in zip(self.inputs.values(), shape.form))
        self.expected = {"c": product(a, b)}

        def prepare():
            c = torch.empty(shape.M, shape.N, dtype=a.dtype, device=device)
            return lambda: {"c": torch.matmul(a, b, out=c)}

        self.peers = {"cuBLAS": prepare}
        # Tensor descriptors of Triton require rows of multiples of 16 bytes.
        if shape.form == "nn" and shape.N % 8 == 0 and shape.K % 8 == 0:
            self.peers["Triton"] = lambda: self.prepare_triton(a, b)

    def prepare_triton(self, a, b):
        c = torch.empty(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
        run = peers.load("Triton").matmul(a, b, c)

        def work():
            run()
            return {"c": c}
        return work


@dataclasses.dataclass(frozen=True)
class Matmul(ProductShape):
    """C[M, N] = A B in one of the four forms of examples/03-matmul."""

    M: int
    N: int
    K: int
    form: str
    T: str
    family = "matmul"
    problem = MatmulProblem

    @property
    def id(self):
        return f"matmul {self.M}x{self.N}x{self.K} {self.form} {self.T}"

    @property
    def group(self):
        return f"matmul {self.T}"

    @property
    def kernel(self):
        return f"matmul_{self.form}"


ALL = ("nn", "nt", "tn", "tt")
BOTH = ("bf16", "f16")

# (M, N, K), forms, types
SIZES = [
    ((8192, 8192, 8192), ALL, BOTH),
    ((4096, 4096, 4096), ALL, BOTH),
    # Linear layers: a small one, projections, a wide and a narrow one, the vocabulary.
    ((512, 4096, 1024), ("nn", "nt"), ("bf16",)),
    ((8192, 4096, 1024), ("nn",), ("bf16",)),
    ((4096, 16384, 4096), ("nn", "nt"), ("bf16",)),
    ((4096, 4096, 16384), ("nn", "nt"), ("bf16",)),
    ((4096, 32000, 2048), ("nt",), ("bf16",)),
    ((4096, 128256, 4096), ("nn", "nt"), ("bf16",)),
    ((16384, 16384, 4096), ("nn",), ("bf16",)),
    # Skinny: few rows, as in decoding, and few columns.
    ((64, 8192, 8192), ("nn", "nt"), ("bf16",)),
    ((128, 16384, 4096), ("nn", "nt"), ("bf16",)),
    ((256, 4096, 4096), ("nn",), ("bf16",)),
    ((16384, 128, 4096), ("nn",), ("bf16",)),
    # Deep: fewer tiles than multiprocessors. Weight gradients have the form tn.
    ((512, 512, 65536), ("nn", "tn"), ("bf16",)),
    ((1024, 1024, 32768), ("tn",), ("bf16",)),
    ((4096, 4096, 65536), ("tn",), ("bf16",)),
    # Shallow: mostly epilogue.
    ((8192, 8192, 512), ("nn",), ("bf16",)),
    ((8192, 8192, 2048), ("nn",), ("bf16",)),
    # Extents that no tile divides, and rows that are not multiples of 16 bytes.
    ((4000, 5000, 3000), ("nn",), ("bf16",)),
    ((4096, 50264, 2048), ("nt",), ("bf16",)),
    ((4096, 50257, 2048), ("nt",), ("bf16",)),
    ((4097, 4099, 4101), ("nn",), ("bf16",)),
]

SHAPES = [Matmul(*sizes, form, dtype)
          for sizes, forms, dtypes in SIZES for dtype in dtypes for form in forms]
