# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer quotients and remainders: out-of-bounds elements divide 0 by 0, a `where` rejects quotients by zero, others
are stored, and the smallest integer divided by -1 wraps."""

import numpy as np

from .scope import NUMPY, Axis, Kind


def numerators(w, dtype):
    """Returns a function that draws small integers, the smallest integer of the type, and arbitrary integers."""
    limits = np.iinfo(NUMPY[dtype])

    def draw(shape):
        data = w.data.integers(limits.min, limits.max, shape, dtype=NUMPY[dtype], endpoint=True)
        small = w.data.integers(-20, 21, shape).astype(NUMPY[dtype])
        kind = w.data.random(shape)
        return np.where(kind < 0.5, small, np.where(kind < 0.7, limits.min, data)).astype(NUMPY[dtype])

    return draw


def divisors(w, dtype, has_zeros):
    """Returns a function that draws small divisors, many of them -1."""
    def draw(shape):
        data = w.data.integers(-4, 5, shape)
        return np.where(data == 0, 0 if has_zeros else -1, data).astype(NUMPY[dtype])

    return draw


def quotient(w, x, y):
    return f"{x} {w.pick('/%')} {y}"


def guarded(w, x, y, other):
    """Returns a quotient, mostly with another value selected where the divisor is zero; y is a name."""
    if w.chance(0.15):
        return quotient(w, x, y)
    value = w.pick([quotient(w, x, y), f"{quotient(w, x, y)} + 1", f"-({quotient(w, x, y)})"])
    return w.pick([f"where({y} != 0, {value}, {other})", f"where({y} == 0, {other}, {value})",
                   f"where({y} > 0 || {y} < 0, {value}, {other})"])


def quotients(w):
    """Emits one of the kernels below."""
    w.pick([vectors, vectors, tiles, summed, scalars, gathered, expressions])(w)


def vectors(w):
    dtype, extent = w.pick(["i32", "i32", "i64", "i8"]), w.pick([8, 16, 64, 128])
    n, size = w.axis(extent, w.length(extent, 3))
    kind = Kind(dtype, (Axis(extent, size),))
    has_zeros = w.chance(0.5)
    x, y = w.given(dtype, [size], numerators(w, dtype)), w.given(dtype, [size], divisors(w, dtype, has_zeros))
    w.context()
    a, b = w.let_named(f"{x}[{n}]", kind), w.let_named(f"{y}[{n}]")
    for _ in range(w.random.randint(1, 2)):
        w.put(kind, guarded(w, a, b, w.pick(["0", "-1", a])) if has_zeros else quotient(w, a, b))
    if w.chance(0.3):
        w.put(Kind("bool", kind.axes), f"{a} % 2 == 0")


def tiles(w):
    """Emits quotients of rank 2 by a broadcast vector, or by positions."""
    dtype, extents = w.pick(["i32", "i32", "i8"]), (w.pick([8, 16, 32]), w.pick([8, 16, 64]))
    (m, rows), (n, columns) = (w.axis(extent, w.length(extent, 2)) for extent in extents)
    kind = Kind(dtype, (Axis(extents[0], rows), Axis(extents[1], columns)))
    a = w.let_named(f"{w.given(dtype, [rows, columns], numerators(w, dtype))}[{m}, {n}]", kind)
    has_zeros = w.chance(0.5)
    if dtype == "i32" and w.chance(0.3):
        divisor, has_zeros = f"{n}.index[_, :]", True
    else:
        divisor = f"{w.given(dtype, [columns], divisors(w, dtype, has_zeros))}[{n}][_, :]"
    b = w.let_named(divisor)
    w.put(kind, guarded(w, a, b, w.pick(["0", "7"])) if has_zeros else quotient(w, a, b))


def summed(w):
    """Emits a loop that sums quotients, without out-of-bounds elements."""
    extent, block = w.pick([4, 16, 32]), w.pick([8, 16, 64])
    m, rows = w.axis(extent, w.length(extent, 2))
    size, kind = w.size(w.length(block, 3)), Kind("i32", (Axis(extent, rows),))
    x, y = w.given("i32", [rows, size], numerators(w, "i32")), w.given("i32", [rows, size], divisors(w, "i32", False))
    acc = w.var(f"zeros(i32[{extent}])", kind)

    def step(n):
        b = w.let_named(f"{y}[{m}, {n}]")
        w.line(f"{acc} += sum({guarded(w, f'{x}[{m}, {n}]', b, '0')}, axis = 1);")

    w.enclosed(lambda: w.loop_over(size, block, step))
    w.put(kind, acc)


def scalars(w):
    """Emits quotients of scalars from memory, under a condition if some divide by zero."""
    n, size = w.axis(1, w.random.randint(1, 3))
    has_zeros = w.chance(0.4)
    x, y = w.given("i32", [size], numerators(w, "i32")), w.given("i32", [size], divisors(w, "i32", has_zeros))
    a, b = w.let_named(f"{x}[{n}.start]"), w.let_named(f"{y}[{n}.start]")
    value = quotient(w, a, b)
    value = f"if {b} != 0 {{ {value} }} else {{ {a} }}" if has_zeros else value
    w.put(Kind("i32", (Axis(1, size),)), f"full(i32[1], {w.let_named(value)})")


def gathered(w):
    """Emits quotients of gathered elements; out-of-bounds ones are 0."""
    extent = w.pick([8, 32, 64])
    n, size = w.axis(extent, w.length(extent, 2))
    slots, kind = w.size(12), Kind("i32", (Axis(extent, size),))
    x, y = w.given("i32", [slots], numerators(w, "i32")), w.given("i32", [slots], divisors(w, "i32", w.chance(0.5)))
    r = w.let_named(f"{w.given('i32', [size], w.row_numbers(-2, 14))}[{n}]")
    a, b = w.let_named(f"{x}[{r}]", kind), w.let_named(f"{y}[{r}]")
    w.put(kind, guarded(w, a, b, "0"))


def expressions(w):
    """Emits a quotient of random expressions."""
    dtype, extent = w.pick(["i32", "i64", "i8"]), w.pick([4, 16, 32])
    n, size = w.axis(extent, w.length(extent, 2))
    kind = Kind(dtype, (Axis(extent, size),))
    a, b = w.let_named(w.text(kind, 2), kind), w.let_named(w.text(kind, 2), kind)
    w.put(kind, guarded(w, a, b, w.text(kind, 1)))
