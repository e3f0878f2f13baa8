# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with many products in one iteration, from a few operands, into one or several accumulators."""

from .scope import Axis, Kind


def operand(w, dtype, rows, k, first, size):
    """Emits a load of [rows, k], or of [k, rows]; returns the text of the tile [rows, k]."""
    is_turned = w.chance(0.4) and dtype not in ("f8e4m3", "i8")
    name = w.given(dtype, [size, first] if is_turned else [first, size], w.small())
    tile = w.let_named(f"{name}[{k}, {rows}]" if is_turned else f"{name}[{rows}, {k}]")
    if w.chance(0.12):
        tile = w.let_named(f"{tile} + {tile}")
    return f"{tile}.T" if is_turned else tile


def products(w):
    """Emits a loop of 4 to 16 products."""
    dtype = w.pick(["f16", "bf16", "f16", "bf16", "f8e4m3", "i8"])
    count = w.pick([4, 6, 7, 8, 8, 9, 10, 12, 16])
    extents = 64, w.pick([8, 16, 32, 64] if count < 10 else [8, 16])
    depth = w.pick([16, 32] if dtype in ("f16", "bf16") else [32])
    (m, rows), (n, columns) = (w.axis(extent, w.length(extent, 1)) for extent in extents)
    k_size = w.size(w.length(depth, 4))
    kind = Kind("i32" if dtype == "i8" else "f32", (Axis(64, rows), Axis(extents[1], columns)))
    accumulators = [w.var(f"zeros({kind.dtype}[64, {extents[1]}])", kind) for _ in range(w.pick([1, 1, 2, 3, 4]))]
    w.context()

    def step(k):
        left = [operand(w, dtype, m, k, rows, k_size) for _ in range(w.pick([1, 1, 2]))]
        right = [operand(w, dtype, n, k, columns, k_size) for _ in range(w.pick([1, 1, 2]))]
        for _ in range(count):
            is_conditional = w.chance(0.03)
            if is_conditional:
                w.line(f"if {w.scalar_of('bool', w.chance(0.5))} {{")
            a, b = w.pick(left), w.pick(right)
            w.line(f"{w.pick(accumulators)} += {a} @ {transposed(b)};")
            if is_conditional:
                w.line("}")

    w.enclosed(lambda: w.loop_over(k_size, depth, step, "k"))
    for accumulator in accumulators if w.chance(0.5) else [" + ".join(accumulators)]:
        w.put(kind, accumulator)


def transposed(tile):
    """Returns the text of a transposed tile."""
    return tile[:-2] if tile.endswith(".T") else f"{tile}.T"
