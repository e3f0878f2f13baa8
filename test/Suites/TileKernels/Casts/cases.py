# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts to numbers of 4, 8 and 12 bits with scales of blocks, also of gated activations, and transposes."""

import numpy as np

from inputs import brain, single

M, N = 300, 456


def rounded(x, digits, lowest, largest):
    """Returns x in `digits` binary digits, at least those of 2^lowest, to nearest even."""
    unit = 2.0**(np.maximum(np.frexp(x)[1], lowest + 1) - digits)
    return np.clip(np.rint(x / unit) * unit, -largest, largest)


def to_8(x):
    return rounded(x, 4, -6, 448)


def to_4(x):
    """Returns the bytes of pairs of numbers of 4 bits."""
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    code = np.searchsorted(values, abs(rounded(x, 2, 0, 6))) + 8 * np.signbit(x)
    return (code[:, ::2] + 16 * code[:, 1::2]).astype(np.uint8)


def from_4(pairs):
    code = np.stack([pairs & 15, pairs >> 4], -1).reshape(len(pairs), -1)
    return np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])[code & 7] * np.where(code & 8, -1, 1)


def spread(scale, gm, gn, like):
    return np.repeat(np.repeat(scale, gm, 0), gn, 1)[:like.shape[0], :like.shape[1]]


