# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the style of Triton's tutorials, autotuned: products, attention forward, softmax and layer norm.

Imported only if Triton is installed."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

LOG2E = 1.4426950408889634


def choose(parameters, warps, stages):
    return triton.Config(parameters, num_warps=warps, num_stages=stages)


def set_blocks(**descriptors):
    """Returns a hook that sets the block of each descriptor to that of the current configuration."""
    def hook(arguments):
        for name, extents in descriptors.items():
            arguments[name].block_shape = [extent if isinstance(extent, int) else arguments[extent]
                                           for extent in extents]
    return hook


def describe(matrix):
    """Returns a tensor descriptor of a matrix; its block comes from the configuration."""
    return TensorDescriptor(matrix, list(matrix.shape), list(matrix.stride()), [1, 1])


# ------------------------------------------------------------------------------------------------ products


MATMULS = [triton.Config({"BM": bm, "BN": bn, "BK": 64}, num_warps=warps, num_stages=stages,
                         pre_hook=set_blocks(a=("BM", "BK"), b=("BK", "BN"), c=("BM", "BN")))
           for bm, bn, warps, stages in ((128, 256, 8, 3), (128, 256, 8, 4), (128, 128, 8, 4), (128, 128, 4, 4),
                                         (256, 128, 8, 3), (64, 128, 4, 4))]


@triton.autotune(configs=MATMULS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    program, rows, columns = tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN)
    # Groups of eight blocks of rows traverse the columns together, so that both operands stay in L2.
    first = program // (8 * columns) * 8
    height = min(rows - first, 8)
    m = (first + program % (8 * columns) % height) * BM
    n = program % (8 * columns) // height * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c.store([m, n], total.to(c.dtype))


def matmul(a, b, c):
    """Prepares a b for row-major matrices whose rows are multiples of 16 bytes."""
    (M, K), N = a.shape, b.shape[1]
    grid = lambda choice: (triton.cdiv(M, choice["BM"]) * triton.cdiv(N, choice["BN"]),)  # noqa: E731
    arguments = [describe(matrix) for matrix in (a, b, c)]
    return lambda: matmul_kernel[grid](*arguments, M, N, K)


# ----------------------------------------------------------------------------------------------- attention


ATTENTIONS = [triton.Config({"BM": 128, "BN": bn}, num_warps=warps, num_stages=stages,
                            pre_hook=set_blocks(q=("BM", "D"), k=("BN", "D"), v=("BN", "D"), o=("BM", "D")))
              for bn, warps, stages in ((128, 8, 2), (128, 8, 3), (64, 8, 3), (64, 4, 3))]


@triton.jit
def visit_keys(acc, den, top, q, k, v, row, m, first, last, scale, BM: tl.constexpr, BN: tl.constexpr,
               CAUSAL: tl.constexpr):
    """Visits keys first to last; with CAUSAL these are the keys on the diagonal."""
    for n in tl.range(first, last, BN):
        s = tl.dot(q, k.load([row + n, 0]).T) * scale
        if CAUSAL:
            s = tl.where(m + tl.arange(0, BM)[:, None] >= n + tl.arange(0, BN)[None, :], s, -1.0e6)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        c = tl.math.exp2(top - new)
        den = den * c + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v.load([row + n, 0]), acc * c[:, None])
        top = new
    return acc, den, top


@triton.autotune(configs=ATTENTIONS, key=["S", "D", "CAUSAL"])
@triton.jit
def attention_kernel(q, k, v, o, scale, S, D: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m, row = tl.program_id(0) * BM, tl.program_id(1) * S
    acc = tl.zeros((BM, D), dtype=tl.float32)
    den = tl.zeros((BM,), dtype=tl.float32)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    qm = q.load([row + m, 0])
    whole = m if CAUSAL else S
    acc, den, top = visit_keys(acc, den, top, qm, k, v, row, m, 0, whole, scale, BM, BN, False)
    if CAUSAL:
        acc, den, top = visit_keys(acc, den, top, qm, k, v, row, m, m, m + BM, scale, BM, BN, True)
    o.store([row + m, 0], (acc / den[:, None]).to(o.dtype))


def attention(q, k, v, scale, causal):
    """Prepares attention of tensors [B, H, S, D] with S a multiple of 128."""
    B, H, S, D = q.shape
    o = torch.empty_like(q)
    arguments = [describe(tensor.view(B * H * S, D)) for tensor in (q, k, v, o)]
    grid = lambda choice: (triton.cdiv(S, choice["BM"]), B * H)  # noqa: E731

    def run():
        attention_kernel[grid](*arguments, scale * LOG2E, S, D, causal)
        return {"o": o}
    return run


# ---------------------------------------------------------------------------------------------------- rows


ROWS = [choose({}, warps, 1) for warps in (2, 4, 8, 16)]


@triton.autotune(configs=ROWS, key=["N"])
@triton.jit
def softmax_kernel(x, y, N, BN: tl.constexpr):
    n = tl.arange(0, BN)
    row = tl.program_id(0).to(tl.int64) * N
    values = tl.load(x + row + n, mask=n < N, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + n, (powers / tl.sum(powers, 0)).to(y.dtype.element_ty), mask=n < N)


def softmax(x):
    y = torch.empty_like(x)

    def run():
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return {"y": y}
    return run


@triton.autotune(configs=ROWS, key=["N"])
@triton.jit
def layer_norm_kernel(x, gain, bias, y, N, eps, BN: tl.constexpr):
    n = tl.arange(0, BN)
    row = tl.program_id(0).to(tl.int64) * N
    values = tl.load(x + row + n, mask=n < N, other=0.0).to(tl.float32)
    centered = tl.where(n < N, values - tl.sum(values, 0) / N, 0.0)
    scale = tl.rsqrt(tl.sum(centered * centered, 0) / N + eps)
    g = tl.load(gain + n, mask=n < N).to(tl.float32)
    b = tl.load(bias + n, mask=n < N).to(tl.float32)
    tl.store(y + row + n, (centered * scale * g + b).to(y.dtype.element_ty), mask=n < N)


def layer_norm(x, gain, bias, eps):
    y = torch.empty_like(x)

    def run():
        layer_norm_kernel[(x.shape[0],)](x, gain, bias, y, x.shape[1], eps, triton.next_power_of_2(x.shape[1]))
        return {"y": y}
    return run
