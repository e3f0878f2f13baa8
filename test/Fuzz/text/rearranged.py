# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of shape, parts and orders of tiles: chains of them on the columns of partial tiles, with arithmetic between
them. A loop carries a tile that each iteration rearranges."""

import numpy as np

from .scope import Axis, Kind

DTYPES = ["f32", "f32", "i32", "f16", "i8", "u16", "bf16", "i64", "bool"]


class Chain:
    """A tile whose first axis is the rows, and its changes. Names of the other axes are forgotten."""

    def __init__(self, w, name, dtype, row, columns):
        self.w, self.name, self.dtype, self.row, self.columns = w, name, dtype, row, columns

    def set(self, text, columns, dtype=None):
        self.name, self.columns, self.dtype = self.w.let_named(text), tuple(columns), dtype or self.dtype

    @property
    def kind(self):
        return Kind(self.dtype, (self.row, *map(Axis, self.columns)))

    @property
    def size(self):
        return self.row.extent * int(np.prod(self.columns))

    def axis(self):
        return self.w.random.randrange(len(self.columns))

    def index(self, at, text):
        return f"[{', '.join([':', *(text if n == at else ':' for n in range(len(self.columns)))])}]"

    def reshape(self):
        rest, shape = int(np.prod(self.columns)), []
        for _ in range(self.w.random.randint(0, 2)):
            extent = self.w.pick([n for n in range(1, rest + 1) if rest % n == 0])
            shape.append(extent)
            rest //= extent
        shape.insert(self.w.random.randint(0, len(shape)), rest)
        self.set(f"reshape({self.name}, {self.row.extent}, {', '.join(map(str, shape))})", shape)

    def permute(self):
        order = list(range(len(self.columns)))
        self.w.random.shuffle(order)
        self.set(f"permute({', '.join([self.name, '0', *(str(n + 1) for n in order)])})",
                 [self.columns[n] for n in order])

    def flip(self):
        self.set(f"flip({self.name}, axis = {self.axis() + 1})", self.columns)

    def split(self):
        if self.columns[-1] % 2:
            return
        names = self.w.name("t"), self.w.name("t")
        self.w.line(f"let {', '.join(names)} = split({self.name});")
        half = (*self.columns[:-1], self.columns[-1] // 2)
        if self.w.chance(0.5):
            self.set(f"join({', '.join(self.w.pick([names, names[::-1]]))})", self.columns)
        else:
            self.set(self.w.pick(names), half)

    def join(self):
        if self.size <= 1024:
            self.set(f"join({self.name}, flip({self.name}, axis = {self.axis() + 1}))",
                     (*self.columns[:-1], 2 * self.columns[-1]))

    def part(self):
        at = self.axis()
        low, high = self.bounds(at)
        columns = list(self.columns)
        columns[at] = high - low
        self.set(f"{self.name}{self.index(at, f'{low}:{high}')}", columns)

    def bounds(self, at):
        extent = self.columns[at]
        low = self.w.random.randrange(extent)
        return self.w.pick([(low, self.w.random.randint(low + 1, extent)), (0, max(1, extent // 2)),
                            (extent // 2, extent)])

    def element(self):
        if len(self.columns) > 1:
            at = self.axis()
            number = self.w.random.randrange(self.columns[at])
            self.set(f"{self.name}{self.index(at, str(number))}", self.columns[:at] + self.columns[at + 1:])

    def concat(self):
        if self.size > 1024:
            return
        at = self.axis()
        low, high = self.bounds(at)
        words = [self.name, f"{self.name}{self.index(at, f'{low}:{high}')}"]
        self.w.random.shuffle(words)
        columns = list(self.columns)
        columns[at] += high - low
        self.set(f"concat({', '.join(words)}, axis = {at + 1})", columns)

    def sort(self):
        if self.dtype != "bool":
            text = self.w.pick(["", ", descending = true", ", descending = false"])
            self.set(f"sort({self.name}, axis = {self.axis() + 1}{text})", self.columns)

    def argsort(self):
        if self.dtype not in ("bool", "i64"):
            text = self.w.pick(["", ", descending = true"])
            self.set(f"argsort({self.name}, axis = {self.axis() + 1}{text})", self.columns, "i32")

    def top(self):
        if self.dtype in ("bool", "i64"):
            return
        at = self.axis()
        k = self.w.random.randint(1, self.columns[at])
        names = self.w.name("t"), self.w.name("t")
        order = self.w.pick(["", ", descending = false"])
        self.w.line(f"let {', '.join(names)} = top({self.name}, {k}, axis = {at + 1}{order});")
        which = self.w.random.randrange(2)
        columns = list(self.columns)
        columns[at] = k
        self.set(names[which], columns, "i32" if which else None)

    def arithmetic(self):
        text = {"bool": f"!{self.name}"}.get(self.dtype, f"{self.name} * 2 + {self.name}")
        self.set(text, self.columns)

    def running(self):
        if self.dtype in ("f32", "i32", "i64"):
            self.set(f"cumsum({self.name}, axis = {self.axis() + 1})", self.columns)


WAYS = [Chain.reshape, Chain.permute, Chain.flip, Chain.split, Chain.join, Chain.part, Chain.element, Chain.concat,
        Chain.sort, Chain.argsort, Chain.top, Chain.arithmetic, Chain.running]  # fmt: skip
# Changes that keep the shape, for a tile that a loop carries.
KEEPING = [Chain.flip, Chain.sort, Chain.arithmetic]


def rearranged(w):
    """Emits one kernel with one or two chains."""
    width = w.pick([8, 16, 32, 12, 64, 72, 1, 6])
    extent = w.pick([e for e in (1, 4, 8, 16, 64) if e * width <= 1024])
    m, rows = w.axis(extent, w.length(extent, 2) if extent > 1 else 2)
    row = Axis(extent, rows)
    w.context()
    columns = w.size(w.random.randint(max(1, width // 2), width))
    n = w.let_named(f"tile(0, {columns}, {width})")
    for _ in range(w.random.randint(1, 2)):
        dtype = w.pick(DTYPES)
        data = (lambda shape: w.data.integers(-5, 6, shape))
        if dtype == "bool":
            data = (lambda shape: w.data.random(shape) < 0.4)
        if dtype[0] == "u":
            data = lambda shape: w.data.integers(0, 9, shape)  # noqa: E731
        chain = Chain(w, w.let_named(f"{w.given(dtype, [rows, columns], data)}[{m}, {n}]"), dtype, row, (width,))
        for _ in range(w.random.randint(1, 5)):
            w.pick(WAYS)(chain)
        if w.chance(0.25):
            carry(w, chain)
        w.put(chain.kind, chain.name)
    return None


def carry(w, chain):
    """Emits a loop that rearranges a tile two or three times."""
    name = w.var(chain.name, chain.kind)
    w.line(f"for {w.name('i')} in range(0, {w.random.randint(2, 3)}) {{")
    with w.block():
        inner = Chain(w, name, chain.dtype, chain.row, chain.columns)
        w.pick(KEEPING)(inner)
        w.line(f"{name} = {inner.name};")
    w.line("}")
    chain.name = name
