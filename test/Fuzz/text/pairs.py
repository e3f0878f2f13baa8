# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose accesses pair positions: pages and slots, elements of rows, and positions of two dimensions."""

from .gathers import positions, slots_of
from .scope import Axis, Kind


def pairs(w):
    """Emits one of the kernels below."""
    w.pick([multiplied, added, picked, counted])(w)


def pages_of(w):
    number = w.random.randint(16, 24)
    return w.size(number), number


def multiplied(w):
    """Emits a matrix product whose right operand has pages and slots."""
    dtype, depth = w.pick(["f16", "bf16"]), w.pick([16, 32, 64])
    extents = w.pick([16, 64, 64]), w.pick([16, 32, 64])
    (m, rows), (n, columns) = (w.axis(extent, w.length(extent, 2)) for extent in extents)
    k_size, pages, slots = w.size(w.length(depth, 3)), pages_of(w), slots_of(w)
    kind = Kind("f32", (Axis(extents[0], rows), Axis(extents[1], columns)))
    a, b = w.given(dtype, [rows, k_size], w.small()), w.given(dtype, [pages[0], slots[0], columns], w.small())
    acc = w.var(f"zeros(f32[{extents[0]}, {extents[1]}])", kind)

    def step(k):
        position = f"({positions(w, k, k_size, pages[1])}, {positions(w, k, k_size, slots[1])})"
        w.line(f"{acc} += {a}[{m}, {k}] @ {b}[{position}, {n}];")

    w.enclosed(lambda: w.loop_over(k_size, depth, step, "k"))
    w.put(kind, acc)


def added(w):
    """Emits sums of rows that pages and slots name, with a number between them."""
    block, extent = w.pick([8, 16, 32]), w.pick([16, 64, 128])
    n, columns = w.axis(extent, w.length(extent, 2))
    size, pages, slots = w.size(w.length(block, 4)), pages_of(w), slots_of(w)
    dtype, kind = w.pick(["f32", "bf16", "i32"]), Kind("f32", (Axis(extent, columns),))
    x = w.given(dtype, [pages[0], "3", slots[0], columns], w.small(4))
    acc = w.var(f"zeros(f32[{extent}])", kind)

    def step(k):
        first, second = positions(w, k, size, pages[1]), positions(w, k, size, slots[1])
        w.line(f"{acc} += sum({x}[({first}, {w.pick(['0', '2', f'{k}.start % 4'])}, {second}), {n}] as f32, axis = 0);")

    w.enclosed(lambda: w.loop_over(size, block, step, "k"))
    w.put(kind, acc)


def picked(w):
    """Emits elements of the rows of a tile, one or several of each."""
    extent, count = w.pick([8, 32, 50]), w.pick([1, 4, 8, 12])
    m, rows = w.axis(extent, w.length(extent, 2))
    size, number = slots_of(w)
    x = w.given(w.pick(["f32", "f16", "i8"]), [rows, size], w.small(4))
    index = w.pick(["i32", "i64", "i16"])
    if count == 1:
        t = w.given(index, [rows], w.row_numbers(-2, number + 1))
        w.put(Kind("f32", (Axis(extent, rows),)), f"{x}[({m}, {t}[{m}])] as f32")
        return
    t = w.given(index, [rows, count], w.row_numbers(-2, number + 1))
    position = w.pick([f"({m}.index[:, _], {t}[{m}, :])", f"({t}[{m}, :] / 2, {t}[{m}, :])"])
    w.put(Kind("f32", (Axis(extent, rows), Axis(count))), f"{x}[{position}] as f32")


def counted(w):
    """Emits sums into a table of two dimensions."""
    extent = w.pick([16, 32, 128])
    m, rows = w.axis(extent, w.length(extent, 3))
    a, b = (w.given(dtype, [rows], w.row_numbers(-1, 6)) for dtype in ("i32", "u8"))
    name = w.name("z")
    w.parameters.append(f"inout {name}: i32[5, 6]")
    w.arguments[name] = w.fill("i32", (5, 6), "small")
    w.line(f"atomic_add({name}[({a}[{m}], {b}[{m}])], {w.pick(['1', f'{m}.index'])});")