def scales(x, gm, gn, limit=448, least=1e-4, ROUND=True):
    m, n = -(-x.shape[0] // gm), -(-x.shape[1] // gn)
    padded = np.zeros((m * gm, n * gn))
    padded[:x.shape[0], :x.shape[1]] = abs(x)
    scale = np.maximum(padded.reshape(m, gm, n, gn).max((1, 3)), least) / limit
    return 2.0**np.ceil(np.log2(scale)) if ROUND else scale


def powers(rng, *shape):
    return 2.0**rng.integers(-3, 4, shape)


def eights(rng, *shape):
    return to_8(100 * rng.standard_normal(shape))


@case("per_token_cast_kernel", "casts", "cast", rms=0)
@case("per_token_cast_kernel", "casts", "cast", rms=0, T="f32", Q="u8", GN=32)
@case("per_token_cast_kernel", "casts", "cast", rms=0, T="f8e4m3", SCALED=True, IM=32, IN=32, BM=32)
@case("per_token_cast_kernel", "casts", "cast", rms=0, GIVEN=True)
@case("per_token_cast_kernel", "casts", "cast", rms=5e-3, ROUND=False)
@case("per_block_cast_kernel", "casts", "cast", rms=0, GM=128)
@case("per_block_cast_kernel", "casts", "cast", rms=0, GM=32, GN=32, Q="u8")
@case("per_block_cast_kernel", "casts", "cast", rms=0, GM=32, GN=32, GIVEN=True)
@case("per_channel_cast_fused_kernel", "casts", "cast", rms=0, GM=128, GN=1)
@case("per_channel_cast_fused_kernel", "casts", "cast", rms=0, GM=128, GN=1, T="f8e4m3", SCALED=True, GATHER=True)
def cast(rng, T="bf16", Q="f8e4m3", ROUND=True, GIVEN=False, SCALED=False, GATHER=False, IM=1, IN=128, GM=1, GN=128):
    x, given = eights(rng, M, N) if T == "f8e4m3" else brain(rng, M, N), {}
    # The limit by a power of two has this scale, and the next number the double one.
    x[0, 0] = 224 if T != "f32" else np.nextafter(np.float32(3), np.float32(4))
    given["x"] = x
    if SCALED:
        given["x_scale"] = powers(rng, -(-M // IM), -(-N // IN))
        x = x * spread(given["x_scale"], IM, IN, x)
    if GATHER:
        given["row"] = rng.integers(-1, M, 250).astype(np.int32)
        x = np.where(given["row"][:, None] >= 0, x[given["row"]], 0)
    limit, least = (6, 6 * 2.0**-126) if Q == "u8" else (448, 1e-4)
    scale = scales(x, GM, GN, limit, least, ROUND)
    if GIVEN:
        given["given"] = scale
    y = x / spread(scale, GM, GN, x)
    y = to_4(y) if Q == "u8" else to_8(y)
    return given, {"y": y} if GIVEN else {"y": y, "scale": scale}


@case("cast_back_kernel", "casts", "cast_back", rms=3e-3)
@case("cast_back_kernel", "casts", "cast_back", rms=0, T="u8", O="f32", GM=32, GN=32)
def cast_back(rng, T="f8e4m3", GM=1, GN=128):
    x = rng.integers(0, 256, (M, N // 2)).astype(np.uint8) if T == "u8" else eights(rng, M, N)
    scale, value = powers(rng, -(-M // GM), -(-N // GN)), from_4(x) if T == "u8" else x
    return {"x": x, "scale": scale, "y": str((M, N))}, {"y": value * spread(scale, GM, GN, value)}


@case("per_block_cast_lossless_kernel", "casts", "widen", rms=0)
@case("per_block_cast_lossless_kernel", "casts", "widen", rms=0, GM=32, GN=64)
def widen(rng, GM=128, GN=128):
    x, old = rng.integers(0, 256, (M, N // 2)).astype(np.uint8), powers(rng, M, -(-N // 32))
    value = from_4(x)
    all_scales = spread(old, 1, 32, value)
    new = scales(all_scales, GM, GN, 64, 0)
    y = value * all_scales / spread(new, GM, GN, value)
    return {"x": x, "x_scale": old, "y": str((M, N))}, {"y": y, "scale": new}


@case("per_channel_cast_and_transpose_kernel", "casts", "cast_transposed", rms=0)
@case("per_channel_cast_and_transpose_kernel", "casts", "cast_transposed", rms=5e-3, T="f32", ROUND=False)
def cast_transposed(rng, ROUND=True):
    x = brain(rng, M, N)
    scale = scales(x, 128, 1, ROUND=ROUND)
    return {"x": x}, {"y": to_8(x / spread(scale, 128, 1, x)).T, "scale": scale}


@case("batched_transpose_kernel", "transpose", "transpose", rms=0)
@case("batched_transpose_kernel", "transpose", "transpose", rms=0, T="f32")
@case("batched_transpose_kernel", "transpose", "transpose", rms=0, T="f8e4m3")
def transpose(rng, T="bf16"):
    x = eights(rng, 2, 100, 144) if T == "f8e4m3" else brain(rng, 2, 100, 144)
    return {"x": x}, {"y": x.swapaxes(1, 2)}


def words(x):
    """Returns the three words of eight numbers of 12 bits."""
    code = np.asarray(x, np.float16).view(np.uint16).astype(object) >> 4
    whole = sum(code.reshape(len(x), -1, 8)[..., i] << 12 * (7 - i) for i in range(8))
    return np.stack([whole >> 64, whole >> 32 & 0xffffffff, whole & 0xffffffff], -1).astype(np.uint32)


@case("per_token_cast_to_e5m6_kernel", "e5m6", "cast", rms=0)
@case("per_token_cast_to_e5m6_kernel", "e5m6", "cast", rms=0, T="f32", D=512)
def cast_12(rng, D=256):
    x = brain(rng, 37, D)
    scale = scales(x, 1, D, 65024)
    return {"x": x}, {"y": words(rounded(x / scale, 7, -14, 65024)), "scale": scale[:, 0]}


@case("cast_back_e5m6_kernel", "e5m6", "cast_back", rms=3e-3)
@case("cast_back_e5m6_kernel", "e5m6", "cast_back", rms=0, O="f32")
def cast_back_12(rng):
    value, scale = rounded(1000 * rng.standard_normal((37, 520)), 7, -14, 65024), powers(rng, 37)
    return {"x": words(value), "scale": scale, "y": str((37, 520))}, {"y": value * scale[:, None]}


def gated(x, bound=np.inf):
    """Returns the activation of the clipped parts of x, the parts, and the sigmoid of the first one."""
    a, b = np.minimum(x[:, 0], bound), np.clip(x[:, 1], -bound, bound)
    s = 1 / (1 + np.exp(-a))
    return a * s * b, a, b, s


@case("swiglu_forward_and_per_token_cast_kernel", "swiglu", "forward", rms=5e-3)
@case("swiglu_forward_and_per_token_cast_kernel", "swiglu", "forward", rms=5e-3, WEIGHTED=True, CLIP=True, PLACED=True)
def forward(rng, WEIGHTED=False, CLIP=False, PLACED=False):
    x, given, kept = brain(rng, M, 2, 300), {}, np.ones(M, bool)
    t = gated(x, 1.5 if CLIP else np.inf)[0]
    if PLACED:
        given["expert"] = rng.integers(-1, 3, M).astype(np.int32)
        kept = given["expert"] >= 0
    if WEIGHTED:
        given |= {"choice": np.where(kept, rng.permutation(M), -1).astype(np.int32), "weight": single(rng, M)}
        t = t * given["weight"][given["choice"]][:, None]
    scale = scales(t, 1, 128)
    y = np.where(kept[:, None], to_8(t / spread(scale, 1, 128, t)), 0)
    expected = {"y": y, "scale": np.where(kept[:, None], scale, 0)}
    if CLIP:
        clips = [(x[kept, 0] > 1.5).sum(), (x[kept, 1] > 1.5).sum(), (x[kept, 1] < -1.5).sum()]
        given |= {"bound": 1.5, "clips": np.zeros(3, np.int64)}
        expected["clips"] = np.array(clips)
    return given | {"x": x, "y": 0 * y, "scale": 0 * scale}, expected


@case("swiglu_forward_and_per_channel_cast_and_transpose_kernel", "swiglu", "forward_columns", rms=5e-3)
@case("swiglu_forward_and_per_channel_cast_and_transpose_kernel", "swiglu", "forward_columns", rms=5e-3, STRAIGHT=True,
      CLIP=True)
def forward_columns(rng, STRAIGHT=False, CLIP=False):
    x = brain(rng, M, 2, 304)
    t = rounded(gated(x, 1.5 if CLIP else np.inf)[0], 8, -126, np.inf)
    scale = scales(t, 128, 1)
    y = to_8(t / spread(scale, 128, 1, t))
    given = {"x": x, "bound": 1.5} if CLIP else {"x": x}
    return given | {"y": str((y if STRAIGHT else y.T).shape)}, {"y": y if STRAIGHT else y.T, "scale": scale}


@case("swiglu_backward_and_per_token_cast_kernel", "swiglu", "backward", rms=6e-3)
@case("swiglu_backward_and_per_token_cast_kernel", "swiglu", "backward", rms=6e-3, CLIP=True)
def backward(rng, CLIP=False):
    x, x_scale, bound = eights(rng, 40, 2, 384), powers(rng, 40, 2, 3) / 64, 2.0 if CLIP else np.inf
    grad, weight = brain(rng, 40, 384), single(rng, 50)
    choice = np.where(rng.random(40) < 0.8, rng.permutation(50)[:40], -1).astype(np.int32)
    value = x * np.repeat(x_scale, 128, 2)
    t, a, b, s = gated(value, bound)
    w = np.where(choice >= 0, weight[choice], 0)[:, None]
    dx = np.stack([np.where(value[:, 0] > bound, 0, grad * w * s * b * (1 + a * (1 - s))),
                   np.where(abs(value[:, 1]) > bound, 0, grad * w * s * a)], 1)
    dweight = np.zeros(50)
    dweight[choice[choice >= 0]] = (grad * t).sum(1)[choice >= 0]
    scale = scales(dx.reshape(80, 384), 1, 128)
    dx8 = to_8(dx.reshape(80, 384) / spread(scale, 1, 128, dx.reshape(80, 384))).reshape(dx.shape)
    given = {"x": x, "x_scale": x_scale, "grad": grad, "weight": weight, "choice": choice, "dweight": 0 * dweight}
    expected = {"y": t * w, "dx8": dx8, "dx_scale": scale.reshape(40, 2, 3), "dx": dx, "dweight": dweight}
    return given | ({"bound": bound} if CLIP else {}), expected
