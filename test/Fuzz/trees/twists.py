# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on a tile that other programs lack: with scalars, under conditions, in loops over integers, in
functions, through 8 bits."""

from .programs import Function, If, Let, Loop
from .scalars import ScalarBuilder
from .values import F8, Invalid

# Operations that a function may compute; their operands are its parameters.
OUTLINED = ("add", "sub", "mul", "fma", "div", "max", "min", "neg", "abs", "tanh", "sigmoid", "erf", "rsqrt", "sqrt",
            "log", "exp", "exp2", "log2", "floor", "ceil", "lt", "ge", "eq", "where", "cast", "sum", "most", "least",
            "cumsum", "cumsum_back", "expand", "index", "valid", "same")


class TwistBuilder(ScalarBuilder):
    def decorate(self, name, most=3):
        name = super().decorate(name, most)
        while most > 1 and self.chance(0.5):
            twist = self.pick([self.scaled, self.chosen, self.branched, self.called, self.called, self.narrowed,
                               self.repeated, self.counted, self.computed])
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
        """Returns a partner for an update that is always valid, or a number."""
        other = self.partner(name)
        return other if other is not None else 1.0

    def scaled(self, name):
        """Combines a tile and a scalar."""
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
        """A variable that one branch changes, or both; sometimes in nested branches."""
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

    def repeated(self, name):
        """A loop over integers, which may index a tensor."""
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
            parameter = self.parameter(value.dtype, dims,
                                       data="integers" if value.dtype in ("i32", "i8") else "quarters")
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

    def branched_in_place(self, variable):
        if condition := self.condition():
            branch = If(condition, [], [])
            self.bodies[-1].append(branch)
            self.enter(branch.body)
            self.change(variable)
            self.leave()

    def narrowed(self, name):
        """Converts to 8 bits and back."""
        value = self.value(name)
        narrow = self.let("cast", name, self.pick([*F8, "i8"]))
        if narrow and self.chance(0.3):
            narrow = self.let(self.pick(["add", "mul", "max"]), narrow, narrow) or narrow
        return narrow and self.let("cast", narrow, value.dtype if self.chance(0.7) else "f32")

    def counted(self, name):
        """Converts booleans to numbers."""
        value = self.value(name)
        mask = self.mask(value.axes)
        number = mask and value.dtype in ("f32", "i32") and self.let("number", mask, value.dtype)
        return number and self.let(self.pick(["mul", "add"]), name, number)

    def called(self, name):
        """Moves the operations of a decoration to a function."""
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
        types = ["f32[..]" if arg in visible and visible[arg].dtype == "f32" and self.chance(0.3) else ""
                 for arg in inputs]
        outlined = [Let(s.name, s.op, [names.get(arg, arg) if isinstance(arg, str) else arg for arg in s.args])
                    for s in moved]
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
            # Calls the function once more, on the result, if that is possible.
            again = [call if arg == name else arg for arg in inputs]
            call = self.let("call", function.name, *again) or call
        return call
