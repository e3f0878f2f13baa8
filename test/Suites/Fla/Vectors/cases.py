# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrences of vectors, and operations that the families share."""

import numpy as np

from inputs import half, single

B, N, D = 2, 150, 50


def walk(x, g, h0):
    h, o = h0, []
    for t in range(N):
        h = np.exp(g[:, t]) * h + x[:, t]
        o.append(h)
    return np.stack(o, 1)


def rates(rng, *shape):
    return -rng.uniform(0, 0.5, shape).astype(np.float32).astype(float)


@case("hgrn", "vectors", "gated")
def gated(rng):
    x, g, h0 = single(rng, B, N, D), rates(rng, B, N, D), single(rng, B, D)
    o = walk(x, g, h0)
    return {"x": x, "g": g, "h0": h0}, {"o": o, "last": o[:, -1]}


@case("hgrn", "vectors", "gated_grad")
def gated_grad(rng):
    x, g, h0, grad = single(rng, B, N, D), rates(rng, B, N, D), single(rng, B, D), single(rng, B, N, D)
    o = walk(x, g, h0).astype(np.float32).astype(float)
    dh, dx, dg = np.zeros((B, D)), np.zeros_like(x), np.zeros_like(x)
    for t in reversed(range(N)):
        dh = dh + grad[:, t]
        dx[:, t] = dh
        dh = dh * np.exp(g[:, t])
        dg[:, t] = dh * (o[:, t - 1] if t else h0)
    return {"g": g, "o": o, "h0": h0, "grad": grad}, {"dx": dx, "dg": dg, "dh0": dh}


@case("rwkv4", "vectors", "rwkv4")
def rwkv4(rng):
    w, u, k, v = rates(rng, D), single(rng, D), single(rng, B, N, D), single(rng, B, N, D)
    o = np.zeros_like(v)
    for t in range(N):
        e = np.exp(k[:, :t] + w * np.arange(t - 1, -1, -1)[:, None])
        own = np.exp(u + k[:, t])
        o[:, t] = ((e * v[:, :t]).sum(1) + own * v[:, t]) / (e.sum(1) + own)
    return {"w": w, "u": u, "k": k, "v": v}, {"o": o}


@case("utils common", "vectors", "sums")
@case("utils common", "vectors", "sums", REVERSE=True)
@case("utils common", "vectors", "sums", LOCAL=False)
@case("utils common", "vectors", "sums", LOCAL=False, REVERSE=True)
def sums(rng, LOCAL=True, REVERSE=False):
    x, y = single(rng, B, N, D), np.zeros((B, N, D))
    for t in range(0, N, 64 if LOCAL else N):
        part = x[:, t:t + (64 if LOCAL else N)]
        part = np.cumsum(part[:, ::-1], 1)[:, ::-1] if REVERSE else np.cumsum(part, 1)
        y[:, t:t + part.shape[1]] = part
    return {"x": x}, {"y": y}


@case("utils", "vectors", "log_sums")
def log_sums(rng):
    x = 10 * single(rng, B, N, D)
    x = x.astype(np.float32).astype(float)
    return {"x": x}, {"y": np.logaddexp.accumulate(x, 1)}


@case("utils", "vectors", "softmax")
def softmax(rng):
    x = single(rng, 37, 256)
    total = np.exp(x).sum(1, keepdims=True)
    return {"x": x}, {"p": np.exp(x) / total, "lse": np.log(total)[:, 0]}


@case("utils moba nsa", "vectors", "means", rms=1e-3)
def means(rng):
    x = half(rng, B, N, 2, 64)
    return {"x": x}, {"y": np.stack([x[:, t:t + 64].mean(1) for t in range(0, N, 64)], 1)}


@case("utils", "vectors", "pack", rms=0)
@case("utils", "vectors", "pack", rms=0, UNPACK=True)
def pack(rng, UNPACK=False):
    cu, padded = np.array([0, 40, 41, 91], np.int32), half(rng, 3, 50, 100)
    for b in range(3):
        padded[b, cu[b + 1] - cu[b]:] = 0
    packed = np.concatenate([padded[b, :cu[b + 1] - cu[b]] for b in range(3)])
    given = {"cu": cu, "count": 50, "longest": 50}
    padded = padded.reshape(150, 100)
    x, y = (packed, padded) if UNPACK else (padded, packed)
    return given | {"x": x, "y": 0 * y}, {"y": y}
