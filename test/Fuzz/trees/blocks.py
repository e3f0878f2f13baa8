# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks as in real kernels: products, reductions over loops, attention, gathers; and stores of results."""

import math

from .builder import FLOATS, TILES, WIDE, Builder
from .programs import Let, Load, Loop, Store


class BlockBuilder(Builder):
    def enter_loop(self, size, tile, allow_part=True, limit=""):
        name = self.name("k")
        counts = [axis for axis in self.program.grid if axis.size in self.program.counts]
        part = f", part = {counts[0].name} of {counts[0].size}" if counts and allow_part and not limit else ""
        loop = Loop(name, size, tile, [], part, limit)
        self.bodies[-1].append(loop)
        self.bodies.append(loop.body)
        self.values.append({})
        self.add_range(name, size, tile)
        return name

    def leave(self):
        self.bodies.pop()
        self.values.pop()

    def variable(self, dtype, axes, value):
        if axes:
            return self.let("full", dtype, list(axes), value, keyword="var", name=self.name("v"))
        return None

    def update(self, name, op, *args):
        if not self.attempt(Let(name, op, list(args), "")):
            return False
        return True

    def inner_size(self, wide=True):
        tile_value = self.pick(WIDE if wide else TILES)
        size, tile = self.name("K"), self.tile(tile_value)
        self.program.sizes[size] = 1
        self.extent(size, tile_value, 4)
        return size, tile

    def product_block(self, row, column):
        """acc += a[m, k] @ b[k, n]; each operand is stored in one of four ways, with operations in between."""
        size, tile = self.inner_size()
        dtype = self.pick(["bf16", "bf16", "f16", "f16", "f32"])
        acc = self.variable("f32", (row, column), 0.0)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        operands = []
        for first, second in ((row, k), (k, column)):
            if self.chance(0.5):
                operand = self.load(dtype, [first, second])
            else:
                operand = self.load(dtype, [second, first])
                if operand and self.chance(0.2):
                    operand = self.cast(self.decorate(operand, 1), dtype) or operand
                operand = operand and self.let("transpose", operand)
            if operand and self.chance(0.25):
                operand = self.cast(self.decorate(operand, 2), dtype)
            operands.append(operand)
        done = False
        if all(operands):
            product = self.let("dot", *operands)
            if product and self.chance(0.2):
                product = self.decorate(product, 2)
            done = product and self.update(acc, "add", acc, product)
            if done and self.chance(0.2):
                # Statistics of an operand in addition to the product.
                wide = self.cast(operands[0], "f32")
                total = wide and self.let("sum", wide, 1)
                column_total = total and self.let("expand", total, 1)
                if column_total:
                    self.update(acc, "add", acc, column_total)
        self.leave()
        return acc

    def reduction_block(self, axes):
        """A sum or an extremum over a loop, of a tile with one more axis."""
        size, tile = self.inner_size(wide=self.chance(0.7))
        op = self.pick(["add", "add", "max", "min"])
        start = {"add": 0.0, "max": self.pick([-math.inf, -1.0]), "min": 2.0}[op]
        if start == -math.inf:
            start = -1e4
        acc = self.variable("f32", axes, start)
        self.enter_loop(size, tile)
        k = list(self.ranges)[-1]
        place = self.random.randint(0, len(axes)) if len(axes) < 2 else 1
        indices = list(axes)
        indices.insert(place, k)
        t = self.load(self.pick(FLOATS), indices)
        t = t and self.decorate(t, 2)
        t = t and self.cast(t, "f32")
        if t:
            reduced = self.let({"add": "sum", "max": "most", "min": "least"}[op], t, place)
            if reduced:
                if self.chance(0.3) and op == "add":
                    self.update(acc, "mul", acc, 0.5)
                self.update(acc, op, acc, reduced)
            if self.chance(0.2) and self.outputs_cover(axes):
                self.store(t)
        self.leave()
        return acc

    def attention_block(self, row, column):
        """Chained products with a running sum, masked or not; the scores stay in registers."""
        size, tile = self.inner_size()
        depth = self.tile(self.pick([16, 32, 64, 80, 96]))
        dtype = self.pick(["bf16", "f16"])
        data = self.pick(["bits", "quarters", "integers"])
        q = self.load(dtype, [row, depth], data=data, may_share=False)
        if not q:
            return None
        acc = self.variable("f32", (row, column), 0.0)
        den = self.variable("f32", (row,), 0.0)
        top = self.variable("f32", (row,), -64.0)
        causal = self.chance(0.3)
        limit = self.pick([f"{row}.end", size]) if causal else ""
        self.enter_loop(size, tile, allow_part=False, limit=limit)
        n = list(self.ranges)[-1]
        key = self.load(dtype, [n, depth], data=data, may_share=False)
        value = self.load(dtype, [n, column], data=data)
        if key and value:
            scores = self.let("dot", q, self.let("transpose", key))
            scores = scores and self.let("mul", scores, self.pick([0.125, 0.0625]))
            scores = scores and self.decorate(scores, 1)
            if causal and scores:
                rows = self.let("expand", self.let("index", row), 1)
                columns = self.let("expand", self.let("index", n), 0)
                scores = self.let("where", self.let("ge", rows, columns), scores, -16.0) or scores
            scores = scores and self.let("min", self.let("max", scores, -16.0), 16.0)
            most = scores and self.let("most", scores, 1)
            new = most and self.let("max", top, most)
            if new and self.value(new).axes == (row,):
                shifted = self.let("sub", scores, self.let("expand", new, 1))
                shifted = shifted and self.let("min", shifted, 0.0) if self.chance(0.3) else shifted
                if shifted and self.value(shifted).high > 9:
                    shifted = self.let("min", shifted, 2.0)
                weights = shifted and self.let("exp", shifted)
                old = weights and self.let("sub", top, new)
                scale = old and self.let("exp", self.let("min", old, 0.0))
                if scale and (total := self.let("sum", weights, 1)):
                    self.update(den, "mul", den, scale)
                    self.update(den, "add", den, total)
                    self.update(acc, "mul", acc, self.let("expand", scale, 1))
                    narrow = self.cast(weights, dtype)
                    product = narrow and self.let("dot", narrow, value)
                    if product:
                        self.update(acc, "add", acc, product)
                    self.update(top, "same", new)
        self.leave()
        result = self.let("div", acc, self.let("expand", den, 1))
        return result or acc

    def nested_block(self, row):
        """A product for each tile of a loop, reduced at once."""
        size, tile = self.inner_size()
        acc = self.variable("f32", (row,), 0.0)
        self.enter_loop(size, tile)
        column = list(self.ranges)[-1]
        z = self.product_block(row, column)
        z = self.decorate(z, 2) if z else None
        z = z and self.cast(z, "f32")
        total = z and self.let(self.pick(["sum", "most"]), z, 1)
        if total:
            self.update(acc, self.pick(["add", "max"]), acc, total)
        self.leave()
        return acc

    def gather_block(self, row, column):
        """Rows named by a tensor of positions."""
        rows = self.load("i32", [row], data="integers", may_share=False)
        if not rows:
            return None
        source = self.size("G", self.random.randint(1, 9))
        parameter = self.parameter(self.pick(FLOATS), [source, self.dim_of(column)])
        name = self.name("t")
        if not self.attempt(Load(name, parameter.name, [rows, column])):
            return None
        self.values[-1][name] = self.evaluate(name)
        return name

    # Results.

    def tiled(self):
        return [axis.name for axis in self.program.grid if axis.tile]

    def outputs_cover(self, axes):
        return set(self.tiled()) <= set(axes)

    def store(self, name):
        """Stores a tile so that no two programs write to the same place, or adds it to a shared place."""
        value = self.value(name)
        if value.dtype == "bool":
            name = self.let("where", name, self.constant_tile(value, 1.0), self.constant_tile(value, 0.0))
            value = self.value(name) if name else None
        if value is None or not value.axes or None in value.axes:
            return False
        dims, indices = [], []
        for axis in value.axes:
            dims.append(self.dim_of(axis) if axis in self.ranges else axis)
            indices.append(axis if axis in self.ranges else ":")
        covered = self.outputs_cover(value.axes)
        # Axes of the grid that are parts of a loop must not write to the same place twice.
        plain = [axis for axis in self.program.grid if axis.tile is None]
        atomic = value.dtype in ("f32", "i32") and (not covered or self.chance(0.1))
        if not covered and not atomic:
            return False
        for axis in plain:
            if len(dims) < 4 and not (atomic and self.chance(0.5)):
                dims.insert(0, axis.size)
                indices.insert(0, axis.name)
            elif not atomic:
                return False
        access = "inout" if atomic or self.chance(0.15) else "out"
        if access == "inout" and not atomic and indices[-1] in self.ranges and self.chance(0.4):
            indices[-1] = f"{self.random.randint(1, 5)} + {indices[-1]}"
        parameter = self.parameter(value.dtype, dims, access, "integers")
        return self.attempt(Store(parameter.name, indices, name, atomic))

    def constant_tile(self, value, number):
        axes = [axis for axis in value.axes if axis]
        if len(axes) != len(value.axes):
            return number
        return self.let("full", "f32", axes, number) or number
