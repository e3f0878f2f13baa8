# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that gather all operands: a tensor, a page table or a computed position names each row."""

from .scope import Axis, Kind


def positions(w, k, size, slots):
    """Returns the text of positions for a range of a loop; some are out of bounds, some repeat."""
    low, high = w.pick([(0, slots - 1), (0, slots - 1), (-2, slots + 1)])
    way = w.random.random()
    if way < 0.4:
        return f"{w.given('i32', [size], w.row_numbers(low, high))}[{k}]"
    if way < 0.55:
        return f"{w.given('i32', ['1', size], w.row_numbers(low, high))}[0, {k}]"
    page = w.pick([2, 4, 16])
    if way < 0.85:
        index = k if way < 0.7 else f"{k}.index / {page}"
        return f"{w.given('i32', [size], w.row_numbers(0, slots // page))}[{index}] * {page} + {k}.index % {page}"
    return f"({k}.index * 3 + {w.random.randint(0, 5)}) % {slots}"


def gathers(w):
    """Emits one of the kernels below."""
    w.pick([multiplied, multiplied, attention, attention, added])(w)


def slots_of(w):
    """Adds a size of rows that positions name; returns it and its value."""
    number = w.random.randint(8, 48)
    return w.size(number), number


def multiplied(w):
    """Emits a matrix product whose operands are gathered along k, or along the rows of the result."""
    dtype = w.pick(["f16", "bf16"])
    extents, depth = (w.pick([16, 64, 64]), w.pick([16, 32, 64])), w.pick([16, 32, 64])
    (m, rows), (n, columns) = (w.axis(extent, w.length(extent, 2)) for extent in extents)
    k_size = w.size(w.length(depth, 3))
    kind = Kind("f32", (Axis(extents[0], rows), Axis(extents[1], columns)))
    a_slots, b_slots = slots_of(w), slots_of(w)
    order = ""
    if w.chance(0.5):
        order = w.let_named(f"{w.given('i32', [rows], w.row_numbers(-1, a_slots[1]))}[{m}]")
        a = w.given(dtype, [a_slots[0], k_size], w.small())
    else:
        a = w.given(dtype, [a_slots[0], rows], w.small())
    b = w.given(dtype, [b_slots[0], columns], w.small())
    acc = w.var(f"zeros(f32[{extents[0]}, {extents[1]}])", kind)
    w.context()

    def step(k):
        row = w.let_named(positions(w, k, k_size, b_slots[1])) if w.chance(0.6) else positions(w, k, k_size, b_slots[1])
        right = f"{b}[{row}, {n}]"
        left = f"{a}[{order}, {k}]" if order else f"{a}[{positions(w, k, k_size, a_slots[1])}, {m}].T"
        w.line(f"{acc} += {left} @ {right};")

    w.enclosed(lambda: w.loop_over(k_size, depth, step, "k"))
    w.put(kind, acc)


def attention(w):
    """Emits attention over a list of slots of keys and values."""
    dtype = w.pick(["f16", "bf16"])
    extent, block, depth = w.pick([16, 64]), w.pick([16, 32, 64]), w.pick([16, 32, 64])
    m, rows = w.axis(extent, w.length(extent, 2))
    keys, (slots, number) = w.size(w.length(block, 3)), slots_of(w)
    row, kind = Axis(extent, rows), Kind("f32", (Axis(extent, rows), Axis(depth)))
    q, k, v = (w.given(dtype, [size, depth], w.small(2, 0.5)) for size in (rows, slots, slots))
    tile = w.let_named(f"{q}[{m}, :]")
    mx = w.var(f"full(f32[{extent}], {w.pick(['-1e30', '-inf'])})", Kind("f32", (row,)))
    den = w.var(f"zeros(f32[{extent}])", Kind("f32", (row,)))
    acc = w.var(f"zeros(f32[{extent}, {depth}])", kind)

    def step(n):
        slot = w.let_named(positions(w, n, keys, number))
        scale = w.pick(["", "0.25 * "])
        s = w.let_named(f"where({n}.valid[_, :], {scale}({tile} @ {k}[{slot}, :].T), -inf)")
        new = w.let_named(f"max({mx}, max({s}, axis = 1))")
        p, c = w.let_named(f"exp({s} - {new}[:, _])"), w.let_named(f"exp({mx} - {new})")
        w.line(f"{den} = {den} * {c} + sum({p}, axis = 1);")
        w.line(f"{acc} = {acc} * {c}[:, _] + ({p} as {dtype}) @ {v}[{slot}, :];")
        w.line(f"{mx} = {new};")

    w.enclosed(lambda: w.loop_over(keys, block, step))
    w.put(kind, f"{acc} / {den}[:, _]")


def added(w):
    """Emits sums of rows, or of elementwise products of rows."""
    block, extent = w.pick([8, 16, 32]), w.pick([16, 64, 128])
    n, columns = w.axis(extent, w.length(extent, 2))
    size, (slots, number) = w.size(w.length(block, 4)), slots_of(w)
    dtype, kind = w.pick(["f32", "bf16", "i32"]), Kind("f32", (Axis(extent, columns),))
    tables = [w.given(dtype, [slots, columns], w.small(4)) for _ in range(w.pick([1, 2]))]
    acc = w.var(f"zeros(f32[{extent}])", kind)

    def step(k):
        parts = [f"({table}[{positions(w, k, size, number)}, {n}] as f32)" for table in tables]
        w.line(f"{acc} += sum({' * '.join(parts)}, axis = 0);")

    w.enclosed(lambda: w.loop_over(size, block, step, "k"))
    w.put(kind, acc)
