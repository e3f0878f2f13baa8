# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, also of quantised operands, and quantisation."""

import math

import numpy as np

from inputs import half

M, N, K = 70, 100, 150


def product(rng, f=lambda x: x, bias=False, size=(M, N, K)):
    a, b = half(rng, size[0], size[2]), half(rng, size[2], size[1])
    given, x = {"a": a, "b": b}, a @ b
    if bias:
        given["bias"] = half(rng, size[1])
        x = x + given["bias"]
    return given, {"c": f(x)}


@case("matmul_kernel matmul_triton1 matmul_triton2 triton_matmul matmul_tma matmul_triton_autotune matmul_dequantize "
      "iv_dependent_matmul", "matmul", "matmul", rms=5e-3)
def matmul(rng):
    return product(rng, size=(M, 104, 152))


@case("matmul_persistent_triton", "matmul", "matmul", rms=5e-3, PERSISTENT=True)
def matmul_persistent(rng):
    return product(rng, size=(200, 136, 152))


def leaky(x):
    return np.where(x >= 0, x, 0.01 * x)


@case("matmul_leakyrelu matmul_triton_autotune", "matmul", "matmul", rms=5e-3, ACTIVATION=1)
def matmul_leaky(rng):
    return product(rng, leaky)


@case("matmul_leakyrelu_fp8", "matmul", "matmul", rms=5e-3, ACTIVATION=1, T="f8e5m2", O="f16")
def matmul_leaky_f8(rng):
    a, b = (rng.integers(-4, 5, shape).astype(float) / 4 for shape in ((M, 160), (160, 112)))
    return {"a": a, "b": b}, {"c": leaky(a @ b)}


@case("triton_linear_activation", "matmul", "matmul", rms=5e-3, ACTIVATION=2, BIAS=True)
def linear_relu(rng):
    return product(rng, lambda x: np.maximum(x, 0), True)


@case("triton_linear_activation", "matmul", "matmul", rms=5e-3, ACTIVATION=3, BIAS=True)
def linear_tanh(rng):
    return product(rng, np.tanh, True)


@case("triton_linear_activation", "matmul", "matmul", rms=5e-3, ACTIVATION=4, BIAS=True)
def linear_gelu(rng):
    return product(rng, lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2))), True)


@case("triton_linear_activation", "matmul", "matmul", rms=5e-3, ACTIVATION=5, BIAS=True)
def linear_fast_gelu(rng):
    return product(rng, lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), True)


@case("streamk_matmul", "matmul", "split_k", rms=5e-3)
def split_k(rng):
    given, expected = product(rng, size=(M, 104, 400))
    return given | {"c": np.zeros((M, 104))}, expected


@case("bmm_optimized", "matmul", "batched", rms=5e-3)
def batched(rng):
    a, b = half(rng, 3, M, K), half(rng, 3, K, N)
    return {"a": a, "b": b}, {"c": a @ b}


@case("bmm_chunk_fwd", "matmul", "chunks", rms=5e-3)
def chunks(rng):
    a, b, s = half(rng, 2, 128, 2, 80), half(rng, 2, 128, 2, 80), np.sort(rng.integers(0, 3, (2, 128))).astype(np.int32)
    c = np.einsum("bcmgk,bcngk->bcgmn", a.reshape(2, 2, 64, 2, 80), b.reshape(2, 2, 64, 2, 80))
    t = s.reshape(2, 2, 1, 64)
    return {"a": a, "b": b, "sequence": s}, {"c": np.where(t[..., None] == t[..., None, :], c, 0)}


@case("bmm_chunk_bwd", "matmul", "chunks_grad", rms=5e-3)
def chunks_grad(rng):
    a, dc, r = half(rng, 2, 128, 2, 80), half(rng, 2, 2, 2, 64, 64), half(rng, 2, 128, 2, 80)
    db = np.einsum("bcgmn,bcmgk->bcngk", dc, a.reshape(2, 2, 64, 2, 80)).reshape(a.shape) + r
    return {"a": a, "dc": dc, "residual": r}, {"db": db}


@case("matrix_vector_multip", "matmul", "matvec", T="f16")
def matvec(rng):
    a, x = half(rng, N, K), half(rng, K)
    return {"a": a, "x": x}, {"y": a @ x}


@case("batched_vecmat_mult", "matmul", "batched_matvec")
def batched_matvec(rng):
    a, b = half(rng, 7, K), half(rng, 7, 37, K)
    return {"a": a, "b": b}, {"y": np.einsum("mk,mnk->mn", a, b)}


@case("llama_ff_triton", "matmul", "feed_forward", rms=5e-3, W="f8e5m2")
def feed_forward_f8(rng):
    f8 = lambda *shape: rng.integers(-4, 5, shape) / 16
    return feed_forward_case(half(rng, M, K), f8(K, N), f8(K, N), f8(K))


