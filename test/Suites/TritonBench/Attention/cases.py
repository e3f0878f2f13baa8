# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, whole, packed, quantised, and its steps in decoding."""

import numpy as np

from inputs import half

D = 64


def causal(m, n, first=0):
    return np.arange(m)[:, None] + first >= np.arange(n)


def attend(s, v, seen=True):
    e = np.where(seen, np.exp(s - np.where(seen, s, -np.inf).max(-1, keepdims=True)), 0)
    return e / e.sum(-1, keepdims=True) @ v


@case("attention_fwd_triton2 attention_forward_triton", "attention", "quantized", rms=5e-3)
@case("attn_fwd_causal attn_fwd_triton", "attention", "quantized", rms=5e-3, CAUSAL=True)
def quantized(rng, CAUSAL=False):
    n, blocks = 150, 3
    q, k = rng.integers(-127, 128, (2, 1, 2, n, 96)).astype(np.int8)
    qs, ks = rng.uniform(0.005, 0.02, (2, 1, 2, blocks)).astype(np.float32).astype(np.float64)
    v = half(rng, 1, 2, n, 96)
    row = np.arange(n) // 64
    s = (q.astype(float) @ k.astype(float).swapaxes(2, 3)) * qs[..., row][..., None] * ks[..., row][..., None, :]
    o = attend(s * np.log(2), v, causal(n, n) | (not CAUSAL))
    return {"q": q, "k": k, "v": v, "q_scale": qs, "k_scale": ks}, {"o": o}


def flash_steps(rng, CAUSAL):
    n = 150
    q, k, v, grad = half(rng, 4, 1, 2, n, D)
    s = 0.125 * q @ k.swapaxes(2, 3)
    e = np.where(causal(n, n) | (not CAUSAL), np.exp(s), 0)
    p = e / e.sum(-1, keepdims=True)
    o = p @ v
    delta = (o * grad).sum(-1)
    ds = 0.125 * p * (grad @ v.swapaxes(2, 3) - delta[..., None])
    grads = {"dq": ds @ k, "dk": ds.swapaxes(2, 3) @ q, "dv": p.swapaxes(2, 3) @ grad}
    return {"q": q, "k": k, "v": v, "scale": 0.125}, grad, o, np.log2(e.sum(-1)), delta, grads


@case("flash_attn triton_attention", "attention", "flash", rms=5e-3)
@case("flash_attn", "attention", "flash", rms=5e-3, CAUSAL=False)
def flash(rng, CAUSAL=True):
    given, _, o, lse, _, _ = flash_steps(rng, CAUSAL)
    return given, {"o": o, "lse": lse}


@case("triton_attention", "attention", "flash_delta", rms=5e-3)
def flash_delta(rng):
    _, grad, o, _, delta, _ = flash_steps(rng, True)
    return {"o": o, "grad": grad}, {"delta": delta}


@case("triton_attention", "attention", "flash_grad", rms=5e-3)
@case("triton_attention", "attention", "flash_grad", rms=5e-3, CAUSAL=False)
def flash_grad(rng, CAUSAL=True):
    given, grad, _, lse, delta, grads = flash_steps(rng, CAUSAL)
    return given | {"grad": grad, "lse": lse, "delta": delta, "dq": np.zeros_like(grad)}, grads


@case("attention_llama", "attention", "cached", rms=5e-3)
@case("attention_llama", "attention", "cached", rms=5e-3, CAUSAL=False, C="f8e5m2")
def cached(rng, CAUSAL=True):
    q, (k, v) = half(rng, 1, 2, 70, D), rng.integers(-4, 5, (2, 1, 2, 150, D)) / 4
    o = attend(0.125 * q @ k.swapaxes(2, 3), v, causal(70, 150, 40) | (not CAUSAL))
    return {"q": q, "k": k, "v": v, "scale": 0.125, "first": 40}, {"o": o}


def in_window(window, m, n, offset, size):
    d = np.arange(m)[:, None] - np.arange(n) + offset
    return [d == d, (d >= 0) & (d < size), d >= size][window]


@case("attention_fwd_triton3", "masked", "windowed", rms=5e-3)
@case("attention_fwd_triton3", "masked", "windowed", rms=5e-3, WINDOW=1)
@case("attention_fwd_triton3", "masked", "windowed", rms=5e-3, WINDOW=2)
@case("attention_fwd_triton3", "masked", "windowed", rms=5e-3, WINDOW=2, LAST=False)
@case("attention_fwd_triton3", "masked", "windowed", rms=5e-3, WINDOW=1, FIRST=False)
def windowed(rng, WINDOW=0, FIRST=True, LAST=True):
    q, k, v = half(rng, 1, 4, 100, D), half(rng, 1, 2, 150, D), half(rng, 1, 2, 150, D)
    s = 0.125 * np.log2(np.e) * q @ np.repeat(k, 2, 1).swapaxes(2, 3)
    s = np.where(in_window(WINDOW, 100, 150, 30, 40), s, -np.inf)
    # The pass before has keys of its own.
    mx, den, acc = half(rng, 1, 4, 100), rng.uniform(1, 9, (1, 4, 100)), half(rng, 1, 4, 100, D)
    given = {"q": q, "k": k, "v": v, "scale": 0.125, "offset": 30, "size": 40, "most": mx, "total": den, "o": acc}
    new = np.maximum(s.max(-1), -np.inf if FIRST else mx)
    p = np.exp2(s - np.where(np.isfinite(new), new, 0)[..., None])
    c = 0 if FIRST else np.exp2(mx - new)
    total, o = p.sum(-1) + c * den, p @ np.repeat(v, 2, 1) + np.expand_dims(c, -1) * acc
    total = np.where(np.isfinite(new), total, 1)
    if not LAST:
        return given, {"most": new, "total": total, "o": o}
    return given, {"most": new + np.log2(total), "total": den, "o": o / total[..., None]}


