# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, reductions and norms of rows."""

import numpy as np

from inputs import single as array, uniform

M, N = 5, 333


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@case("softmax_triton1 softmax_triton2 softmax_triton3 triton_softmax softmax_flaggems", "softmax", "rows")
def rows(rng):
    x = 3 * array(rng, M, N)
    return {"x": x}, {"y": softmax(x.astype(np.float32).astype(np.float64))}


@case("softmax_optimize softmax_flaggems", "softmax", "long_rows")
def long_rows(rng):
    x = array(rng, M, 1000)
    return {"x": x}, {"y": softmax(x)}


@case("softmax_flaggems", "softmax", "middle")
def middle(rng):
    x = array(rng, 3, 50, 37)
    return {"x": x}, {"y": softmax(x, 1)}


@case("softmax_flaggems ksoftmax_triton", "softmax", "rows_grad")
def rows_grad(rng):
    y, dy = softmax(array(rng, M, N)).astype(np.float32).astype(np.float64), array(rng, M, N)
    return {"y": y, "dy": dy}, {"dx": y * (dy - (y * dy).sum(1, keepdims=True))}


@case("log_softmax ksoftmax_triton", "softmax", "rows_grad", LOG=True)
def log_rows_grad(rng):
    y, dy = np.log(softmax(array(rng, M, N))).astype(np.float32).astype(np.float64), array(rng, M, N)
    return {"y": y, "dy": dy}, {"dx": dy - np.exp(y) * dy.sum(1, keepdims=True)}


@case("softmax_flaggems", "softmax", "middle_grad")
def middle_grad(rng):
    y, dy = softmax(array(rng, 3, 50, 37), 1).astype(np.float32).astype(np.float64), array(rng, 3, 50, 37)
    return {"y": y, "dy": dy}, {"dx": y * (dy - (y * dy).sum(1, keepdims=True))}


@case("log_softmax", "softmax", "log_softmax")
def log_softmax(rng):
    x = array(rng, M, N)
    return {"x": x}, {"y": np.log(softmax(x))}


@case("logsumexp_fwd", "softmax", "log_sum_exp_parts")
def log_sum_exp_parts(rng):
    x = array(rng, M, N)
    parts = [np.log(np.exp(0.5 * part).sum(1)) for part in (x[:, :256], x[:, 256:])]
    return {"x": x, "scale": 0.5}, {"z": np.stack(parts, 1)}


@case("token_softmax_llama token_softmax_bloom", "softmax", "packed")
def packed(rng):
    x, length = array(rng, 3, 210), np.array([37, 1, 172], np.int32)
    start = (np.cumsum(length) - length).astype(np.int32)
    parts = [softmax(x[:, s:s + n]) for s, n in zip(start, length)]
    return {"x": x, "start": start, "length": length}, {"p": np.concatenate(parts, 1)}


@case("ksoftmax_triton", "softmax", "masked")
@case("ksoftmax_triton", "softmax", "masked", BN=112)
@case("ksoftmax_triton", "softmax", "masked", LOG=True, CAUSAL=False)
@case("softmax_triton3", "softmax", "masked", CAUSAL=False)
def masked(rng, LOG=False, CAUSAL=True):
    x, mask = array(rng, 2, 90, 90), array(rng, 90, 90)
    seen = np.tril(np.ones((90, 90), bool)) | (not CAUSAL)
    with np.errstate(divide="ignore"):
        y = softmax(np.where(seen, x + mask, -np.inf))
        return {"x": x, "mask": mask}, {"y": np.log(y) if LOG else y}


@case("max_reduction matrix_reduction", "reductions", "row_max")
def row_max(rng):
    x = array(rng, M, N)
    return {"x": x}, {"y": x.max(1)}


@case("max_reduction triton_argmax", "reductions", "row_argmax")
def row_argmax(rng):
    x = np.round(array(rng, M, N))
    return {"x": x}, {"value": x.max(1), "position": x.argmax(1).astype(np.int32)}


@case("max_reduction triton_argmax", "reductions", "parts_max")
def parts_max(rng):
    x = array(rng, 500)
    position = [x[:256].argmax(), 256 + x[256:].argmax()]
    return {"x": x}, {"y": x[position], "position": np.array(position, np.int32)}


@case("mean_reduction", "reductions", "row_mean")
def row_mean(rng):
    x = array(rng, M, N)
    return {"x": x}, {"y": x.mean(1)}


@case("square_matrix", "reductions", "squares")
def squares(rng):
    x = array(rng, M, N)
    return {"x": x}, {"y": x * x}


@case("matrix_transpose", "reductions", "transposed", T="f16")
def transposed(rng):
    x = array(rng, M, N).astype(np.float16)
    return {"x": x}, {"y": x.T}


def normalize(x, eps):
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + eps)
    return (x - mean[:, None]) * rstd[:, None], mean, rstd