@case("llama_ff_triton", "matmul", "feed_forward", rms=5e-3)
def feed_forward(rng):
    return feed_forward_case(half(rng, M, K), half(rng, K, N) / 8, half(rng, K, N) / 8, half(rng, K))


def feed_forward_case(x, w1, w3, norm):
    t = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * norm
    gate = t @ w1
    return {"x": x, "w1": w1, "w3": w3, "norm": norm, "eps": 1e-6}, {"y": gate / (1 + np.exp(-gate)) * (t @ w3)}


def away(x):
    """Moves numbers away from the middles between two integers, where rounding errors decide."""
    return np.where(np.abs(x - np.floor(x) - 0.5) < 0.02, np.floor(x), x)


def rows(rng):
    most = rng.choice([0.5, 1, 2, 4], M)
    q = away(rng.uniform(-126, 126, (M, 333)))
    q[:, 5] = 127
    return (q / 127 * most[:, None]).astype(np.float32).astype(np.float64), np.round(q).astype(np.int8), most


@case("rowwise_quantization_triton", "quantized", "quantize_rows")
def quantize_rows(rng):
    x, q, most = rows(rng)
    return {"x": x}, {"q": q, "s": most}


@case("int8_matmul_quantization", "quantized", "quantize_rows", SCALE=True, S="f16")
def quantize_rows_scale(rng):
    x = np.clip(half(rng, M, 333), -3.9, 3.9).astype(np.float16).astype(np.float64)
    x[:, 5] = 4.0
    scale = float(np.float16(4 / 127))
    x = np.where(np.abs(x / scale - np.round(x / scale)) < 0.02, np.where(x == 4, 4, 0), x)
    return {"x": x}, {"q": (x / scale).astype(np.int8), "s": np.full(M, scale)}


@case("int8_quantization", "quantized", "quantize_blocks")
def quantize_blocks(rng):
    x = half(rng, 3, 100, 64)
    x[:, 7], x[:, 77] = 4, -4
    scale = 4 * 0.75 / 127
    x = np.where(np.abs(x) < 4, away(x * 0.75 / scale) * scale / 0.75, np.sign(x) * 4).astype(np.float16)
    q = x.astype(np.float64) * 0.75 / scale
    x = np.where(np.abs(q - np.floor(q) - 0.5) < 0.01, 0, x.astype(np.float64))
    return {"x": x, "factor": 0.75}, {"q": np.round(x * 0.75 / scale).astype(np.int8), "s": np.full((3, 2), scale)}


@case("quantize_global", "quantized", "quantize_all")
def quantize_all(rng, turn=False):
    x = (away(rng.uniform(-126, 126, (M, N))) / 127 * 2).astype(np.float32).astype(np.float64)
    q = np.round(x * 0.5 * 127).astype(np.int8)
    return {"x": x, "factor": 0.5}, {"q": q.T if turn else q}


@case("quant_transpose_kernel", "quantized", "quantize_all", TURN=True)
def quantize_turned(rng):
    return quantize_all(rng, True)


@case("dequantize_rowwise", "quantized", "dequantize_rows", rms=5e-4)
def dequantize_rows(rng):
    x, q, most = rows(rng)
    return {"q": q, "most": most}, {"x": most[:, None] * q / 127}


def integers(rng, size=(M, 104, 160)):
    a, b = (rng.integers(-127, 128, (n, size[2])).astype(np.int8) for n in size[:2])
    return a, b, a.astype(np.int64) @ b.T.astype(np.int64)


@case("int8_dequant_matmul", "quantized", "matmul_i8", rms=5e-3, BIAS=True)
def matmul_i8_bias(rng):
    a, b, c = integers(rng)
    row, column, bias = rng.uniform(0.001, 0.01, M), rng.uniform(0.001, 0.01, 104), half(rng, 104)
    return {"a": a, "b": b, "row": row, "column": column, "bias": bias}, {"c": c * row[:, None] * column + bias}


@case("int8_matmul_quantization int_scaled_matmul", "quantized", "matmul_i8", rms=5e-3)
def matmul_i8(rng):
    a, b, c = integers(rng)
    row, column = rng.uniform(0.001, 0.01, M), rng.uniform(0.001, 0.01, 104)
    return {"a": a, "b": b, "row": row, "column": column}, {"c": c * row[:, None] * column}


@case("int_scaled_matmul", "quantized", "matmul_i8", SCALED=False, O="i32")
def matmul_i32(rng):
    a, b, c = integers(rng)
    return {"a": a, "b": b}, {"c": c.astype(np.int32)}


