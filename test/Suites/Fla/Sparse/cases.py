# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of queries to the keys and blocks that they choose."""

import numpy as np

from inputs import half, single

B, N, H, G, D = 1, 150, 2, 16, 64


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return np.nan_to_num(e / e.sum(-1, keepdims=True))


def best(x, k):
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return np.where(np.take_along_axis(x, order, -1) > -np.inf, order, -1)


def attend(q, k, v, kept):
    """kept: [B, heads of k, N, keys]."""
    groups = q.shape[2] // k.shape[2]
    k, v, kept = np.repeat(k, groups, 2), np.repeat(v, groups, 2), np.repeat(kept, groups, 1)
    s = np.where(kept, 0.125 * np.einsum("bihd,bjhd->bhij", q, k), -np.inf)
    return np.einsum("bhij,bjhd->bihd", softmax(s), v), s


@case("dsa", "sparse", "index_scores", rms=2e-3)
def index_scores(rng):
    q, k, w = half(rng, B, N, 3, D), half(rng, B, N, D), single(rng, B, N, 3)
    s = np.einsum("bihj,bih->bij", np.maximum(0.125 * np.einsum("bihd,bjd->bihj", q, k), 0), w)
    s = np.where(np.tri(N, dtype=bool), s, -np.inf)
    return {"q": q, "k": k, "w": w, "scale": 0.125}, {"s": s}


@case("dsa", "sparse", "choose")
def choose(rng):
    s = np.where(np.tri(N, dtype=bool), single(rng, B, N, N), -np.inf)
    return {"s": s, "index": str((B, N, 32))}, {"index": best(s, 32)}


@case("dsa", "sparse", "chosen_keys", rms=3e-3)
def chosen_keys(rng):
    q, k, v = half(rng, B, N, H * G, D), half(rng, B, N, H, D), half(rng, B, N, H, D)
    index = np.stack([rng.permutation(N + 9)[:32] - 9 for _ in range(N)])[None]
    index = np.where(index < 0, -1, index)
    kept = (index[..., None] == np.arange(N)).any(2) & np.tri(N, dtype=bool)
    o, _ = attend(q, k, v, np.repeat(kept[:, None], H, 1))
    return {"q": q, "k": k, "v": v, "index": index, "scale": 0.125}, {"o": o}


@case("nsa", "sparse", "chosen_blocks", rms=3e-3)
def chosen_blocks(rng):
    q, k, v = half(rng, B, N, H * G, D), half(rng, B, N, H, D), half(rng, B, N, H, D)
    block = np.stack([rng.permutation(6)[:4] - 1 for _ in range(N * H)]).reshape(B, N, H, 4)
    block = np.where(block * 32 <= np.arange(N)[:, None, None], block, -1)
    kept = (block[..., None] == np.arange(N) // 32).any(3) & np.tri(N, dtype=bool)[:, None]
    o, _ = attend(q, k, v, kept.swapaxes(1, 2))
    return {"q": q, "k": k, "v": v, "block": block, "scale": 0.125}, {"o": o}


def ended(count):
    return (np.arange(count) + 1) * 32 <= np.arange(N)[:, None] + 1


@case("nsa", "sparse", "compressed", rms=3e-3)
def compressed(rng):
    q, k, v = half(rng, B, N, H * G, D), half(rng, B, 5, H, D), half(rng, B, 5, H, D)
    o, s = attend(q, k, v, np.broadcast_to(ended(5), (B, H, N, 5)))
    with np.errstate(divide="ignore"):
        lse = np.log(np.exp(s).sum(3)).swapaxes(1, 2)
    return {"q": q, "k": k, "v": v, "scale": 0.125}, {"o": o, "lse": lse}


@case("nsa", "sparse", "choose_blocks", rms=0)
def choose_blocks(rng):
    q, k, common = half(rng, B, N, H * G, D), half(rng, B, 5, H, D), np.round(rng.standard_normal(D) * 4) / 16
    # Block 1 has weights of about 0.9, less than the 1 of blocks that come first.
    q, k[:, 1] = np.round((q + common) * 256) / 256, 8 * common
    _, s = attend(q, k, k, np.broadcast_to(ended(5), (B, H, N, 5)))
    p = softmax(s).reshape(B, H, G, N, 5).mean(2)
    p = np.where(ended(5), p, -np.inf)
    own, blocks = np.arange(N)[:, None] // 32, np.arange(5)
    p = np.where((blocks == own) | (blocks == 0) | (blocks == own - 1), 1, p)
    return {"q": q, "k": k, "scale": 0.125, "block": str((B, N, H, 4))}, {"block": best(p, 4).swapaxes(1, 2)}


@case("moba", "sparse", "mixture", rms=3e-3)
def mixture(rng):
    q, k, v = half(rng, 3, B, 300, H, D)
    mean = np.stack([k[:, i:i + 64].mean(1) for i in range(0, 300, 64)], 1).astype(np.float16).astype(float)
    i, own = np.arange(300), np.arange(300) // 64
    gate = np.where(np.arange(5) < own[:, None], np.einsum("bihd,bjhd->bhij", q, mean), -np.inf)
    kept = (best(gate, 2)[..., None] == own).any(3) | (own[:, None] == own)
    o, _ = attend(q, k, v, kept & (i[:, None] >= i))
    return {"q": q, "k": k, "v": v, "mean": mean, "scale": 0.125}, {"o": o}
