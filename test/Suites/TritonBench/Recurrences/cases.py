# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums and linear recurrences."""

import numpy as np

from inputs import single as array


def reverse_sum(x, axis):
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


@case("chunk_cumsum_kernel", "recurrences", "running")
def running(rng):
    s = array(rng, 6, 150)
    return {"s": s}, {"o": np.cumsum(s, 1)}


@case("reversed_cumsum_scalar", "recurrences", "running", REVERSE=True)
def running_back(rng):
    s = array(rng, 6, 150)
    return {"s": s}, {"o": reverse_sum(s, 1)}


@case("chunk_cumsum_vector", "recurrences", "running_vectors")
def running_vectors(rng):
    s = array(rng, 3, 70, 50)
    return {"s": s}, {"o": np.cumsum(s, 1)}


@case("reversed_cumsum", "recurrences", "running_vectors", REVERSE=True)
def running_vectors_back(rng):
    s = array(rng, 3, 70, 50)
    return {"s": s}, {"o": reverse_sum(s, 1)}


def states(x, g, h0):
    h, o = h0, []
    for t in range(x.shape[1]):
        h = g[:, t] * h + x[:, t]
        o.append(h)
    return np.stack(o, 1)


@case("fused_recurrent_hgrn", "recurrences", "gated")
def gated(rng):
    x, g, h0 = array(rng, 2, 40, 50), rng.uniform(0, 1, (2, 40, 50)), array(rng, 2, 50)
    o = states(x, g, h0)
    return {"x": x, "g": g, "h0": h0}, {"o": o, "last": o[:, -1]}


@case("fused_recurrent_hgrn", "recurrences", "gated_grad")
def gated_grad(rng):
    x, g, h0, grad = array(rng, 2, 40, 50), rng.uniform(0, 1, (2, 40, 50)), array(rng, 2, 50), array(rng, 2, 40, 50)
    o = states(x, g, h0)
    dx, dh = np.zeros_like(x), np.zeros((2, 50))
    for t in reversed(range(40)):
        dh = dh + grad[:, t]
        dx[:, t] = dh
        dh = dh * g[:, t]
    return {"g": g, "o": o, "h0": h0, "grad": grad}, {"dx": dx, "dg": dx * np.concatenate([h0[:, None], o[:, :-1]], 1)}


@case("fused_rwkv6_kernel", "recurrences", "rwkv6")
def rwkv6(rng, order=1):
    q, k, w = array(rng, 3, 2, 2, 20, 32)
    w, v, u, h0 = -np.exp(w), array(rng, 2, 2, 20, 50), array(rng, 2, 32), array(rng, 2, 2, 32, 50)
    state, o = h0.copy(), np.zeros_like(v)
    for t in range(20)[::order]:
        outer = k[:, :, t, :, None] * v[:, :, t, None]
        o[:, :, t] = ((state + outer * u[:, :, None]) * (0.25 * q[:, :, t, :, None])).sum(2)
        state = state * np.exp(w[:, :, t, :, None]) + outer
    return {"q": q, "k": k, "v": v, "w": w, "u": u, "scale": 0.25, "h0": h0}, {"o": o, "last": state}


@case("fused_rwkv6_kernel", "recurrences", "rwkv6", REVERSE=True)
def rwkv6_back(rng):
    return rwkv6(rng, -1)


@case("attention_fwd_triton1", "recurrences", "linear", rms=5e-3)
def linear(rng):
    q, k, v = (array(rng, 2, 100, 64).astype(np.float16).astype(np.float64) for _ in "qkv")
    state, o, before = np.zeros((2, 64, 64)), np.zeros_like(v), []
    for t in range(0, 100, 32):
        part = slice(t, t + 32)
        before.append(state)
        o[:, part] = 0.125 * (q[:, part] @ k[:, part].swapaxes(1, 2) @ v[:, part] + q[:, part] @ state)
        state = state + k[:, part].swapaxes(1, 2) @ v[:, part]
    return {"q": q, "k": k, "v": v, "scale": 0.125}, {"o": o, "states": np.stack(before, 1)}
