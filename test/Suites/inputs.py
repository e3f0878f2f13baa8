# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of the cases: float64 arrays with elements of a narrower type, and the random numbers of Philox."""

import numpy as np


def half(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16).astype(np.float64)


def single(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32).astype(np.float64)


def brain(rng, *shape):
    """Elements of bf16, rounded to nearest even."""
    bits = rng.standard_normal(shape).astype(np.float32).view(np.uint32)
    return (bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000).astype(np.uint32).view(np.float32).astype(np.float64)


def philox(seed, offsets):
    """The first word of Philox 4x32-10 (Salmon et al. 2011), for the counter (offset, 0, 0, 0)."""
    mask = np.uint64(0xFFFFFFFF)
    c = [offsets.astype(np.uint64) & mask] + [np.zeros(len(offsets), np.uint64)] * 3
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & mask, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return c[0].astype(np.uint32)


def uniform(seed, offsets):
    """Returns the numbers in [0, 1) of Triton for a seed and offsets."""
    signed = philox(int(seed), np.asarray(offsets)).view(np.int32)
    return np.where(signed < 0, ~signed, signed) * float(np.float32(4.6566127342e-10))