def layer_norm_case(rng, shift=0.5, bias=True):
    x, w, b = array(rng, M, N) + shift, array(rng, N), array(rng, N)
    normal, mean, rstd = normalize(x.astype(np.float32).astype(np.float64), 1e-5)
    given = {"x": x, "weight": w, "eps": 1e-5} | ({"bias": b} if bias else {})
    return given, {"y": normal * w + bias * b, "mean": mean, "rstd": rstd}


@case("layer_norm_liger layer_norm_ops layer_norm_triton layernorm_fwd_triton fast_layernorm", "norms", "layer_norm")
def layer_norm(rng):
    return layer_norm_case(rng)


@case("layer_norm_ops layernorm_fwd_triton", "norms", "layer_norm", BIAS=False)
def layer_norm_without_bias(rng):
    return layer_norm_case(rng, bias=False)


@case("layer_norm_welfold fused_layernorm_triton", "norms", "layer_norm_merged")
def layer_norm_merged(rng):
    return layer_norm_case(rng, 8.0)


@case("layer_norm_liger layer_norm_ops layer_norm_triton fast_layernorm", "norms", "layer_norm_grad")
def layer_norm_grad(rng):
    x, w, dy = array(rng, M, N), array(rng, N), array(rng, M, N)
    normal, mean, rstd = normalize(x, 1e-5)
    t = dy * w
    dx = (t - normal * (t * normal).mean(1, keepdims=True) - t.mean(1, keepdims=True)) * rstd[:, None]
    given = {"x": x, "weight": w, "dy": dy, "mean": mean, "rstd": rstd, "dw": np.zeros(N), "db": np.zeros(N)}
    return given, {"dx": dx, "dw": (dy * normal).sum(0), "db": dy.sum(0)}


def rms_case(rng, offset=0.0):
    x, w = array(rng, M, N), array(rng, N)
    rstd = 1 / np.sqrt((x * x).mean(1) + 1e-6)
    return {"x": x, "weight": w, "eps": 1e-6}, {"y": x * rstd[:, None] * (w + offset), "rstd": rstd}


@case("rms_norm_triton fast_rms_layernorm", "norms", "rms_norm")
def rms_norm(rng):
    return rms_case(rng)


@case("fast_rms_layernorm", "norms", "rms_norm", OFFSET=1.0)
def rms_norm_gemma(rng):
    return rms_case(rng, 1.0)


@case("rmsnorm_fused rmsnorm_fused_llama rmsnorm_implementation rmsnorm_triton", "norms", "rms_norm_long")
def rms_norm_long(rng):
    given, expected = rms_case(rng)
    return given, {"y": expected["y"]}


@case("fast_rms_layernorm", "norms", "rms_norm_grad", OFFSET=1.0)
def rms_norm_grad(rng):
    x, w, dy = array(rng, M, N), array(rng, N), array(rng, M, N)
    rstd = 1 / np.sqrt((x * x).mean(1) + 1e-6)
    normal, t = x * rstd[:, None], dy * (w + 1)
    dx = rstd[:, None] * (t - normal * (t * normal).mean(1, keepdims=True))
    return {"x": x, "weight": w, "dy": dy, "rstd": rstd}, {"dx": dx}


@case("l2_norm_triton1 l2_norm_triton2", "norms", "l2_norm")
def l2_norm(rng):
    x = array(rng, M, N)
    return {"x": x, "eps": 1e-6}, {"y": x / np.sqrt((x * x).sum(1, keepdims=True) + 1e-6)}


@case("l2_norm_bwd l2_norm_triton2", "norms", "l2_norm_grad")
def l2_norm_grad(rng):
    x, dy = array(rng, M, N), array(rng, M, N)
    square = (x * x).sum(1, keepdims=True) + 1e-5
    dx = (dy - x * (dy * x).sum(1, keepdims=True) / square) / np.sqrt(square)
    return {"x": x, "dy": dy, "eps": 1e-5}, {"dx": dx}


def cross_entropy_case(rng, gradient, scale=1.0, smoothing=0.0, penalty=0.0, cap=0.0, first=0):
    x, label = 3 * array(rng, 9, 300), rng.integers(0, 300, 9) + first
    x = x.astype(np.float32).astype(np.float64)
    label[[1, 4]] = -100
    if first:
        label[7] = first + 300
    t = cap * np.tanh(x * scale / cap) if cap else x * scale
    lse = np.log(np.exp(t).sum(1))
    own = (np.arange(300) == (label - first)[:, None]) * (1 - smoothing)
    inside = (label >= first) & (label < first + 300)
    z = np.where(label == -100, 0, penalty * lse**2)
    loss = np.where(inside, 1, smoothing) * lse - smoothing * t.sum(1) / 400 - (own * t).sum(1)
    given = {"x": x, "label": label, "scale": scale, "smoothing": smoothing, "penalty": penalty, "ignored": -100,
             "first": first, "classes": 400}
    if not gradient:
        return given, {"loss": np.where(label == -100, 0, loss) + z, "lse": lse, "z": z}
    grad = array(rng, 9)
    p = np.exp(t - lse[:, None]) * (1 + 2 * penalty * lse)[:, None]
    dx = np.where(label == -100, 0, grad)[:, None] * (p - own - smoothing / 400) * scale
    return given | {"lse": lse, "grad": grad}, {"dx": dx * (1 - (t / cap) ** 2) if cap else dx}


