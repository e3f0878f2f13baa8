# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles whose last extent has an odd factor, such as 48, 72, 264, 720 or 1000: sums, norms, softmax and scans of
rows, elementwise operations."""

from .scope import Axis, Kind

EXTENTS = [24, 40, 48, 72, 72, 88, 104, 136, 200, 264, 264, 328, 360, 520, 720, 720, 776, 1000, 1000, 1032, 1096,
           1032, 2056]  # fmt: skip
# Largest number of elements in a tile.
MOST = 4200


def rows(w):
    """Emits operations on one tile of such rows, or a loop over such tiles."""
    width = w.pick(EXTENTS)
    extent = w.pick([e for e in (1, 1, 1, 2, 3, 4, 8, 16, 32) if e * width <= MOST])
    m, size = w.axis(extent, w.length(extent, 2) if extent > 1 else w.random.randint(1, 2))
    dtype = w.pick(["f32", "f32", "bf16", "f16", "i32"])
    row, kind = Axis(extent, size), Kind("i32" if dtype == "i32" else "f32", (Axis(extent, size), Axis(width)))
    # The tile is a dimension of known extent, a range of a size, or loaded by a loop.
    way = w.random.random()
    data = w.small(3)
    w.context()
    if way < 0.25:
        return loop(w, m, row, width, dtype, kind, data)
    if way < 0.65:
        dim, n = str(width), ":"
    else:
        dim = w.size(w.random.randint(width // 2, width + 9))
        n = w.let_named(f"tile(0, {dim}, {width})")
    x = w.given(dtype, [size, dim], data)
    tile = w.let_named(f"{x}[{m}, {n}]" + ("" if dtype in ("f32", "i32") else " as f32"))
    factor = w.given(kind.dtype, [dim], data)
    scale = w.let_named(f"{factor}[{n}]")
    for _ in range(w.random.randint(1, 2)):
        w.put(*w.pick([weighted, norm, softmax, statistics, statistics, running])(w, tile, scale, row, kind, width))
    return None


def weighted(w, tile, scale, row, kind, width):
    return kind, w.pick([f"{tile} * {scale}[_, :]", f"{tile} * {tile} + {scale}[_, :]",
                         f"where({tile} > 0, {tile}, {scale}[_, :])", f"{tile} - max({tile}, axis = 1)[:, _]",
                         f"{tile} * sum({tile}, axis = 1)[:, _] + {scale}[_, :]"])


def norm(w, tile, scale, row, kind, width):
    if kind.dtype == "i32":
        return weighted(w, tile, scale, row, kind, width)
    r = w.let_named(f"rsqrt(sum({tile} * {tile}, axis = 1) / {float(width)} + 0.5)")
    return kind, f"{tile} * {r}[:, _] * {scale}[_, :]"


def softmax(w, tile, scale, row, kind, width):
    if kind.dtype == "i32":
        return weighted(w, tile, scale, row, kind, width)
    p = w.let_named(f"exp({tile} - max({tile}, axis = 1)[:, _])")
    return kind, f"{p} / sum({p}, axis = 1)[:, _]"


def statistics(w, tile, scale, row, kind, width):
    op = w.pick(["sum({}, axis = 1)", "max({}, axis = 1)", "min({}, axis = 1)"])
    if w.chance(0.5):
        return Kind(kind.dtype, (row,)), op.format(w.pick([tile, f"{tile} * {scale}[_, :]", f"{tile} + {tile}"]))
    # Reduces the rows.
    return Kind(kind.dtype, (Axis(width),)), w.pick(["sum({}, axis = 0)", "max({}, axis = 0)"]).format(tile)


def running(w, tile, scale, row, kind, width):
    if row.extent > 4:
        return statistics(w, tile, scale, row, kind, width)
    return kind, f"cumsum({tile}, axis = 1{w.pick(['', ', reverse = true'])})"


def loop(w, m, row, width, dtype, kind, data):
    """Emits a loop over tiles of such rows."""
    dim = w.size(w.random.randint(width // 2, 2 * width + 9))
    x = w.given(dtype, [row.name, dim], data)
    kept = Kind(kind.dtype, (row,))
    acc = w.var(f"zeros({kind.dtype}[{row.extent}])", kept)
    wide = w.var(f"zeros({kind.dtype}[{row.extent}, {width}])", kind) if w.chance(0.5) else None

    is_masked = w.chance(0.5)

    def step(n):
        tile = w.let_named(f"{x}[{m}, {n}]" + ("" if dtype in ("f32", "i32") else " as f32"))
        if is_masked:
            tile = w.let_named(f"where({n}.valid[_, :], {tile}, 0)")
        w.line(f"{acc} += sum({tile}, axis = 1);")
        if wide:
            w.line(f"{wide} += {tile};")

    w.loop_over(dim, width, step)
    w.put(kept, acc)
    if wide:
        w.put(kind, wide)
