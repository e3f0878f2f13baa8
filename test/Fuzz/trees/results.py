# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores that other programs lack.

These are several stores to one tensor, stores under conditions, in loops, at positions from memory, in functions,
and to tensors that are also read."""

from .programs import Barrier, If, Let, Load, Loop, Store, index_words
from .twists import TwistBuilder
from .values import Invalid


class ResultBuilder(TwistBuilder):
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
        """Stores another result of the same type, to another place of the tensor."""
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
        """Stores a result in each iteration of a loop over integers."""
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
        """Reads a tensor, changes it, and reads it again after a barrier."""
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
        """Stores rows starting at a position from memory, which is the same for all programs that share the rows."""
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

    def overwrite(self):
        """Stores to places of an `out` tensor again after a barrier, so that the later store must win."""
        access = {parameter.name: parameter.access for parameter in self.program.parameters}
        stores = [statement for statement in self.program.body if isinstance(statement, Store)
                  and access[statement.parameter] == "out" and not statement.is_called]
        if not stores:
            return
        # Tensor copies may store tiles of rank 2.
        store = self.pick([store for store in stores if len(self.value(store.value).axes) == 2] or stores)
        value = self.value(store.value)
        other = self.let("neg", store.value) or store.value
        if self.chance(0.3):
            other = self.let("full", value.dtype, list(value.axes), 3.0) or other
        first, second = self.random.sample([store.value, other], 2) if self.chance(0.3) else (store.value, other)
        kind = self.random.random()
        body = self.bodies[-1]
        if kind < 0.5:
            body.append(Barrier())
            self.attempt(Store(store.parameter, list(store.indices), second))
        elif kind < 0.75:
            if condition := self.condition():
                branch = If(condition, [Barrier()] if self.chance(0.5) else [], [])
                body += [branch] if branch.body else [Barrier(), branch]
                self.enter(branch.body)
                self.attempt(Store(store.parameter, list(store.indices), second))
                self.leave()
        else:
            loop = Loop(self.name("i"), self.size("R", self.random.choice([1, 2, 3])), None, [Barrier()])
            body.append(loop)
            self.enter(loop.body)
            for name in (first, second):
                self.attempt(Store(store.parameter, list(store.indices), name))
                loop.body.append(Barrier())
            self.leave()
