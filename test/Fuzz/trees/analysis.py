# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks a program, and finds the properties of each value (values.py) and the text of each operation."""

import dataclasses
import math

from .programs import (AXIS_OPERATIONS, DATA, INTEGERS, SHAPE_OPERATIONS, Barrier, Effect, If, Let, Load, Loop, Store,
                       blocks, index_words, write_expression)
from .functions import Functions
from .values import PRECISION, Invalid, Value, join


# Types of elements that are positions.
POSITIONS = set(INTEGERS) - {"int", "bool"}


class Analysis:
    """The values of a program, by name; `outputs` has the values that it stores."""

    def __init__(self, program):
        self.program = program
        self.extents = {name: value for name, value in program.tiles.items()}
        self.parameters = {parameter.name: parameter for parameter in program.parameters}
        self.operations = Functions(self.extents)
        self.functions = {function.name: function for function in program.functions}
        self.outputs = {}
        self.ranges = {}
        # The positions that a range may have, and tensors that were stored to after the last barrier.
        self.spans = {}
        self.unsettled = set()
        self.texts = {}
        self.extent_names = {}
        scope, self.programs = {}, 1
        for axis in program.grid:
            self.programs *= self.trips(axis.size, axis.tile)
            self.enter(scope, axis.name, axis.size, axis.tile)
        for parameter in program.parameters:
            if not parameter.dims:
                low, high, step = DATA[parameter.data]
                scope[parameter.name] = Value(parameter.dtype, (), low, high, 0.0, step)
            elif parameter.access == "inout":
                low, high, step = DATA[parameter.data]
                self.outputs[parameter.name] = Value(parameter.dtype, (), low, high, 0.0, step)
        self.scope = scope
        self.folds = False
        self.run(program.body, scope)
        if self.folds:
            self.outputs = {name: self.refold(value) for name, value in self.outputs.items()}

    @staticmethod
    def refold(value):
        """Returns a result of a program with an exponential; its factor may have been folded in and taken out again."""
        if value.dtype not in PRECISION:
            return value
        unit = 2.0**-20 + (0 if value.dtype == "f32" else 2.0 ** (1 - PRECISION[value.dtype]))
        largest = abs(value.high) if value.low == -math.inf else value.bound
        return dataclasses.replace(value, error=value.error + unit * largest)

    def trips(self, size, tile):
        count = self.program.sizes[size]
        return count if tile is None else -(-count // self.program.tiles[tile])

    def enter(self, scope, name, size, tile):
        if tile is None:
            scope[name] = Value("int", (), 0, self.program.sizes[size], 0.0, 0)
        else:
            self.ranges[name] = size, tile
            self.spans[name] = 0.0, self.program.sizes[size] + self.program.tiles[tile]
            self.extent_names[name] = tile
            self.extents[name] = self.program.tiles[tile]

    def operand(self, scope, arg, like=None):
        if not isinstance(arg, str):
            if like and like.dtype[0] == "u" and arg < 0:
                raise Invalid("a negative number without a sign")
            step = next((s for s in range(0, -9, -1) if arg * 2.0**-s == int(arg * 2.0**-s)), None)
            return Value(like.dtype if like else "f32", (), arg, arg, 0.0, step)
        if arg not in scope or scope[arg].dtype == "range":
            raise Invalid(f"no value {arg}")
        return scope[arg]

    def compute(self, scope, let):
        """Returns the value of a statement; records its text."""
        value = self.evaluate(scope, let)
        self.folds |= let.op in ("exp", "exp2", "log", "log2", "sigmoid", "tanh", "gelu", "silu", "gelu_tanh")
        operands = [scope[arg] for arg in let.args if isinstance(arg, str) and arg in scope]
        dtype = value.dtype if let.op in ("full", "where") or not operands else operands[-1].dtype
        rank = len(operands[0].axes) if operands else 0
        text = write_expression(let, dtype, rank, self.extent_names)
        # A function is written once, so its text must be the same for each call.
        if self.texts.setdefault(id(let), text) != text:
            raise Invalid("an operation that is written in two ways")
        return value

    def call(self, scope, let):
        """Returns the value of a call: that of the body, which sees only the parameters."""
        function = self.functions.get(let.args[0])
        if function is None or len(function.parameters) != len(let.args) - 1:
            raise Invalid("no such function")
        inner, ranges, spans = {}, dict(self.ranges), dict(self.spans)
        for name, dtype, arg in zip(function.parameters, function.types, let.args[1:]):
            if arg in self.ranges:
                self.ranges[name], self.spans[name] = self.ranges[arg], self.spans[arg]
                self.extents[name], self.extent_names[name] = self.extents[arg], self.extent_names[arg]
                continue
            inner[name] = self.operand(scope, arg)
            if dtype and inner[name].dtype != "f32":
                raise Invalid("the type of an argument")
        self.run(function.body, inner)
        self.ranges, self.spans = ranges, spans
        # Axes are those of the ranges at the call.
        names = dict(zip(function.parameters, let.args[1:]))
        value = self.operand(inner, function.result)
        return dataclasses.replace(value, axes=tuple(names.get(axis, axis) for axis in value.axes))

    def evaluate(self, scope, let):
        if let.op in ("index", "valid"):
            if let.args[0] not in self.ranges:
                raise Invalid("no range")
            low, high = self.spans[let.args[0]] if let.op == "index" else (0.0, 1.0)
            return Value("i32" if let.op == "index" else "bool", (let.args[0],), low, high, 0.0, 0)
        if let.op in ("start", "end"):
            if let.args[0] not in self.ranges:
                raise Invalid("no range")
            return Value("int", (), *self.spans[let.args[0]], 0.0, 0)
        if let.op == "call":
            return self.call(scope, let)
        if let.op == "tile":
            return self.make_range(scope, let)
        if let.op == "full":
            dtype, axes, value = let.args
            if not axes or any(axis not in self.extents for axis in axes):
                raise Invalid("no range")
            return dataclasses.replace(self.operand(scope, value), dtype=dtype, axes=tuple(axes))
        if let.op in SHAPE_OPERATIONS:
            return getattr(self.operations, let.op)(self.operand(scope, let.args[0]), *let.args[1:])
        if let.op in AXIS_OPERATIONS:
            return getattr(self.operations, let.op)(self.operand(scope, let.args[0]), let.args[1])
        names = [arg for arg in let.args if isinstance(arg, str)]
        if not names:
            raise Invalid("nothing but constants")
        like = self.operand(scope, names[-1])
        values = self.meet([self.operand(scope, arg, like) for arg in let.args])
        if let.op not in ("where", "choose", "dot", "dropout") and len({value.dtype for value in values}) != 1:
            raise Invalid("types differ")
        if let.op in ("where", "choose") and values[1].dtype != values[2].dtype:
            raise Invalid("types differ")
        if like.dtype in INTEGERS and let.op in ("max", "min") and len(names) == 1:
            raise Invalid("that would be an axis")
        if like.dtype == "int" and let.op not in ("add", "sub", "mul", "lt", "ge", "eq", "same", "choose"):
            raise Invalid("arithmetic on positions")
        if let.op in ("add", "sub", "mul", "fma", "div", "neg", "abs", "max", "min"):
            if like.dtype == "bool":
                raise Invalid("bool")
            if let.op not in ("max", "min") and not (
                    let.op == "sub" and values[0].low == -math.inf and values[1].low > -math.inf):
                [value.require_finite() for value in values]
        return getattr(self.operations, let.op)(*values)

    def make_range(self, scope, let):
        """Returns a tile of positions between two computed ones."""
        low, high, tile = let.args
        if not self.is_position(scope, low) or not self.is_position(scope, high):
            raise Invalid("no such position")
        self.ranges[let.name] = "", tile
        self.extent_names[let.name] = tile
        self.extents[let.name] = self.program.tiles[tile]
        self.spans[let.name] = scope[low].low, scope[low].high + self.extents[let.name]
        return Value("range", (), *self.spans[let.name])

    @staticmethod
    def meet(values):
        """Converts an `int` among tiles to their type, and an `i32` scalar among `int` to `int`."""
        tiles = [value for value in values if value.axes and value.dtype != "bool"]
        if tiles and tiles[0].dtype in ("f64", "f32", "bf16", "f16", "i32"):
            most = 2.0 ** PRECISION.get(tiles[0].dtype, 30)
            if any(value.dtype == "int" and value.bound > most for value in values):
                raise Invalid("an int that a float does not hold")
            return [dataclasses.replace(value, dtype=tiles[0].dtype) if value.dtype == "int" else value
                    for value in values]
        if any(value.dtype == "int" for value in values):
            return [dataclasses.replace(value, dtype="int") if value.dtype == "i32" and not value.axes else value
                    for value in values]
        return values

    @staticmethod
    def is_position(scope, name):
        return name.isdigit() or name in scope and scope[name].dtype in ("int", "i32") and not scope[name].axes and (
            scope[name].is_exact)

    def index_axes(self, scope, parameter, indices, is_store=False):
        """Returns the axes of the tile at an index."""
        if len(indices) != len(parameter.dims):
            raise Invalid("indices")
        axes = []
        for index, dim in zip(indices, parameter.dims):
            if index == ":":
                axes.append(dim)
            elif index.split(" ")[-1] in self.ranges:
                if " " in index and not self.is_position(scope, index.split(" ")[0]):
                    raise Invalid("no such position")
                axes.append(index.split(" ")[-1])
            elif self.is_position(scope, index):
                continue
            elif index in scope and scope[index].dtype in POSITIONS and len(scope[index].axes) == 1 and not is_store:
                if not scope[index].is_exact:
                    raise Invalid("positions that are not exact")
                axes.append(scope[index].axes[0])
            else:
                raise Invalid("no such index")
        return tuple(axes)

    def load(self, scope, load):
        parameter = self.parameters.get(load.parameter)
        if parameter is None or parameter.access == "out" or parameter.name in self.unsettled:
            raise Invalid("no such input")
        axes = self.index_axes(scope, parameter, load.indices)
        if parameter.access == "inout":
            return self.load_stored(load, axes)
        low, high, step = DATA[parameter.data]
        if step is not None and load.fill not in ("", "-inf"):
            step = min(step, -2)
        low, high = min(low, 0.0), max(high, 0.0)
        if load.fill:
            low, high = min(low, float(load.fill)), max(high, float(load.fill))
        return Value(parameter.dtype, axes, low, high, 0.0, step)

    def stores(self, name, body=None):
        """Yields all stores to a tensor."""
        for statement in self.program.body if body is None else body:
            if isinstance(statement, Store) and statement.parameter == name:
                yield statement
            for inner in blocks(statement):
                yield from self.stores(name, inner)

    def load_stored(self, load, axes):
        """Returns the value of a load from a stored tensor: its initial elements, or those that this program stored.
        No other program stores there."""
        if load.fill or any(store.is_atomic or store.indices != load.indices for store in self.stores(load.parameter)):
            raise Invalid("elements that others may store")
        value = self.outputs[load.parameter]
        return dataclasses.replace(value, axes=axes, low=min(value.low, 0.0), high=max(value.high, 0.0))

    def store(self, scope, store):
        parameter, value = self.parameters.get(store.parameter), self.operand(scope, store.value)
        if parameter is None or parameter.access == "in" or parameter.dtype != value.dtype:
            raise Invalid("no such output")
        axes = self.index_axes(scope, parameter, store.indices, is_store=True)
        if value.axes and (len(axes) != len(value.axes) or any(
                b is not None and a != b or b is None and self.extents[a] != 1 for a, b in zip(axes, value.axes))):
            raise Invalid("the shape of what is stored")
        if not store.is_atomic and not {axis.name for axis in self.program.grid} <= set(index_words(store.indices)):
            raise Invalid("a place where several programs store")
        if store.is_called and (store.is_atomic or ":" in store.indices):
            raise Invalid("no function for this")
        self.unsettled.add(parameter.name)
        value = dataclasses.replace(value, axes=())
        before = self.outputs.get(parameter.name)
        if store.old and not {axis.name for axis in self.program.grid} <= set(index_words(store.indices)):
            raise Invalid("elements that several programs change")
        if store.is_atomic and store.function != "exchange":
            value.require("f64", "f32", "i64", "i32", "u64", "u32").require_finite()
            if store.function != "add":
                self.operations.decide(value.require("i64", "i32", "u64", "u32"))
                if store.function in ("and", "or", "xor") and min(value.low, before.low) < 0:
                    raise Invalid("bits of negative numbers")
            if store.function == "add":
                added = self.operations.total(value, max(1, self.programs), ())
                value = self.operations.add(before, added)
            elif store.function in ("and", "or", "xor"):
                most = 2.0 ** max(value.high, before.high, 1).__int__().bit_length() - 1
                value = dataclasses.replace(value, low=0.0, high=most)
        if store.old:
            # Elements outside of the tensor yield 0.
            both = join(before, value)
            scope[store.old] = dataclasses.replace(both, axes=axes, low=min(both.low, 0.0), high=max(both.high, 0.0))
        self.outputs[parameter.name] = join(before, value) if before else value

    def run(self, body, scope):
        """Analyses statements; a loop once for each possible iteration."""
        for statement in body:
            if isinstance(statement, Let):
                value = self.compute(scope, statement)
                if not statement.keyword:
                    old = scope.get(statement.name)
                    if old is None or (old.dtype, old.axes) != (value.dtype, value.axes):
                        raise Invalid("a variable changes its type")
                scope[statement.name] = value
            elif isinstance(statement, Load):
                scope[statement.name] = self.load(scope, statement)
            elif isinstance(statement, Store):
                self.store(scope, statement)
            elif isinstance(statement, Loop):
                self.loop(scope, statement)
            elif isinstance(statement, If):
                self.branch(scope, statement)
            elif isinstance(statement, Barrier):
                self.unsettled.clear()
            elif isinstance(statement, Effect):
                self.effect(scope, statement)

    def effect(self, scope, effect):
        for arg in effect.args:
            value = self.operand(scope, arg)
            if effect.kind == "check":
                value.require("bool")

    def loop(self, scope, loop):
        if " " not in loop.condition and loop.condition not in ("", "while") and (
                loop.condition not in scope or scope[loop.condition].dtype != "bool"):
            raise Invalid("no condition")
        if loop.tile is None:
            size = self.program.sizes[loop.size]
            trips = max(0, -(-(size - int(loop.start or 0)) // loop.step))
            scope[loop.name] = Value("int", (), 0, max(size, int(loop.start or 0)), 0.0, 0)
        else:
            self.enter(scope, loop.name, loop.size, loop.tile)
            low, high = 0.0, float(self.program.sizes[loop.size])
            for end in filter(None, (loop.start, loop.limit)):
                if not self.is_position(scope, end) and end.split(".")[0] not in {*self.ranges, loop.size}:
                    raise Invalid("no such position")
            if loop.start:
                low = scope[loop.start].low
            if loop.limit in scope:
                high = scope[loop.limit].high
            tile = self.program.tiles[loop.tile]
            self.spans[loop.name] = low, max(low, high) + tile
            trips = max(0, math.ceil((high - low) / tile))
        for _ in range(max(1, trips)):
            self.turn(scope, loop.body)
        self.ranges.pop(loop.name, None)
        scope.pop(loop.name, None)

    def branch(self, scope, branch):
        if branch.condition not in scope or scope[branch.condition].require("bool").axes:
            raise Invalid("no condition")
        ends = []
        for body in (branch.body, branch.other):
            ends.append(dict(scope))
            self.run(body, ends[-1])
        for name in scope:
            scope[name] = join(ends[0][name], ends[1][name])

    def turn(self, scope, body):
        """Analyses one iteration of a loop, which may also have ended before; its declarations end with it."""
        inner = dict(scope)
        self.run(body, inner)
        for name, value in scope.items():
            if value != inner[name]:
                scope[name] = join(value, inner[name])
