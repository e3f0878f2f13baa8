# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes logits that are exact in bf16, words, and their cross entropies."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(3)
x = rng.integers(-32, 33, (7, 131)).astype(np.float32) / 4
target = rng.integers(0, 131, 7).astype(np.int32)
most = x.max(axis=1, keepdims=True).astype(np.float64)
loss = (most + np.log(np.exp(x - most).sum(axis=1, keepdims=True)))[:, 0] - x[np.arange(7), target]
for name, array in ("x", x), ("target", target), ("loss", loss.astype(np.float32)):
    np.save(folder / f"{name}.npy", array)
