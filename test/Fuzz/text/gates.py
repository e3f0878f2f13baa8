# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials of differences of large vectors: gates of linear attention, cumulative sums, softmax weights.

The vectors reach 1e6; their difference is moderate and exact in f32. The result therefore keeps all its digits."""

from .scope import Axis, Kind

STEP = 0.25


def large(w):
    """Draws a large number; multiples of STEP near it are exact in f32."""
    return w.pick([1e3, 1e4, 1e5, 1e6]) * w.pick([1, 1, -1]) + w.random.randint(0, 3)


def near(w, base, most=12):
    """Returns a function that draws numbers near a large one."""
    return lambda shape: base + w.data.integers(-most, most + 1, shape) * STEP


def difference(w, g, h):
    """Returns a difference of g and h, in a form into which a compiler may distribute a factor."""
    return w.pick([f"{g} - {h}", f"{g} - {h}", f"-({h} - {g})", f"0.5 * {g} - 0.5 * {h}", f"-{h} + {g}",
                   f"({g} - {h}) * 0.5", f"{g} - max({g}, {h})", f"{g} + (-{h})", f"min({g} - {h}, 1.0)"])


def gates(w):
    """Emits one of the kernels below."""
    w.pick([outer, outer, summed, summed, multiplied, chunks, row_weights])(w)


def two_vectors(w, rows, columns):
    base = large(w)
    return [w.given("f32", [size], near(w, base)) for size in (rows, columns)]


def outer(w):
    """Emits the weights of all pairs, as a result."""
    extents = w.pick([16, 32, 64]), w.pick([16, 32, 64])
    (m, rows), (n, columns) = (w.axis(extent, w.length(extent, 2)) for extent in extents)
    g, h = two_vectors(w, rows, columns)
    kind = Kind("f32", (Axis(extents[0], rows), Axis(extents[1], columns)))
    w.context()
    left, right = f"{g}[{m}][:, _]", f"{h}[{n}][_, :]"
    if w.chance(0.3):
        # The program names the vectors first.
        left, right = f"{w.let_named(f'{g}[{m}]')}[:, _]", f"{w.let_named(f'{h}[{n}] + 0.0')}[_, :]"
    value = f"{w.pick(['exp', 'exp', 'exp2'])}({difference(w, left, right)})"
    if w.chance(0.3):
        depth = w.pick([16, 32])
        q, k = (w.given("f16", [size, depth], w.small(2, 0.5)) for size in (rows, columns))
        scores = f"{q}[{m}, :] @ {k}[{n}, :].T"
        value = w.pick([f"({scores}) * {value}", f"exp(({scores}) * 0.25 + ({left} - {right}))"])
    w.put(kind, value)


def weights(w, g, h, m, n):
    """Returns the weights of a tile; out-of-bounds columns weigh zero."""
    value = f"exp({difference(w, f'{g}[{m}][:, _]', f'{h}[{n}][_, :]')})"
    return f"where({n}.valid[_, :], {value}, 0.0)"


def summed(w):
    """Emits a loop that sums weights."""
    extent, block = w.pick([16, 32, 64]), w.pick([16, 32, 64])
    m, rows = w.axis(extent, w.length(extent, 2))
    columns = w.size(w.length(block, 4))
    g, h = two_vectors(w, rows, columns)
    kind = Kind("f32", (Axis(extent, rows),))
    total = w.var(f"zeros(f32[{extent}])", kind)
    w.context()
    w.enclosed(lambda: w.loop_over(columns, block,
                                   lambda n: w.line(f"{total} += sum({weights(w, g, h, m, n)}, axis = 1);")))
    w.put(kind, total)
    if w.chance(0.3):
        w.put(kind, f"log({total} + 1.0)")


def multiplied(w):
    """Emits a loop that multiplies weights with a matrix."""
    dtype = w.pick(["f16", "bf16"])
    extent, block, depth = w.pick([16, 64]), w.pick([16, 32]), w.pick([16, 32])
    m, rows = w.axis(extent, w.length(extent, 2))
    columns = w.size(w.length(block, 3))
    g, h = two_vectors(w, rows, columns)
    v, kind = w.given(dtype, [columns, depth], w.small()), Kind("f32", (Axis(extent, rows), Axis(depth)))
    acc = w.var(f"zeros(f32[{extent}, {depth}])", kind)

    def step(n):
        w.line(f"{acc} += ({weights(w, g, h, m, n)} as {dtype}) @ {v}[{n}, :];")

    w.enclosed(lambda: w.loop_over(columns, block, step))
    w.put(kind, acc)


def chunks(w):
    """Emits linear attention in chunks: decays are differences of cumulative sums, which a loop carries."""
    dtype, block, depth = w.pick(["f16", "bf16"]), w.pick([16, 32]), w.pick([16, 32])
    columns = w.size(w.length(block, 3))
    m, rows = w.axis(block, w.sizes[columns])
    decay = w.given("f32", [columns], lambda shape: -w.data.integers(0, 3, shape) * STEP)
    start = w.scalar_of("f32", large(w)) if w.chance(0.5) else f"{w.given('f32', ['1'], near(w, large(w)))}[0]"
    v, kind = w.given(dtype, [columns, depth], w.small()), Kind("f32", (Axis(block, rows), Axis(depth)))
    acc = w.var(f"zeros(f32[{block}, {depth}])", kind)
    total = w.var(start, Kind("f32"))

    def step(n):
        x = w.let_named(f"{decay}[{n}]")
        g = w.let_named(f"cumsum({x}, axis = 0) + {total}")
        i = w.let_named(f"iota({block})")
        p = w.let_named(f"where({i}[:, _] >= {i}[_, :], exp({g}[:, _] - {g}[_, :]), 0.0)")
        w.line(f"{acc} += ({p} as {dtype}) @ {v}[{n}, :];")
        w.line(f"{total} += sum({x}, axis = 0);")

    w.enclosed(lambda: w.loop_over(columns, block, step))
    w.put(kind, acc)
    w.put(Kind("f32"), f"{total}")


def row_weights(w):
    """Emits a softmax of large logits along rows, and their log-sum-exp."""
    extent, block = w.pick([4, 16, 32]), w.pick([16, 32, 64])
    m, rows = w.axis(extent, w.length(extent, 2))
    x = w.given("f32", [rows, block], near(w, large(w)))
    kind = Kind("f32", (Axis(extent, rows), Axis(block)))
    s = w.let_named(f"{x}[{m}, :]")
    top = w.let_named(f"max({s}, axis = 1)")
    p = w.let_named(f"exp({s} - {top}[:, _])")
    w.put(kind, f"{p} / sum({p}, axis = 1)[:, _]")
    if w.chance(0.4):
        w.put(Kind("f32", (Axis(extent, rows),)), f"{top} + log(sum({p}, axis = 1))")
