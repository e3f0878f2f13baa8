# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that earlier programs lack, on tiles of all types: changes of shape, orders, reductions and scans by fns,
functions and bits. They are applied to results, and to tiles that a loop loads. `while` loops, `break`, checks, prints
and atomic operations that yield elements are statements around them."""

from .programs import ATOMIC, Effect, If, Let, Loop, Store
from .results import ResultBuilder
from .values import PRECISION

TYPES = ["f64", "f32", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8"]
WORDS = ("i32", "i64", "u32", "u64")
# Operations of one tile, and of a tile and an axis, that keep the axes.
UNARY = ["sign", "round", "trunc", "fmod", "sin", "cos", "atan", "tan", "log1p", "expm1", "cbrt", "sinh", "cosh",
         "asin", "acos", "pow", "relu", "leaky", "gelu", "silu", "gelu_tanh", "exp_f64", "applied"]
UNARY_OF_INTEGERS = ["popcount", "clz", "shl", "shr", "complement", "quotient", "remainder"]
BINARY_OF_INTEGERS = ["mulhi", "and", "or", "xor"]
ALONG = ["flip", "sort", "sort_down", "cummax", "cummin", "cumprod", "scan_sum", "scan_last", "scan_pair", "argsort"]
DROPPING = ["argmax", "argmin", "prod", "reduce_sum", "reduce_last", "reduce_pair", "sum", "most"]


class MoreBuilder(ResultBuilder):
    def more(self):
        """Adds a few results with other operations; returns how many are stored."""
        stored = 0
        for _ in range(self.random.randint(1, 2)):
            make = self.pick([self.loaded, self.loaded, self.old_result, self.loop_of_more, self.loop_of_more,
                              self.tf32_block, self.rows_of_more])
            name = make()
            for _ in range(self.random.randint(0, 3)):
                name = name and (self.enriched(name) or name)
            name = name and self.wrapped(name)
            if name:
                stored += self.stored_atomically(name) if self.chance(0.2) else self.store(name)
        if self.chance(0.3):
            self.effect()
        return stored

    # Tiles.

    def data_of(self, dtype):
        return self.pick(["naturals", "bits"] if dtype[0] == "u" else ["integers", "bits"] if dtype[0] == "i" else
                         ["integers", "quarters", "bits"])

    def loaded(self):
        dtype, axes = self.pick(TYPES), self.tiled()
        if len(axes) < 2 and self.chance(0.6):
            axes.insert(self.random.randint(0, 1), self.tile(self.pick([2, 8, 12, 16, 32, 64])))
        return self.load(dtype, axes, data=self.data_of(dtype))

    def old_result(self):
        names = [name for name, value in self.values[0].items() if value.axes and value.dtype in PRECISION]
        return self.pick(names) if names else None

    def rows_of_more(self):
        """Rows at positions of another type than i32."""
        axes = self.tiled()
        dtype = self.pick(["i64", "i16", "u8", "u32"])
        rows = self.load(dtype, axes[:1], data=self.data_of(dtype), may_share=False)
        if not rows:
            return None
        other = self.pick(TYPES)
        dims = [self.size("G", self.random.randint(1, 9)), *map(self.dim_of, axes[1:])]
        return self.load_at(self.parameter(other, dims, data=self.data_of(other)), [rows, *axes[1:]])

    def loop_of_more(self):
        """A reduction over a loop of a tile with other operations."""
        size, tile = self.inner_size(wide=self.chance(0.5))
        row, dtype = self.pick(self.tiled()), self.pick(["f32", "f32", "i32", "f64", "i64", "u32"])
        acc = self.variable(dtype, (row,), 0.0)
        condition = self.condition() if self.chance(0.25) else ""
        self.enter_loop(size, tile)
        loop, k = self.bodies[-2][-1], list(self.ranges)[-1]
        if condition and not loop.limit:
            loop.condition = condition
        self.leave_early(0.15)
        narrow = {"f32": ["f16", "bf16"], "i32": ["i8", "i16"], "u32": ["u8"]}
        source = self.pick([dtype, dtype, *narrow.get(dtype, [])])
        t = self.load(source, [row, k] if self.chance(0.7) else [k, row], data=self.data_of(source))
        t = t and self.cast(t, dtype)
        for _ in range(self.random.randint(1, 2)):
            t = t and (self.enriched(t, False) or t)
        t = t and self.cast(t, dtype)
        axes = self.value(t).axes if t else ()
        if row in axes and len(axes) == 2:
            reduced = self.let(self.pick(["sum", "most", "reduce_sum", "reduce_last"]), t, 1 - axes.index(row))
            if reduced:
                self.update(acc, self.pick(["add", "max"]), acc, reduced)
        self.leave_early(0.15)
        self.leave()
        return acc

    def leave_early(self, probability):
        """Adds a `break` under a condition, between iterations."""
        if self.chance(probability) and (condition := self.condition()):
            self.bodies[-1].append(If(condition, [Effect("break")], []))

    def tf32_block(self):
        """acc += a[m, k] @ b[n, k].T in TF32."""
        axes = self.tiled()
        if len(axes) < 2:
            return None
        row, column = axes
        size, tile = self.inner_size()
        acc = self.variable("f32", (row, column), 0.0)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        left, right = self.load("f32", [row, k]), self.load("f32", [column, k])
        right = right and self.let("transpose", right)
        product = left and right and self.let("dot_tf32", left, right)
        if product:
            self.update(acc, "add", acc, product)
        self.leave()
        return acc

    # Operations.

    def enriched(self, name, changes_axes=True):
        """Returns the name of another operation on a tile, or None."""
        value = self.value(name)
        if not value.axes:
            return None
        axis = self.random.randrange(len(value.axes))
        ways = [self.unary, self.unary, self.binary, self.along, self.along, self.along, self.kept_shape, self.tested]
        ways += [self.dropped, self.other_extent, self.random_of] if changes_axes else []
        return self.pick(ways)(name, value, axis)

    def unary(self, name, value, axis):
        if value.dtype not in PRECISION:
            return self.let(self.pick(UNARY_OF_INTEGERS), name)
        return self.let(self.pick(UNARY), name)

    def binary(self, name, value, axis):
        other = self.partner(name)
        if other is None:
            return None
        if value.dtype not in PRECISION:
            result = isinstance(other, str) and self.let(self.pick(BINARY_OF_INTEGERS), name, other)
            return result or self.let("add", name, other)
        if value.dtype == "f32" and isinstance(other, str) and self.chance(0.3):
            return self.let("atan2", name, name)
        return self.let(self.pick(["copysign"] * 3 + ["add", "sub", "mul"]), name, other)

    def along(self, name, value, axis):
        return self.let(self.pick(ALONG), name, axis)

    def kept_shape(self, name, value, axis):
        return self.let(self.pick(["turned", "swapped", "bits"]), name)

    def tested(self, name, value, axis):
        """A mask of infinities and NaN, or of all elements along an axis."""
        if value.dtype not in PRECISION:
            return None
        mask = self.let(self.pick(["isnan", "isinf", "isfinite"]), name)
        if mask and self.chance(0.5):
            mask = self.let(self.pick(["any", "all"]), mask, axis)
            mask = mask and self.value(mask).axes and self.let("expand", mask, axis)
        return mask and self.value(mask).axes and self.let("where", mask, name, self.partner_or_one(name))

    def partner_or_one(self, name):
        other = self.partner(name)
        return 1.0 if other is None else other

    def dropped(self, name, value, axis):
        """A reduction, which is repeated along the axis."""
        reduced = self.let(self.pick(DROPPING), name, axis)
        if not reduced or not self.value(reduced).axes:
            return None
        reduced = self.cast(reduced, value.dtype)
        reduced = reduced and self.let("expand", reduced, axis)
        return reduced and self.let(self.pick(["add", "sub", "max"]), name, reduced)

    def other_extent(self, name, value, axis):
        """A tile of another extent: a part, a repetition, the greatest elements, or another shape."""
        extent = 1 if value.axes[axis] is None else self.program.tiles[self.tile_of(value.axes[axis])]
        way = self.pick(["part", "repeat", "top_values", "top_positions", "reshape"])
        if way == "part":
            taken = self.random.randint(1, extent)
            return self.let("part", name, axis, self.random.randint(0, extent - taken), self.tile(taken))
        if way == "repeat":
            return self.let("repeat", name, axis, self.tile(2 * extent))
        if way == "reshape":
            factor = self.pick([n for n in (1, 2, 4, 8, extent) if extent % n == 0])
            axes = list(value.axes)
            axes[axis:axis + 1] = [self.tile(factor), self.tile(extent // factor)]
            return len(axes) <= 3 and None not in axes and self.let("reshape", name, axes) or None
        return self.let(way, name, axis, self.tile(self.random.randint(1, min(extent, 16))))

    def tile_of(self, axis):
        return self.ranges[axis][1] if axis in self.ranges else axis

    def random_of(self, name, value, axis):
        """Random numbers for the positions of a range."""
        if value.axes[axis] not in self.ranges or value.dtype not in ("f32", "u32"):
            return None
        index = self.aligned(value.axes, self.let("index", value.axes[axis]))
        if value.dtype == "f32" and self.chance(0.5):
            return index and self.let("dropout", name, index)
        drawn = index and self.let("uniform" if value.dtype == "f32" else "random_bits", index)
        return drawn and self.let(self.pick(["add", "max"]), name, drawn)

    # Statements.

    def wrapped(self, name):
        """Changes a result in a loop that may end early, or leaves it as it is."""
        way = self.random.random()
        value = self.value(name)
        if way > 0.35 or value.dtype == "bool":
            return name
        variable = self.variable_of(name)
        if not variable:
            return name
        limit = next((n for n in self.integers() if self.chance(0.5)), None)
        loop = Loop(self.name("i"), self.size("R", self.random.choice([0, 1, 2, 3])), None, [])
        if way < 0.2:
            loop.condition = "while"
        elif limit:
            loop.condition = f"{loop.name} < {limit}"
        self.bodies[-1].append(loop)
        self.enter(loop.body)
        self.values[-1][loop.name] = self.evaluate_integer(loop)
        # A `while` that is left early still counts.
        self.leave_early(0.4)
        self.change(variable)
        self.leave()
        self.values[-1][variable] = self.evaluate(variable)
        return variable

    def effect(self):
        names = [name for name, value in self.values[0].items() if value.axes and None not in value.axes]
        if not names:
            return
        name = self.pick(names)
        if self.chance(0.2):
            self.attempt(Effect("print", [name]))
        elif condition := self.mask(self.value(name).axes):
            self.attempt(Effect("check", [condition]))

    def stored_atomically(self, name):
        """Changes elements of the program by an atomic operation, and stores the elements before."""
        body = self.bodies[-1]
        start = len(body)
        if not ResultBuilder.__mro__[1].store(self, name):
            return False
        store = body[-1]
        if len(body) == start or not isinstance(store, Store) or store.is_atomic:
            return True
        parameter = next(p for p in self.program.parameters if p.name == store.parameter)
        dtype = self.value(name).dtype
        functions = ["add", "exchange"] if dtype in ("f32", "f64") else ATOMIC if dtype in WORDS else None
        if not functions or ":" in store.indices and self.chance(0.5):
            return True
        parameter.access, parameter.data = "inout", self.data_of(parameter.dtype)
        atomic = Store(store.parameter, store.indices, name, True, function=self.pick(functions), old=self.name("t"),
                       order=self.pick(["", "", "relaxed", "acquire", "release", "acq_rel"]))
        body[-1] = atomic
        try:
            self.values[-1][atomic.old] = self.analyse().scope[atomic.old]
        except Exception:  # The operation is not possible here.
            body[-1] = store
            return True
        return self.store(atomic.old) or True
