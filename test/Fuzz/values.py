# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the values that a program computes.

`Analysis` finds the type of each value, an interval that holds it, and a bound of the distance between
two correct evaluations: whoever sums in another order, folds a factor into an exponent or rounds a sum
once more stays below it. So the tolerance of a result is derived and not guessed:

- what is computed element by element from equal operands is equal, in every type but f32, where a
  pass may have reordered sums: there it is half a unit of the last place for each operation;
- a sum of multiples of 2^s whose magnitude stays below 2^(s + 24) is exact; another one of n terms is
  off by n roundings of its largest value;
- a function of bounded slope hands errors on by its slope and adds 2^-20 of its range;
- where values that are not exact are rounded to 16 bits, a unit of the last place is added;
- in a program with an exponential or a logarithm the factor between the bases may be folded into any
  value and taken out again, so that no result of floats is exact.

A jump (comparison, floor, conversion to integers) takes exact values only. A tree that is no program,
or whose values could leave their type, is `Invalid`; the generator and the reducer live from that.
"""

import dataclasses
import math

from programs import AXIS_OPERATIONS, DATA, Let, Load, Loop, Store, write_expression

# Significant bits of a type, and the magnitude at which values are refused.
PRECISION = {"f32": 24, "f16": 11, "bf16": 8}
LIMIT = {"f32": 1e7, "f16": 3e4, "bf16": 1e7, "i32": 2.0**30}
# The distance of the smallest numbers.
TINY = {"f32": 2.0**-126, "f16": 2.0**-24, "bf16": 2.0**-126}


class Invalid(Exception):
    """A tree that is no program, or one whose results cannot be compared."""


@dataclasses.dataclass(frozen=True)
class Value:
    """A tile or a scalar: the elements lie in [low, high], or are -inf if low is.

    `step` is an exponent: all elements are multiples of 2^step. Two correct evaluations differ by
    `error` at most.
    """

    dtype: str
    axes: tuple
    low: float
    high: float
    error: float = 0.0
    step: int | None = None

    @property
    def bound(self):
        return max(abs(self.low), abs(self.high))

    @property
    def is_exact(self):
        return self.error == 0

    def require(self, *dtypes):
        if self.dtype not in dtypes:
            raise Invalid(f"{self.dtype} is none of {dtypes}")
        return self

    def require_finite(self):
        if self.low == -math.inf:
            raise Invalid("-inf")
        return self


def round_to(dtype, axes, low, high, error, step):
    """The value of a computation that rounds its result."""
    bound = max(abs(low), abs(high)) if low != -math.inf else abs(high)
    if not bound <= LIMIT[dtype]:
        raise Invalid("out of bounds")
    if dtype == "i32":
        return Value(dtype, axes, low, high, error, 0)
    if step is not None and step >= -20 and bound <= 2.0 ** (step + PRECISION[dtype]):
        return Value(dtype, axes, low, high, error, step)
    # Elements of 16 bits are computed one by one, from the same operands in all evaluations; those of
    # f32 may be sums that a pass has reordered.
    if error > 0 or dtype == "f32":
        error += 2.0 ** (1 - PRECISION[dtype]) * bound + TINY[dtype]
    return Value(dtype, axes, low, high, error, None)


def join(a, b):
    """What is known of a value that is one of two."""
    if (a.dtype, a.axes) != (b.dtype, b.axes):
        raise Invalid("a variable changes its type")
    step = None if a.step is None or b.step is None else min(a.step, b.step)
    return Value(a.dtype, a.axes, min(a.low, b.low), max(a.high, b.high), max(a.error, b.error), step)


def broadcast(*values):
    """The axes of what values of one rank, and scalars, are combined to."""
    tiles = [value.axes for value in values if value.axes]
    if not tiles:
        return ()
    if len({len(axes) for axes in tiles}) != 1:
        raise Invalid("ranks differ")
    result = []
    for axis in zip(*tiles):
        names = {name for name in axis if name is not None}
        if len(names) > 1:
            raise Invalid("axes differ")
        result.append(names.pop() if names else None)
    return tuple(result)


def common_step(*values):
    return None if any(value.step is None for value in values) else min(value.step for value in values)


class Operations:
    """The type, interval and error of each operation; a method for each."""

    def __init__(self, extents):
        self.extents = extents

    def add(self, a, b):
        return round_to(a.dtype, broadcast(a, b), a.low + b.low, a.high + b.high, a.error + b.error, common_step(a, b))

    def sub(self, a, b):
        return round_to(a.dtype, broadcast(a, b), a.low - b.high, a.high - b.low, a.error + b.error, common_step(a, b))

    def mul(self, a, b):
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        step = None if common_step(a, b) is None else a.step + b.step
        error = a.error * b.bound + b.error * a.bound + a.error * b.error
        return round_to(a.dtype, broadcast(a, b), min(ends), max(ends), error, step)

    def fma(self, a, b, c):
        a.require("f32", "bf16", "f16")
        broadcast(a, b, c)
        return self.add(self.mul(a, b), c)

    def div(self, a, b):
        """a / (abs(b) + 1)."""
        a.require("f32", "bf16", "f16")
        divisor = self.add(self.abs(b), dataclasses.replace(b, axes=(), low=1.0, high=1.0, error=0.0, step=0))
        return round_to(a.dtype, broadcast(a, b), min(a.low, 0.0), max(a.high, 0.0),
                        a.error + a.bound * divisor.error, None)

    def max(self, a, b):
        return Value(a.dtype, broadcast(a, b), max(a.low, b.low), max(a.high, b.high),
                     max(a.error, b.error), common_step(a, b))

    def min(self, a, b):
        return Value(a.dtype, broadcast(a, b), min(a.low, b.low), min(a.high, b.high),
                     max(a.error, b.error), common_step(a, b))

    def neg(self, a):
        return dataclasses.replace(a, low=-a.high, high=-a.low)

    def abs(self, a):
        low = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
        return dataclasses.replace(a, low=low, high=a.bound)

    def smooth(self, a, low, high, slope):
        """A function of bounded slope whose last bits may differ."""
        a.require("f32")
        error = slope * a.error + 2.0**-20 * max(abs(low), abs(high), 1.0) * max(1.0, a.bound)
        return Value("f32", a.axes, low, high, error, None)

    def exp(self, a):
        if a.high > 10 or a.error > 1:
            raise Invalid("exp of a large number")
        low = 0.0 if a.low == -math.inf else math.exp(a.low)
        a = dataclasses.replace(a, low=max(a.low, -100.0))
        return self.smooth(a, low, math.exp(a.high), math.exp(a.high + a.error))

    def tanh(self, a):
        return self.smooth(a.require_finite(), -1.0, 1.0, 1.0)

    def sigmoid(self, a):
        return self.smooth(a.require_finite(), 0.0, 1.0, 1.0)

    def erf(self, a):
        return self.smooth(a.require_finite(), -1.0, 1.0, 1.2)

    def rsqrt(self, a):
        """rsqrt(abs(a) + 1)."""
        return self.smooth(a.require_finite(), 0.0, 1.0, 0.5)

    def sqrt(self, a):
        """sqrt(abs(a) + 1)."""
        return self.smooth(a.require_finite(), 1.0, math.sqrt(a.bound + 1), 0.5)

    def log(self, a):
        """log(abs(a) + 1)."""
        return self.smooth(a.require_finite(), 0.0, math.log(a.bound + 1), 1.0)

    def floor(self, a):
        a.require("f32", "bf16", "f16").require_finite()
        self.decide(a)
        return Value(a.dtype, a.axes, math.floor(a.low), math.floor(a.high), 0.0, 0)

    def decide(self, *values):
        """A jump: the values must be the same in all evaluations."""
        if not all(value.is_exact for value in values):
            raise Invalid("a decision on what is not exact")

    def compare(self, a, b):
        self.decide(a, b)
        if a.dtype == "bool" or a.dtype != b.dtype:
            raise Invalid("types")
        return Value("bool", broadcast(a, b), 0.0, 1.0, 0.0, 0)

    lt = ge = eq = compare

    def both(self, a, b):
        return Value("bool", broadcast(a.require("bool"), b.require("bool")), 0.0, 1.0, 0.0, 0)

    either = both

    def where(self, condition, a, b):
        axes = broadcast(condition.require("bool"), a, b)
        if not condition.axes and axes:
            raise Invalid("a scalar condition")
        return join(dataclasses.replace(a, axes=axes), dataclasses.replace(b, axes=axes))

    def cast(self, a, dtype):
        if a.dtype == "bool":
            raise Invalid("bool")
        a.require_finite()
        if dtype == "i32":
            if a.dtype != "i32":
                self.decide(a)
            return round_to("i32", a.axes, math.floor(a.low), math.ceil(a.high), 0.0, 0)
        step = a.step
        # What was the same before is the same behind it.
        rounded = round_to(dtype, a.axes, a.low, a.high, a.error, step)
        if a.is_exact and a.dtype != "i32":
            rounded = dataclasses.replace(rounded, error=0.0)
        return rounded

    def expand(self, a, axis):
        if not 1 <= len(a.axes) <= 2 or axis > len(a.axes):
            raise Invalid("rank")
        return dataclasses.replace(a, axes=(*a.axes[:axis], None, *a.axes[axis:]))

    def drop(self, a, axis):
        if axis >= len(a.axes):
            raise Invalid("rank")
        extent = 1 if a.axes[axis] is None else self.extents[a.axes[axis]]
        return extent, (*a.axes[:axis], *a.axes[axis + 1:])

    def sum(self, a, axis):
        extent, axes = self.drop(a.require_finite(), axis)
        return self.total(a, extent, axes)

    def total(self, a, extent, axes):
        if a.dtype not in ("f32", "i32"):
            raise Invalid("sums are of f32 and i32")
        rounded = round_to(a.dtype, axes, min(a.low, extent * a.low), max(a.high, extent * a.high),
                           extent * a.error, a.step)
        if rounded.error > extent * a.error:
            return dataclasses.replace(rounded, error=extent * rounded.error)
        return rounded

    def cumsum(self, a, axis):
        extent, _ = self.drop(a.require_finite(), axis)
        return self.total(a, extent, a.axes)

    def most(self, a, axis):
        return dataclasses.replace(a, axes=self.drop(a, axis)[1])

    least = most
    cumsum_back = cumsum

    def transpose(self, a):
        if len(a.axes) != 2:
            raise Invalid("rank")
        return dataclasses.replace(a, axes=a.axes[::-1])

    def dot(self, a, b):
        if len(a.axes) != 2 or len(b.axes) != 2 or a.axes[1] != b.axes[0] or a.dtype != b.dtype:
            raise Invalid("a product of these")
        a.require("f32", "bf16", "f16").require_finite(), b.require_finite()
        extent = 1 if a.axes[1] is None else self.extents[a.axes[1]]
        step = None if common_step(a, b) is None else a.step + b.step
        bound, error = a.bound * b.bound, a.error * b.bound + b.error * a.bound + a.error * b.error
        one = Value("f32", (), -bound, bound, error, step)
        return self.total(one, extent, (a.axes[0], b.axes[1]))

    def same(self, a):
        return a


class Analysis:
    """The values of a program, by name; `outputs` are those of what it stores."""

    def __init__(self, program):
        self.program = program
        self.extents = {name: value for name, value in program.tiles.items()}
        self.parameters = {parameter.name: parameter for parameter in program.parameters}
        self.operations = Operations(self.extents)
        self.outputs = {}
        self.ranges = {}
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
        """A result beside an exponential, whose factor may have been folded into it and taken out."""
        if value.dtype not in PRECISION:
            return value
        unit = 2.0**-20 + (0 if value.dtype == "f32" else 2.0 ** (1 - PRECISION[value.dtype]))
        return dataclasses.replace(value, error=value.error + unit * (abs(value.high) if value.low == -math.inf else value.bound))

    def trips(self, size, tile):
        count = self.program.sizes[size]
        return count if tile is None else -(-count // self.program.tiles[tile])

    def enter(self, scope, name, size, tile):
        if tile is None:
            scope[name] = Value("int", (), 0, self.program.sizes[size], 0.0, 0)
        else:
            self.ranges[name] = size, tile
            self.extent_names[name] = tile
            self.extents[name] = self.program.tiles[tile]

    def operand(self, scope, arg, like=None):
        if not isinstance(arg, str):
            step = next((s for s in range(0, -9, -1) if arg * 2.0**-s == int(arg * 2.0**-s)), None)
            return Value(like.dtype if like else "f32", (), arg, arg, 0.0, step)
        if arg not in scope:
            raise Invalid(f"no value {arg}")
        return scope[arg]

    def compute(self, scope, let):
        """The value of a statement; notes how it is written."""
        value = self.evaluate(scope, let)
        self.folds |= let.op in ("exp", "log", "sigmoid", "tanh")
        operands = [scope[arg] for arg in let.args if isinstance(arg, str) and arg in scope]
        dtype = value.dtype if let.op in ("full", "where") or not operands else operands[-1].dtype
        rank = len(operands[0].axes) if operands else 0
        self.texts[id(let)] = write_expression(let, dtype, rank, self.extent_names)
        return value

    def evaluate(self, scope, let):
        if let.op in ("index", "valid"):
            if let.args[0] not in self.ranges:
                raise Invalid("no range")
            size, tile = self.ranges[let.args[0]]
            high = self.program.sizes[size] + self.program.tiles[tile]
            dtype, high = ("i32", high) if let.op == "index" else ("bool", 1.0)
            return Value(dtype, (let.args[0],), 0.0, high, 0.0, 0)
        if let.op == "full":
            dtype, axes, value = let.args
            if not axes or any(axis not in self.extents for axis in axes):
                raise Invalid("no range")
            return dataclasses.replace(self.operand(scope, value), dtype=dtype, axes=tuple(axes))
        if let.op in AXIS_OPERATIONS:
            return getattr(self.operations, let.op)(self.operand(scope, let.args[0]), let.args[1])
        names = [arg for arg in let.args if isinstance(arg, str)]
        if not names:
            raise Invalid("nothing but constants")
        like = self.operand(scope, names[-1])
        values = [self.operand(scope, arg, like) for arg in let.args]
        if let.op not in ("where", "dot") and len({value.dtype for value in values}) != 1:
            raise Invalid("types differ")
        if let.op == "where" and values[1].dtype != values[2].dtype:
            raise Invalid("types differ")
        if like.dtype == "i32" and let.op in ("max", "min") and len(names) == 1:
            raise Invalid("that would be an axis")
        if like.dtype == "int":
            raise Invalid("arithmetic on positions")
        if let.op in ("add", "sub", "mul", "fma", "div", "neg", "abs", "max", "min"):
            if like.dtype == "bool":
                raise Invalid("bool")
            if let.op not in ("max", "min") and not (
                    let.op == "sub" and values[0].low == -math.inf and values[1].low > -math.inf):
                [value.require_finite() for value in values]
        return getattr(self.operations, let.op)(*values)

    def index_axes(self, scope, parameter, indices, is_store=False):
        """The axes of the tile at an index."""
        if len(indices) != len(parameter.dims):
            raise Invalid("indices")
        axes = []
        for index, dim in zip(indices, parameter.dims):
            if index == ":":
                axes.append(dim)
            elif index.split(" ")[-1] in self.ranges:
                axes.append(index.split(" ")[-1])
            elif index in scope and scope[index].dtype == "i32" and len(scope[index].axes) == 1 and not is_store:
                if not scope[index].is_exact:
                    raise Invalid("positions that are not exact")
                axes.append(scope[index].axes[0])
            elif index not in scope or scope[index].dtype != "int":
                raise Invalid("no such index")
        return tuple(axes)

    def load(self, scope, load):
        parameter = self.parameters.get(load.parameter)
        if parameter is None or parameter.access != "in":
            raise Invalid("no such input")
        axes = self.index_axes(scope, parameter, load.indices)
        low, high, step = DATA[parameter.data]
        if step is not None and load.fill not in ("", "-inf"):
            step = min(step, -2)
        low, high = min(low, 0.0), max(high, 0.0)
        if load.fill:
            low, high = min(low, float(load.fill)), max(high, float(load.fill))
        return Value(parameter.dtype, axes, low, high, 0.0, step)

    def store(self, scope, store):
        parameter, value = self.parameters.get(store.parameter), self.operand(scope, store.value)
        if parameter is None or parameter.access == "in" or parameter.dtype != value.dtype:
            raise Invalid("no such output")
        axes = self.index_axes(scope, parameter, store.indices, is_store=True)
        if value.axes and (len(axes) != len(value.axes) or any(
                b is not None and a != b or b is None and self.extents[a] != 1 for a, b in zip(axes, value.axes))):
            raise Invalid("the shape of what is stored")
        value = dataclasses.replace(value, axes=())
        before = self.outputs.get(parameter.name)
        if store.is_atomic:
            value.require("f32", "i32").require_finite()
            added = self.operations.total(value, max(1, self.programs), ())
            value = self.operations.add(before, added)
        self.outputs[parameter.name] = join(before, value) if before else value

    def run(self, body, scope):
        """Runs statements on what is known; loops as often as they may turn."""
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
                self.enter(scope, statement.name, statement.size, statement.tile)
                for _ in range(max(1, self.trips(statement.size, statement.tile))):
                    self.turn(scope, statement.body)
                self.ranges.pop(statement.name, None)
                scope.pop(statement.name, None)

    def turn(self, scope, body):
        """A loop turns once more, or has ended; what it declares ends with it."""
        inner = dict(scope)
        self.run(body, inner)
        for name, value in scope.items():
            if value != inner[name]:
                scope[name] = join(value, inner[name])
