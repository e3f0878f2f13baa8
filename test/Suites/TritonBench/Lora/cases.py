# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adapters of single rows and of sequences."""

import numpy as np

from inputs import half

ADAPTER = np.array([2, -1, 0, 2, 1])


@case("bgmv_shrink_kernel", "lora", "shrink")
def shrink(rng):
    x, a = half(rng, 5, 500), half(rng, 3, 16, 500)
    y = np.where(ADAPTER[:, None] >= 0, 0.5 * np.einsum("bk,brk->br", x, a[ADAPTER]), 0)
    return {"x": x, "a": a, "adapter": ADAPTER, "scale": 0.5, "y": np.zeros((5, 16))}, {"y": y}


def expand_case(rng, add, first, width):
    x, a, y = half(rng, 5, 16), half(rng, 3, 150, 16), half(rng, 5, width)
    new = y.copy()
    for b in np.flatnonzero(ADAPTER >= 0):
        new[b, first:first + 150] = add * y[b, first:first + 150] + a[ADAPTER[b]] @ x[b]
    return {"x": x, "a": a, "adapter": ADAPTER, "first": first, "y": y}, {"y": new}


@case("lora_expand_gemv", "lora", "expand")
def expand(rng):
    return expand_case(rng, True, 0, 150)


@case("bgmv_expand_slice", "lora", "expand")
def expand_slice(rng):
    return expand_case(rng, True, 40, 200)


@case("lora_expand_gemv bgmv_expand_slice", "lora", "expand", ADD=False)
def expand_new(rng):
    return expand_case(rng, False, 40, 200)


@case("sgmv_expand_slice", "lora", "expand_sequences", rms=5e-3)
@case("sgmv_expand_slice", "lora", "expand_sequences", rms=5e-3, ADD=False)
def expand_sequences(rng, ADD=True):
    length = np.array([70, 1, 20, 0, 9], np.int32)
    start = (np.cumsum(length) - length).astype(np.int32)
    x, a, y = half(rng, 100, 16), half(rng, 3, 150, 16), half(rng, 100, 200)
    new = y.copy()
    for s in np.flatnonzero(ADAPTER >= 0):
        rows = slice(start[s], start[s] + length[s])
        new[rows, 40:190] = ADD * y[rows, 40:190] + x[rows] @ a[ADAPTER[s]].T
    given = {"x": x, "a": a, "adapter": ADAPTER, "start": start, "length": length, "longest": 70, "first": 40, "y": y}
    return given, {"y": new}
