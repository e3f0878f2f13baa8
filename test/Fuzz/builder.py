# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows a random program, statement by statement: blocks as kernels have them (products, reductions over
loops, attention, gathers), decorated with random operations."""

import math

from analysis import Analysis
from programs import INTEGERS, Let, Load, Loop, Parameter, Program, Store
from values import Invalid

TILES = [1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 80, 96, 128]
WIDE = [16, 32, 48, 64, 80, 96, 128]
FLOATS = ["f32", "bf16", "f16"]
UNARY = ["neg", "abs", "tanh", "sigmoid", "erf", "rsqrt", "sqrt", "log", "exp", "floor"]
BINARY = ["add", "sub", "mul", "max", "min", "div"]


class Recorder(Analysis):
    """An analysis that remembers every value, also those of loops."""

    def __init__(self, program):
        self.seen = {}
        super().__init__(program)

    def compute(self, scope, let):
        self.seen[let.name] = value = super().compute(scope, let)
        return value

    def load(self, scope, load):
        self.seen[load.name] = value = super().load(scope, load)
        return value


class Builder:
    """A program that grows; each statement is tried, and taken back if it is invalid."""

    def __init__(self, random):
        self.random = random
        self.program = Program({}, {}, [], [], {}, [])
        self.bodies = [self.program.body]
        self.values = [{}]
        self.ranges = {}
        self.numbers = {}

    def name(self, prefix):
        self.numbers[prefix] = self.numbers.get(prefix, -1) + 1
        return f"{prefix}{self.numbers[prefix]}"

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(list(choices))

    def analyse(self):
        return Analysis(self.program)

    def attempt(self, statement):
        """Adds a statement if the program stays valid; says whether it did."""
        body = self.bodies[-1]
        body.append(statement)
        try:
            self.analyse()
        except Invalid:
            body.pop()
            return False
        return True

    def let(self, op, *args, keyword="let", name=None):
        """The name of a new value, or None if there is none."""
        name = name or self.name("t")
        statement = Let(name, op, list(args), keyword)
        body = self.bodies[-1]
        body.append(statement)
        try:
            value = self.evaluate(name)
        except Invalid:
            body.pop()
            return None
        self.values[-1][name] = value
        return name

    def evaluate(self, name):
        """The value of the last statement, from an analysis of the whole program."""
        analysis = Recorder(self.program)
        return analysis.seen[name]

    def visible(self):
        return {name: value for scope in self.values for name, value in scope.items()}

    def value(self, name):
        return self.visible()[name]

    def size(self, prefix, value):
        name = self.name(prefix)
        self.program.sizes[name] = value
        return name

    def tile(self, value):
        name = self.name("B")
        self.program.tiles[name] = value
        return name

    def parameter(self, dtype, dims, access="in", data=None):
        if data is None:
            choices = ["integers", "bits"] if dtype in INTEGERS else ["integers", "bits", "quarters", "reals"]
            data = self.pick(choices)
        parameter = Parameter(self.name({"in": "x", "out": "y", "inout": "z"}[access]), dtype, dims, access, data)
        self.program.parameters.append(parameter)
        return parameter

    def extent(self, size, tile_value, most_tiles):
        """A random size that takes few tiles."""
        most = tile_value * most_tiles
        kind = self.random.random()
        if kind < 0.03:
            value = 0
        elif kind < 0.08:
            value = 1
        elif kind < 0.35:
            value = tile_value * self.random.randint(1, most_tiles)
        elif kind < 0.55:
            primes = [p for p in (2, 3, 5, 7, 13, 17, 31, 37, 61, 67, 97, 101, 127, 131, 193, 251) if p <= most]
            value = self.pick(primes or [1])
        elif kind < 0.8:
            value = 8 * self.random.randint(1, max(1, most // 8))
        else:
            value = self.random.randint(1, most)
        self.program.sizes[size] = min(value, most)

    # What tensors and ranges there are.

    def add_range(self, name, size, tile):
        self.ranges[name] = size, tile

    def dim_of(self, range_name):
        return self.ranges[range_name][0]

    def load(self, dtype, indices, data=None, extra=0.4, may_share=True):
        """Loads a tile at ranges (or `:D`), from a tensor that may have dimensions more."""
        program = self.program
        dims, written = [], []
        for index in indices:
            if index in self.ranges:
                dims.append(self.dim_of(index))
                written.append(index)
            else:
                dims.append(index)
                written.append(":")
        plain = [axis for axis in program.grid if axis.tile is None and axis.size not in program.counts]
        if plain and len(dims) < 3 and self.chance(extra):
            axis = self.pick(plain)
            place = self.random.randint(0, len(dims))
            dims.insert(place, axis.size)
            written.insert(place, axis.name)
        if may_share and self.chance(0.1):
            place = self.random.randrange(len(written))
            if written[place] in self.ranges:
                written[place] = f"{self.random.randint(1, 9)} + {written[place]}"
        fill = "" if self.chance(0.9) or dtype in INTEGERS else self.pick(["1.0", "-0.5"])
        same = [p for p in program.parameters if p.access == "in" and p.dtype == dtype and p.dims == dims]
        parameter = self.pick(same) if same and self.chance(0.4) and data is None else self.parameter(dtype, dims, data=data)
        name = self.name("t")
        statement = Load(name, parameter.name, written, fill)
        if not self.attempt(statement):
            return None
        self.values[-1][name] = self.evaluate(name)
        return name

    # Random operations.

    def aligned(self, axes, other):
        """`other` with axes of extent 1 where `axes` has more, or None."""
        value = self.value(other)
        if not value.axes or value.axes == axes:
            return other
        place = 0
        while len(value.axes) < len(axes):
            if place < len(value.axes) and value.axes[place] == axes[place]:
                place += 1
                continue
            other = self.let("expand", other, place)
            if other is None:
                return None
            value = self.value(other)
            place += 1
        return other if all(a == b or b is None for a, b in zip(axes, value.axes)) else None

    def cast(self, name, dtype):
        value = self.value(name)
        return name if value.dtype == dtype else self.let("cast", name, dtype)

    def partner(self, name):
        """Another value that can be combined with one, or a number."""
        value = self.value(name)
        others = [other for other, one in self.visible().items()
                  if one.dtype == value.dtype and set(one.axes) <= set(value.axes) and len(one.axes) <= len(value.axes)]
        if others and self.chance(0.6):
            return self.aligned(value.axes, self.pick(others))
        if self.chance(0.3) and value.axes and all(axis in self.ranges for axis in value.axes) and value.dtype != "bool":
            axes = self.random.sample(value.axes, self.random.randint(1, len(value.axes)))
            axes = [axis for axis in value.axes if axis in axes]
            if len(axes) <= 2 and (other := self.load(value.dtype, axes)):
                return self.aligned(value.axes, other)
        return float(self.pick([0, 1, 2, 3, -1, -2])) if value.dtype in INTEGERS else self.pick([0.5, 2.0, -1.0, 0.25, 3.0, 0.1])

    def mask(self, axes):
        """A truth value of each element, of positions."""
        choices = [axis for axis in axes if axis in self.ranges]
        if not choices:
            return None
        axis = self.pick(choices)
        if self.chance(0.4):
            mask = self.let("valid", axis)
        else:
            index = self.let("index", axis)
            if len(choices) == 2 and len(axes) == 2 and self.chance(0.4):
                left, right = self.let("index", axes[0]), self.let("index", axes[1])
                return self.let(self.pick(["ge", "lt"]), self.aligned(axes, left), self.aligned(axes, right))
            mask = self.let(self.pick(["lt", "ge", "eq"]), index, float(self.random.randint(0, 70)))
        return self.aligned(axes, mask) if mask else None

    def decorate(self, name, most=3):
        """A random operation or several on a value; keeps its axes."""
        for _ in range(self.random.randint(0, most)):
            value = self.value(name)
            kind = self.random.random()
            result = None
            if kind < 0.25:
                result = self.let(self.pick(UNARY), name)
            elif kind < 0.6:
                other = self.partner(name)
                if other is not None:
                    args = [name, other]
                    if self.chance(0.3) and value.axes == getattr(self.visible().get(other), "axes", None):
                        args.reverse()
                    result = self.let(self.pick(BINARY), *args)
            elif kind < 0.7:
                other = self.partner(name)
                mask = self.mask(value.axes)
                if other is not None and mask:
                    result = self.let("where", mask, name, other)
            elif kind < 0.75:
                a, b = self.partner(name), self.partner(name)
                if a is not None and b is not None:
                    result = self.let("fma", name, a, b)
            elif kind < 0.85:
                result = self.let("cast", name, self.pick(["f32", "f32", "bf16", "f16", "i32"]))
            elif kind < 0.93 and value.axes:
                result = self.let(self.pick(["cumsum", "cumsum_back"]), name, self.random.randrange(len(value.axes)))
            elif value.axes:
                axis = self.random.randrange(len(value.axes))
                reduced = self.let(self.pick(["sum", "most", "least"]), name, axis)
                if reduced:
                    if self.value(reduced).axes:
                        reduced = self.let("expand", reduced, axis)
                    if reduced:
                        result = self.let(self.pick(["sub", "add", "max"]), name, reduced)
            name = result or name
        return name

    # Blocks.

    def enter_loop(self, size, tile, allow_part=True, limit=""):
        name = self.name("k")
        counts = [axis for axis in self.program.grid if axis.size in self.program.counts]
        part = f", part = {counts[0].name} of {counts[0].size}" if counts and allow_part and not limit else ""
        loop = Loop(name, size, tile, [], part, limit)
        self.bodies[-1].append(loop)
        self.bodies.append(loop.body)
        self.values.append({})
        self.add_range(name, size, tile)
        return name

    def leave(self):
        self.bodies.pop()
        self.values.pop()

    def variable(self, dtype, axes, value):
        if axes:
            return self.let("full", dtype, list(axes), value, keyword="var", name=self.name("v"))
        return None

    def update(self, name, op, *args):
        if not self.attempt(Let(name, op, list(args), "")):
            return False
        return True

    def inner_size(self, wide=True):
        tile_value = self.pick(WIDE if wide else TILES)
        size, tile = self.name("K"), self.tile(tile_value)
        self.program.sizes[size] = 1
        self.extent(size, tile_value, 4)
        return size, tile

    def product_block(self, row, column):
        """acc += a[m, k] @ b[k, n], stored in any of four ways, with operations between."""
        size, tile = self.inner_size()
        dtype = self.pick(["bf16", "bf16", "f16", "f16", "f32"])
        acc = self.variable("f32", (row, column), 0.0)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        operands = []
        for first, second in ((row, k), (k, column)):
            if self.chance(0.5):
                operand = self.load(dtype, [first, second])
            else:
                operand = self.load(dtype, [second, first])
                if operand and self.chance(0.2):
                    operand = self.cast(self.decorate(operand, 1), dtype) or operand
                operand = operand and self.let("transpose", operand)
            if operand and self.chance(0.25):
                operand = self.cast(self.decorate(operand, 2), dtype)
            operands.append(operand)
        done = False
        if all(operands):
            product = self.let("dot", *operands)
            if product and self.chance(0.2):
                product = self.decorate(product, 2)
            done = product and self.update(acc, "add", acc, product)
            if done and self.chance(0.2):
                # Statistics of an operand beside the product.
                wide = self.cast(operands[0], "f32")
                total = wide and self.let("sum", wide, 1)
                column_total = total and self.let("expand", total, 1)
                if column_total:
                    self.update(acc, "add", acc, column_total)
        self.leave()
        return acc

    def reduction_block(self, axes):
        """A sum or an extremum over a loop, of a tile that has one axis more."""
        size, tile = self.inner_size(wide=self.chance(0.7))
        op = self.pick(["add", "add", "max", "min"])
        start = {"add": 0.0, "max": self.pick([-math.inf, -1.0]), "min": 2.0}[op]
        if start == -math.inf:
            start = -1e4
        acc = self.variable("f32", axes, start)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        place = self.random.randint(0, len(axes)) if len(axes) < 2 else 1
        indices = list(axes)
        indices.insert(place, k)
        t = self.load(self.pick(FLOATS), indices)
        t = t and self.decorate(t, 2)
        t = t and self.cast(t, "f32")
        if t:
            reduced = self.let({"add": "sum", "max": "most", "min": "least"}[op], t, place)
            if reduced:
                if self.chance(0.3) and op == "add":
                    self.update(acc, "mul", acc, 0.5)
                self.update(acc, op, acc, reduced)
            if self.chance(0.2) and self.outputs_cover(axes):
                self.store(t)
        self.leave()
        return acc

    def attention_block(self, row, column):
        """Chained products with a running sum, masked or not; the scores stay in registers."""
        size, tile = self.inner_size()
        depth = self.tile(self.pick([16, 32, 64, 80, 96]))
        dtype = self.pick(["bf16", "f16"])
        data = self.pick(["bits", "quarters", "integers"])
        q = self.load(dtype, [row, depth], data=data, may_share=False)
        if not q:
            return None
        acc = self.variable("f32", (row, column), 0.0)
        den = self.variable("f32", (row,), 0.0)
        top = self.variable("f32", (row,), -64.0)
        causal = self.chance(0.3)
        limit = self.pick([f"{row}.end", size]) if causal else ""
        self.enter_loop(size, tile, allow_part=False, limit=limit)
        n = list(self.ranges)[-1]
        key = self.load(dtype, [n, depth], data=data, may_share=False)
        value = self.load(dtype, [n, column], data=data)
        if key and value:
            scores = self.let("dot", q, self.let("transpose", key))
            scores = scores and self.let("mul", scores, self.pick([0.125, 0.0625]))
            scores = scores and self.decorate(scores, 1)
            if causal and scores:
                rows = self.let("expand", self.let("index", row), 1)
                columns = self.let("expand", self.let("index", n), 0)
                scores = self.let("where", self.let("ge", rows, columns), scores, -16.0) or scores
            scores = scores and self.let("min", self.let("max", scores, -16.0), 16.0)
            most = scores and self.let("most", scores, 1)
            new = most and self.let("max", top, most)
            if new and self.value(new).axes == (row,):
                shifted = self.let("sub", scores, self.let("expand", new, 1))
                shifted = shifted and self.let("min", shifted, 0.0) if self.chance(0.3) else shifted
                weights = shifted and self.let("exp", self.let("min", shifted, 2.0) if self.value(shifted).high > 9 else shifted)
                old = weights and self.let("sub", top, new)
                scale = old and self.let("exp", self.let("min", old, 0.0))
                if scale and (total := self.let("sum", weights, 1)):
                    self.update(den, "mul", den, scale)
                    self.update(den, "add", den, total)
                    self.update(acc, "mul", acc, self.let("expand", scale, 1))
                    narrow = self.cast(weights, dtype)
                    product = narrow and self.let("dot", narrow, value)
                    if product:
                        self.update(acc, "add", acc, product)
                    self.update(top, "same", new)
        self.leave()
        result = self.let("div", acc, self.let("expand", den, 1))
        return result or acc

    def nested_block(self, row):
        """A product for each tile of a loop, reduced at once."""
        size, tile = self.inner_size()
        acc = self.variable("f32", (row,), 0.0)
        self.enter_loop(size, tile)
        column = list(self.ranges)[-1]
        z = self.product_block(row, column)
        z = self.decorate(z, 2) if z else None
        z = z and self.cast(z, "f32")
        total = z and self.let(self.pick(["sum", "most"]), z, 1)
        if total:
            self.update(acc, self.pick(["add", "max"]), acc, total)
        self.leave()
        return acc

    def gather_block(self, row, column):
        """Rows that a tensor of positions names."""
        rows = self.load("i32", [row], data="integers", may_share=False)
        if not rows:
            return None
        source = self.size("G", self.random.randint(1, 9))
        parameter = self.parameter(self.pick(FLOATS), [source, self.dim_of(column)])
        name = self.name("t")
        if not self.attempt(Load(name, parameter.name, [rows, column])):
            return None
        self.values[-1][name] = self.evaluate(name)
        return name

    # Results.

    def tiled(self):
        return [axis.name for axis in self.program.grid if axis.tile]

    def outputs_cover(self, axes):
        return set(self.tiled()) <= set(axes)

    def store(self, name):
        """Stores a tile so that no two programs write to one place, or adds it to one."""
        value = self.value(name)
        if value.dtype == "bool":
            name = self.let("where", name, self.constant_tile(value, 1.0), self.constant_tile(value, 0.0))
            value = self.value(name) if name else None
        if value is None or not value.axes or None in value.axes:
            return False
        dims, indices = [], []
        for axis in value.axes:
            dims.append(self.dim_of(axis) if axis in self.ranges else axis)
            indices.append(axis if axis in self.ranges else ":")
        covered = self.outputs_cover(value.axes)
        # Axes of the grid that are parts of a loop must not write one place twice.
        plain = [axis for axis in self.program.grid if axis.tile is None]
        atomic = value.dtype in ("f32", "i32") and (not covered or self.chance(0.1))
        if not covered and not atomic:
            return False
        for axis in plain:
            if len(dims) < 4 and not (atomic and self.chance(0.5)):
                dims.insert(0, axis.size)
                indices.insert(0, axis.name)
            elif not atomic:
                return False
        access = "inout" if atomic or self.chance(0.15) else "out"
        if access == "inout" and not atomic and indices[-1] in self.ranges and self.chance(0.4):
            indices[-1] = f"{self.random.randint(1, 5)} + {indices[-1]}"
        parameter = self.parameter(value.dtype, dims, access, "integers")
        return self.attempt(Store(parameter.name, indices, name, atomic))

    def constant_tile(self, value, number):
        axes = [axis for axis in value.axes if axis]
        if len(axes) != len(value.axes):
            return number
        return self.let("full", "f32", axes, number) or number
