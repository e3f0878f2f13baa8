# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memories that are trained or solved at each position, states by levels, and states of several GPUs."""

import numpy as np

from inputs import half, single

B, N, H, D = 1, 100, 2, 64


def numbers(rng, low, high, *shape):
    return rng.uniform(low, high, shape).astype(np.float32).astype(float)


def normal(x):
    centred = x - x.mean(-1, keepdims=True)
    r = (np.mean(centred**2, -1, keepdims=True) + 1e-6)**-0.5
    return centred * r, r


def layer(rng):
    q, k, v = single(rng, 3, B, N, H, D)
    return {"q": q, "k": k / 8, "v": v, "w": numbers(rng, 0.5, 1.5, H, D), "bias": single(rng, H, D) / 4, "eps": 1e-6}


@case("ttt", "memory", "ttt", rms=5e-3)
def ttt(rng):
    given = layer(rng) | {"eta": numbers(rng, 0, 0.02, B, N, H), "scale": 0.125}
    q, k, v, w, bias, _, eta, scale = given.values()
    o, s, s_bias = np.zeros_like(v), np.zeros((B, H, D, D)), np.zeros((B, H, D))
    for start in range(0, N, 16):
        part = range(start, min(start + 16, N))
        changes = []
        for t in part:
            hat, r = normal(np.einsum("bhd,bhde->bhe", k[:, t], s) + s_bias)
            g = (hat * w + bias - v[:, t] + k[:, t]) * w
            mean = g.mean(2, keepdims=True) + hat * (g * hat).mean(2, keepdims=True)
            changes.append((g - mean) * r)
            # Queries of a chunk see the steps so far, with the rate of the query.
            step = np.einsum("bhd,jbhd,jbhe->bhe", scale * q[:, t], np.stack([k[:, j] for j in part[:len(changes)]]),
                             changes) + np.sum(changes, 0)
            x = np.einsum("bhd,bhde->bhe", scale * q[:, t], s) + s_bias - eta[:, t][..., None] * step
            o[:, t] = x + normal(x)[0] * w + bias
        rate = eta[:, part[-1]][..., None]
        s = s - rate[..., None] * sum(k[:, t, :, :, None] * c[..., None, :] for t, c in zip(part, changes))
        s_bias = s_bias - rate * np.sum(changes, 0)
    return given, {"o": o, "last": s, "last_bias": s_bias}


@case("titans", "memory", "titans", rms=5e-3)
def titans(rng):
    given = layer(rng) | {"theta": numbers(rng, 0, 1e-4, B, N, H), "alpha": numbers(rng, 0, 0.2, B, N, H),
                          "eta": numbers(rng, 0, 0.5, B, N, H)}
    q, k, v, w, bias, _, theta, alpha, eta = given.values()
    o, m, s = np.zeros_like(v), np.zeros((B, H, D, D)), np.zeros((B, H, D, D))
    for t in range(N):
        start = m if t % 16 == 0 else start
        hat, r = normal(np.einsum("bhd,bhde->bhe", k[:, t], start))
        g = (hat * w + bias - v[:, t] + k[:, t]) * w
        change = D * g - (g.sum(2, keepdims=True) + hat * (g * hat).sum(2, keepdims=True)) * r / D
        s = eta[:, t, :, None, None] * s - 2 * (theta[:, t, :, None] * k[:, t])[..., None] * change[..., None, :]
        m = (1 - alpha[:, t, :, None, None]) * m + s
        x = np.einsum("bhd,bhde->bhe", q[:, t], m)
        o[:, t] = x + normal(x)[0] * w + bias
    return given, {"o": o, "last": m}


@case("mesa_net", "memory", "mesa", rms=5e-3)
def mesa(rng):
    q, k, v = single(rng, 3, B, N, H, D)
    k = k / 8
    given = {"q": q, "k": k.astype(np.float32).astype(float), "v": v, "g": numbers(rng, -0.1, 0, B, N, H),
             "beta": numbers(rng, 0, 1, B, N, H), "lamb": numbers(rng, 0.5, 1, H, D)}
    _, k, _, g, beta, lamb = given.values()
    z, s, o = np.zeros((B, H, D, D)), np.zeros((B, H, D, D)), np.zeros_like(v)
    for t in range(N):
        bk = beta[:, t, :, None, None] * k[:, t][..., None]
        z = np.exp(g[:, t])[..., None, None] * z + bk * k[:, t][..., None, :]
        s = np.exp(g[:, t])[..., None, None] * s + bk * v[:, t][..., None, :]
        x = np.linalg.solve(z + lamb[..., None] * np.eye(D), q[:, t][..., None])
        o[:, t] = (x * s).sum(2)
    return given, {"o": o, "keys": z, "values": s}


def level(t, s):
    return int(t ^ s).bit_length()


@case("log_linear_attn", "memory", "levels", rms=3e-3)
def levels(rng):
    q, k, v = half(rng, 3, B, N, H, D)
    c, factor = np.cumsum(numbers(rng, -0.2, 0, B, N, H), 1).astype(np.float32).astype(float), single(rng, B, N, H, 8)
    w = np.tril(np.einsum("bihd,bjhd->bhij", q, k))
    for t, s in zip(*np.tril_indices(N)):
        w[:, :, t, s] *= np.exp(c[:, t] - c[:, s]) * factor[:, t, :, level(t, s)]
    given = {"q": q, "k": k, "v": v, "c": c, "factor": factor}
    return given, {"o": np.einsum("bhij,bjhd->bihd", w, v)}


@case("cp", "memory", "parts")
def parts(rng):
    m, added = single(rng, 4, H, D, D) / 8, single(rng, 4, H, D, 80)
    m, s, before = m.astype(np.float32).astype(float), np.zeros((H, D, 80)), []
    for r in range(4):
        before.append(s)
        s = added[r] + m[r] @ s
    return {"m": m, "added": added}, {"before": np.stack(before)}
