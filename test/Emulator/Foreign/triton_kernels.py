"""Kernels in the Triton language, for triton_compile.py: products with copies by threads and with tensor
descriptors, attention, reductions."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from triton.experimental.gluon.language.nvidia.hopper import warpgroup_mma, warpgroup_mma_wait


@triton.jit
def matmul_pointers(a, b, c, rows, columns, inner, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
                    TILE_K: tl.constexpr):
    """c = a b; any extents, since loads and stores are masked."""
    i = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    j = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    k = tl.arange(0, TILE_K)
    from_a = a + i[:, None] * inner + k[None, :]
    from_b = b + k[:, None] * columns + j[None, :]
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for begin in range(0, inner, TILE_K):
        left = inner - begin
        x = tl.load(from_a, mask=(i[:, None] < rows) & (k[None, :] < left), other=0.0)
        y = tl.load(from_b, mask=(k[:, None] < left) & (j[None, :] < columns), other=0.0)
        total = tl.dot(x, y, total)
        from_a += TILE_K
        from_b += TILE_K * columns
    tl.store(c + i[:, None] * columns + j[None, :], total.to(tl.float16),
             mask=(i[:, None] < rows) & (j[None, :] < columns))


@triton.jit
def matmul_descriptors(a, b, c, inner, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """The same product with tensor descriptors that the host encodes."""
    i = tl.program_id(0) * TILE_M
    j = tl.program_id(1) * TILE_N
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for k in range(0, inner, TILE_K):
        total = tl.dot(a.load([i, k]), b.load([k, j]), total)
    c.store([i, j], total.to(tl.float16))


@triton.jit
def matmul_roles(a, b, c, columns, inner, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """The same product, for which Triton assigns roles to warps automatically."""
    i = tl.program_id(0) * TILE_M
    j = tl.program_id(1) * TILE_N
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for k in tl.range(0, inner, TILE_K, warp_specialize=True):
        total = tl.dot(a.load([i, k]), b.load([k, j]), total)
    to = c + (i + tl.arange(0, TILE_M))[:, None] * columns + (j + tl.arange(0, TILE_N))[None, :]
    tl.store(to, total.to(tl.float16))


@triton.jit
def attention(q, k, v, o, scale, length, CAUSAL: tl.constexpr, TILE_Q: tl.constexpr, TILE_K: tl.constexpr,
              DEPTH: tl.constexpr):
    """softmax(q kᵀ scale) v; the second axis of programs selects the head."""
    head = tl.program_id(1) * length * DEPTH
    rows = tl.program_id(0) * TILE_Q + tl.arange(0, TILE_Q)
    depth = tl.arange(0, DEPTH)
    columns = tl.arange(0, TILE_K)
    queries = tl.load(q + head + rows[:, None] * DEPTH + depth[None, :])
    largest = tl.full((TILE_Q,), float("-inf"), tl.float32)
    weight = tl.zeros((TILE_Q,), tl.float32)
    total = tl.zeros((TILE_Q, DEPTH), tl.float32)
    end = (tl.program_id(0) + 1) * TILE_Q if CAUSAL else length
    for begin in range(0, end, TILE_K):
        keys = tl.load(k + head + (begin + columns)[None, :] * DEPTH + depth[:, None])
        scores = tl.dot(queries, keys) * (scale * 1.4426950408889634)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= (begin + columns)[None, :], scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        weight = weight * shrink + tl.sum(weights, 1)
        values = tl.load(v + head + (begin + columns)[:, None] * DEPTH + depth[None, :])
        total = tl.dot(weights.to(tl.float16), values, total * shrink[:, None])
        largest = larger
    tl.store(o + head + rows[:, None] * DEPTH + depth[None, :], (total / weight[:, None]).to(tl.float16))


@triton.jit
def softmax(x, y, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    j = tl.arange(0, WIDTH)
    values = tl.load(x + row + j, mask=j < columns, other=float("-inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + j, powers / tl.sum(powers, 0), mask=j < columns)


@triton.jit
def layer_norm(x, gain, bias, y, columns, epsilon, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    """Several rows per program, with sums across warps."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, WIDTH)
    inside = j[None, :] < columns
    values = tl.load(x + i[:, None] * columns + j[None, :], mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, 1) / columns
    centred = tl.where(inside, values - mean[:, None], 0.0)
    variance = tl.sum(centred * centred, 1) / columns
    scaled = centred * tl.rsqrt(variance + epsilon)[:, None]
    result = scaled * tl.load(gain + j, mask=j < columns)[None, :]
    result += tl.load(bias + j, mask=j < columns)[None, :]
    tl.store(y + i[:, None] * columns + j[None, :], result, mask=inside)


