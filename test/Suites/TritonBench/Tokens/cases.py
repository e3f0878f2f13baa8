# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers and scatters of tokens, caches, rotary embeddings."""

import numpy as np

from inputs import half

D = 64


@case("embedding_triton_kernel", "gathers", "embedding")
def embedding(rng):
    weight, token = half(rng, 30, D), rng.integers(0, 90, 45).astype(np.int32)
    own = (token >= 25) & (token < 55)
    y = np.where(own[:, None], weight[np.where(own, token - 25, 0)], 0)
    return {"weight": weight, "token": token, "first": 25}, {"y": y}


@case("index_select_cat", "gathers", "select_rows")
def select_rows(rng):
    x, index = half(rng, 50, 100), rng.integers(0, 50, 37)
    return {"x": x, "index": index}, {"y": x[index]}


@case("index_select_bwd destindex_copy_kv2", "gathers", "place_rows")
def place_rows(rng):
    x, index, y = half(rng, 37, 100), rng.permutation(50)[:37].astype(np.int32), half(rng, 50, 100)
    new = y.copy()
    new[index] = x
    return {"x": x, "index": index, "y": y}, {"y": new}


@case("destindex_copy destindex_copy_kv1 destindex_copy_kv2", "gathers", "place_tokens")
def place_tokens(rng):
    x, index, y = half(rng, 21, 3, D), rng.permutation(50)[:21].astype(np.int32), half(rng, 50, 3, D)
    new = y.copy()
    new[index] = x
    return {"x": x, "index": index, "y": y}, {"y": new}