@case("cross_entropy1 cross_entropy2 cross_entropy_ops", "losses", "cross_entropy")
def cross_entropy(rng):
    return cross_entropy_case(rng, False, 0.5, 0.125, 0.25)


@case("cross_entropy1 cross_entropy2 cross_entropy_ops", "losses", "cross_entropy", BN=128)
def cross_entropy_part(rng):
    return cross_entropy_case(rng, False, 1.0, 0.125, 0.25, first=1000)


@case("cross_entropy1 cross_entropy2 cross_entropy_ops", "losses", "cross_entropy_grad")
def cross_entropy_grad(rng):
    return cross_entropy_case(rng, True, 0.5, 0.125, 0.25)


@case("fast_ce_loss", "losses", "cross_entropy", CAP=8.0)
def cross_entropy_capped(rng):
    return cross_entropy_case(rng, False, 0.5, cap=8.0)


@case("fast_ce_loss", "losses", "cross_entropy_grad", CAP=8.0)
def cross_entropy_capped_grad(rng):
    return cross_entropy_case(rng, True, 0.5, cap=8.0)


@case("kldiv_ops kldiv_triton", "losses", "kl", rms=1e-4)
@case("kldiv_ops kldiv_triton", "losses", "kl", rms=1e-4, LOG=True)
def kl(rng, LOG=False):
    y, target = np.log(softmax(array(rng, M, N))), softmax(array(rng, M, N))
    terms = target * (np.log(target) - y)
    given = {"y": y, "target": np.log(target) if LOG else target, "eps": 1e-10}
    return given, {"terms": terms, "loss": terms.sum(1)}


@case("kldiv_ops kldiv_triton", "losses", "kl_grad")
def kl_grad(rng):
    target = array(rng, M, N)
    return {"target": target}, {"dy": -target}


@case("kldiv_ops kldiv_triton", "losses", "kl_grad", LOG=True)
def kl_log_grad(rng):
    target = array(rng, M, N)
    return {"target": target}, {"dy": -np.exp(target)}


@case("layer_norm_fwd", "residual", "residual_norm")
@case("layer_norm_fwd", "residual", "residual_norm", INPUTS=2, SCALED=True, DROPOUT=True, RESIDUAL=True, WEIGHTS=2)
@case("layer_norm_fwd", "residual", "residual_norm", RMS=True, RESIDUAL=True, BIAS=False)
def residual_norm(rng, INPUTS=1, RMS=False, SCALED=False, DROPOUT=False, RESIDUAL=False, BIAS=True, WEIGHTS=1):
    x, w, b = array(rng, INPUTS, M, N), array(rng, WEIGHTS, N), array(rng, WEIGHTS, N)
    row_scale, seed, r = array(rng, INPUTS, M), rng.integers(0, 2**40, (INPUTS, M)), array(rng, M, N)
    given, t = {"x": x, "weight": w, "eps": 1e-5}, x
    expected = {}
    if SCALED:
        given["row_scale"], t = row_scale, t * row_scale[..., None]
    if DROPOUT:
        expected["keep"] = np.array([[uniform(s, np.arange(N)) >= 0.125 for s in row] for row in seed])
        given |= {"p": 0.125, "seed": seed}
        t = np.where(expected["keep"], t / 0.875, 0)
    t = t.sum(0)
    if RESIDUAL:
        given["residual"], t = r, t + r
    if BIAS:
        given["bias"] = b
    centre = 0 if RMS else t.mean(1)[:, None]
    rstd = 1 / np.sqrt(((t - centre) ** 2).mean(1) + 1e-5)
    y = (t - centre) * rstd[:, None] * w[:, None] + BIAS * b[:, None]
    return given, expected | {"total": t, "y": y, "rstd": rstd} | ({} if RMS else {"mean": centre[:, 0]})


@case("nested_loops_processing", "reductions", "nested_copies")
def nested_copies(rng):
    x = rng.integers(0, 1000, (2, 30)).astype(np.int32)
    tiles = x.reshape(2, 15, 2)
    order = [7 * i + k for i in range(2) for j in range(2) for k in (0, 1 + 3 * j, 2 + 3 * j, 0, 1 + 3 * j, 3 + 3 * j)]
    return {"x": x}, {"y": tiles[:, order].reshape(2, 48)}


@case("spinning_lock_reduction", "reductions", "locked_sums")
def locked_sums(rng, K=4):
    part, y = array(rng, 10, 16, 32), array(rng, 3, 16, 32)
    lock = np.zeros(3, np.int32)
    sums = [y[g] + part[K * g:K * (g + 1)].sum(0) for g in range(3)]
    return {"part": part, "lock": lock, "y": y}, {"y": np.stack(sums), "lock": lock}
