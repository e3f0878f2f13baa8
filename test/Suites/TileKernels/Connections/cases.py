# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hyper-connections: residual streams of a token, their weights, and the products that yield the weights."""

import numpy as np

from inputs import brain, single

T, H, D = 19, 4, 500
MIXES = 2 * H + H * H


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@case("expand_to_mhc_fwd_kernel", "streams", "expand", rms=0)
def expand(rng):
    x = brain(rng, T, D)
    return {"x": x, "y": str((T, H, D))}, {"y": np.repeat(x[:, None], H, 1)}


@case("expand_to_mhc_bwd_kernel", "streams", "expand_grad", rms=3e-3)
def expand_grad(rng):
    grad = brain(rng, T, H, D)
    return {"grad": grad}, {"dx": grad.sum(1)}


@case("mhc_pre_apply_mix_fwd_kernel", "streams", "mix", rms=3e-3)
def mix(rng):
    x, weight = brain(rng, T, H, D), single(rng, T, H)
    return {"x": x, "weight": weight}, {"y": (x * weight[..., None]).sum(1)}


@case("mhc_pre_apply_mix_bwd_kernel", "streams", "mix_grad", rms=3e-3)
def mix_grad(rng):
    grad, x, weight, dx = brain(rng, T, D), brain(rng, T, H, D), single(rng, T, H), brain(rng, T, H, D)
    given = {"grad": grad, "x": x, "weight": weight, "dx": dx}
    return given, {"dx": dx + weight[..., None] * grad[:, None], "dweight": (grad[:, None] * x).sum(2)}


def following(x, d, weight, comb):
    return weight[..., None] * d[:, None] + np.einsum("tij,tid->tjd", comb, x)


@case("mhc_post_fwd_kernel", "streams", "post", rms=3e-3)
def post(rng):
    comb, x, weight, d = single(rng, T, H, H), brain(rng, T, H, D), single(rng, T, H), brain(rng, T, D)
    return {"comb": comb, "x": x, "weight": weight, "d": d}, {"y": following(x, d, weight, comb)}


@case("mhc_post_bwd_kernel", "streams", "post_grad", rms=3e-3)
def post_grad(rng):
    given, _ = post(rng)
    comb, x, weight, d = given.values()
    grad = brain(rng, T, H, D)
    return given | {"grad": grad}, {
        "dcomb": np.einsum("tid,tjd->tij", x, grad), "dx": np.einsum("tij,tjd->tid", comb, grad),
        "dweight": (d[:, None] * grad).sum(2), "dd": (weight[..., None] * grad).sum(1)}


@case("mhc_multilayer_recompute", "streams", "recompute", rms=5e-3)
def recompute(rng):
    x, pre, d = brain(rng, T, H, D), single(rng, 4, T, H), brain(rng, 3, T, D)
    weight, comb = single(rng, 3, T, H), 0.5 * single(rng, 3, T, H, H)
    given, inputs, streams = {"first": x, "pre": pre, "d": d, "weight": weight, "comb": comb}, [], []
    for l in range(4):
        inputs.append((x * pre[l][..., None]).sum(1))
        if l < 3:
            streams.append(x := following(x, d[l], weight[l], comb[l]))
    return given, {"input": np.stack(inputs), "streams": np.stack(streams)}


def balanced(x, eps):
    e = np.exp(x - x.max(2, keepdims=True))
    t = e / e.sum(2, keepdims=True) + eps
    t = t / (t.sum(1, keepdims=True) + eps)
    for _ in range(9):
        t = t / (t.sum(2, keepdims=True) + eps)
        t = t / (t.sum(1, keepdims=True) + eps)
    return t


@case("mhc_sinkhorn_kernel", "mixes", "sinkhorn")
def sinkhorn(rng):
    x = single(rng, 70, H, H)
    return {"x": x, "eps": 1e-6}, {"y": balanced(x, 1e-6)}


@case("mhc_sinkhorn_backward_kernel", "mixes", "sinkhorn_grad", rms=1e-4)
def sinkhorn_grad(rng):
    grad, x, step = single(rng, 70, H, H), single(rng, 70, H, H), 1e-5
    dx = np.zeros_like(x)
    for i, j in np.ndindex(H, H):
        moved = [x.copy(), x.copy()]
        moved[0][:, i, j] += step
        moved[1][:, i, j] -= step
        dx[:, i, j] = ((balanced(moved[0], 1e-6) - balanced(moved[1], 1e-6)) * grad).sum((1, 2)) / (2 * step)
    return {"grad": grad, "x": x, "eps": 1e-6, "steps": np.zeros((20, 70, H, H))}, {"dx": dx}


@case("mhc_head_compute_mix_fwd_kernel", "mixes", "head")
def head(rng):
    x, scale, base = single(rng, 100, H), single(rng, 1), single(rng, H)
    return {"x": x, "scale": scale, "base": base, "eps": 1e-3}, {"y": sigmoid(x * scale + base) + 1e-3}


