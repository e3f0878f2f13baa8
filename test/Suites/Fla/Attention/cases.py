# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with a softmax, polynomials, decays and reflections, against whole matrices of scores."""

import numpy as np

from inputs import half, single

B, N, HQ, H, D = 1, 150, 4, 2, 64


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def grouped(x):
    """Heads of the queries."""
    return np.repeat(x, HQ // H, 2)


def seen(window=N):
    distance = np.arange(N)[:, None] - np.arange(N)
    return (distance >= 0) & (distance < window)


def scores(q, k):
    return np.einsum("bihd,bjhd->bhij", q, grouped(k))


def gates(rng, *shape):
    return np.cumsum(-rng.uniform(0, 0.2, (B, N, *shape)), 1).astype(np.float32).astype(float)


def inputs(rng, make):
    return {"q": make(rng, B, N, HQ, D), "k": make(rng, B, N, H, D), "v": make(rng, B, N, H, D), "scale": 0.125}


@case("attn", "softmax", "attention", rms=3e-3)
@case("attn", "softmax", "attention", rms=3e-3, WINDOW=True, SINK=True)
@case("forgetting_attn", "softmax", "attention", rms=3e-3, GATE=True)
@case("parallax", "softmax", "attention", rms=3e-3, SECOND=True)
def attention(rng, WINDOW=False, GATE=False, SINK=False, SECOND=False):
    given = inputs(rng, half)
    s = 0.125 * scores(given["q"], given["k"])
    if GATE:
        c = given["c"] = gates(rng, HQ)
        s = s + c.transpose(0, 2, 1)[..., None] - c.transpose(0, 2, 1)[:, :, None]
    s = np.where(seen(70 if WINDOW else N), s, -np.inf)
    if WINDOW:
        given["window"] = 70
    if SINK:
        given["sink"] = single(rng, HQ)
        s = np.concatenate([s, np.broadcast_to(given["sink"][:, None, None], (B, HQ, N, 1))], 3)
    p = softmax(s)[..., :N]
    if SECOND:
        given["r"] = half(rng, B, N, HQ, D) / 8
        p2 = p * scores(given["r"], given["k"])
        p = p * (1 + p2.sum(3, keepdims=True)) - p2
    return given, {"o": np.einsum("bhij,bjhd->bihd", p, grouped(given["v"]))}


@case("attn", "softmax", "decode", rms=3e-3)
def decode(rng):
    cu = np.array([0, 100, 100, 150], np.int32)
    q, k, v = half(rng, 3, 16, D), half(rng, N, 2, D), half(rng, N, 2, D)
    o = np.zeros_like(q)
    for b in range(3):
        part = slice(cu[b], cu[b + 1])
        if cu[b] < cu[b + 1]:
            s = 0.125 * np.einsum("hd,nhd->hn", q[b], np.repeat(k[part], 8, 1))
            o[b] = np.einsum("hn,nhd->hd", softmax(s), np.repeat(v[part], 8, 1))
    return {"q": q, "k": k, "v": v, "cu": cu, "scale": 0.125}, {"o": o}


@case("wall_attn", "softmax", "wall", rms=3e-3)
def wall(rng):
    given = inputs(rng, single)
    q, k, v, _ = given.values()
    c = given["c"] = gates(rng, HQ, D)
    s = np.zeros((B, HQ, N, N))
    for i in range(N):
        s[:, :, i, :i + 1] = 0.125 * np.einsum("bhd,bjhd,bjhd->bhj", q[:, i], grouped(k)[:, :i + 1],
                                               np.exp(c[:, i, None] - c[:, :i + 1]))
    p = softmax(np.where(seen(), s, -np.inf))
    return given, {"o": np.einsum("bhij,bjhd->bihd", p, grouped(v))}


@case("based", "softmax", "polynomial", rms=3e-3)
@case("rebased", "softmax", "polynomial", rms=3e-3, SQUARE=True)
def polynomial(rng, SQUARE=False):
    q, k, v = half(rng, B, H, N, 16), half(rng, B, H, N, 16), half(rng, B, H, N, D)
    s = 0.25 * q @ k.swapaxes(2, 3)
    w = np.tril(s * s if SQUARE else 1 + s + s * s / 2)
    return {"q": q, "k": k, "v": v, "scale": 0.25}, {"o": w @ v / (w.sum(3, keepdims=True) + 1e-6)}


@case("attnres", "softmax", "residuals", rms=2e-3)
def residuals(rng):
    x, query, weight = half(rng, 8, 50, 256), single(rng, 256), single(rng, 256)
    k = x / np.sqrt((x * x).mean(2, keepdims=True) + 1e-6) * weight
    p = softmax((k @ query * 0.1).T).T
    given = {"x": x, "query": query, "weight": weight, "eps": 1e-6, "scale": 0.1}
    return given, {"o": np.einsum("ln,lnd->nd", p, x), "p": p}


@case("deltaformer", "products", "values", rms=4e-3)
def values(rng):
    q, k, v = single(rng, 3, B, N, H, D)
    beta = rng.uniform(0, 1, (B, N, H)).astype(np.float32).astype(float)
    s, u = 0.125 * np.einsum("bihd,bjhd->bhij", q, k), v.copy()
    for i in range(1, N):
        p = softmax(s[:, :, i, :i])
        u[:, i] -= beta[:, i, :, None] * np.einsum("bhj,bjhd->bhd", p, u[:, :i])
    return {"q": q, "k": k, "v": v, "beta": beta, "scale": 0.125, "u": 0 * u}, {"u": u}


def reflections(rng):
    k, w = single(rng, 2, B, N, H, D)
    w = (w / np.linalg.norm(w, axis=3, keepdims=True)).astype(np.float32).astype(float)
    return k, w, rng.uniform(0, 1, (B, N, H)).astype(np.float32).astype(float)


def reflected_keys(k, w, beta):
    """Returns the results of `reflected`, from products of reflections one by one."""
    keys, y, x = k.copy(), np.zeros_like(w), np.zeros((B, H, -(-N // 64), 64, 64))
    for t in range(N):
        start = t - t % 64
        a = np.einsum("bhd,bjhd->bhj", w[:, t], keys[:, start:t]) * beta[:, t][..., None]
        x[:, :, t // 64, t - start, :t - start] = a
        keys[:, start:t] -= np.einsum("bhj,bhd->bjhd", a, w[:, t])
        # Row t of y: beta w, minus the products with earlier rows.
        product = np.einsum("bhd,bjhd->bhj", w[:, t], w[:, start:t])
        y[:, t] = beta[:, t][..., None] * (w[:, t] - np.einsum("bhj,bjhd->bhd", product, y[:, start:t]))
    return keys, y, x


@case("path_attn", "products", "reflected", rms=4e-3)
def reflected(rng):
    k, w, beta = reflections(rng)
    keys, y, x = reflected_keys(k, w, beta)
    return {"k": k, "w": w, "beta": beta}, {"keys": keys, "y": y, "x": x}


@case("path_attn", "products", "path", rms=4e-3)
def path(rng):
    k, w, beta = reflections(rng)
    keys, y, x = (t.astype(np.float32).astype(float) for t in reflected_keys(k, w, beta))
    q, v, c = single(rng, B, N, HQ, D), single(rng, B, N, H, D), gates(rng, HQ)
    s = np.full((B, HQ, N, N), -np.inf)
    moved, wq, bq = np.zeros((B, 0, HQ, D)), grouped(w), grouped(beta)
    for i in range(N):
        product = np.einsum("bjhd,bhd->bjh", moved, wq[:, i])[..., None]
        moved = moved - bq[:, i, None, :, None] * product * wq[:, i, None]
        moved = np.concatenate([moved, grouped(k)[:, i:i + 1]], 1)
        s[:, :, i, :i + 1] = np.einsum("bhd,bjhd->bhj", q[:, i], moved)
    ct = c.transpose(0, 2, 1)
    p = softmax(0.125 * (s + ct[..., None] - ct[:, :, None]))
    given = {"q": q, "k": k, "v": v, "w": w, "keys": keys, "y": y, "x": x, "c": c, "scale": 0.125}
    return given, {"o": np.einsum("bhij,bjhd->bihd", p, grouped(v))}
