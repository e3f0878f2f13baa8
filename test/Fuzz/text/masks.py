# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and online softmax with finite masks, which hide all keys of the first, middle or last blocks, or of a
row."""

import numpy as np

from .scope import Axis, Kind

LOW = ["-1e4", "-65504.0", "-1e6", "-1e9", "-1e9", "-1e10", "-1e30", "-3.4e38", "-3.4028234e38"]


def low_value(w):
    """Returns the number that hides a score: a literal, a parameter of either kind, or an element of a tensor."""
    low = w.pick(LOW)
    way = w.random.random()
    if way < 0.5:
        return low
    if way < 0.7:
        return w.constant("float", low, None)
    if way < 0.9:
        return w.scalar_of("f32", float(low))
    return f"{w.given('f32', ['1'], lambda shape: np.full(shape, float(low)))}[0]"


def positions_of_rows(w, m, rows, n_length, block):
    """Returns a position for each row, as a column; many lie at the boundary of a block or outside the tensor."""
    def draw(shape):
        blocks = w.data.integers(0, -(-n_length // block) + 1, shape) * block
        near = w.data.integers(-2, 3, shape)
        return (blocks + near * (w.data.random(shape) < 0.5)).clip(-1, n_length + 1)

    return f"{w.given('i32', [rows], draw)}[{m}][:, _]"


def mask(w, m, rows, n, columns, block):
    """Returns the text of a mask: the columns that each row sees."""
    length, index = w.sizes[columns], f"{n}.index[_, :]"
    way = w.random.random()
    if way < 0.25:
        return f"{index} >= {positions_of_rows(w, m, rows, length, block)}"
    if way < 0.4:
        return f"{index} < {positions_of_rows(w, m, rows, length, block)}"
    if way < 0.55:
        width = w.random.randint(1, block + 8)
        return f"{index} <= {m}.index[:, _] && {index} > {m}.index[:, _] - {width}"
    if way < 0.7:
        low, high = (positions_of_rows(w, m, rows, length, block) for _ in range(2))
        return f"({index} < {low} || {index} >= {high})"
    if way < 0.8:
        hidden = w.data.random(w.sizes[columns] // block + 1) < 0.5
        return f"{w.given('bool', [columns], lambda shape: hidden.repeat(block)[:shape[0]])}[{n}][_, :]"
    if way < 0.9:
        return f"{w.given('bool', [rows, columns], lambda shape: w.data.random(shape) < 0.1)}[{m}, {n}]"
    parts = [w.given("i32", [size], w.row_numbers(0, 2)) for size in (rows, columns)]
    return f"{parts[0]}[{m}][:, _] == {parts[1]}[{n}][_, :]"


def hide(w, n, scores, seen, low):
    """Emits the statements that mask scores; returns the name of the result."""
    valid = w.pick(["", "and", "after", "before"])
    if valid == "and":
        seen = f"{seen} && {n}.valid[_, :]"
    if valid == "before":
        scores = f"where({n}.valid[_, :], {scores}, {low})"
    way = w.random.random()
    if way < 0.5:
        result = w.let_named(f"where({seen}, {scores}, {low})")
    elif way < 0.8:
        result = w.let_named(f"{scores} + where({seen}, 0.0, {low})")
    else:
        result = w.let_named(scores)
        result = w.let_named(f"where({seen}, {result}, {low})")
    if valid == "after":
        result = w.let_named(f"where({n}.valid[_, :], {result}, -inf)")
    return result


def scores_of(w, m, rows, columns, dtype):
    """Returns a function from a range of columns to the text of scores: a product, scaled or not, or a tensor."""
    way = w.random.random()
    if way < 0.25:
        dtype = w.pick(["f32", "bf16", "f16", "f8e4m3", "f8e5m2"])
        x = w.given(dtype, [rows, columns], w.small(6, 0.5))
        return lambda n: f"{x}[{m}, {n}]" + ("" if dtype == "f32" else " as f32")
    depth = w.pick([16, 32, 64])
    q, k = (w.given(dtype, [size, depth], w.small(2, 0.5)) for size in (rows, columns))
    tile = w.let_named(f"{q}[{m}, :]") if w.chance(0.7) else f"{q}[{m}, :]"
    scale = ""
    if way > 0.65:
        scale = w.pick(["0.125 * ", "0.3 * ", f"{w.scalar_of('f32', w.pick([0.25, 0.3, -0.5, 1.0]))} * ", "-"])
    return lambda n: f"{scale}({tile} @ {k}[{n}, :].T)"


def masks(w):
    """Emits attention with a running maximum over blocks of keys."""
    dtype = w.pick(["f16", "f16", "bf16"])
    extent, block = w.pick([16, 32, 64]), w.pick([16, 32, 64])
    m, rows = w.axis(extent, w.length(extent, 2))
    columns = w.size(w.length(block, 4))
    row, low = Axis(extent, rows), low_value(w)
    w.context()
    if w.chance(0.12):
        return whole_rows(w, m, row, columns, block, low, dtype)
    depth = w.pick([8, 16, 32, 64])
    scores, v = scores_of(w, m, rows, columns, dtype), w.given(dtype, [columns, depth], w.small(2))
    exp = w.pick(["exp", "exp", "exp", "exp2"])
    mx = w.var(f"full(f32[{w.extent_text(extent)}], {w.pick(['-inf', '-inf', low, '-1e30'])})", Kind("f32", (row,)))
    den = w.var(f"zeros(f32[{extent}])", Kind("f32", (row,)))
    out = Kind("f32", (row, Axis(depth)))
    acc = w.var(f"zeros(f32[{extent}, {depth}])", out)

    def step(n):
        hidden = hide(w, n, scores(n), mask(w, m, rows, n, columns, block), low)
        new = w.let_named(f"max({mx}, max({hidden}, axis = 1))")
        p = w.let_named(f"{exp}({hidden} - {new}[:, _])")
        if w.chance(0.2):
            p = w.let_named(f"where({n}.valid[_, :], {p}, 0.0)")
        c = w.let_named(f"{exp}({mx} - {new})")
        w.line(f"{den} = {den} * {c} + sum({p}, axis = 1);")
        w.line(f"{acc} = {acc} * {c}[:, _] + ({p} as {w.type_text(dtype)}) @ {v}[{n}, :];")
        w.line(f"{mx} = {new};")

    w.enclosed(lambda: w.loop_over(columns, block, step))
    result = w.let_named(f"{acc} / {den}[:, _]", out)
    w.put(out, result) if w.chance(0.6) else w.put(out.of(dtype), f"{result} as {dtype}")
    if w.chance(0.3):
        w.put(Kind("f32", (row,)), f"{mx} + {'log2' if exp == 'exp2' else 'log'}({den})")
    if w.chance(0.3):
        w.put(Kind("f32", (row,)), mx)


def whole_rows(w, m, row, columns, block, low, dtype):
    """Emits a softmax of one tile, without a loop."""
    n = w.let_named(f"tile(0, {columns}, {block})")
    hidden = hide(w, n, scores_of(w, m, row.name, columns, dtype)(n), mask(w, m, row.name, n, columns, block), low)
    p = w.let_named(f"exp({hidden} - max({hidden}, axis = 1)[:, _])")
    w.put(Kind("f32", (row, Axis(block))), f"{p} / sum({p}, axis = 1)[:, _]")