@case("attention_score", "masked", "column_sums", rms=5e-3)
@case("attention_score", "masked", "column_sums", rms=5e-3, WINDOW=1)
@case("attention_score", "masked", "column_sums", rms=5e-3, WINDOW=2)
def column_sums(rng, WINDOW=0):
    q, k, most = half(rng, 1, 4, 100, D), half(rng, 1, 2, 150, D), half(rng, 1, 4, 100) + 5
    s = 0.125 * np.log2(np.e) * q @ np.repeat(k, 2, 1).swapaxes(2, 3) - most[..., None]
    given = {"q": q, "k": k, "scale": 0.125, "offset": 30, "size": 40, "most": most}
    return given, {"score": np.where(in_window(WINDOW, 100, 150, 30, 40), np.exp2(s), 0).sum(2)}


@case("attention_kernel", "masked", "biased", rms=5e-3)
@case("attention_kernel_aligned", "masked", "biased", rms=1e-2, BASE_2=True, T="bf16")
def biased(rng, BASE_2=False):
    n = 192
    q, k, v = rng.integers(-8, 9, (3, 1, 2, n, D)) / 4
    bias = rng.integers(-8, 9, (1, 2, n, 128)) / 8
    column = np.arange(n)
    s = 0.125 * q @ k.swapaxes(2, 3)
    s = s + (bias[..., column // 64] + bias[..., 64 + column % 64]) * (np.log(2) if BASE_2 else 1)
    return {"q": q, "k": k, "v": v, "bias": bias, "scale": 0.125}, {"o": attend(s, v)}


@case("block_sparse_attn", "masked", "block_sparse", rms=5e-3)
@case("block_sparse_attn", "masked", "block_sparse", rms=5e-3, D=128)
def block_sparse(rng, D=64):
    q, k, v = half(rng, 1, 4, 230, D), half(rng, 1, 2, 230, D), half(rng, 1, 2, 230, D)
    # Two layouts of four rows of blocks.
    rows = [[[0], [0, 1], [2], [1, 3]], [[0], [1], [0, 2], [0, 1, 2, 3]]]
    first = np.array([np.cumsum([0] + [len(row) for row in layout]) for layout in rows], np.int32)
    block = np.zeros((2, 8), np.int32)
    seen = np.zeros((2, 230, 230), bool)
    for l, layout in enumerate(rows):
        block[l, :first[l, -1]] = sum(layout, [])
        for r, row in enumerate(layout):
            for c in row:
                seen[l, r * 64:r * 64 + 64, c * 64:c * 64 + 64] = True
    seen &= causal(230, 230)
    o = attend(0.125 * q @ np.repeat(k, 2, 1).swapaxes(2, 3), np.repeat(v, 2, 1), np.tile(seen, (2, 1, 1)))
    return {"q": q, "k": k, "v": v, "scale": 0.125, "first": first, "block": block}, {"o": o}


@case("mixed_sparse_attention", "masked", "mixed_sparse", rms=5e-3)
def mixed_sparse(rng):
    q, k, v, length = half(rng, 2, 2, 200, D), half(rng, 2, 2, 200, D), half(rng, 2, 2, 200, D), np.array([200, 70])
    blocks, columns = rng.integers(1, 4, (2, 2, 4)), rng.integers(0, 90, (2, 2, 4))
    block, column = rng.integers(0, 140, (2, 2, 4, 3)), rng.integers(0, 70, (2, 2, 4, 90))
    # Each row sees its own key.
    block[..., 0] = 64 * np.arange(4)
    o = np.zeros_like(q)
    for b, h, m in np.ndindex(2, 2, 200):
        r = m // 64
        keys = (block[b, h, r, :blocks[b, h, r], None] + np.arange(64)).ravel()
        keys = np.concatenate([keys[keys <= m], column[b, h, r, :columns[b, h, r]]])
        if m < length[b]:
            o[b, h, m] = attend(0.125 * q[b, h, m] @ k[b, h, keys].T, v[b, h, keys])
    given = {"q": q, "k": k, "v": v, "scale": 0.125, "length": length, "blocks": blocks, "block": block,
             "columns": columns, "column": column, "o": np.zeros_like(q)}
    return {name: x.astype(np.int32) if getattr(x, "dtype", None) == int else x for name, x in given.items()}, {"o": o}


@case("context_attn_nopad", "attention", "packed", rms=5e-3)
@case("context_attn_mistral", "attention", "packed", rms=5e-3, WINDOW=20)
def packed(rng, WINDOW=0):
    heads, window = (1, WINDOW) if WINDOW else (2, 10**6)
    length = np.array([37, 1, 130], np.int32)
    start = (np.cumsum(length) - length).astype(np.int32)
    q, k, v = half(rng, 168, 2, D), half(rng, 168, heads, D), half(rng, 168, heads, D)
    o = np.zeros_like(q)
    for s, n in zip(start, length):
        i = np.arange(n)
        seen = (i[:, None] >= i) & (i > i[:, None] - window)
        for h in range(2):
            own = slice(s, s + n), h * heads // 2
            o[s:s + n, h] = attend(0.125 * q[s:s + n, h] @ k[own].T, v[own], seen)
    given = {"q": q, "k": k, "v": v, "scale": 0.125, "start": start, "length": length, "longest": 130}
    return given | {"o": np.zeros_like(q)}, {"o": o}


@case("context_attn_llama", "attention", "placed", rms=5e-3)
@case("context_attn_bloom", "attention", "placed", rms=5e-3, D=80)
@case("context_attn_fwd", "attention", "placed", rms=5e-3, POOL=False)
def placed(rng, D=64, POOL=True):
    length, cached, request = (np.array(x, np.int32) for x in ([90, 20, 130], [20, 0, 100], [4, 0, 2]))
    count = length - cached
    start = (np.cumsum(count) - count).astype(np.int32)
    q, (k, v) = half(rng, 120, 2, D), half(rng, 2, 1 if POOL else 3, 300 if POOL else 140, 1, D)
    place = np.stack([rng.permutation(300)[:140] for _ in range(5)]).astype(np.int32)
    o = np.zeros_like(q)
    for b in range(3):
        at = (0, place[request[b], :length[b]], 0) if POOL else (b, np.arange(length[b]), 0)
        rows = slice(start[b], start[b] + count[b])
        for h in range(2):
            o[rows, h] = attend(0.125 * q[rows, h] @ k[at].T, v[at], causal(count[b], length[b], cached[b]))
    given = {"q": q, "k": k, "v": v, "scale": 0.125, "start": start, "length": length, "cached": cached, "longest": 70}
    return given | ({"request": request, "place": place} if POOL else {}) | {"o": np.zeros_like(q)}, {"o": o}


@case("flash_decode2_llama flash_decode2_phi", "decoding", "combine")
def combine(rng):
    part, lse, length = half(rng, 3, 2, 7, D), half(rng, 3, 2, 7), np.array([200, 32, 33], np.int32)
    o = np.zeros((3, 2, D))
    for b, n in enumerate((length + 31) // 32):
        o[b] = attend(lse[b, :, None, :n], part[b, :, :n])[:, 0]
    return {"part": part, "lse": lse, "length": length}, {"o": o}


LENGTH = np.array([50, 1, 77], np.int32)
START = (np.cumsum(LENGTH) - LENGTH).astype(np.int32)


@case("token_attn_llama2", "decoding", "scores")
def scores(rng):
    q, k = half(rng, 3, 4, D), half(rng, 200, 2, D)
    place, score = rng.integers(0, 200, (3, 80)).astype(np.int32), np.zeros((4, 128))
    for b, (s, n) in enumerate(zip(START, LENGTH)):
        for h in range(4):
            score[h, s:s + n] = 0.125 * k[place[b, 80 - n:], h // 2] @ q[b, h]
    given = {"q": q, "k": k, "scale": 0.125, "place": place, "start": START, "length": LENGTH}
    return given | {"score": np.zeros_like(score)}, {"score": score}


@case("token_attn_reduceV", "decoding", "weigh")
@case("token_attn_mistral", "decoding", "weigh", WINDOW=33)
def weigh(rng, WINDOW=1000):
    v, place = half(rng, 200, 2, D), rng.integers(0, 200, (5, 80)).astype(np.int32)
    request = np.array([3, 0, 4], np.int32)
    used = np.minimum(LENGTH, WINDOW)
    start = (np.cumsum(used) - used).astype(np.int32)
    p, o = half(rng, 4, used.sum()), np.zeros((3, 4, D))
    for b in range(3):
        at = place[request[b], LENGTH[b] - used[b]:LENGTH[b]]
        for h in range(4):
            o[b, h] = p[h, start[b]:start[b] + used[b]] @ v[at, h // 2]
    return {"p": p, "v": v, "place": place, "request": request, "start": start, "length": LENGTH}, {"o": o}


@case("softmax_reducev", "decoding", "softmax_weigh")
def softmax_weigh(rng):
    score, v, place = half(rng, 2, 128), half(rng, 200, 2, D), rng.integers(0, 200, (3, 80)).astype(np.int32)
    o = np.zeros((3, 2, D))
    for b, (s, n) in enumerate(zip(START, LENGTH)):
        for h in range(2):
            o[b, h] = attend(score[h, s:s + n][None], v[place[b, 80 - n:], h])[0]
    return {"score": score, "v": v, "place": place, "start": START, "length": LENGTH}, {"o": o}
