# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adapters of single rows."""

import numpy as np

ADAPTER = np.array([2, -1, 0, 2, 1])


def half(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16).astype(np.float64)


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
