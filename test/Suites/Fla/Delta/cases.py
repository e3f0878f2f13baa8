# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Delta rules in chunks, against one step after the other."""

import numpy as np

from inputs import brain, single

B, N, H, K, V = 1, 100, 2, 64, 48


def keys(rng, *shape):
    """Keys of bf16 with a length of about 1."""
    return brain(rng, *shape) / 8


def numbers(rng, low, high, *shape):
    return rng.uniform(low, high, shape).astype(np.float32).astype(float)


def arguments(rng, v_size=V):
    given = {"q": brain(rng, B, N, H, K), "k": keys(rng, B, N, H, K), "v": brain(rng, B, N, H, v_size)}
    return given | {"beta": numbers(rng, 0, 1, B, N, H), "h0": single(rng, B, H, K, v_size), "scale": 0.125}


def outer(k, v):
    return k[..., None] * v[..., None, :]


def read(s, k):
    return np.einsum("bhkv,bhk->bhv", s, k)


def walk(given, change, steps=N):
    """Returns the results 0.125 S^T q and the last state, where change(S, t) yields the state after step t."""
    s, o = given["h0"].copy(), []
    for t in range(steps):
        s = change(s, t)
        o.append(0.125 * read(s, given["q"][:, t]))
    return {"o": np.stack(o, 1), "last": s}


@case("delta_rule", "delta", "delta", rms=5e-3)
@case("gated_delta_rule common", "delta", "delta", rms=5e-3, GATE=1)
@case("comba", "delta", "delta", rms=5e-3, GATE=1, READ=True)
@case("kda", "delta", "delta", rms=5e-3, GATE=2)
def delta(rng, GATE=0, READ=False):
    given = arguments(rng)
    if GATE:
        given["g"] = numbers(rng, -0.3, 0, B, N, H, K if GATE == 2 else 1)
    g, p = given.get("g", np.zeros((B, N, H, 1))), given["k"]
    if READ:
        p = given["p"] = keys(rng, B, N, H, K)

    def change(s, t):
        s = np.exp(g[:, t])[..., None] * s
        return s + given["beta"][:, t, :, None, None] * outer(given["k"][:, t], given["v"][:, t] - read(s, p[:, t]))
    return given, walk(given, change)


@case("gdn2", "delta", "erase_write", rms=5e-3)
def erase_write(rng):
    given = arguments(rng)
    del given["beta"]
    given |= {"g": numbers(rng, -0.3, 0, B, N, H, K), "e": numbers(rng, 0, 1, B, N, H, K),
              "w": numbers(rng, 0, 1, B, N, H, V)}

    def change(s, t):
        g, e, w, k, v = (given[name][:, t] for name in "g e w k v".split())
        s = np.exp(g)[..., None] * s
        return s + outer(k, w * v - read(s, e * k))
    return given, walk(given, change)


@case("generalized_delta_rule/iplr", "delta", "low_rank", rms=5e-3, DECAY=False)
@case("generalized_delta_rule/dplr rwkv7", "delta", "low_rank", rms=5e-3)
def low_rank(rng, DECAY=True):
    given = arguments(rng)
    del given["beta"]
    unit = keys(rng, B, N, H, K)
    given |= {"a": unit, "c": -unit / 2}
    if DECAY:
        given["g"] = numbers(rng, -0.3, 0, B, N, H, K)
    g = given.get("g", np.zeros((B, N, H, K)))

    def change(s, t):
        new = outer(given["k"][:, t], given["v"][:, t]) + outer(given["c"][:, t], read(s, given["a"][:, t]))
        return np.exp(g[:, t])[..., None] * s + new
    return given, walk(given, change)


@case("gated_delta_product", "delta", "product", rms=5e-3)
@case("gated_delta_product", "delta", "product", rms=5e-3, R=4)
def product(rng, R=2):
    given = arguments(rng) | {"g": numbers(rng, -0.3, 0, B, N, H)}
    given |= {"k": keys(rng, B, N, R, H, K), "v": brain(rng, B, N, R, H, V), "beta": numbers(rng, 0, 1, B, N, R, H)}

    def change(s, t):
        s = np.exp(given["g"][:, t])[..., None, None] * s
        for r in range(R):
            k, v, beta = (given[name][:, t, r] for name in ("k", "v", "beta"))
            s = s + beta[..., None, None] * outer(k, v - read(s, k))
        return s
    return given, walk(given, change)


def squares_of(k, g, beta, a0):
    a, kept = a0.copy(), []
    for t in range(N):
        a = np.exp(g[:, t])[..., None] * a + beta[:, t][..., None] * k[:, t]**2
        kept.append(a)
    return np.stack(kept, 1)


def scaled(k, squares, centre):
    r = np.log(squares + 1e-6) - centre[:, None]
    return k * np.exp(-np.log(1.5) * r / (1 + abs(r)))


def sums(rng):
    return {"g_sum": numbers(rng, -0.3, 0, B, N, H), "beta_sum": numbers(rng, 0, 1, B, N, H),
            "centre": single(rng, H), "a0": numbers(rng, 0, 1, B, H, K)}


@case("atk", "preconditioned", "precondition", rms=4e-3)
def precondition(rng):
    k, (g, beta, centre, a0) = keys(rng, B, N, H, K), sums(rng).values()
    squares = squares_of(k, g, beta, a0)
    given = {"k": k, "g": g, "beta": beta, "centre": centre, "a0": a0}
    return given, {"y": scaled(k, squares, centre), "last": squares[:, -1]}


@case("precond_gated_delta_rule", "preconditioned", "preconditioned", rms=5e-3)
@case("precond_kda", "preconditioned", "preconditioned", rms=5e-3, ROWS=True, NORMAL=False)
def preconditioned(rng, ROWS=False, NORMAL=True):
    given = arguments(rng) | sums(rng) | {"g": numbers(rng, -0.3, 0, B, N, H, K if ROWS else 1)}
    unit = (lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)) if NORMAL else lambda x: x
    q, k = unit(given["q"]), unit(given["k"])
    new = scaled(k, squares_of(k, given["g_sum"], given["beta_sum"], given["a0"]), given["centre"])

    def change(s, t):
        s = np.exp(given["g"][:, t])[..., None] * s
        value = given["v"][:, t] - read(s, k[:, t])
        return s + given["beta"][:, t, :, None, None] * outer(new[:, t], value)
    return given, walk(given | {"q": q}, change)


@case("gated_oja_rule", "preconditioned", "oja", rms=5e-3)
def oja(rng):
    given = arguments(rng, 64) | {"g": numbers(rng, -0.3, 0, B, N, H, 64)}
    given["v"] = keys(rng, B, N, H, 64)

    def change(s, t):
        s = np.exp(given["g"][:, t])[:, :, None] * s
        v = given["v"][:, t]
        new = given["beta"][:, t][..., None] * (given["k"][:, t] - np.einsum("bhkv,bhv->bhk", s, v))
        return s + outer(new, v)
    return given, walk(given, change)
