# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of what bench.py measures."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Matmul:
    """C[M, N] = A B in one of the four forms of examples/03-matmul."""

    M: int
    N: int
    K: int
    form: str
    T: str
    family = "matmul"

    @property
    def id(self):
        return f"matmul {self.M}x{self.N}x{self.K} {self.form} {self.T}"

    @property
    def group(self):
        return f"matmul {self.T}"

    @property
    def flops(self):
        return 2 * self.M * self.N * self.K

    @property
    def kernel(self):
        return f"matmul_{self.form}"

    @property
    def parameters(self):
        return {"T": self.T}


@dataclasses.dataclass(frozen=True)
class Attention:
    """Attention forward over B sequences of S tokens, H heads of D."""

    B: int
    S: int
    D: int
    causal: bool
    T: str = "bf16"
    family = "attention"
    kernel = "flash_fwd"

    @property
    def H(self):
        return 2048 // self.D

    @property
    def id(self):
        mask = "causal" if self.causal else "full"
        return f"{self.family} {self.B}x{self.S} {self.H} heads of {self.D} {mask} {self.T}"

    @property
    def group(self):
        return f"{self.family} {self.D} {'causal' if self.causal else 'full'}"

    @property
    def flops(self):
        """Of what is not masked away."""
        return 4 * self.B * self.H * self.S * self.S * self.D // (2 if self.causal else 1)

    @property
    def parameters(self):
        return {"T": self.T, "D": self.D, "CAUSAL": self.causal}


@dataclasses.dataclass(frozen=True)
class HandWrittenAttention(Attention):
    """The same by a kernel that is written at the level of `sm`, which a tree may lack."""

    family = "attention-sm"
    kernel = "attention"

    @property
    def parameters(self):
        return {}


ALL = ("nn", "nt", "tn", "tt")
BOTH = ("bf16", "f16")

# (M, N, K), forms, types
MATMULS = [
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
    # Deep: less tiles than multiprocessors. Weight gradients are of the form tn.
    ((512, 512, 65536), ("nn", "tn"), ("bf16",)),
    ((1024, 1024, 32768), ("tn",), ("bf16",)),
    ((4096, 4096, 65536), ("tn",), ("bf16",)),
    # Shallow: all epilogue.
    ((8192, 8192, 512), ("nn",), ("bf16",)),
    ((8192, 8192, 2048), ("nn",), ("bf16",)),
    # What no tile divides, and rows that are no multiple of 16 bytes.
    ((4000, 5000, 3000), ("nn",), ("bf16",)),
    ((4096, 50264, 2048), ("nt",), ("bf16",)),
    ((4096, 50257, 2048), ("nt",), ("bf16",)),
    ((4097, 4099, 4101), ("nn",), ("bf16",)),
]

TOKENS = 16384
SEQUENCES = (1024, 2048, 4096, 8192, 16384)


def load_shapes():
    shapes = [Matmul(*sizes, form, dtype)
              for sizes, forms, dtypes in MATMULS for dtype in dtypes for form in forms]
    shapes += [Attention(TOKENS // S, S, D, causal)
               for D in (128, 64) for causal in (False, True) for S in reversed(SEQUENCES)]
    shapes += [HandWrittenAttention(TOKENS // S, S, 128, False) for S in reversed(SEQUENCES)]
    return shapes
