# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts of tokens: choices by scores, and tokens in the order of experts."""

import numpy as np

from inputs import brain, single

T, E, G = 37, 64, 8


def best(x, k):
    return np.argsort(-x, axis=-1, kind="stable")[..., :k]


@case("topk_gate_kernel", "routing", "top_experts")
@case("topk_gate_kernel", "routing", "top_experts", E=72, K=8)
def top_experts(rng, E=E, K=6):
    score = np.round(4 * rng.standard_normal((T, E))) / 4
    return {"score": score}, {"expert": best(score, K)}


def groups(score, k, n):
    t = np.sort(score.reshape(len(score), G, E // G), 2)[:, :, -n:]
    return best(t.astype(np.float32).sum(2), k)


@case("topk_sum_and_topk_group_idx_kernel", "routing", "top_groups")
@case("topk_sum_and_topk_group_idx_kernel", "routing", "top_groups", N=1, K=3)
def top_groups(rng, K=4, N=2):
    score = single(rng, T, E)
    return {"score": score}, {"group": groups(score, K, N)}


def local(e, own, ranks, rank):
    moved = e - rank * own
    number = moved - moved // (own * ranks) * (own * ranks - own)
    return np.where((e >= 0) & (e // own % ranks == rank) & (number >= 0), number, -1)


@case("mask_indices_by_tp_kernel", "routing", "local_experts")
def local_experts(rng):
    expert = rng.integers(-1, E, (100, 6))
    return {"expert": expert, "own": 8, "ranks": 2, "rank": 1}, {"y": local(expert, 8, 2, 1)}


@case("top2_sum_gate_kernel", "routing", "choose")
@case("top2_sum_gate_kernel", "routing", "choose", SCORING=1, KG=8, MASKED=True)
@case("top2_sum_gate_kernel", "routing", "choose", SCORING=2, MASKED=True, FIXED=True, MAPPED=True, S=2)
def choose(rng, SCORING=0, MASKED=False, FIXED=False, MAPPED=False, S=0, KG=4):
    x, bias, C = single(rng, T, E), 0.1 * single(rng, E), 3
    bias = bias.astype(np.float32).astype(float)
    chosen = np.stack([rng.permutation(E)[:6] for _ in range(T)])
    e = np.exp(x)
    score = [1 / (1 + 1 / e), np.sqrt(np.log1p(e)), e / e.sum(1, keepdims=True)][SCORING]
    biased = (x if SCORING == 2 else score) + bias
    if KG < G:
        kept = np.zeros((T, G), bool)
        np.put_along_axis(kept, groups(biased, KG, 2), True, 1)
        biased = np.where(np.repeat(kept, E // G, 1), biased, -np.inf)
    routed = best(biased, 6)
    given = {"logit": x, "bias": bias, "chosen": chosen, "factor": 2.5, "first": 3, "ranks": 2, "rank": 1}
    if FIXED:
        given["fixed"] = rng.random(T) < 0.5
        routed = np.where(given["fixed"][:, None], chosen, routed)
    s = np.take_along_axis(score, routed, 1)
    weight = np.concatenate([2.5 * s / s.sum(1, keepdims=True), np.ones((T, S))], 1)
    expert = np.concatenate([routed, np.broadcast_to(E + np.arange(S), (T, S))], 1)
    if MAPPED:
        given["copies"], given["map"] = rng.integers(1, C + 1, E + S), rng.integers(0, E + C - 1, (E + S, C))
        expert = given["map"][expert, (3 + np.arange(T)[:, None] * 23333) % given["copies"][expert]]
        given["copies"], given["map"] = given["copies"].astype(np.int32), given["map"].astype(np.int32)
    given["own"] = own = (E + (C - 1) * MAPPED) // 8
    expert = local(expert, own, 2, 1)
    if MASKED:
        given["mask"] = rng.random(T) < 0.7
        outside = ~given["mask"][:, None]
        routed, expert, weight = (np.where(outside, n, t) for n, t in ((-1, routed), (-1, expert), (0, weight)))
    return given, {"chosen": routed, "expert": expert, "weight": weight}


def counts(expert):
    return np.bincount(expert[expert >= 0], minlength=E)


@case("group_count_kernel get_fused_mapping_kernel", "tokens", "count", rms=0)
def count(rng):
    expert = rng.integers(-1, E, 5000)
    return {"expert": expert, "y": np.zeros(E, np.int32)}, {"y": counts(expert).astype(np.int32)}


@case("aux_fi_kernel", "tokens", "frequency")
def frequency(rng):
    expert = rng.integers(-1, E, (500, 6))
    return {"expert": expert, "per_token": 5, "y": np.zeros(E)}, {"y": counts(expert) * E / (500 * 5)}


@case("inplace_unique_group_indices_kernel", "tokens", "unique")
def unique(rng):
    group = rng.integers(-1, 8, (100, 6))
    earlier = (group[:, :, None] == group[:, None]) & np.tri(6, k=-1, dtype=bool)
    return {"group": group}, {"group": np.where(earlier.any(2), -1, group)}


@case("normalize_weight_kernel", "tokens", "normalise")
def normalise(rng):
    weight = rng.uniform(0, 1, (100, 6)).astype(np.float32).astype(float)
    total = weight.sum(1)
    return {"weight": weight}, {"total": total, "y": weight / total[:, None]}


def placed(rng, align=16, tokens=100):
    expert = rng.integers(-1, E, tokens * 6)
    size = -(-counts(expert) // align) * align
    end = np.cumsum(size)
    rows, place = end[-1] + 32, np.full(len(expert), -1)
    of = np.full((3, rows), -1)
    for e in range(E):
        choices = np.flatnonzero(expert == e)
        at = end[e] - size[e] + np.arange(len(choices))
        place[choices], of[:, at] = at, np.stack([choices * 0 + e, choices // 6, choices])
    return expert, of.astype(np.int32), place.astype(np.int32), size, end


@case("get_fused_mapping_kernel", "tokens", "places")
def places(rng):
    expert, of, place, size, end = placed(rng)
    names = ["expert_of", "token_of", "choice_of"]
    given = {"expert": expert, "counts": counts(expert).astype(np.int32), "align": 16, "place": 0 * place - 1}
    results = {"place": place, "start": end - size, "end": end, "size": size}
    return given | dict(zip(names, 0 * of - 1)), results | dict(zip(names, of))


@case("expand_to_fused_kernel", "tokens", "to_places")
@case("expand_to_fused_kernel", "tokens", "to_places", T="f32", SCALED=True)
def to_places(rng, SCALED=False):
    _, of, place, size, end = placed(rng, tokens=20)
    x, scale = brain(rng, 20, 300), single(rng, 20, 4)
    # Places that fill up an expert keep what they have; here nothing.
    rows = of.shape[1]
    expert_of = of[0]
    token = of[1]
    y, y_scale = (np.where(token[:, None] >= 0, t[token], 0) for t in (x, scale))
    given = {"x": x, "place": place.reshape(20, 6), "expert_of": expert_of, "y": str((rows, 300))}
    if not SCALED:
        return given, {"y": y}
    return given | {"scale": scale, "y_scale": str((rows, 4))}, {"y": y, "y_scale": y_scale}


@case("reduce_fused_kernel", "tokens", "from_places", rms=3e-3)
@case("reduce_fused_kernel", "tokens", "from_places", rms=0.03, O="f8e4m3", WEIGHTED=True, SCALED=True, FACTOR=True)
def from_places(rng, WEIGHTED=False, SCALED=False, FACTOR=False):
    _, of, place, _, _ = placed(rng, tokens=20)
    place = place.reshape(20, 6)
    x, given = brain(rng, of.shape[1], 300), {"place": place}
    w = (place >= 0).astype(float)
    if WEIGHTED:
        given["weight"] = single(rng, 20, 6)
        w = w * given["weight"]
    if SCALED:
        given["scale"] = single(rng, of.shape[1])
        w = w * given["scale"][place]
    if FACTOR:
        given["factor"] = np.array([3.0])
        w = w * 3
    return given | {"x": x}, {"y": np.einsum("tk,tkd->td", w, x[place])}
