# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes that bench.py measures: one file per family, with its shapes, their arrays and their peers.

The shapes need no torch."""

import importlib

FAMILIES = (
    "matmul", "attention", "attention_backward", "gated", "varlen", "lola", "logp", "rows",
    "decoding", "scaled", "grouped", "delta", "kda",
)


def load_shapes():
    return [shape for name in FAMILIES
            for shape in importlib.import_module(f"families.{name}").SHAPES]