def packed(rng):
    k, n, g = 256, 128, 64
    q, z = rng.integers(0, 16, (k, n)), rng.integers(0, 16, (k // g, n))
    scale = (rng.uniform(0.5, 2, (k // g, n)) / 16).astype(np.float16).astype(np.float64)
    shift = 4 * np.arange(8)
    w = (q.reshape(-1, 8, n) << shift[:, None]).sum(1).astype(np.uint32).view(np.int32)
    zero = (z.reshape(-1, n // 8, 8) << shift).sum(2).astype(np.uint32).view(np.int32)
    x = (q - np.repeat(z, g, 0)) * np.repeat(scale, g, 0)
    return {"w": w, "scale": scale, "zero": zero}, x


@case("int4_matmul matmul_dequant_int4 matmul_dequantize matmul_dequantize_int4", "quantized", "matmul_4", rms=5e-3)
def matmul_4(rng):
    given, x = packed(rng)
    a = half(rng, M, 256)
    return {"a": a} | given, {"c": a @ x}


@case("matmul_dequant_int4 matmul_dequantize", "quantized", "dequantize_4", rms=5e-4)
def dequantize_4(rng):
    given, x = packed(rng)
    return given, {"x": x}


@case("dequantize_matmul", "quantized", "dequantize_columns", rms=5e-4)
def dequantize_columns(rng):
    b, scale = rng.integers(-127, 128, (K, N)).astype(np.int8), half(rng, N) / 64
    scale = scale.astype(np.float16).astype(np.float64)
    return {"b": b, "scale": scale}, {"x": b * scale}


@case("int8_matmul_kernel", "quantized", "matmul_2")
def matmul_2(rng):
    a, q = rng.integers(-127, 128, (M, 512)).astype(np.int8), rng.integers(0, 4, (4, 128, 104))
    b = sum(q[i] << (2 * i) for i in range(4)).astype(np.uint8)
    return {"a": a, "b": b}, {"c": (a.astype(int) @ (q.reshape(512, 104) - 1)).astype(np.int32)}


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6] + [-0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def fp4(rng):
    x = rng.integers(0, 256, (13, 80)).astype(np.uint8)
    return x, np.stack([E2M1[x & 15], E2M1[x >> 4]], 2).reshape(13, 160)


@case("fp4_to_bf16", "quantized", "fp4_to_bf16", rms=0)
def fp4_to_bf16(rng):
    x, y = fp4(rng)
    return {"x": x}, {"y": y}


@case("fp4_to_bf16_conversion", "quantized", "fp4_to_bf16", rms=0, SCALED=True)
def scaled_fp4_to_bf16(rng):
    (x, y), e = fp4(rng), rng.integers(97, 157, (13, 5)).astype(np.uint8)
    return {"x": x, "exponent": e}, {"y": y * np.repeat(2.0 ** (e.astype(int) - 127), 32, 1)}


@case("f8_conversion_utils", "quantized", "convert", rms=0.08)
@case("f8_conversion_utils", "quantized", "convert", rms=0, A="f8e5m2", B="f16")
def convert(rng):
    x = rng.integers(-4, 5, 1003) / 4
    return {"x": x}, {"y": x}


@case("rms_matmul_rbe rms_rbe_matmul", "rms_matmul", "rms_matmul", rms=5e-3)
@case("rms_matmul_rbe rms_rbe_matmul", "rms_matmul", "rms_matmul", rms=5e-3, W="f8e5m2")
@case("rms_matmul_rbe rms_rbe_matmul", "rms_matmul", "rms_matmul", rms=5e-3, ROTARY=True)
def rms_matmul(rng, W="f16", ROTARY=False):
    x, w, norm = half(rng, 2, 70, 152), half(rng, 136, 152), half(rng, 152)
    if W != "f16":
        w, norm = rng.integers(-4, 5, w.shape) / 4, rng.integers(1, 5, norm.shape) / 4
    y = (x / np.sqrt((x * x).mean(2, keepdims=True) + 1e-6) * norm) @ w.T
    given = {"x": x, "w": w, "norm": norm, "eps": 1e-6}
    if ROTARY:
        given["first"] = 3
        angle = (np.arange(70) + 3)[:, None] / 10000.0 ** (np.arange(0, 136, 2) % 128 / 128)
        turned = (y[..., ::2] + 1j * y[..., 1::2]) * np.exp(1j * angle)
        y = np.stack([turned.real, turned.imag], -1).reshape(y.shape)
    return given, {"y": y}


@case("triton_conv2d_fwd", "convolution", "convolution", rms=5e-3)
@case("triton_conv2d_fwd", "convolution", "convolution", T="f32", STRIDE=2, PADDING=2, GROUPS=2, BC=32)
def convolution(rng, STRIDE=1, PADDING=1, GROUPS=1):
    x, w = half(rng, 2, GROUPS * 20, 9, 11), half(rng, GROUPS * 24, 20, 3, 3)
    padded = np.pad(x, [(0, 0), (0, 0), (PADDING, PADDING), (PADDING, PADDING)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::STRIDE, ::STRIDE]
    parts = [np.einsum("bchwij,ocij->bohw", *pair) for pair in zip(np.split(windows, GROUPS, 1), np.split(w, GROUPS))]
    y = np.concatenate(parts, 1)
    return {"x": x, "w": w, "y": str(y.shape)}, {"y": y}
