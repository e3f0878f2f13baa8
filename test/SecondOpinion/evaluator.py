# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel over its grid on NumPy arrays."""

import functools
import itertools
import re

import numpy as np

from . import binding, bounds, elements, operations, syntax
from .expressions import Expressions
from .meeting import run_together
from .modules import read
from .problems import Illegal, NotUnderstood
from .values import ABSENT, Int, Range, Tensor, Tile, Type, fix, is_known, known_as, shape_of, truth


# The end of a loop over tiles.
END_OF_POSITIONS = 1 << 31


class LoopEnd(Exception):
    """A break was executed."""


class Evaluator(Expressions):
    """Executes statements in a frame of names."""

    def __init__(self, fns):
        super().__init__(self.run_fn)
        self.fns = fns
        self.variables = set()
        # The number of loops around the current statement.
        self.loops = 0
        # Waits at a barrier of the grid.
        self.meet = None
        self.runners = {
            syntax.Let: self.let, syntax.Assign: self.assign, syntax.Store: self.store, syntax.ForTiles: self.for_tiles,
            syntax.ForRange: self.for_range, syntax.If: self.if_, syntax.Assert: self.assert_,
            syntax.Effect: lambda node: self.evaluate(node.call), syntax.Break: self.break_,
            syntax.Check: self.check, syntax.While: self.while_,
        }  # fmt: skip

    def run(self, body):
        for node in body:
            try:
                self.runners[type(node)](node)
            except NotUnderstood as problem:
                if problem.line is None:
                    raise NotUnderstood(str(problem), node.line) from None
                raise

    def let(self, node):
        value = self.evaluate(node.value)
        if value is None:
            raise NotUnderstood("a call for its effect has no value")
        if node.is_var:
            value = tuple(map(fix, value)) if type(value) is tuple else fix(value)
            self.variables.update(node.names)
        self.declare(node.names, value)

    def assign(self, node):
        old = self.names.get(node.name)
        if node.name not in self.variables:
            raise NotUnderstood(f"`{node.name}` is not a var")
        value = self.evaluate(node.value)
        if node.operator:
            value = operations.binary(node.operator, old, value)
        self.names[node.name] = self.of_type(old, value)

    def of_type(self, old, value):
        """Converts a value to the type of a var."""
        if type(old) is Int:
            return Int(operations.as_int(value))
        if is_known(value) and not old.shape:
            return Tile(old.dtype, known_as(value, old.dtype))
        if type(value) is not Tile or value.dtype != old.dtype or value.shape != old.shape:
            raise NotUnderstood(f"{value!r} is given to a var {old!r}")
        return value

    def store(self, node):
        # The value is read before any change.
        value = self.evaluate(node.value)
        self.access_of(node.target).store(value)

    def for_tiles(self, node):
        tiles = node.tiles
        extent = self.known_int(tiles.extent)
        low, high = self.int(tiles.low), self.int(tiles.high)
        first, last = 0, max(0, -(-(high - low) // extent))
        if tiles.part:
            count = last
            number, parts = (self.int(part) for part in tiles.part)
            first = elements.wrap(count * number) // parts
            last = elements.wrap(count * (number + 1)) // parts
        starts = itertools.takewhile(lambda start: start < END_OF_POSITIONS - extent,
                                     (low + tile * extent for tile in range(first, last)))
        self.loop(node, (Range(start, high, extent) for start in starts))

    def for_range(self, node):
        low, high = self.int(node.low), self.int(node.high)
        self.loop(node, (Int(number) for number in range(low, high, self.known_int(node.step))))

    def loop(self, node, values):
        self.loops += 1
        try:
            for self.names[node.name] in values:
                if node.condition and not truth(self.evaluate(node.condition)):
                    break
                self.run(node.body)
        except LoopEnd:
            pass
        self.loops -= 1

    def while_(self, node):
        self.loops += 1
        try:
            while truth(self.evaluate(node.condition)):
                self.run(node.body)
        except LoopEnd:
            pass
        self.loops -= 1

    def break_(self, node):
        if not self.loops:
            raise NotUnderstood("a break outside of loops")
        raise LoopEnd

    def if_(self, node):
        condition = self.evaluate(node.condition)
        self.run(node.body if truth(condition) else node.other)

    def assert_(self, node):
        condition = self.evaluate(node.condition)
        if type(condition) is not bool:
            raise NotUnderstood("an assert has a condition that is known at compile time")
        if not condition:
            raise NotUnderstood(f"assertion failed: {node.message}")

    def check(self, node):
        condition = self.evaluate(node.condition)
        if type(condition) is Tile and condition.dtype != "bool" or type(condition) not in (bool, Tile):
            raise NotUnderstood(f"expected a condition and not {condition!r}")
        if not (condition if type(condition) is bool else condition.data.all()):
            raise Illegal(f"check failed: {node.message}")

    def barrier(self, node):
        if node.named or len(node.arguments) > 1:
            raise NotUnderstood("wrong arguments of barrier")
        if not node.arguments:
            return
        scope = node.arguments[0]
        if type(scope) is not syntax.Name or scope.name != "grid":
            raise NotUnderstood("a barrier is of the program or of the grid")
        if not self.meet:
            raise NotUnderstood("a barrier of the grid in another file")
        self.meet()

    # fns.

    def run_fn(self, fn, values, named):
        given = dict(zip((p.name for p in fn.parameters), values))
        if len(values) > len(fn.parameters) or set(given) & set(named):
            raise NotUnderstood(f"wrong arguments of {fn.name}")
        given.update(named)
        if set(given) != {p.name for p in fn.parameters}:
            raise NotUnderstood(f"wrong arguments of {fn.name}")
        inner = Evaluator(fn.visible)
        inner.meet = self.meet
        for parameter in fn.parameters:
            value = given[parameter.name]
            if parameter.type is not None and value is not ABSENT:
                value = inner.argument(parameter, value)
            inner.names[parameter.name] = value
        body, result = fn.body, None
        if body and isinstance(body[-1], syntax.Return):
            inner.run(body[:-1])
            values = tuple(inner.evaluate(value) for value in body[-1].values)
            return values if len(values) > 1 else values[0]
        inner.run(body)
        return result

    def argument(self, parameter, value):
        """Converts a value to the type of a parameter of a function."""
        node = parameter.type
        is_any_shape = type(node) is syntax.Index and node.indices == [".."]
        wanted = self.evaluate(node.base if is_any_shape else node)
        if type(wanted) is not Type:
            raise NotUnderstood("expected a type", parameter.line)
        if wanted.name == "type":
            fits = type(value) is Type
        elif wanted.name == "int":
            value = value if type(value) is int else Int(operations.as_int(value))
            fits = True
        elif wanted.name == "float":
            fits = type(value) in (float, int)
            value = float(value) if fits else value
        elif is_known(value):
            # It stays known, as a number of the kind of the type.
            if wanted.name in elements.FLOATS and type(value) is int:
                value = float(value)
            known_as(value, wanted.name)
            fits = True
        elif type(value) is Int:
            fits, value = True, Tile(wanted.name, operations.element(value, wanted.name))
        else:
            fits = type(value) is Tile and value.dtype == wanted.name
            fits = fits and (is_any_shape or shape_of(value) == (wanted.shape or ()))
        if not fits:
            raise NotUnderstood(f"{value!r} is given for {wanted!r}", parameter.line)
        return value


def evaluate(text, arguments, kernel=None, defines=None, by_element=False, folder="."):
    """Returns the contents of a kernel's tensors by name, and bounds of their errors.

    `arguments` has arrays for input tensors, numbers for scalars, and shapes (tuples) for outputs that the sizes do
    not determine. `defines` has compile-time parameters, with types by name. Floats of all types are returned as
    float32. `folder` has the files that the text uses. Unwritten elements of outputs are NaN or -1. The second result bounds, for each tensor, the distance
    between correct evaluations; with `by_element` for each of its elements.
    """
    file = read(text, folder)
    if kernel is None and len(file.kernels) != 1:
        raise NotUnderstood("name one of the kernels")
    tree = file.kernels[kernel] if kernel else next(iter(file.kernels.values()))
    with np.errstate(all="ignore"), bounds.by_element(by_element):
        evaluator = Evaluator(file.visible)
        binding.bind(evaluator, tree, arguments, defines or {})
        known = dict(evaluator.names)
        axes = [binding.points(evaluator, axis) for axis in tree.grid]
        def run_program(point, meet):
            program = Evaluator(file.visible)
            program.names = dict(known)
            program.variables = set(evaluator.variables)
            program.names.update(zip((axis.name for axis in reversed(tree.grid)), point))
            program.meet = meet
            program.run(tree.body)

        # The first axis varies fastest.
        points = list(itertools.product(*reversed(axes)))
        if re.search(r"barrier\s*\(\s*grid", text):
            run_together([functools.partial(run_program, point) for point in points])
        else:
            for point in points:
                run_program(point, None)
    tensors = {p.name: known[p.name] for p in tree.parameters if type(known.get(p.name)) is Tensor}
    return ({name: tensor.data for name, tensor in tensors.items() if tensor.access != "in"},
            {name: tensor.error for name, tensor in tensors.items() if tensor.access != "in"})