@triton.jit
def histogram(x, bins, count, WIDTH: tl.constexpr, BINS: tl.constexpr):
    """Counts values with atomics in global memory."""
    i = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    values = tl.load(x + i, mask=i < count, other=0)
    counts = tl.histogram(values, BINS, mask=i < count)
    tl.atomic_add(bins + tl.arange(0, BINS), counts)


@triton.jit
def prefix_sums(x, y, WIDTH: tl.constexpr):
    """Prefix sums of the values, and the sorted values."""
    row = tl.program_id(0) * WIDTH
    j = tl.arange(0, WIDTH)
    values = tl.load(x + row + j)
    tl.store(y + row + j, tl.cumsum(values, 0))
    tl.store(y + tl.num_programs(0) * WIDTH + row + j, tl.sort(values))


@gluon.jit
def load_tiles(a, b, c, tiles_a, tiles_b, full, empty, i, j, inner, STAGES: gl.constexpr):
    """The producer warp: waits for an empty slot, and commits it after the copy."""
    TILE_K: gl.constexpr = a.block_type.shape[1]
    for step in range(gl.cdiv(inner, TILE_K)):
        place = step % STAGES
        mbarrier.wait(empty.index(place), ((step // STAGES) & 1) ^ 1)
        mbarrier.expect(full.index(place), a.block_type.nbytes + b.block_type.nbytes)
        tma.async_copy_global_to_shared(a, [i, step * TILE_K], full.index(place), tiles_a.index(place))
        tma.async_copy_global_to_shared(b, [step * TILE_K, j], full.index(place), tiles_b.index(place))


@gluon.jit
def multiply_tiles(a, b, c, tiles_a, tiles_b, full, empty, i, j, inner, STAGES: gl.constexpr):
    """The consumer warpgroup: multiplies the tiles, and stores the result through the slot of the first tile."""
    TILE_M: gl.constexpr = a.block_type.shape[0]
    TILE_K: gl.constexpr = a.block_type.shape[1]
    TILE_N: gl.constexpr = b.block_type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, TILE_N, 16])
    total = gl.zeros((TILE_M, TILE_N), gl.float32, layout)
    for step in range(gl.cdiv(inner, TILE_K)):
        place = step % STAGES
        mbarrier.wait(full.index(place), (step // STAGES) & 1)
        total = warpgroup_mma(tiles_a.index(place), tiles_b.index(place), total, is_async=True)
        total = warpgroup_mma_wait(num_outstanding=0, deps=[total])
        mbarrier.arrive(empty.index(place), count=1)
    result = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    result.store(total.to(c.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(c, [i, j], result)
    tma.store_wait(0)


@gluon.jit
def matmul_specialized(a, b, c, inner, STAGES: gl.constexpr):
    """A matmul with roles in Gluon, Triton's lower level: a ring of tiles with mbarriers."""
    i = gl.program_id(0) * a.block_type.shape[0]
    j = gl.program_id(1) * b.block_type.shape[1]
    tiles_a = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_type.shape, a.layout)
    tiles_b = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for place in gl.static_range(STAGES):
        mbarrier.init(full.index(place), count=1)
        mbarrier.init(empty.index(place), count=1)
    arguments = (a, b, c, tiles_a, tiles_b, full, empty, i, j, inner, STAGES)
    gl.warp_specialize([(multiply_tiles, arguments), (load_tiles, arguments)], [1], [24])