def parts_of(x, size):
    """Sums of the tiles of `size` rows that each of 3 programs has."""
    count = -(-len(x) // size)
    ends = [size * (count * p // 3) for p in range(4)]
    return np.stack([x[a:b].sum(0) for a, b in zip(ends, ends[1:])])


@case("mhc_head_compute_mix_bwd_kernel", "mixes", "head_grad")
def head_grad(rng):
    grad, x, scale, base = single(rng, 500, H), single(rng, 500, H), single(rng, 1), single(rng, H)
    s = sigmoid(x * scale + base)
    g = grad * s * (1 - s)
    given = {"grad": grad, "x": x, "scale": scale, "base": base, "dbase": str((3, H))}
    dscale = parts_of((g * x).sum(1, keepdims=True), 64)
    return given, {"dx": g * scale, "dscale": dscale, "dbase": parts_of(g, 64)}


def mixes(rng):
    x, scale, base = single(rng, 150, MIXES), single(rng, 3), single(rng, MIXES)
    z = x * scale[np.minimum(np.arange(MIXES) // H, 2)] + base
    return {"x": x, "scale": scale, "base": base, "factor": 2.0}, z


@case("mhc_pre_split_mixes_fwd_kernel", "mixes", "split_mixes")
def split_mixes(rng):
    given, z = mixes(rng)
    expected = {"pre": sigmoid(z[:, :H]) + 1e-3, "post": 2 * sigmoid(z[:, H:2 * H]), "comb": z[:, 2 * H:]}
    return given | {"eps": 1e-3}, expected


@case("mhc_pre_split_mixes_bwd_kernel", "mixes", "split_mixes_grad")
def split_mixes_grad(rng):
    given, z = mixes(rng)
    dpre, dpost, dcomb = single(rng, 150, H), single(rng, 150, H), single(rng, 150, H * H)
    s = sigmoid(z)
    g = np.concatenate([dpre, 2 * dpost, dcomb], 1)
    g[:, :2 * H] *= (s * (1 - s))[:, :2 * H]
    kind = np.minimum(np.arange(MIXES) // H, 2)
    dscale = np.stack([parts_of(g * given["x"], 32)[:, kind == i].sum(1) for i in range(3)], 1)
    post = (2 * s[:, H:2 * H]).astype(np.float32).astype(float)
    given |= {"dpre": dpre, "dpost": dpost, "dcomb": dcomb, "post": post, "dbase": str((3, MIXES))}
    return given, {"dx": g * given["scale"][kind], "dscale": dscale, "dbase": parts_of(g, 32)}


@case("mhc_pre_big_fuse", "mixes", "fused_pre", rms=3e-3)
def fused_pre(rng):
    x, scale, base = brain(rng, T, H, D), single(rng, 3), single(rng, MIXES)
    products, squares = 30 * single(rng, 3, T, MIXES), abs(single(rng, 3, T)) * 800
    m = products.sum(0) / np.sqrt(squares.sum(0) / (H * D) + 1e-6)[:, None]
    z = m * scale[np.minimum(np.arange(MIXES) // H, 2)] + base
    pre = sigmoid(z[:, :H]) + 1e-6
    given = {"products": products, "squares": squares, "scale": scale, "base": base, "x": x, "factor": 2.0, "eps": 1e-6}
    comb = balanced(z[:, 2 * H:].reshape(T, H, H), 1e-6).reshape(T, H * H)
    return given, {"post": 2 * sigmoid(z[:, H:2 * H]), "comb": comb, "input": (x * pre[..., None]).sum(1)}


@case("mhc_fn_normw_merge_fwd", "products", "scale_columns")
def scale_columns(rng):
    w, scale = single(rng, 24, 1000), single(rng, 1000)
    return {"w": w, "scale": scale}, {"y": w * scale}


@case("mhc_fn_normw_merge_bwd", "products", "scale_columns_grad")
def scale_columns_grad(rng):
    (w, grad, dw), (scale, dscale) = single(rng, 3, 24, 1000), single(rng, 2, 1000)
    given = {"w": w, "scale": scale, "grad": grad, "dw": dw, "dscale": dscale}
    return given, {"dw": dw + grad * scale, "dscale": dscale + (grad * w).sum(0)}


@case("mhc_pre_norm_fn_fwd_mul_kernel", "products", "products", rms=2e-3)
def products(rng):
    x, w = brain(rng, 100, 2, 320), single(rng, 24, 2, 320)
    return {"x": x, "w": w}, {"y": np.einsum("tgk,wgk->tgw", x, w), "squares": (x * x).sum(2)}


@case("mhc_pre_norm_fn_fwd_norm_kernel", "products", "normalised")
def normalised(rng):
    products, squares = single(rng, 3, 70, 2, 24), single(rng, 3, 70, 2)**2 + 0.1
    product, square = products.sum(0), squares.sum(0)
    y = (product / np.sqrt(square / 320 + 1e-3)[..., None]).sum(1)
    given = {"products": products, "squares": squares, "size": 320.0, "eps": 1e-3}
    return given, {"product": product, "square": square, "y": y}


@case("mhc_pre_norm_fn_bwd_norm_kernel", "products", "normalised_grad")
def normalised_grad(rng):
    grad, product, square = single(rng, 70, 24), single(rng, 70, 2, 24), single(rng, 70, 2)**2 + 0.1
    r = (square / 320 + 1e-3)**-0.5
    dsquare = (grad[:, None] * product).sum(2) * -0.5 * r**3 / 320
    given = {"grad": grad, "product": product, "square": square, "size": 320.0, "eps": 1e-3}
    return given, {"dproduct": grad[:, None] * r[..., None], "dsquare": dsquare}


@case("mhc_pre_norm_fn_bwd_mul_kernel", "products", "products_grad", rms=5e-3)
def products_grad(rng):
    x, w, dx = brain(rng, 100, 2, 320), single(rng, 24, 2, 320), brain(rng, 100, 2, 320)
    d, dsquare = single(rng, 100, 2, 24), single(rng, 100, 2)
    given = {"dproduct": d, "dsquare": dsquare, "x": x, "w": w, "dx": dx}
    new = dx + np.einsum("tgw,wgk->tgk", d, w) + 2 * x * dsquare[..., None]
    return given, {"dx": new, "dw": np.einsum("tgw,tgk->wgk", d, x)}
