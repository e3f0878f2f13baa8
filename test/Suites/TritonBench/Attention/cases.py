# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, whole, packed, quantised, and its steps in decoding."""

import numpy as np

from inputs import half

D = 64


def attend(s, v, seen=True):
    e = np.where(seen, np.exp(s - np.where(seen, s, -np.inf).max(-1, keepdims=True)), 0)
    return e / e.sum(-1, keepdims=True) @ v


def quantized_case(rng, causal):
    n, blocks = 150, 3
    q, k = rng.integers(-127, 128, (2, 1, 2, n, 96)).astype(np.int8)
    qs, ks = rng.uniform(0.005, 0.02, (2, 1, 2, blocks)).astype(np.float32).astype(np.float64)
    v = half(rng, 1, 2, n, 96)
    row = np.arange(n) // 64
    s = (q.astype(float) @ k.astype(float).swapaxes(2, 3)) * qs[..., row][..., None] * ks[..., row][..., None, :]
    o = attend(s * np.log(2), v, (np.arange(n)[:, None] >= np.arange(n)) | (not causal))
    return {"q": q, "k": k, "v": v, "q_scale": qs, "k_scale": ks}, {"o": o}


@case("attention_fwd_triton2 attention_forward_triton", "attention", "quantized", rms=5e-3)
def quantized(rng):
    return quantized_case(rng, False)


@case("attn_fwd_causal attn_fwd_triton", "attention", "quantized", rms=5e-3, CAUSAL=True)
def quantized_causal(rng):
    return quantized_case(rng, True)


def flash_case(rng, causal):
    n = 150
    q, k, v = half(rng, 3, 1, 2, n, D)
    s = 0.125 * q @ k.swapaxes(2, 3)
    seen = (np.arange(n)[:, None] >= np.arange(n)) | (not causal)
    lse = np.log2(np.where(seen, np.exp(s), 0).sum(-1))
    return {"q": q, "k": k, "v": v, "scale": 0.125}, {"o": attend(s, v, seen), "lse": lse}


@case("flash_attn", "attention", "flash", rms=5e-3)
def flash_causal(rng):
    return flash_case(rng, True)


@case("flash_attn", "attention", "flash", rms=5e-3, CAUSAL=False)
def flash(rng):
    return flash_case(rng, False)


def packed_case(rng, heads, window=10**6):
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


@case("context_attn_nopad", "attention", "packed", rms=5e-3)
def packed(rng):
    return packed_case(rng, 2)


@case("context_attn_mistral", "attention", "packed", rms=5e-3, WINDOW=20)
def packed_window(rng):
    return packed_case(rng, 1, 20)


@case("context_attn_llama", "attention", "placed", rms=5e-3)
def placed(rng):
    length, cached, request = (np.array(x, np.int32) for x in ([90, 20, 130], [20, 0, 100], [4, 0, 2]))
    count = length - cached
    start = (np.cumsum(count) - count).astype(np.int32)
    q, k, v = half(rng, 120, 2, D), half(rng, 300, 1, D), half(rng, 300, 1, D)
    place = np.stack([rng.permutation(300)[:140] for _ in range(5)]).astype(np.int32)
    o = np.zeros_like(q)
    for b in range(3):
        at = place[request[b], :length[b]]
        seen = np.arange(cached[b], length[b])[:, None] >= np.arange(length[b])
        rows = slice(start[b], start[b] + count[b])
        for h in range(2):
            o[rows, h] = attend(0.125 * q[rows, h] @ k[at, 0].T, v[at, 0], seen)
    given = {"q": q, "k": k, "v": v, "scale": 0.125, "start": start, "length": length, "cached": cached,
             "request": request, "place": place, "longest": 70, "o": np.zeros_like(q)}
    return given, {"o": o}


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


def weigh_case(rng, window):
    v, place = half(rng, 200, 2, D), rng.integers(0, 200, (5, 80)).astype(np.int32)
    request = np.array([3, 0, 4], np.int32)
    used = np.minimum(LENGTH, window)
    start = (np.cumsum(used) - used).astype(np.int32)
    p, o = half(rng, 4, used.sum()), np.zeros((3, 4, D))
    for b in range(3):
        at = place[request[b], LENGTH[b] - used[b]:LENGTH[b]]
        for h in range(4):
            o[b, h] = p[h, start[b]:start[b] + used[b]] @ v[at, h // 2]
    return {"p": p, "v": v, "place": place, "request": request, "start": start, "length": LENGTH}, {"o": o}


@case("token_attn_reduceV", "decoding", "weigh")
def weigh(rng):
    return weigh_case(rng, 1000)


@case("token_attn_mistral", "decoding", "weigh", WINDOW=33)
def weigh_window(rng):
    return weigh_case(rng, 33)


@case("softmax_reducev", "decoding", "softmax_weigh")
def softmax_weigh(rng):
    score, v, place = half(rng, 2, 128), half(rng, 200, 2, D), rng.integers(0, 200, (3, 80)).astype(np.int32)
    o = np.zeros((3, 2, D))
    for b, (s, n) in enumerate(zip(START, LENGTH)):
        for h in range(2):
            o[b, h] = attend(score[h, s:s + n][None], v[place[b, 80 - n:], h])[0]
    return {"score": score, "v": v, "place": place, "start": START, "length": LENGTH}, {"o": o}
