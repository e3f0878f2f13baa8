# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The known properties of the operations of more.py: changes of shape, orders, reductions and scans, functions."""

import dataclasses
import math

from .values import INTEGERS, PRECISION, Invalid, Operations, Value, broadcast, round_to

SIGNED = ("i8", "i16", "i32", "i64")
BITS = (*SIGNED, "u8", "u16", "u32", "u64")
# Functions of f32 with a bounded slope, and the bounds of their values. SPELLING has the arguments in their domain.
BOUNDED = {
    "sin": (-1.0, 1.0, 1.0), "cos": (-1.0, 1.0, 1.0), "atan": (-1.58, 1.58, 1.0), "tan": (-1.56, 1.56, 3.5),
    "expm1": (-1.0, 1.72, 2.8), "sinh": (-3.7, 3.7, 3.8), "cosh": (0.0, 3.8, 3.7), "asin": (-0.53, 0.53, 0.6),
    "acos": (1.04, 2.1, 0.6), "atan2": (-0.8, 0.8, 2.0),
}  # fmt: skip


def exact(a):
    if not a.is_exact:
        raise Invalid("a decision on an inexact value")
    return a


class Functions(Operations):
    # Changes of shape. Axes keep their names.

    def flip(self, a, axis):
        self.drop(a, axis)
        return a

    sort = sort_down = cummax = cummin = scan_last = flip

    def turned(self, a):
        if len(a.axes) != 2:
            raise Invalid("rank")
        return a

    def swapped(self, a):
        if not a.axes or a.axes[-1] is None or self.extents[a.axes[-1]] % 2:
            raise Invalid("an odd extent")
        return a

    def reshape(self, a, axes):
        count = [math.prod(1 if axis is None else self.extents[axis] for axis in some) for some in (a.axes, axes)]
        if not a.axes or count[0] != count[1]:
            raise Invalid("other extents")
        return dataclasses.replace(a, axes=tuple(axes))

    def replaced(self, a, axis, extent):
        return dataclasses.replace(a, axes=(*a.axes[:axis], extent, *a.axes[axis + 1:]))

    def part(self, a, axis, low, extent):
        if low + self.extents[extent] > self.drop(a, axis)[0]:
            raise Invalid("a part that is larger")
        return self.replaced(a, axis, extent)

    def repeat(self, a, axis, extent):
        if self.extents[extent] != 2 * self.drop(a, axis)[0]:
            raise Invalid("another extent")
        return self.replaced(a, axis, extent)

    def top_values(self, a, axis, extent):
        if self.extents[extent] > self.drop(exact(a), axis)[0] or a.dtype in ("bool", "i64", "u64", "f64"):
            raise Invalid("no order of these")
        return self.replaced(a, axis, extent)

    def top_positions(self, a, axis, extent):
        count = self.drop(a, axis)[0]
        return dataclasses.replace(self.top_values(a, axis, extent), dtype="i32", low=0.0, high=count - 1.0, step=0)

    # Reductions and scans.

    def places(self, a, axis, axes):
        if a.dtype == "bool":
            raise Invalid("bool")
        return Value("i32", axes, 0.0, self.drop(exact(a), axis)[0] - 1.0, 0.0, 0)

    def argsort(self, a, axis):
        if "64" in a.dtype:
            raise Invalid("64 bits")
        return self.places(a, axis, a.axes)

    def scan_pair(self, a, axis):
        return self.places(a.require_finite(), axis, a.axes)

    def argmax(self, a, axis):
        return self.places(a, axis, self.drop(a, axis)[1])

    argmin = argmax

    def reduce_pair(self, a, axis):
        return self.places(a.require_finite(), axis, self.drop(a, axis)[1])

    def reduce_last(self, a, axis):
        return dataclasses.replace(a, axes=self.drop(a, axis)[1])

    def any(self, a, axis):
        return dataclasses.replace(a.require("bool"), axes=self.drop(a, axis)[1])

    all = any

    def scan_sum(self, a, axis):
        # The sums of a fn have the type of the elements.
        return self.cumsum(a.require("f32", "f64", "i32", "i64", "u32", "u64"), axis)

    def reduce_sum(self, a, axis):
        return self.sum(a.require("f32", "f64", "i32", "i64", "u32", "u64"), axis)

    def cumprod(self, a, axis):
        """Products of numbers of at most 1, and of few integers."""
        exact(a)
        extent, _ = self.drop(a, axis)
        if a.bound > 1 and extent > 4 or a.dtype not in ("f32", "i32", "i64"):
            raise Invalid("a large product")
        bound = max(1.0, a.bound) ** extent
        if a.dtype in INTEGERS or a.step == 0:
            return round_to(a.dtype, a.axes, -bound, bound, 0.0, 0)
        return Value(a.dtype, a.axes, -bound, bound, extent * 2.0**-22 * bound + 2.0**-120, None)

    def prod(self, a, axis):
        return dataclasses.replace(self.cumprod(a, axis), axes=self.drop(a, axis)[1])

    # Functions of elements.

    def sign(self, a):
        exact(a.require(*PRECISION))
        return Value(a.dtype, a.axes, -1.0, 1.0, 0.0, 0)

    def round(self, a):
        return self.floor(dataclasses.replace(a, high=a.high + 1))

    def trunc(self, a):
        return self.round(a)

    def copysign(self, a, b):
        exact(b)
        bound = a.require(*PRECISION).require_finite().bound
        return dataclasses.replace(a, axes=broadcast(a, b), low=-bound, high=bound)

    def fmod(self, a):
        exact(a.require("f32", "f16", "bf16").require_finite())
        return dataclasses.replace(a, low=-3.0, high=3.0, step=min(a.step, 0) if a.step is not None else None)

    def isnan(self, a):
        return Value("bool", a.require(*PRECISION).axes, 0.0, 1.0, 0.0, 0)

    isinf = isfinite = isnan

    def bounded(self, a, name):
        low, high, slope = BOUNDED[name]
        return self.smooth(a.require_finite(), low, high, slope)

    def log1p(self, a):
        return self.log(a)

    def cbrt(self, a):
        return self.sqrt(a)

    def pow(self, a):
        return self.sqrt(a)

    def relu(self, a):
        return dataclasses.replace(a.require(*PRECISION), low=max(a.low, 0.0), high=max(a.high, 0.0))

    def leaky(self, a):
        exact(a.require(*PRECISION).require_finite())
        step = None if a.step is None else a.step - 2
        return round_to(a.dtype, a.axes, min(a.low, 0.25 * a.low), max(a.high, 0.0), 0.0, step)

    def gelu(self, a):
        return self.smooth(a.require_finite(), min(a.low, -0.3), max(a.high, 0.0), 1.2)

    silu = gelu_tanh = gelu

    def exp_f64(self, a):
        exact(a.require("f64").require_finite())
        return Value("f64", a.axes, 0.0, 60.0, 2.0**-45, None)

    def popcount(self, a):
        exact(a.require(*BITS))
        return Value(a.dtype, a.axes, 0.0, 64.0, 0.0, 0)

    clz = popcount

    def mulhi(self, a, b):
        exact(a.require("i8", "i16", "i32", "u8", "u16", "u32")), exact(b)
        low = -128.0 if a.dtype[0] == "i" else 0.0
        if a.bound * b.bound >= 2.0**38:
            raise Invalid("a large product")
        return Value(a.dtype, broadcast(a, b), low, 127.0, 0.0, 0)

    def bitwise(self, a, b):
        exact(a), exact(b)
        if a.dtype == "bool":
            return Value("bool", broadcast(a, b), 0.0, 1.0, 0.0, 0)
        a.require(*BITS)
        bound = 2.0 ** math.ceil(math.log2(max(a.bound, b.bound) + 1))
        return round_to(a.dtype, broadcast(a, b), 0.0 if min(a.low, b.low) >= 0 else -bound, bound - 1, 0.0, 0)

    def shl(self, a):
        exact(a.require(*BITS))
        return round_to(a.dtype, a.axes, 2 * a.low, 2 * a.high, 0.0, 0)

    def shr(self, a):
        exact(a.require(*BITS))
        return dataclasses.replace(a, low=math.floor(a.low / 4), high=math.floor(a.high / 4))

    def complement(self, a):
        exact(a.require(*SIGNED))
        return dataclasses.replace(a, low=-a.high - 1, high=-a.low - 1)

    def quotient(self, a):
        exact(a.require(*BITS))
        return dataclasses.replace(a, low=math.floor(a.low / 3), high=math.floor(a.high / 3))

    def remainder(self, a):
        exact(a.require(*BITS))
        return dataclasses.replace(a, low=0.0, high=4.0)

    def bits(self, a):
        return exact(a.require("f32"))

    def applied(self, a):
        if a.dtype == "bool":
            raise Invalid("bool")
        return self.abs(a)

    def uniform(self, a):
        return Value("f32", exact(a.require("i32")).axes, 0.0, 1.0, 2.0**-23, None)

    def random_bits(self, a):
        return Value("u32", exact(a.require("i32")).axes, 0.0, 2.0**20, 0.0, 0)

    def dropout(self, a, offset):
        exact(offset.require("i32")), a.require("f32").require_finite()
        result = self.add(a, a)
        low, high = min(result.low, 0.0), max(result.high, 0.0)
        return dataclasses.replace(result, axes=broadcast(a, offset), low=low, high=high)

    def dot_tf32(self, a, b):
        """A product whose operands lose 13 bits."""
        a.require("f32"), b.require("f32")
        return self.dot(*(self.truncated(one) for one in (a, b)))

    @staticmethod
    def truncated(a):
        if a.step is not None and a.bound <= 2.0 ** (a.step + 11):
            return a
        if a.is_exact:
            # All devices truncate the same number. Products of such numbers are no multiples of a known step.
            return dataclasses.replace(a, step=None)
        return dataclasses.replace(a, error=a.error + 2.0**-10 * a.bound, step=None)


for name in BOUNDED:
    setattr(Functions, name, lambda self, a, b=None, name=name: self.bounded(a, name))
for name in ("and", "or", "xor"):
    setattr(Functions, name, Functions.bitwise)
