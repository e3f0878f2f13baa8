# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans by functions along each axis of partial tiles. Most functions are not commutative. Loops merge
the results of their tiles, and built-in functions are combinations as well."""

import numpy as np

from .scope import Axis, Kind

# The body of each function, the types of its two tiles, and which of its results is exact.
FUNCTIONS = {
    "affine": ("(a, x, b, y) { return b * a, b * x + y; }", "i32 i32"),
    "gated": ("(a: f32, x, b, y) { return a * b, b * x + y; }", "f32 f32"),
    "segment": ("(f, s, g, t) { return f || g, if g { t } else { s + t }; }", "bool i32"),
    "chosen": ("(p, x, q, y) { return max(p, q), where(q > p, y, x); }", "i32 f32"),
    "narrow": ("(a: i8, x: bf16, b, y) { return b - b + a, y; }", "i8 bf16"),
    "log_sum_exp": ("(m, s, n, t) { let top = max(m, n); return top, s * exp(m - top) + t * exp(n - top); }",
                    "f32 f32"),
}


def elements(w, name, dtype):
    """Returns a function that draws elements whose combinations are exact, or small."""
    if dtype == "bool":
        return lambda shape: w.data.random(shape) < 0.2
    if name == "gated":
        return lambda shape: w.data.choice([0, 1, -1, 0.5], shape).astype(np.float32)
    return lambda shape: w.data.integers(-3, 4, shape).astype(np.float32)


def merges(w):
    """Emits one kernel with one or two combinations."""
    width = w.pick([8, 16, 32, 12, 64, 72])
    extent = w.pick([e for e in (1, 4, 8, 16, 64) if e * width <= 1024])
    m, rows = w.axis(extent, w.length(extent, 2) if extent > 1 else 2)
    row = Axis(extent, rows)
    is_loop = w.chance(0.25)
    w.context()
    if is_loop:
        return loop(w, m, row, rows, width)
    columns = w.size(w.random.randint(max(1, width // 2), width))
    n = w.let_named(f"tile(0, {columns}, {width})")
    for _ in range(w.random.randint(1, 2)):
        if w.chance(0.4):
            built_in(w, m, n, rows, columns, row, width)
        else:
            combined(w, m, n, rows, columns, row, width)
    return None


def function(w, name):
    word = f"{name}_{len(w.fns)}"
    w.fns.append(f"fn {word}{FUNCTIONS[name][0]}")
    return word


def reduced(row, width, axis):
    return (row,) if axis == 1 else (Axis(width),)


def combined(w, m, n, rows, columns, row, width):
    name = w.pick(FUNCTIONS)
    types = FUNCTIONS[name][1].split()
    word = function(w, name)
    tiles = [w.let_named(f"{w.given(t, [rows, columns], elements(w, name, t))}[{m}, {n}]") for t in types]
    if name in ("gated", "affine") and w.chance(0.3):
        tiles[0] = w.pick(["1", "-1"]) if name == "affine" else w.pick(["0.5", "1.0"])
    axis, is_scan = w.pick([0, 1]), w.chance(0.5)
    results = [w.name("t"), w.name("t")]
    words = [f"axis = {axis}", f"with = {word}"]
    if is_scan and w.chance(0.5):
        words.append(f"reverse = {w.pick(['true', 'false'])}")
    w.random.shuffle(words)
    w.line(f"let {', '.join(results)} = {'scan' if is_scan else 'reduce'}({', '.join([*tiles, *words])});")
    for result, dtype in zip(results, types):
        w.put(Kind(dtype, (row, Axis(width)) if is_scan else reduced(row, width, axis)), result)


def built_in(w, m, n, rows, columns, row, width):
    name = w.pick(["argmax", "argmin", "any", "all", "prod", "cumprod", "cummax", "cummin"])
    dtypes = ["i32", "i8", "u16"] if "prod" in name else ["f32", "i32", "u8", "f16", "i64"]
    dtype = "bool" if name in ("any", "all") else w.pick(dtypes)
    data = elements(w, "affine", dtype)
    if dtype[0] == "u":
        data = lambda shape: w.data.integers(0, 4, shape)  # noqa: E731
    x = w.let_named(f"{w.given(dtype, [rows, columns], data)}[{m}, {n}]")
    axis = w.pick([0, 1])
    is_scan = name.startswith("cum")
    text = f"{name}({x}, axis = {axis}{w.pick(['', ', reverse = true']) if is_scan else ''})"
    kind = "i32" if name.startswith("arg") or "prod" in name else dtype
    w.put(Kind(kind, (row, Axis(width)) if is_scan else reduced(row, width, axis)), text)


def loop(w, m, row, rows, width):
    """Emits a loop that merges the reductions of its tiles."""
    name = w.pick(["affine", "log_sum_exp"])
    dtype = FUNCTIONS[name][1].split()[0]
    word = function(w, name)
    columns = w.size(w.random.randint(width // 2, 2 * width + 3))
    x = w.given(dtype, [rows, columns], elements(w, name, dtype))
    kind = Kind(dtype, (row,))
    first = w.var(f"full({dtype}[{row.extent}], {'1' if name == 'affine' else '-1e4'})", kind)
    second = w.var(f"zeros({dtype}[{row.extent}])", kind)

    def step(n):
        tile = w.let_named(f"{x}[{m}, {n}]")
        if name == "affine":
            tiles = [f"where({n}.valid[_, :], {tile}, 1)", tile]
        else:
            tiles = [f"where({n}.valid[_, :], {tile}, -1e4)", "1.0"]
        pair = [w.name("t"), w.name("t")]
        w.line(f"let {', '.join(pair)} = reduce({', '.join(tiles)}, axis = 1, with = {word});")
        merged = [w.name("t"), w.name("t")]
        w.line(f"let {', '.join(merged)} = {word}({first}, {second}, {', '.join(pair)});")
        w.line(f"{first} = {merged[0]};")
        w.line(f"{second} = {merged[1]};")

    w.loop_over(columns, width, step)
    w.put(kind, first)
    w.put(kind, second)
