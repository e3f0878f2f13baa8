# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention in chunks, against one step after the other."""

import numpy as np

from inputs import half, single

B, N, H, D = 1, 100, 2, 64


def scan(q, k, v, g, h0, scale, bonus=0):
    """Returns the results and the last state of S = exp(g) S + k v^T, where g has the shape of S without some axes."""
    o, s = np.zeros_like(v), h0.copy()
    for t in range(q.shape[1]):
        s = np.exp(g[:, t]) * s + k[:, t, :, :, None] * v[:, t, :, None]
        o[:, t] = scale * np.einsum("bhk,bhkv->bhv", q[:, t], s)
    return o, s


def rates(GATE, rng):
    """Returns the logarithms of the decays, of the shape [B, N, H, 1, 1]."""
    h = np.arange(H)
    g = [0.0 * h, np.log1p(-2.0**(-5 - h)), -0.1 * h, -rng.uniform(0, 0.2, (B, N, H)).astype(np.float32)][GATE]
    return np.broadcast_to(g, (B, N, H)).astype(float)[..., None, None]


def given_rates(GATE, g):
    return {"g": g[..., 0, 0]} if GATE == 3 else {"rate": 0.1} if GATE == 2 else {}


@case("linear_attn", "linear", "linear", rms=2e-3)
@case("linear_attn", "linear", "linear", rms=2e-3, NORMAL=True)
@case("retention", "linear", "linear", rms=2e-3, GATE=1)
@case("lightning_attn", "linear", "linear", rms=2e-3, GATE=2)
@case("simple_gla common", "linear", "linear", rms=2e-3, GATE=3)
def linear(rng, GATE=0, NORMAL=False):
    q, k, v, h0 = half(rng, B, N, H, D), half(rng, B, N, H, D), half(rng, B, N, H, 80), single(rng, B, H, D, 80)
    if NORMAL:
        q, k = abs(q), abs(k)
    g = rates(GATE, rng)
    o, last = scan(q, k, v, g, h0, 0.125)
    if NORMAL:
        o = o / (0.125 * (q * np.cumsum(k, 1)).sum(3, keepdims=True))
    return {"q": q, "k": k, "v": v, "h0": h0, "scale": 0.125} | given_rates(GATE, g), {"o": o, "last": last}


@case("linear_attn", "linear", "linear_grad", rms=3e-3)
@case("retention", "linear", "linear_grad", rms=3e-3, GATE=1)
@case("lightning_attn", "linear", "linear_grad", rms=3e-3, GATE=2)
@case("simple_gla common", "linear", "linear_grad", rms=3e-3, GATE=3)
def linear_grad(rng, GATE=0):
    q, k, v, grad = half(rng, 4, B, N, H, D)
    g = rates(GATE, rng)
    c = np.cumsum(g[..., 0, 0], 1).transpose(0, 2, 1)
    weights = 0.125 * np.tril(np.exp(c[..., None] - c[:, :, None]))
    p, dp = (weights * np.einsum("bihd,bjhd->bhij", a, b) for a, b in ((q, k), (grad, v)))
    dq, dk = np.einsum("bhij,bjhd->bihd", dp, k), np.einsum("bhij,bihd->bjhd", dp, q)
    given = {"q": q, "k": k, "v": v, "grad": grad, "scale": 0.125} | given_rates(GATE, g)
    expected = {"dq": dq, "dk": dk, "dv": np.einsum("bhij,bihd->bjhd", p, grad)}
    if GATE == 3:
        # g[t] is in c[i] for all i from t on, and c[i] has the gradient q dq - k dk.
        change = (q * dq - k * dk).sum(3)
        given["dg"], expected["dg"] = 0 * change, np.cumsum(change[:, ::-1], 1)[:, ::-1]
    return given, expected


def gated(rng, *shape):
    return -rng.uniform(0, 0.3, shape).astype(np.float32).astype(float)


@case("gla", "gated", "rows", rms=3e-3)
def rows(rng):
    q, k, v, h0 = single(rng, B, N, H, D), single(rng, B, N, H, D), single(rng, B, N, H, 80), single(rng, B, H, D, 80)
    g = gated(rng, B, N, H, D)
    o, last = scan(q, k, v, g[..., None], h0, 0.125)
    return {"q": q, "k": k, "v": v, "g": g, "h0": h0, "scale": 0.125}, {"o": o, "last": last}


@case("gla", "gated", "rows_grad", rms=4e-3)
def rows_grad(rng):
    q, k, v, grad = single(rng, 4, B, N, H, D)
    g = gated(rng, B, N, H, D)
    c = np.cumsum(g, 1)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for t in range(N):
        decay = 0.125 * np.exp(c[:, t, None] - c[:, :t + 1])
        dp = np.einsum("bhd,bjhd->bjh", grad[:, t], v[:, :t + 1])[..., None] * decay
        dq[:, t] = (dp * k[:, :t + 1]).sum(1)
        dk[:, :t + 1] += dp * q[:, t, None]
        p = (q[:, t, None] * decay * k[:, :t + 1]).sum(3, keepdims=True)
        dv[:, :t + 1] += p * grad[:, t, None]
    dg = np.cumsum((q * dq - k * dk)[:, ::-1], 1)[:, ::-1]
    given = {"q": q, "k": k, "v": v, "g": g, "grad": grad, "scale": 0.125, "dq": 0 * dq}
    return given, {"dq": dq, "dk": dk, "dv": dv, "dg": dg}


@case("rwkv6", "gated", "rwkv6", rms=3e-3)
def rwkv6(rng):
    q, k, v, h0 = single(rng, B, N, H, D), single(rng, B, N, H, D), single(rng, B, N, H, 80), single(rng, B, H, D, 80)
    g, u = gated(rng, B, N, H, D), single(rng, H, D)
    o, s = np.zeros_like(v), h0.copy()
    for t in range(N):
        kv = k[:, t, :, :, None] * v[:, t, :, None]
        o[:, t] = 0.125 * np.einsum("bhk,bhkv->bhv", q[:, t], s + u[..., None] * kv)
        s = np.exp(g[:, t])[..., None] * s + kv
    return {"q": q, "k": k, "v": v, "g": g, "u": u, "h0": h0, "scale": 0.125}, {"o": o, "last": s}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@case("gsa", "gated", "slots", rms=3e-3)
def slots(rng):
    q, k, v = single(rng, 3, B, N, H, D)
    g = gated(rng, B, N, H, 64)
    weight = (1 - np.exp(g)).astype(np.float32).astype(float)
    score, _ = scan(q, k, weight, g[..., None, :], np.zeros((B, H, D, 64)), 0.125)
    o, _ = scan(softmax(score), weight, v, g[..., None], np.zeros((B, H, 64, D)), 1)
    return {"q": q, "k": k, "v": v, "weight": weight, "g": g, "scale": 0.125}, {"o": o}


@case("abc", "gated", "bounded", rms=3e-3)
def bounded(rng):
    (q, k, v), s = single(rng, 3, B, N, H, D), single(rng, B, N, H, 64)
    e = np.exp(s)
    total = np.cumsum(e, 1)
    keys, values = (np.cumsum(e[..., None] * x[..., None, :], 1) / total[..., None] for x in (k, v))
    p = softmax(0.125 * np.einsum("bnhd,bnhmd->bnhm", q, keys))
    return {"q": q, "k": k, "v": v, "s": s, "scale": 0.125}, {"o": np.einsum("bnhm,bnhmd->bnhd", p, values)}
