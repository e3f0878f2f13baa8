# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates expressions in a frame of names."""

import numpy as np

from . import assembly, bounds, combinations, elements, functions, numeric, operations, positions, shapes, syntax
from .memory import Access, Paired

from .problems import Illegal, NotUnderstood
from .values import (ABSENT, NEW, Function, Int, Range, Tensor, Tile, Type, WHOLE, as_int, fix, is_known, known_as,
                     truth)

FUNCTIONS = {**functions.FUNCTIONS, **numeric.FUNCTIONS, **combinations.FUNCTIONS, **shapes.FUNCTIONS}
POSITIONAL = {**functions.POSITIONAL, **shapes.POSITIONAL}
TYPES = {name: Type(name) for name in (*elements.ELEMENTS, "int", "float", "tf32", "type")}


ORDERS = ("relaxed", "acquire", "release", "acq_rel")
ATOMIC = {"atomic_" + name for name in ("add", "and", "cas", "exchange", "max", "min", "or", "xor")}
BUILT_IN = {*ATOMIC, "asm", "barrier", "concat", "load", "max", "min", "print", "reduce", "scan", *shapes.VARIADIC,
            *FUNCTIONS}


class Expressions:
    """`names` has the visible names of a kernel or of a call of a function; `run_fn` runs a call."""

    # The fns of the program.
    fns = {}

    def __init__(self, run_fn):
        self.names = {}
        self.run_fn = run_fn
        self.readers = {
            syntax.Number: lambda node: node.value, syntax.Name: self.name, syntax.Unary: self.unary,
            syntax.Binary: self.binary, syntax.Cast: self.cast, syntax.Index: self.index, syntax.Member: self.member,
            syntax.Call: self.call, syntax.Tiles: self.tile, syntax.Choice: self.choice,
        }  # fmt: skip

    def evaluate(self, node):
        try:
            return self.readers[type(node)](node)
        except NotUnderstood as problem:
            if problem.line is None:
                raise NotUnderstood(str(problem), node.line) from None
            raise

    def name(self, node):
        name = node.name
        if self.names.get(name) is ABSENT:
            raise NotUnderstood(f"`{name}` is absent")
        if name in self.names:
            return self.names[name]
        if name in TYPES:
            return TYPES[name]
        raise NotUnderstood(f"unknown name `{name}`")

    def unary(self, node):
        value = self.evaluate(node.operand)
        return {"-": operations.negate, "!": operations.invert, "~": operations.complement}[node.operator](value)

    def binary(self, node):
        sign, left = node.operator, self.evaluate(node.left)
        if sign == "@":
            return operations.product(left, self.evaluate(node.right))
        if sign == "&&" or sign == "||":
            if type(left) is bool and left == (sign == "||"):
                return left
            return operations.logic(sign, left, self.evaluate(node.right))
        return operations.binary(sign, left, self.evaluate(node.right))

    def type(self, node):
        """Returns the name of an element type, or "int"."""
        value = self.evaluate(node)
        if type(value) is not Type or value.shape is not None:
            raise NotUnderstood("expected a type")
        return value.name

    def cast(self, node):
        value = self.evaluate(node.operand)
        return operations.cast(value, self.type(node.type))

    def index(self, node):
        base = self.evaluate(node.base)
        kind = type(base)
        if kind is Tensor:
            return self.access(node, base).load()
        if kind is Tile:
            return shapes.part(base, [self.index_of_tile(i) for i in node.indices])
        if kind is Type:
            return Type(base.name, tuple(self.known_int(i) for i in node.indices))
        raise NotUnderstood(f"{base!r} has no elements")

    def access(self, node, tensor):
        indices = []
        for index in node.indices:
            if index == "_" or index == ".." or type(index) is syntax.Part:
                raise NotUnderstood(f"`{index}` in an index of a tensor")
            if type(index) is syntax.Paired:
                indices.append(Paired([self.evaluate(position) for position in index.positions]))
            else:
                indices.append(WHOLE if index == ":" else self.evaluate(index))
        return Access(tensor, indices)

    def access_of(self, node):
        """Returns the access of a load(), an atomic_add() or a store."""
        if type(node) is syntax.Index:
            tensor = self.evaluate(node.base)
            if type(tensor) is Tensor:
                return self.access(node, tensor)
        raise NotUnderstood("expected elements of a tensor")

    def index_of_tile(self, index):
        if index in (WHOLE, NEW, ".."):
            return index
        if type(index) is syntax.Part:
            return tuple(None if bound is None else self.evaluate(bound) for bound in (index.low, index.high))
        return self.evaluate(index)

    def declare(self, names, value):
        """Gives names the values of a call, or one name any value."""
        values = value if type(value) is tuple else (value,)
        if len(values) != len(names):
            raise NotUnderstood(f"{len(names)} names for {len(values)} values")
        self.names.update(zip(names, values))

    def known_int(self, node):
        value = self.evaluate(node)
        if type(value) is not int:
            raise NotUnderstood("expected an integer that is known at compile time", node.line)
        return value

    def member(self, node):
        base, name = self.evaluate(node.base), node.name
        if type(base) is Range:
            if name == "start":
                return Int(base.start)
            if name == "limit":
                return Int(base.limit)
            if name == "end":
                return Int(min(base.start + base.extent, base.limit))
            if name == "index":
                return positions.of_range(base)
            if name == "valid":
                return Tile("bool", base.valid)
        if name == "T" and type(base) is Tile and base.data.ndim == 2:
            mask = None if base.mask is None else np.broadcast_to(base.mask, base.shape).T
            return Tile(base.dtype, base.data.T, bounds.shaped(base.error, base.shape, np.transpose), mask)
        raise NotUnderstood(f"{base!r} has no member {name}")

    def tile(self, node):
        if not node.is_single:
            raise NotUnderstood("`tiles` is only allowed after `for … in` and in a grid")
        low, high = self.int(node.low), self.int(node.high)
        return Range(low, high, self.known_int(node.extent))

    def int(self, node):
        return as_int(self.evaluate(node))

    # `if` as a value.

    def branch(self, lets, value):
        for let in lets:
            self.declare(let.names, self.evaluate(let.value))
        return self.evaluate(value)

    def choice(self, node):
        condition = self.evaluate(node.condition)
        branches = (node.first, node.value), (node.other, node.other_value)
        if type(condition) is bool:
            return self.branch(*branches[0 if condition else 1])
        taken = self.branch(*branches[0 if truth(condition) else 1])
        if type(taken) is Tile and taken.dtype not in ("i32", "i64"):
            return taken
        # The type is that of both branches.
        try:
            other = self.branch(*branches[1 if truth(condition) else 0])
        except Illegal:
            return fix(taken)
        dtype = operations.common_type((taken, other)) if type(taken) is not Range else "range"
        if dtype == "range":
            return taken
        if dtype is None:
            return fix(float(taken) if type(other) is float and type(taken) is int else taken)
        if dtype == "int":
            return Int(as_int(taken))
        if is_known(taken):
            return Tile(dtype, known_as(taken, dtype))
        return Tile(dtype, operations.element(taken, dtype)) if type(taken) is Int else taken

    # Calls.

    def call(self, node):
        name, fn = node.function, None
        if type(self.names.get(name)) is Function:
            function = self.names[name]
            name, fn = function.name, function.fn
        elif name not in BUILT_IN:
            fn = self.fns.get(name)
            if fn is None:
                raise NotUnderstood(f"unknown function `{name}`")
        if fn is not None:
            return self.run_fn(fn, [self.argument_of(a) for a in node.arguments], {word: self.argument_of(a) for word, a in node.named})
        if name == "load" or name in ATOMIC:
            return self.call_memory(node)
        if name == "barrier":
            return self.barrier(node)
        if name == "print":
            return self.print(node)
        if name == "asm":
            return assembly.assemble(node, self.evaluate)
        values = [self.evaluate(a) for a in node.arguments]
        if name in ("reduce", "scan"):
            return self.combination(node, values)
        named = {word: self.evaluate(a) for word, a in node.named}
        if name == "concat" and len(values) > 1 and set(named) == {"axis"}:
            return shapes.concat(values, named["axis"])
        if name in shapes.VARIADIC and not named and len(values) >= shapes.VARIADIC[name][0]:
            return shapes.VARIADIC[name][1](*values)
        if name in ("max", "min"):
            return self.extremum(name, values, named)
        if name in FUNCTIONS:
            parameters, least, compute = FUNCTIONS[name]
            if len(values) > POSITIONAL.get(name, len(parameters)):
                raise NotUnderstood(f"the axis of {name} has no name")
            for parameter in parameters[len(values):]:
                if parameter not in named:
                    break
                values.append(named.pop(parameter))
            if named or not least <= len(values) <= len(parameters):
                raise NotUnderstood(f"wrong arguments of {name}")
            return compute(*values)
        raise NotUnderstood(f"unknown function `{name}`")

    def argument_of(self, node):
        """Returns an argument of a function of the program: a function, an absent parameter, or a value."""
        if type(node) is syntax.Name and self.names.get(node.name) is ABSENT:
            return ABSENT
        if type(node) is syntax.Name and node.name not in self.names:
            if node.name in self.fns:
                return Function(node.name, self.fns[node.name])
            if node.name in BUILT_IN:
                return Function(node.name, None)
        return self.evaluate(node)

    def combination(self, node, values):
        words = dict(node.named)
        combiner = words.pop("with", None)
        named = {word: self.evaluate(a) for word, a in words.items()}
        if type(combiner) is not syntax.Name or not set(named) <= {"axis", "reverse"} or "axis" not in named:
            raise NotUnderstood(f"wrong arguments of {node.function}")
        function = self.names.get(combiner.name)
        fn = function.fn if type(function) is Function else self.fns.get(combiner.name)
        if fn is None:
            raise NotUnderstood(f"no fn `{combiner.name}`")
        return combinations.combine(values, named["axis"], node.function == "scan", named.get("reverse", False),
                                    lambda group: self.run_fn(fn, group, {}))

    def extremum(self, name, values, named):
        if "axis" in named:
            x = values[0] if values else named["x"]
            return functions.extremum(name, x, named["axis"])
        given = [*values, *(named[word] for word in ("x", "y") if word in named)]
        if len(given) != 2:
            raise NotUnderstood(f"wrong arguments of {name}")
        return operations.binary(name, *given)

    def print(self, node):
        """Checks the arguments of a print, whose lines are no result."""
        if not node.arguments or type(node.arguments[0]) is not syntax.Text or node.named:
            raise NotUnderstood("wrong arguments of print")
        for argument in node.arguments[1:]:
            self.evaluate(argument)

    def call_memory(self, node):
        if not node.arguments:
            raise NotUnderstood(f"wrong arguments of {node.function}")
        access = self.access_of(node.arguments[0])
        orders = [a for word, a in node.named if word == "order" and node.function in ATOMIC]
        # Programs run one after the other here, so an order changes nothing.
        if any(type(a) is not syntax.Name or a.name not in ORDERS for a in orders):
            raise NotUnderstood("an order of an atomic operation")
        named = {word: self.evaluate(a) for word, a in node.named if a not in orders}
        values = [*map(self.evaluate, node.arguments[1:]), *named.values()]
        if len(values) > 1 + (node.function == "atomic_cas"):
            raise NotUnderstood(f"wrong arguments of {node.function}")
        if node.function in ATOMIC:
            old = access.load()
            if node.function == "atomic_add":
                access.add(values[0])
            else:
                access.replace(node.function, *values)
            return old
        fill = values[0] if values else None
        if fill is not None and not is_known(fill):
            raise NotUnderstood("a fill is known at compile time")
        return access.load(fill)