def place_quantized_case(rng, group, scale_type):
    x, index = half(rng, 21, 3, D // group, group), rng.permutation(50)[:21].astype(np.int32)
    x[..., 0] = 4.0
    scale = (np.abs(x).max(3) / 127).astype(scale_type).astype(np.float64)[..., None]
    # Quotients are truncated. Elements whose quotient is almost an integer become 0.
    quotient = x / scale
    near = np.abs(quotient - np.round(quotient)) < 0.02
    near[..., 0] = False
    x = np.where(near, 0, x)
    y, s = np.zeros((50, 3, D), np.int8), np.zeros((50, 3, D // group))
    largest = (x[..., :1] / scale).astype(np.float32)
    y[index] = np.concatenate([largest, x[..., 1:] / scale], 3).astype(np.int8).reshape(21, 3, D)
    s[index] = scale[..., 0]
    given = {"x": x.reshape(21, 3, D), "index": index, "y": np.zeros_like(y), "scale": np.zeros_like(s)}
    return given, {"y": y, "scale": s}


@case("quantize_copy_kv", "gathers", "place_quantized")
def place_quantized(rng):
    return place_quantized_case(rng, D, np.float16)


@case("quantize_kv_transform", "gathers", "place_quantized", S="f32")
def place_quantized_f32(rng):
    return place_quantized_case(rng, D, np.float32)


@case("quantize_kv_copy", "gathers", "place_quantized", G=8)
def place_quantized_groups(rng):
    return place_quantized_case(rng, 8, np.float16)


@case("var_len_copy", "gathers", "copy_sequences")
def copy_sequences(rng):
    x, y = half(rng, 400), half(rng, 500)
    start, length, to = (np.array(t, np.int32) for t in ([0, 70, 200], [70, 1, 150], [9, 100, 300]))
    new = y.copy()
    for s, n, t in zip(start, length, to):
        new[t:t + n] = x[s:s + n]
    return {"x": x, "y": y, "start": start, "length": length, "to": to, "longest": 150}, {"y": new}


@case("masked_select", "gathers", "masked_select")
def masked_select(rng):
    x, mask = half(rng, 500), rng.random(500) < 0.3
    return {"x": x, "mask": mask, "count": np.cumsum(mask), "y": np.zeros(mask.sum())}, {"y": x[mask]}


@case("apply_penalty", "gathers", "penalize")
def penalize(rng):
    logits, first = half(rng, 3, 200), np.array([0, 80, 80, 99], np.int32)
    token = np.concatenate([rng.permutation(200)[:80], rng.permutation(200)[:19]]).astype(np.int32)
    count = rng.integers(1, 9, 99).astype(np.int32)
    presence, frequency, repetition = rng.uniform(0.5, 2, (3, 3)).astype(np.float32).astype(np.float64)
    new = logits.copy()
    for s in range(3):
        p = slice(first[s], first[s + 1])
        x = logits[s, token[p]]
        x = np.where(x > 0, x / repetition[s], x * repetition[s])
        new[s, token[p]] = x - count[p] * frequency[s] - presence[s]
    given = {"logits": logits, "presence": presence, "frequency": frequency, "repetition": repetition, "token": token,
             "count": count, "first": first, "longest": 80}
    return given, {"logits": new}


@case("kv_cache_copy kcache_copy_triton", "gathers", "append")
@case("kv_cache_copy", "gathers", "append", X=8)
@case("kcache_copy_triton", "gathers", "append", X=8, TOKENS=3)
def append(rng, TOKENS=1, X=D):
    k, length = half(rng, 4 * TOKENS, 2, D), np.array([3, 9, 16, 17], np.int32)
    table, cache = rng.permutation(12).reshape(4, 3).astype(np.int32), half(rng, 12, 2, D // X, 8, X)
    new = cache.copy()
    for t in range(4 * TOKENS):
        at = length[t // TOKENS] - TOKENS + t % TOKENS
        new[table[t // TOKENS, at // 8], :, :, at % 8] = k[t].reshape(2, D // X, X)
    return {"k": k, "table": table, "length": length, "block": 8, "cache": cache}, {"cache": new}


@case("cache_transform_triton", "gathers", "token_rows")
def token_rows(rng):
    table, length = half(rng, 40, D), np.array([20, 1, 33], np.int32)
    first = (np.cumsum(length) - length).astype(np.int32)
    given = {"table": table, "length": length, "first": first, "longest": 33, "y": np.zeros((54, D))}
    return given, {"y": np.concatenate([table[:n] for n in length])}


@case("cache_transform_triton", "gathers", "token_rows", PREFILL=False)
def last_token_rows(rng):
    table, length = half(rng, 40, D), np.array([20, 1, 33], np.int32)
    return {"table": table, "length": length, "y": np.zeros((3, D))}, {"y": table[length - 1]}


def turn(x, c, s, neighbours):
    u, v = (x[..., ::2], x[..., 1::2]) if neighbours else (x[..., :D // 2], x[..., D // 2:])
    u, v = u * c - v * s, u * s + v * c
    return np.stack([u, v], -1).reshape(x.shape) if neighbours else np.concatenate([u, v], -1)


@case("fast_rope_embedding rope_embedding rope_transform rotary_transform rotary_transform_ops", "rotary", "rotate")
@case("fast_rope_embedding rope_embedding rope_transform rope_backward_transform rotary_transform rotary_transform_ops",
      "rotary", "rotate", BACKWARD=True)
@case("rotary_transform rotary_transform_ops", "rotary", "rotate", NEIGHBOURS=True)
def rotate(rng, NEIGHBOURS=False, BACKWARD=False):
    x, c, s = half(rng, 2, 37, 3, D), half(rng, 50, D // 2), half(rng, 50, D // 2)
    offset = np.array([0, 5], np.int32)
    at = offset[:, None] + np.arange(37)
    y = turn(x, c[at][:, :, None], (1 - 2 * BACKWARD) * s[at][:, :, None], NEIGHBOURS)
    return {"x": x, "cosine": c, "sine": s, "offset": offset}, {"y": y}


@case("rotary_transform rotary_transform_ops", "rotary", "rotate_packed")
@case("rotary_transform rotary_transform_ops", "rotary", "rotate_packed", NEIGHBOURS=True)
def rotate_packed(rng, NEIGHBOURS=False):
    x, c, s, cu = half(rng, 60, 3, D), half(rng, 50, D // 2), half(rng, 50, D // 2), np.array([0, 20, 60], np.int32)
    at = np.concatenate([np.arange(20), np.arange(40)])
    given = {"x": x, "cosine": c, "sine": s, "cu": cu, "longest": 40, "y": np.zeros_like(x)}
    return given, {"y": turn(x, c[at][:, None], s[at][:, None], NEIGHBOURS)}


@case("rotary_emb", "rotary", "rotate_in_place", NEIGHBOURS=True)
@case("rotary_emb_nopad", "rotary", "rotate_in_place")
def rotate_in_place(rng, NEIGHBOURS=False):
    q, k, c, s = half(rng, 9, 4, D), half(rng, 9, 2, D), half(rng, 9, D // 2), half(rng, 9, D // 2)
    turned = [turn(x, c[:, None], s[:, None], NEIGHBOURS) for x in (q, k)]
    return {"q": q, "k": k, "cosine": c, "sine": s}, dict(zip("qk", turned))


@case("fused_rotary_embedding rotary_emb_nopad", "rotary", "rotate_in_place", CACHE=True)
def rotate_into_cache(rng):
    given, expected = rotate_in_place(rng, False)
    v, length = half(rng, 9, 2, D), np.arange(3, 21, 2).astype(np.int32)
    table, caches = rng.permutation(27).reshape(9, 3).astype(np.int32), [half(rng, 27, 2, 8, D) for _ in "kv"]
    given |= {"v": v, "table": table, "length": length, "block": 8, "k_cache": caches[0], "v_cache": caches[1]}
    caches = [cache.copy() for cache in caches]
    for t, n in enumerate(length - 1):
        caches[0][table[t, n // 8], :, n % 8], caches[1][table[t, n // 8], :, n % 8] = expected["k"][t], v[t]
    return given, expected | {"k_cache": caches[0], "v_cache": caches[1]}


@case("rbe_triton_transform rms_rbe_matmul", "angles", "rotate_computed", rms=1e-4)
def rotate_computed(rng):
    x = half(rng, 2, 37, 200)
    angle = (np.arange(37) + 5)[:, None] / 10000.0 ** (np.arange(0, 200, 2) % 128 / 128)
    u, v = x[..., ::2], x[..., 1::2]
    y = np.stack([u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)], -1).reshape(x.shape)
    return {"x": x, "first": 5}, {"y": y}


@case("kv_cache_filling", "gathers", "fill_pages")
@case("kv_cache_filling", "gathers", "fill_pages", BITS=8)
@case("kv_cache_filling", "gathers", "fill_pages", BITS=4)
def fill_pages(rng, BITS=16):
    count, length = np.array([21, 1, 9, 30], np.int32), np.array([21, 17, 20, 33], np.int32)
    first = (np.cumsum(count) - count).astype(np.int32)
    k, table = half(rng, 61, 2, D), rng.permutation(25)[:20].reshape(4, 5).astype(np.int32)
    places = np.concatenate([np.arange(n - c, n) for c, n in zip(count, length)])
    pages = table[np.repeat(np.arange(4), count), places // 8], places % 8
    given = {"first": first, "count": count, "length": length, "table": table, "block": 8, "longest": 30}
    if BITS == 16:
        cache = half(rng, 25, 8, 2, D)
        new = cache.copy()
        new[pages] = k
        return given | {"k": k, "cache": cache}, {"cache": new}
    least = k.min(2, keepdims=True)
    scale = (k.max(2, keepdims=True) - least) / (2**BITS - 1)
    quotient = (k - least) / scale + 0.5
    # An element whose quotient is almost an integer becomes the least one.
    k = np.where((np.abs(quotient - np.round(quotient)) < 0.01), least, k)
    q = ((k - least) / scale + 0.5).astype(np.uint8)
    if BITS == 4:
        q = q[..., :D // 2] + q[..., D // 2:] * 16
    cache, scales = rng.integers(0, 256, (25, 8, 2, q.shape[2])).astype(np.uint8), half(rng, 25, 8, 2, 2)
    new, new_scales = cache.copy(), scales.copy()
    new[pages], new_scales[pages] = q, np.concatenate([scale, -least / scale], 2)
    return given | {"k": k, "cache": cache, "scales": scales}, {"cache": new, "scales": new_scales}
