# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows programs with everything that the language has beside tiles of floats: scalars, conditions at run
time, loops over integers, functions, types of 8 bits, positions from memory, several stores."""

from builder import FLOATS, WIDE, Builder
from programs import Barrier, Function, If, Let, Load, Loop, Store, index_words
from values import F8, Invalid

# What a function may compute: operations whose operands are its parameters.
OUTLINED = ("add", "sub", "mul", "fma", "div", "max", "min", "neg", "abs", "tanh", "sigmoid", "erf", "rsqrt", "sqrt",
            "log", "exp", "exp2", "log2", "floor", "ceil", "lt", "ge", "eq", "where", "cast", "sum", "most", "least", "cumsum", "cumsum_back",
            "expand", "index", "valid", "same")


class WideBuilder(Builder):
    def begin(self):
        """Scalars, and hints that other programs lack."""
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

    # Scalars.

    def integers(self):
        """The names of integers that are known here."""
        axes = [axis.name for axis in self.program.grid if axis.tile is None]
        return axes + [name for name, value in self.visible().items() if not value.axes and value.dtype in ("int", "i32")]

    def element(self, dtype, data):
        """A scalar from memory, the same for all programs along tiled axes."""
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
        """A truth value of the program, not of each element."""
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

    # Operations.

    def decorate(self, name, most=3):
        name = super().decorate(name, most)
        while most > 1 and self.chance(0.5):
            twist = self.pick([self.scaled, self.chosen, self.branched, self.called, self.called, self.narrowed, self.repeated,
                               self.counted, self.computed])
            name = twist(name) or name
        return name

    def computed(self, name):
        """A function that other programs lack."""
        value = self.value(name)
        op = self.pick(["exp2", "log2", "ceil"])
        if op == "exp2" and value.dtype == "f32" and value.high > 12:
            name = self.let("min", name, 2.0)
        return name and self.let(op, name)

    def operand(self, name):
        """A partner for an update that is always valid, or a number."""
        other = self.partner(name)
        return other if other is not None else 1.0

    def scaled(self, name):
        """A tile and a scalar."""
        value = self.value(name)
        if value.dtype == "f32" and self.chance(0.3):
            scalar = self.element("f32", self.pick(["quarters", "reals"]))
            return scalar and self.let(self.pick(["add", "sub", "mul"]), name, scalar)
        scalars = self.integers() if value.dtype in ("f32", "i32", "bf16", "f16") and self.chance(0.6) else [
            other for other, one in self.visible().items() if not one.axes and one.dtype == value.dtype]
        if scalars and value.axes:
            return self.let(self.pick(["add", "sub", "mul"]), name, self.pick(scalars))
        return None

    def chosen(self, name):
        condition = self.condition()
        other = self.let(self.pick(["add", "mul", "max"]), name, self.operand(name))
        return condition and other and self.let("choose", condition, *self.random.sample([name, other], 2))

    def variable_of(self, name):
        return self.let("same", name, keyword="var", name=self.name("v"))

    def change(self, variable):
        return self.update(variable, self.pick(["add", "mul", "max", "min", "sub"]), variable, self.operand(variable))

    def branched(self, name):
        """A variable that one branch changes, or both; perhaps one within the other."""
        condition = self.condition()
        variable = condition and self.variable_of(name)
        if not variable:
            return None
        branch = If(condition, [], [])
        self.bodies[-1].append(branch)
        for body in [branch.body, branch.other][:self.random.randint(1, 2)]:
            self.enter(body)
            self.change(variable)
            if self.chance(0.2) and (inner := self.condition()):
                nested = If(inner, [], [])
                body.append(nested)
                self.enter(nested.body)
                self.change(variable)
                self.leave()
            self.leave()
        self.values[-1][variable] = self.evaluate(variable)
        return variable

    def enter(self, body):
        self.bodies.append(body)
        self.values.append({})

    def repeated(self, name):
        """A loop over integers that index a tensor, or do not."""
        value = self.value(name)
        size = self.size("R", self.random.choice([0, 1, 2, 3, 5]))
        variable = value.axes and self.variable_of(name)
        if not variable:
            return None
        loop = Loop(self.name("i"), size, None, [])
        loop.step = self.pick([1, 1, 1, 2])
        loop.start = self.pick(["", "", "1"])
        self.bodies[-1].append(loop)
        self.enter(loop.body)
        self.values[-1][loop.name] = self.evaluate_integer(loop)
        axes = [axis for axis in value.axes if axis in self.ranges]
        other = None
        if axes == list(value.axes) and self.chance(0.6):
            place = self.random.randint(0, len(axes))
            dims, indices = [self.dim_of(axis) for axis in axes], list(axes)
            dims.insert(place, size)
            indices.insert(place, loop.name)
            parameter = self.parameter(value.dtype, dims, data="integers" if value.dtype in ("i32", "i8") else "quarters")
            other = self.load_at(parameter, indices)
        elif value.dtype in ("f32", "i32"):
            other = self.load_at(self.parameter(value.dtype, [size], data="bits"), [loop.name])
        if other:
            self.update(variable, self.pick(["add", "max", "sub"]), variable, other)
        if self.chance(0.2):
            self.scaled(variable)
        if self.chance(0.3):
            self.branched_in_place(variable)
        self.leave()
        self.values[-1][variable] = self.evaluate(variable)
        return variable

    def evaluate_integer(self, loop):
        from values import Value
        return Value("int", (), 0, max(1, self.program.sizes[loop.size]), 0.0, 0)

    def branched_in_place(self, variable):
        if condition := self.condition():
            branch = If(condition, [], [])
            self.bodies[-1].append(branch)
            self.enter(branch.body)
            self.change(variable)
            self.leave()

    def narrowed(self, name):
        """Through 8 bits and back."""
        value = self.value(name)
        narrow = self.let("cast", name, self.pick([*F8, "i8"]))
        if narrow and self.chance(0.3):
            narrow = self.let(self.pick(["add", "mul", "max"]), narrow, narrow) or narrow
        return narrow and self.let("cast", narrow, value.dtype if self.chance(0.7) else "f32")

    def counted(self, name):
        """Truth values as numbers."""
        value = self.value(name)
        mask = self.mask(value.axes)
        number = mask and value.dtype in ("f32", "i32") and self.let("number", mask, value.dtype)
        return number and self.let(self.pick(["mul", "add"]), name, number)

    def called(self, name):
        """What a decoration computes, in a function."""
        body = self.bodies[-1]
        start = len(body)
        result = super().decorate(super().decorate(name, 3), 4)
        first = len(body)
        while first > start and isinstance(body[first - 1], Let) and body[first - 1].op in OUTLINED:
            first -= 1
        moved = body[first:]
        if not moved or moved[-1].name != result:
            return result
        inside = {statement.name for statement in moved}
        inputs = []
        for statement in moved:
            for arg in statement.args:
                is_name = isinstance(arg, str) and (arg in self.visible() or arg in self.ranges)
                if is_name and arg not in inside and arg not in inputs:
                    inputs.append(arg)
        visible = self.visible()
        names = {arg: f"x{number}" for number, arg in enumerate(inputs)}
        types = ["f32[..]" if arg in visible and visible[arg].dtype == "f32" and self.chance(0.3) else "" for arg in inputs]
        outlined = [Let(s.name, s.op, [names.get(arg, arg) if isinstance(arg, str) else arg for arg in s.args]) for s in moved]
        function = Function(self.name("f"), list(names.values()), types, outlined, result)
        del body[first:]
        value = self.values[-1][result]
        for statement in moved:
            del self.values[-1][statement.name]
        self.program.functions.append(function)
        call = self.let("call", function.name, *inputs)
        if not call or self.value(call).axes != value.axes:
            raise Invalid("a call that differs")
        if self.chance(0.4):
            # Once more, on the result; what it may not be called with is left out.
            again = [call if arg == name else arg for arg in inputs]
            call = self.let("call", function.name, *again) or call
        return call

    # Blocks.

    def wide_block(self):
        """The name of what a block with other types, or with positions from memory, computes; or None."""
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
            # Tensor cores read 8-bit operands along K only.
            turned = self.chance(0.8 if second != k else 0.2)
            operand = self.load(dtype, [second, first] if turned else [first, second], data=data)
            operands.append(self.let("transpose", operand) if operand and turned else operand)
        product = all(operands) and self.let("dot", *operands)
        if product:
            self.update(acc, "add", acc, product)
        self.leave()
        return acc

    def packed_block(self, axes):
        """A tile whose place memory names."""
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
        parameter = self.parameter(self.pick([*FLOATS, *F8, "i8"]), [self.size("G", self.random.randint(1, 9)), self.dim_of(column)])
        return self.load_at(parameter, [rows, column])

    # Results.

    def store(self, name):
        body, parameters = self.bodies[-1], len(self.program.parameters)
        if not super().store(name):
            return False
        statement = body[-1]
        if not isinstance(statement, Store) or statement.is_atomic:
            return True
        parameter = next(p for p in self.program.parameters[parameters:] if p.name == statement.parameter)
        kind = self.random.random()
        if kind < 0.12 and len(parameter.dims) < 4:
            parameter.dims.insert(0, "2")
            statement.indices.insert(0, "0")
            self.store_again(statement, ["1", *statement.indices[1:]])
        elif kind < 0.24:
            self.store_under_condition(statement)
        elif kind < 0.34 and ":" not in statement.indices:
            statement.is_called = True
        elif kind < 0.42:
            self.store_in_loop(parameter, statement)
        elif kind < 0.54 and (parameter.access == "inout" or self.chance(0.6)):
            if parameter.access == "out":
                parameter.access, parameter.name = "inout", self.name("z")
                statement.parameter = parameter.name
            self.store_what_was_loaded(parameter, statement)
        elif kind < 0.5:
            self.store_at_position(statement)
        return True

    def store_again(self, statement, indices):
        """Another result of the same type, to another place of the tensor."""
        other = self.let(self.pick(["neg", "abs", "same"]), statement.value) or statement.value
        self.attempt(Store(statement.parameter, indices, other))

    def store_under_condition(self, statement):
        if (condition := self.condition()) is None:
            return
        body = self.bodies[-1]
        body.remove(statement)
        branch = If(condition, [statement], [])
        body.append(branch)
        if self.chance(0.4):
            self.enter(branch.other)
            self.store_again(statement, statement.indices)
            self.leave()

    def store_in_loop(self, parameter, statement):
        """A result for each turn of a loop over integers."""
        if len(parameter.dims) > 3:
            return
        body = self.bodies[-1]
        size = self.size("R", self.random.choice([1, 2, 3]))
        loop = Loop(self.name("i"), size, None, [])
        body.remove(statement)
        body.append(loop)
        self.enter(loop.body)
        self.values[-1][loop.name] = self.evaluate_integer(loop)
        other = self.scaled(statement.value) or statement.value
        parameter.dims.insert(0, size)
        self.attempt(Store(parameter.name, [loop.name, *statement.indices], other))
        self.leave()

    def store_what_was_loaded(self, parameter, statement):
        """A tensor that is read, changed, and read again behind a barrier."""
        body = self.bodies[-1]
        place = body.index(statement)
        old = self.name("t")
        body.insert(place, Load(old, parameter.name, list(statement.indices)))
        changed = self.name("t")
        body.insert(place + 1, Let(changed, self.pick(["add", "max"]), [statement.value, old]))
        statement.value = changed
        try:
            self.values[-1][old], self.values[-1][changed] = self.evaluate(old), self.evaluate(changed)
        except Invalid:
            statement.value = body[place + 1].args[0]
            del body[place:place + 2]
            return
        if self.chance(0.5):
            body.append(Barrier())
            again = self.load_at(parameter, list(statement.indices))
            if again:
                super().store(again)

    def store_at_position(self, statement):
        """Rows from a place on that memory names, the same for all programs that share them."""
        start = self.element("i32", "positions")
        load = self.bodies[-1][-1]
        moved = next((i for i, index in enumerate(statement.indices) if index in self.ranges), None)
        if not start or moved is None or not isinstance(load, Load):
            return
        if not set(index_words(load.indices)) <= {*index_words(statement.indices), *"0123456789"}:
            return
        self.bodies[-1].remove(statement)
        statement.indices[moved] = f"{start} + {statement.indices[moved]}"
        self.bodies[-1].append(statement)
