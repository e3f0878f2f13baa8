# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows a random program, statement by statement: names, tensors, ranges, and random operations on a tile."""

from .analysis import Analysis
from .programs import INTEGERS, Let, Load, Parameter, Program
from .values import Invalid

TILES = [1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 80, 96, 128]
WIDE = [16, 32, 48, 64, 80, 96, 128]
FLOATS = ["f32", "bf16", "f16"]
UNARY = ["neg", "abs", "tanh", "sigmoid", "erf", "rsqrt", "sqrt", "log", "exp", "floor"]
BINARY = ["add", "sub", "mul", "max", "min", "div"]


class Recorder(Analysis):
    """An analysis that records every value, including those inside loops."""

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
    """A growing program; each statement is tried, and removed if it is invalid."""

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
        """Adds a statement if the program stays valid; returns whether it did."""
        body = self.bodies[-1]
        body.append(statement)
        try:
            self.analyse()
        except Invalid:
            body.pop()
            return False
        return True

    def let(self, op, *args, keyword="let", name=None):
        """Returns the name of a new value, or None."""
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
        """Returns the value of the last statement, from an analysis of the whole program."""
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
        """Returns a random size of few tiles."""
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

    # Tensors and ranges.

    def add_range(self, name, size, tile):
        self.ranges[name] = size, tile

    def dim_of(self, range_name):
        return self.ranges[range_name][0]

    def load(self, dtype, indices, data=None, extra=0.4, may_share=True):
        """Loads a tile at ranges (or `:D`), from a tensor that may have additional dimensions."""
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
        is_same = same and self.chance(0.4) and data is None
        parameter = self.pick(same) if is_same else self.parameter(dtype, dims, data=data)
        name = self.name("t")
        statement = Load(name, parameter.name, written, fill)
        if not self.attempt(statement):
            return None
        self.values[-1][name] = self.evaluate(name)
        return name

    # Random operations.

    def aligned(self, axes, other):
        """Returns `other` with axes of extent 1 for the additional axes of `axes`, or None."""
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
        """Returns another value that can be combined with a value, or a number."""
        value = self.value(name)
        others = [other for other, one in self.visible().items()
                  if one.dtype == value.dtype and set(one.axes) <= set(value.axes) and len(one.axes) <= len(value.axes)]
        if others and self.chance(0.6):
            return self.aligned(value.axes, self.pick(others))
        is_stored = self.chance(0.3) and value.axes and value.dtype != "bool"
        if is_stored and all(axis in self.ranges for axis in value.axes):
            axes = self.random.sample(value.axes, self.random.randint(1, len(value.axes)))
            axes = [axis for axis in value.axes if axis in axes]
            if len(axes) <= 2 and (other := self.load(value.dtype, axes)):
                return self.aligned(value.axes, other)
        if value.dtype in INTEGERS:
            return float(self.pick([0, 1, 2, 3, -1, -2]))
        return self.pick([0.5, 2.0, -1.0, 0.25, 3.0, 0.1])

    def mask(self, axes):
        """Returns a boolean tile computed from positions."""
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
        """Applies random operations to a value; keeps its axes."""
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
