# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The known properties of the values that a program computes.

`Operations` finds the type of each value, an interval that contains it, and a bound of the distance between two
correct evaluations (`analysis.py` walks a program with it). A correct evaluation may sum in another order, fold a
factor into an exponent or round a sum once more. The tolerance of a result is therefore derived, not guessed:

- Elementwise results of equal operands are equal in every type except f32, where a pass may have reordered sums. In
f32 each operation adds half a unit of the last place.
- A sum of multiples of 2^s whose magnitude stays below 2^(s + 24) is exact. Any other sum of n terms is off by n
roundings of its largest value.
- A function of bounded slope multiplies errors by its slope and adds 2^-20 of its range.
- Rounding of inexact values to 16 or 8 bits adds a unit of the last place.
- In a program with an exponential or a logarithm, the factor between the bases may be folded into any value and taken
out again. No float result is then exact.

A jump (comparison, floor, conversion to integers) takes only exact values. A tree that is not a program, or whose
values could overflow their type, is `Invalid`; the generator and the reducer depend on that.
"""

import dataclasses
import math

# Significant bits of a type, and the magnitude at which values are rejected.
PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8e4m3": 4, "f8e5m2": 3}
LIMIT = {"f64": 1e7, "f32": 1e7, "f16": 3e4, "bf16": 1e7, "f8e4m3": 448.0, "f8e5m2": 5e4, "i64": 2.0**30,
         "i32": 2.0**30, "int": 2.0**30, "i16": 32767.0, "i8": 127.0, "u64": 2.0**30, "u32": 2.0**30, "u16": 65535.0,
         "u8": 255.0}
INTEGERS = ("i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "int")
# The distance of the smallest numbers.
TINY = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-24, "bf16": 2.0**-126, "f8e4m3": 2.0**-9, "f8e5m2": 2.0**-16}
# The exponent of the finest step that exact values may have.
FINEST = {"f8e4m3": -9, "f8e5m2": -16}
F8 = ("f8e4m3", "f8e5m2")


class Invalid(Exception):
    """A tree that is not a program, or whose results cannot be compared."""


@dataclasses.dataclass(frozen=True)
class Value:
    """A tile or a scalar: its elements are in [low, high], or may be -inf if low is.

    `step` is an exponent: all elements are multiples of 2^step. Two correct evaluations differ by at most `error`.
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
    """Returns the value of a computation that rounds its result."""
    bound = max(abs(low), abs(high)) if low != -math.inf else abs(high)
    if not bound <= LIMIT[dtype]:
        raise Invalid("out of bounds")
    if dtype in INTEGERS:
        if dtype[0] == "u" and low < 0:
            raise Invalid("a negative number without a sign")
        return Value(dtype, axes, low, high, error, 0)
    if step is not None and step >= FINEST.get(dtype, -20) and bound <= 2.0 ** (step + PRECISION[dtype]):
        return Value(dtype, axes, low, high, error, step)
    # Elements of at most 16 bits are computed one by one, from the same operands in all evaluations. Elements of f32
    # and f64 may be sums that a pass has reordered.
    if error > 0 or dtype in ("f32", "f64"):
        error += 2.0 ** (1 - PRECISION[dtype]) * bound + TINY[dtype]
    return Value(dtype, axes, low, high, error, None)


def join(a, b):
    """Returns the properties of a value that is one of two."""
    if (a.dtype, a.axes) != (b.dtype, b.axes):
        raise Invalid("a variable changes its type")
    step = None if a.step is None or b.step is None else min(a.step, b.step)
    return Value(a.dtype, a.axes, min(a.low, b.low), max(a.high, b.high), max(a.error, b.error), step)


def broadcast(*values):
    """Returns the common axes of values of one rank, and scalars."""
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
    """The type, interval and error of each operation; one method per operation."""

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
        a.require(*PRECISION)
        broadcast(a, b, c)
        return self.add(self.mul(a, b), c)

    def div(self, a, b):
        """a / (abs(b) + 1)."""
        a.require(*PRECISION)
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
        if a.dtype[0] == "u" and a.high > 0:
            raise Invalid("a negative number without a sign")
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

    def exp2(self, a):
        if a.high > 12 or a.error > 1:
            raise Invalid("exp2 of a large number")
        a = dataclasses.replace(a.require_finite(), low=max(a.low, -100.0))
        return self.smooth(a, 2.0**a.low, 2.0**a.high, math.exp2(a.high + a.error))

    def log2(self, a):
        """log2(abs(a) + 1)."""
        return self.smooth(a.require_finite(), 0.0, math.log2(a.bound + 1), 1.5)

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
        a.require(*PRECISION).require_finite()
        self.decide(a)
        return Value(a.dtype, a.axes, math.floor(a.low), math.floor(a.high), 0.0, 0)

    def ceil(self, a):
        a.require(*PRECISION).require_finite()
        self.decide(a)
        return Value(a.dtype, a.axes, math.ceil(a.low), math.ceil(a.high), 0.0, 0)

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
        if dtype == "i8":
            return self.narrow(a)
        if dtype in F8:
            # Values that do not fit saturate.
            limit = LIMIT[dtype]
            a = dataclasses.replace(a, low=max(-limit, min(limit, a.low)), high=max(-limit, min(limit, a.high)))
        if dtype in INTEGERS:
            if a.dtype not in INTEGERS:
                self.decide(a)
            return round_to(dtype, a.axes, math.floor(a.low), math.ceil(a.high), 0.0, 0)
        step = a.step
        # Equal values stay equal.
        rounded = round_to(dtype, a.axes, a.low, a.high, a.error, step)
        if a.is_exact and a.dtype not in INTEGERS:
            rounded = dataclasses.replace(rounded, error=0.0)
        return rounded

    def narrow(self, a):
        """Converts to 8 bits: integers lose their upper bits, floats saturate."""
        self.decide(a)
        if a.dtype in PRECISION:
            a = dataclasses.replace(a, low=max(a.low, -128.0), high=min(a.high, 127.0))
        low, high = (-128.0, 127.0) if a.bound > 128 else (math.floor(a.low), math.ceil(a.high))
        return Value("i8", a.axes, low, high, 0.0, 0)

    def number(self, a, dtype):
        """Converts a boolean to 0 or 1."""
        return dataclasses.replace(a.require("bool"), dtype=dtype)

    def choose(self, condition, a, b):
        if condition.require("bool").axes:
            raise Invalid("a tile of conditions")
        return join(a, b)

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
        if a.dtype in ("i16", "u8", "u16"):
            a = dataclasses.replace(a, dtype="i32")
        if a.dtype not in ("f64", "f32", "i64", "i32", "u64", "u32"):
            raise Invalid("sums are of 32 and 64 bits")
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
        if len(a.axes) != 2 or len(b.axes) != 2 or a.axes[1] != b.axes[0]:
            raise Invalid("a product of these")
        if a.dtype != b.dtype and not (a.dtype in F8 and b.dtype in F8):
            raise Invalid("types differ")
        a.require("f32", "bf16", "f16", *F8, "i8").require_finite(), b.require_finite()
        extent = 1 if a.axes[1] is None else self.extents[a.axes[1]]
        step = None if common_step(a, b) is None else a.step + b.step
        bound, error = a.bound * b.bound, a.error * b.bound + b.error * a.bound + a.error * b.error
        one = Value("i32" if a.dtype == "i8" else "f32", (), -bound, bound, error, step)
        return self.total(one, extent, (a.axes[0], b.axes[1]))

    def same(self, a):
        return a
