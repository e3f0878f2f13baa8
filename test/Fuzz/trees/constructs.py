# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows programs with all constructs of the language except tiles of floats.

These are scalars, run-time conditions, loops over integers, functions, 8-bit types, positions from memory, several
stores."""

from .builder import FLOATS, WIDE
from .programs import If, Let, Loop
from .more import MoreBuilder
from .values import F8, Invalid


class WideBuilder(MoreBuilder):
    def wide_block(self):
        """Returns the name of the result of a block with other types or with positions from memory, or None."""
        tiled = self.tiled()
        row, column = self.random.sample([tiled[0], tiled[-1]], 2)
        kind = self.random.random()
        if kind < 0.2 and len(tiled) == 2:
            return self.narrow_product_block(row, column)
        if kind < 0.35:
            return self.packed_block((row, column) if len(tiled) == 2 else (row,))
        if kind < 0.5:
            return self.window_block(row, column if len(tiled) == 2 else None)
        if kind < 0.65:
            return self.load(self.pick([*F8, "i8"]), list(dict.fromkeys(tiled)), data="integers")
        return None

    def enclosed(self, make):
        """Encloses a block in a condition, or in a loop."""
        body = self.bodies[-1]
        place = len(body)
        if self.chance(0.5):
            condition = self.condition()
            statement = condition and If(condition, [], [])
        else:
            statement = Loop(self.name("i"), self.size("R", self.random.choice([0, 1, 2, 2])), None, [])
        if not statement:
            return make()
        body.append(statement)
        self.enter(statement.body)
        name = make()
        value = name and self.value(name)
        self.leave()
        if not name or not value.axes or None in value.axes or value.dtype not in ("f32", "bf16", "f16", "i32"):
            body.remove(statement)
            return None
        variable = self.name("v")
        body.insert(place, Let(variable, "full", [value.dtype, list(value.axes), 1.0], "var"))
        statement.body.append(Let(variable, self.pick(["add", "max"]), [variable, name], ""))
        try:
            self.values[-1][variable] = self.evaluate(variable)
        except Invalid:
            statement.body[-1].op = "max"
            self.values[-1][variable] = self.evaluate(variable)
        return variable

    def narrow_product_block(self, row, column):
        """A product of 8-bit operands."""
        size, tile = self.inner_size()
        types = ["i8", "i8"] if self.chance(0.4) else [self.pick(F8), self.pick(F8)]
        acc = self.variable("i32" if types[0] == "i8" else "f32", (row, column), 0.0)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        operands = []
        for dtype, first, second in ((types[0], row, k), (types[1], k, column)):
            data = self.pick(["integers", "bits"]) if dtype == "i8" else None
            # Tensor cores read 8-bit operands only along K.
            turned = self.chance(0.8 if second != k else 0.2)
            operand = self.load(dtype, [second, first] if turned else [first, second], data=data)
            operands.append(self.let("transpose", operand) if operand and turned else operand)
        product = all(operands) and self.let("dot", *operands)
        if product:
            self.update(acc, "add", acc, product)
        self.leave()
        return acc

    def packed_block(self, axes):
        """A tile at a position from memory."""
        start = self.element("i32", "positions")
        if not start:
            return None
        place = self.random.randrange(len(axes))
        dims, indices = [self.dim_of(axis) for axis in axes], list(axes)
        if self.chance(0.6):
            indices[place] = f"{start} + {indices[place]}"
        else:
            dims.insert(place, self.size("Q", self.random.randint(1, 30)))
            indices.insert(place, start)
        return self.load_at(self.parameter(self.pick([*FLOATS, "i32"]), dims), indices)

    def window_block(self, row, column):
        """A reduction or a product over a range between two positions from memory."""
        low, high = self.element("i32", "positions"), self.element("i32", "positions")
        if not low or not high:
            return None
        size, tile = self.size("W", self.random.randint(1, 40)), self.tile(self.pick(WIDE))
        axes = (row, column) if column else (row,)
        acc = self.variable("f32", axes, 0.0)
        if is_loop := self.chance(0.6):
            name = self.enter_loop(size, tile, allow_part=False, limit=high)
            self.bodies[-2][-1].start = low
        else:
            name = self.let("tile", low, high, tile, name=self.name("r"))
            self.add_range(name, size, tile)
        if column:
            dtype = self.pick(["bf16", "f16", "f32"])
            left, right = self.load(dtype, [row, name]), self.load(dtype, [name, column])
            change = left and right and self.let("dot", left, right)
        else:
            wide = self.load(self.pick(FLOATS), [row, name])
            wide = wide and self.cast(wide, "f32")
            change = wide and self.let("sum", wide, 1)
        if change:
            self.update(acc, "add", acc, change)
        if is_loop:
            self.leave()
        return acc

    def gather_block(self, row, column):
        """Rows at computed positions."""
        rows = self.load("i32", [row], data="integers", may_share=False)
        rows = rows and (self.let(self.pick(["add", "sub", "mul", "max"]), rows, self.operand(rows)) or rows)
        if not rows:
            return None
        parameter = self.parameter(self.pick([*FLOATS, *F8, "i8"]),
                                   [self.size("G", self.random.randint(1, 9)), self.dim_of(column)])
        return self.load_at(parameter, [rows, column])
