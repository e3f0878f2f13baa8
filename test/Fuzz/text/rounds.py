# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose programs meet at barriers of the grid."""

from .scope import Axis, Kind


def rounds(w):
    """Emits one of the kernels below."""
    w.meets = True
    extent = w.pick([8, 16, 32, 50])
    m, rows = w.axis(extent, w.length(extent, 4))
    w.pick([shifted, normalised, counted])(w, m, rows, extent)


def meet(w):
    w.line("barrier(grid);")


def shared(w, dtype, dims):
    """Adds a tensor that all programs read and write."""
    dims = w.shape(map(str, dims))
    name = w.name("z")
    w.parameters.append(f"inout {name}: {dtype}[{', '.join(text for text, _ in dims)}]")
    w.arguments[name] = w.fill(dtype, tuple(extent for _, extent in dims), "small")
    return name


def shifted(w, m, rows, extent):
    """Emits rounds in which each element takes another one, of this program or of another, into account."""
    dtype = w.pick(["i32", "f32", "i16"])
    z = shared(w, dtype, [rows])
    step = w.pick(["1", "-1", str(extent), f"{rows} / 2"])
    kind = Kind(dtype, (Axis(extent, rows),))

    def once():
        t = w.let_named(f"load({z}[{m}.index + {step}], fill = {w.pick(['0', '3'])})")
        meet(w)
        w.line(f"{z}[{m}] = {w.pick([f'max({z}[{m}], {t})', f'{z}[{m}] - {t}', t])};")
        meet(w)

    if w.chance(0.3):
        once()
    else:
        way = w.random.random()
        count = w.random.randint(1, 3)
        i = w.name("i")
        w.line(f"for {i} in range(0, {count}) {{" if way < 0.6 else
               f"for {i} in range(0, {w.scalar_of('int', count)}) {{")
        with w.block():
            once()
        w.line("}")
    w.put(kind, f"{z}[{m}]")


def normalised(w, m, rows, extent):
    """Emits the difference of each element and the sum, or an extreme, of all, by way of one number of each program."""
    dtype = w.pick(["f32", "bf16", "i32"])
    x = w.given(dtype, [rows], w.small(4))
    number = f"{m}.start / {extent}"
    programs = f"({rows} + {extent - 1}) / {extent}"
    result = "i32" if dtype == "i32" else "f32"
    parts = shared(w, result, [-(-w.sizes[rows] // extent)])
    name = w.pick(["sum", "max"])
    own = f"{x}[{m}] as {result}" if name == "sum" else f"load({x}[{m}], fill = -100) as {result}"
    w.line(f"{parts}[{number}] = {name}({own}, axis = 0);")
    meet(w)
    all_of, i = w.name("v"), w.name("i")
    w.line(f"var {all_of} = {parts}[0];")
    w.line(f"for {i} in range(1, {programs}) {{")
    with w.block():
        w.line(f"{all_of} = {f'{all_of} + {parts}[{i}]' if name == 'sum' else f'max({all_of}, {parts}[{i}])'};")
    w.line("}")
    w.put(Kind(result, (Axis(extent, rows),)), f"{x}[{m}] as {result} - {all_of}")


def counted(w, m, rows, extent):
    """Emits a histogram that all programs make, then its counts for the elements."""
    t = w.given(w.pick(["i32", "u8", "i64"]), [rows], w.row_numbers(0, 6))
    z = shared(w, "i32", [6])
    w.enclosed(lambda: w.line(f"atomic_add({z}[{t}[{m}]], {w.pick(['1', f'{m}.index'])});"))
    meet(w)
    w.put(Kind("i32", (Axis(extent, rows),)), f"{z}[{t}[{m}]] {w.pick(['', '+ 1', f'* {m}.index'])}")
