# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows programs with scalars: parameters, elements of tensors, integers of loops, and conditions on them."""

from .blocks import BlockBuilder
from .programs import Load
from .values import Value


class ScalarBuilder(BlockBuilder):
    def begin(self):
        """Adds scalars, and hints that other programs lack."""
        for dtype, name, data in (("f32", "p", "quarters"), ("f32", "p", "reals"), ("int", "n", "positions"),
                                  ("bool", "c", "bits")):
            if self.chance(0.35):
                self.scalar(dtype, name, data)
        if self.chance(0.25):
            self.program.schedule["registers"] = 8 * self.random.randint(3, 32)
        self.program.keeps_bases = self.chance(0.15)

    def scalar(self, dtype, prefix, data):
        parameter = self.parameter(dtype, [], data=data)
        parameter.name = self.name(prefix)
        self.values[0][parameter.name] = self.analyse().scope[parameter.name]
        return parameter.name

    def enter(self, body):
        self.bodies.append(body)
        self.values.append({})

    def evaluate_integer(self, loop):
        return Value("int", (), 0, max(1, self.program.sizes[loop.size]), 0.0, 0)

    def integers(self):
        """Returns the names of visible integers."""
        axes = [axis.name for axis in self.program.grid if axis.tile is None]
        return axes + [name for name, value in self.visible().items()
                       if not value.axes and value.dtype in ("int", "i32")]

    def element(self, dtype, data):
        """Returns a scalar from memory, the same for all programs along tiled axes."""
        plain = [axis for axis in self.program.grid if axis.tile is None]
        axis = self.pick(plain) if plain and self.chance(0.5) else None
        dim = axis.size if axis else self.size("P", self.random.randint(1, 3))
        parameter = self.parameter(dtype, [dim], data=data)
        return self.load_at(parameter, [axis.name if axis else str(self.random.randint(0, 1))])

    def load_at(self, parameter, indices):
        name = self.name("t")
        if not self.attempt(Load(name, parameter.name, indices)):
            return None
        self.values[-1][name] = self.evaluate(name)
        return name

    def condition(self):
        """Returns a scalar condition of the program."""
        known = [name for name, value in self.visible().items() if value.dtype == "bool" and not value.axes]
        if known and self.chance(0.4):
            return self.pick(known)
        kind = self.random.random()
        integers = self.integers()
        if kind < 0.25:
            left = self.let("start", self.pick(self.tiled()))
        elif kind < 0.5 or not integers:
            left = self.element("i32", "positions")
        else:
            left = self.pick(integers)
        if self.chance(0.2):
            left = left and self.let(self.pick(["add", "sub", "mul"]), left, self.pick([1.0, 2.0, 3.0])) or left
        right = self.pick(integers) if integers and self.chance(0.3) else float(self.pick([0, 1, 2, 5, 16, 64]))
        return left and self.let(self.pick(["lt", "ge", "eq"]), left, right)
