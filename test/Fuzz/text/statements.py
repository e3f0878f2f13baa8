# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements, and tensors that a program may write without a conflict with other programs."""

from .expressions import EXTENTS, POSTFIX, SUM
from .functions import Functions
from .scope import (FLOATS, HUGE, INT, INTEGERS, KNOWN_BOOL, Axis, Element, Entry, Impossible, Kind, Span, Tensor)

# Of a tile.
MOST_ELEMENTS = 4096


class Statements(Functions):
    def __init__(self, random, number):
        super().__init__(random, number)
        # The grid: names of ranges and of ints, with their sizes.
        self.grid = []
        # Whether all programs meet at barriers.
        self.meets = False
        self.stores = 0
        self.trips = 1

    # Kinds.

    def random_axes(self, most=2):
        axes = []
        spans = [span for _, span in self.named(Span)]
        for _ in range(self.random.choice([0, 1, 1, 2, 2, 3] if most > 2 else [0, 1, 1, 2])):
            axis = Axis(self.pick(EXTENTS))
            if spans and self.chance(0.75):
                span = self.pick(spans)
                axis = Axis(span.extent, span.walks)
            total = axis.extent
            for other in axes:
                total *= other.extent
            if total <= MOST_ELEMENTS:
                axes.append(axis)
        return tuple(axes)

    def random_kind(self):
        dtype = self.pick(["f32"] * 4 + ["i32"] * 3 + ["f64", "f16", "bf16", "i8", "i64", "bool", "f8e4m3", "f8e5m2",
                                                       "i16", "u8", "u16", "u32", "u32", "u64"])
        axes = self.random_axes(3 if self.chance(0.15) else 2)
        if not axes and self.chance(0.4):
            return INT
        return Kind(dtype, axes)

    # Statements.

    def statements(self, count):
        for _ in range(count):
            ways = [self.let] * 4 + [self.variable_of] * 2
            ways += [self.assign] * 5 + [self.branch] * 4 + [self.same_in_branches, self.check]
            if self.trips < 20 and self.frame.depth < 4:
                ways += [self.loop] * 3
            if self.frame.is_kernel:
                ways += [self.let_span, self.store, self.stores_in_turn, self.assertion]
                ways += [self.read_back] * (3 if any(t.access == "inout" for _, t in self.named(Tensor)) else 0)
                ways += [self.exchange] * (2 * self.has_all) + [self.print] * (self.has_all and self.chance(0.2))
            ways += [self.let_several] * (2 * self.has_all)
            for _ in range(5):
                try:
                    self.pick(ways)()
                    break
                except Impossible:
                    continue

    def fn_body(self, kind):
        if self.chance(0.4):
            return self.text(kind, 2)
        # The result makes the effect of the statements visible.
        name = self.declare_var(kind)
        self.statements(self.random.randint(0, 3))
        self.pick([self.branch, self.assign, self.same_in_branches])(name)
        if kind.dtype == "bool" or self.chance(0.5):
            return name
        return self.join("-", SUM, (name, POSTFIX), self.expression(kind, 1))[0]

    def let(self):
        kind = self.random_kind()
        way = self.random.random()
        if way < 0.04 and self.named(Tensor):
            old, what = self.pick(self.named(Tensor))
            if what.access == "in":
                name = self.name("t")
                self.line(f"let {name} = {old};")
                self.declare(name, what)
            return
        if way < 0.07:
            dtype = self.pick([*FLOATS, *INTEGERS])
            name = self.name("t")
            self.line(f"let {name} = {self.type_text(dtype)};")
            self.declare(name, Element(dtype))
            return
        text = self.text(kind, 3)
        name = self.name("t")
        self.line(f"let {name} = {text};")
        self.declare(name, kind)

    def let_span(self):
        """Declares a range: one tile, or a moved range."""
        spans = self.named(Span)
        if spans and self.chance(0.4):
            text, span = self.moved(*self.pick(spans))
        else:
            extent = self.pick(EXTENTS)
            if self.sizes and self.chance(0.4):
                high = walks = self.pick(self.sizes)
            else:
                high, walks = self.limit(1), None
            text, span = f"tile({self.text(INT, 1)}, {high}, {self.extent_text(extent)})", Span(extent, walks)
        name = self.name("r")
        self.line(f"let {name} = {text};")
        self.declare(name, span)

    def declare_var(self, kind=None):
        kind = kind or self.random_kind()
        text = self.text(kind, 2)
        if kind in (INT, Kind("f32")) and self.chance(0.3):
            text = self.pick(["0", "-3", "7"] if kind == INT else ["0.5", "-2.0", "1e0"])
        name = self.name("v")
        self.line(f"var {name} = {text};")
        # A var remembers no sizes.
        self.declare(name, Kind(kind.dtype, tuple(Axis(axis.extent) for axis in kind.axes)), is_var=True)
        return name

    def variable_of(self):
        self.declare_var()

    def vars(self):
        return [name for name, entry in self.entries() if entry.is_var]

    def assign(self, name=None):
        if name is None:
            if not self.vars():
                raise Impossible
            name = self.pick(self.vars())
        kind = dict(self.entries())[name].what
        sign = self.pick(["", "", "+", "-", "*", "/"])
        if kind.dtype == "bool" or not sign:
            self.line(f"{name} = {self.text(kind, 2)};")
        elif sign == "/":
            self.line(f"{name} /= {self.pick(['2', '4', '3'])};")
        elif kind == INT:
            self.line(f"{name} {sign}= {self.text(INT, 1)};")
        elif sign == "+" and len(kind.axes) == 2 and kind.dtype in ("f32", "i32") and self.chance(0.6):
            self.line(f"{name} += {self.product(kind, 3)[0]};")
        else:
            self.line(f"{name} {sign}= {self.pair(kind, 2)[self.random.randrange(2)][0]};")

    def body(self, changes):
        """Writes the block of a branch or a loop; changes a var, if there is one."""
        with self.block():
            self.statements(self.random.choice([0, 0, 1, 2]) if self.frame.depth < 4 else 0)
            for name in changes:
                self.assign(name)

    def branch(self, name=None):
        variables = self.vars()
        if not variables:
            raise Impossible
        chosen = self.random.sample(variables, min(len(variables), self.random.randint(1, 3)))
        if name:
            chosen.append(name)
        if self.chance(0.05):
            return self.known_branch(chosen)
        condition = self.text(KNOWN_BOOL if self.chance(0.2) else Kind("bool"), 2)
        before, after = set(self.unsettled), set()
        heads = [f"if {condition} {{"]
        if self.chance(0.3):
            heads.append(f"}} else if {self.text(Kind('bool'), 1)} {{")
        if self.chance(0.7):
            heads.append("} else {")
        for head in heads:
            self.unsettled = set(before)
            self.line(head)
            self.body(self.random.sample(chosen, self.random.randint(0, len(chosen))) if self.chance(0.5) else chosen)
            after |= self.unsettled
        self.unsettled = after | before
        self.line("}")

    def known_branch(self, chosen):
        """Writes an `if` with a known condition; the branch that is not taken may be anything that parses."""
        is_first = self.chance(0.5)
        self.line(f"if {self.pick(['2 > 1', 'true', '!false'] if is_first else ['2 < 1', 'false', '1 != 1'])} {{")
        for place in range(2):
            if (place == 0) == is_first:
                self.body(chosen)
            else:
                with self.block():
                    self.line(self.pick([f"{chosen[0]} = nothing + true;", "let t = f32 @ 3;", "nobody(1, x = 2);",
                                         "y[_] = 3;"]))
            self.line("} else {" if place == 0 else "}")

    def same_in_branches(self, name=None):
        """Sets a var in both branches to the same value, and others to different values."""
        variables = [name] if name else self.vars()
        if not variables:
            raise Impossible
        name = self.pick(variables)
        kind = dict(self.entries())[name].what
        value = self.name("t")
        self.line(f"let {value} = {self.text(kind, 2)};")
        self.declare(value, kind)
        self.line(f"if {self.text(Kind('bool'), 1)} {{")
        for last in (False, True):
            with self.block():
                if self.chance(0.4):
                    self.assign()
                self.line(f"{name} = {value};")
                if self.chance(0.2):
                    self.assign()
            self.line("}" if last else "} else {")

    def loop(self):
        if not self.vars() or self.trips > 20:
            raise Impossible
        count = self.random.choice([0, 1, 2, 3, 4])
        entry, name = Entry(INT), self.name("i")
        if self.chance(0.5):
            head = f"range({self.integer_ends(count)})"
        else:
            name, (text, span, count) = self.name("n"), self.tiles_ends(count)
            head, entry = f"tiles({text})", Entry(span)
        self.trips *= max(1, count)
        way = self.random.random()
        if way < 0.2:
            # The condition is a bool of each iteration.
            head = f"for {name} in {head} while {self.text(Kind('bool'), 2)}"
        elif way < 0.4:
            name, entry = self.name("w"), Entry(INT)
            self.line(f"var {name} = 0;")
            head = f"while {name} < {count}" + (f" && ({self.text(Kind('bool'), 1)})" if self.chance(0.5) else "")
        else:
            head = f"for {name} in {head}"
        self.line(f"{head} {{")
        before = set(self.unsettled)
        stores = self.stores
        with self.block():
            self.frame.scopes[-1][name] = entry
            left = self.body_of_loop()
            if self.stores > stores:
                # The next iteration may store there again.
                self.barrier()
            if head.startswith("while"):
                self.line(f"{name} += 1;")
        # The loop may have no iteration, or end before the barrier.
        self.unsettled |= before | left
        self.line("}")
        self.trips //= max(1, count)

    def leave(self):
        """Writes an `if` that may end the loop, and returns the unsettled stores at that place."""
        self.line(f"if {self.text(KNOWN_BOOL if self.chance(0.1) else Kind('bool'), 2)} {{")
        with self.block():
            if self.chance(0.4):
                self.assign()
            if self.chance(0.3):
                self.line(f"if {self.text(Kind('bool'), 1)} {{ break; }}")
                self.assign()
            else:
                self.line("break;")
        self.line("}")
        return set(self.unsettled)

    def body_of_loop(self):
        """Writes the statements of a loop, and returns the unsettled stores where it may end early."""
        left = self.leave() if self.chance(0.1) else set()
        self.statements(self.random.choice([0, 1, 1, 2]))
        if self.chance(0.2):
            left |= self.leave()
        for name in self.random.sample(self.vars(), min(len(self.vars()), self.random.randint(1, 2))):
            self.assign(name)
        return left

    def integer_ends(self, count):
        step = self.pick(["", "", ", 2", ", 3"])
        width = count * (int(step[2:]) if step else 1)
        if self.chance(0.3) and self.frame.is_kernel and len(self.parameters) < 12:
            low = self.scalar("int")
            return f"{low}, {low} + {width}{step}"
        if self.chance(0.3):
            return f"0, min({self.text(INT, 1)}, {width}){step}"
        low = self.random.randint(-3, 5)
        return f"{low}, {low + width}{step}"

    def tiles_ends(self, count):
        """Returns (arguments, range, maximum number of tiles)."""
        way = self.random.random()
        if way < 0.5 and self.sizes:
            size = self.pick(self.sizes)
            extents = [e for e in (4, 8, 16, 32, 12, 20) if -(-self.sizes[size] // e) <= 5]
            extent = self.pick(extents or [64])
            trips = -(-self.sizes[size] // extent)
            part = ""
            if self.frame.is_kernel and self.chance(0.3):
                parts = self.random.randint(1, 3)
                number = self.pick([n for n, e in self.entries() if e.what == INT and e.value == "grid"]
                                   or [str(self.random.randrange(parts))])
                part = f", part = {number} of {parts if number.isdigit() else self.sizes_of(number)}"
            if self.frame.is_kernel:
                low = f"{self.random.randint(0, 9)}, " if self.chance(0.25) and not part else ""
                return f"{low}{size}, {self.extent_text(extent)}{part}", Span(extent, size), trips
        extent = self.pick([4, 8, 16])
        if way < 0.75 or not self.frame.is_kernel or len(self.parameters) >= 12:
            high = f"min({self.text(INT, 1)}, {extent * count + self.random.randint(-3, 3)})"
            return f"{high}, {extent}", Span(extent), count + 1
        low = self.scalar("int")
        # A loop over tiles ends before position 2^31.
        self.arguments[low] = min(self.arguments[low], 2**31 - 100)
        return f"{low}, {low} + {max(0, extent * count - self.random.randint(0, 3))}, {extent}", Span(extent), count

    def sizes_of(self, name):
        return next(size for other, size in self.grid if other == name)

    def assertion(self):
        # Conditions that are true for all numbers.
        text = self.text(KNOWN_BOOL, 1)
        condition = f"{self.wrapped((text, 0), 3)} || !({text})"
        self.line(f"assert {condition}{self.pick(['', ', ' + chr(34) + 'always' + chr(34)])};")

    def check(self):
        # The elements of a condition and its negation.
        text = self.text(Kind("bool", self.random_axes()), 1)
        self.line(f'check ({text}) || !({text}), "always";')

    # Stores.

    def store(self):
        """Stores to a tensor of this program, or to a new one."""
        known = [(name, t) for name, t in self.named(Tensor) if t.access in ("out", "inout") and t.own]
        if known and self.chance(0.4):
            name, tensor = self.pick(known)
        elif self.chance(0.2):
            return self.add_atomically()
        else:
            name, tensor = self.new_result(self.random_kind())
        self.store_to(name, tensor)

    def stores_in_turn(self):
        """Stores several times to one tensor; sometimes reads a part of it in between."""
        name, tensor = self.new_result(self.random_kind())
        for _ in range(self.random.randint(2, 3)):
            self.store_to(name, tensor)
            if tensor.access == "inout" and self.chance(0.5):
                self.read_part(name, tensor)
            if self.chance(0.3):
                self.statements(1)

    def store_all(self):
        """Stores the values that the kernel has computed, to make them visible."""
        values = [(name, kind) for name, kind in self.named(Kind) if not kind.dtype.startswith("known")]
        variables = set(self.vars())
        chosen = [(n, k) for n, k in values if n in variables]
        others = [(n, k) for n, k in values if n.startswith("t") and n not in variables]
        for name, kind in chosen[-5:] + others[-2:]:
            if kind == INT:
                kind, name = Kind("i64"), f"{name} as i64"
            tensor_name, tensor = self.new_result(kind)
            self.store_to(tensor_name, tensor, name)

    def new_result(self, kind, access=None):
        """Adds a tensor with a part for each program of the grid; free dimensions are None in `own`."""
        if kind == INT:
            kind = Kind("i32")
        dims, own = [], []
        ranges = [(name, size) for name, size in self.grid if isinstance(self.frames[0].scopes[0][name].what, Span)]
        left = dict(self.grid)
        for axis in kind.axes:
            match = next((name for name, size in ranges if name in left and size == axis.name
                          and self.frames[0].scopes[0][name].what.extent == axis.extent), None)
            if match:
                dims.append(left.pop(match))
                own.append((match, axis))
            else:
                dims.append(self.extent_text(axis.extent) if self.chance(0.7) else self.size())
                own.append((None, axis))
        for name, size in left.items():
            place = self.random.randint(0, len(dims))
            what = self.frames[0].scopes[0][name].what
            dims.insert(place, size)
            own.insert(place, (name if what == INT else f"{name}.start", None))
        if not dims:
            dims, own = ["1"], [("0", None)]
        access = access or ("inout" if self.chance(0.35) else "out")
        dims = self.shape(dims)
        name = self.name("z" if access == "inout" else "y")
        self.parameters.append(f"{access} {name}: {kind.dtype}[{', '.join(text for text, _ in dims)}]")
        shape = tuple(extent for _, extent in dims)
        self.arguments[name] = self.fill(kind.dtype, shape, "small") if access == "inout" else shape
        tensor = Tensor(kind.dtype, dims, access, tuple(own))
        self.frames[0].scopes[0][name] = Entry(tensor)
        return name, tensor

    def free_index(self, text, axis, is_store):
        """Returns an index of a dimension that belongs to the program, and the axis that it keeps; None for an
        integer."""
        spans = [(name, span) for name, span in self.named(Span) if span.walks in (None, text)]
        way = self.random.random()
        if way < 0.25 and text == self.extent_text(axis.extent):
            return ":", Axis(axis.extent)
        if spans and way < 0.6:
            name, span = self.pick(spans)
            return name, Axis(span.extent, span.walks)
        if way < 0.7:
            return self.position(*self.dim(text)), None
        if is_store and way < 0.85:
            # Distinct positions, some out of bounds.
            extent = self.pick([4, 8, 16])
            index = f"iota({extent})"
            forms = [f"{index} * 3", f"{self.random.randint(0, 9)} - {index}",
                     f"{index} + {self.random.randint(-3, 9)}"]
            return self.pick(forms), Axis(extent)
        low = f"{self.random.randint(-3, 9)}"
        if self.chance(0.15) and self.frame.is_kernel:
            low = str(self.pick(HUGE[:6]))
        return f"tile({low}, {self.limit(0)}, {self.extent_text(axis.extent)})", Axis(axis.extent)

    def indices_of(self, tensor, is_store):
        indices, axes = [], []
        for (text, _), (index, axis) in zip(tensor.dims, tensor.own):
            if index is None:
                index, axis = self.free_index(text, axis, is_store)
            indices.append(index)
            if axis is not None:
                axes.append(axis)
        return indices, tuple(axes)

    def store_to(self, name, tensor, value=None):
        if value is None:
            indices, axes = self.indices_of(tensor, True)
            kind = Kind(tensor.dtype, axes)
            value = self.text(kind if self.chance(0.9) else Kind(tensor.dtype), 2)
        else:
            indices = [index if index is not None else
                       ":" if text not in self.sizes else f"tile(0, {text} + 0, {self.extent_text(axis.extent)})"
                       for (text, _), (index, axis) in zip(tensor.dims, tensor.own)]
        if name in self.unsettled:
            self.barrier()
        self.write_store(name, indices, value)
        self.unsettled.add(name)
        self.stores += 1

    def write_store(self, name, indices, value):
        if ":" in indices or not self.chance(0.12):
            self.line(f"{name}[{', '.join(indices)}] = {value};")
            return
        places = [f"i{place}" for place in range(len(indices))]
        put = f"put{len(indices)}"
        text = f"fn {put}(y, {', '.join(places)}, value) {{\n  y[{', '.join(places)}] = value;\n}}"
        if text not in self.fns:
            self.fns.append(text)
        self.line(f"{put}({name}, {', '.join(indices)}, {value});")

    def barrier(self):
        self.line("barrier();")
        self.unsettled = set()

    def read_back(self):
        """Returns a part of a tensor that the program may have written."""
        tensors = self.own_tensors()
        if not tensors:
            raise Impossible
        self.read_part(*self.pick(tensors))

    def own_tensors(self):
        """Returns the tensors with parts of the program, which it may read and write."""
        return [(name, t) for name, t in self.named(Tensor) if t.access == "inout" and t.own]

    def read_part(self, name, tensor):
        if name in self.unsettled:
            self.barrier()
        indices, axes = self.indices_of(tensor, False)
        kind = Kind(tensor.dtype, tuple(axes))
        result = self.name("t")
        self.line(f"let {result} = {self.loaded(name, indices, kind)};")
        self.declare(result, kind)

    def add_atomically(self):
        """Adds to a tensor that all programs share."""
        dtype = self.pick(["f32", "i32", "f32"])
        axes = self.random_axes(1)[:2]
        if not axes:
            axes = (Axis(self.pick(EXTENTS)),)
        indices, dims = zip(*(self.index_for(axis, 1) for axis in axes))
        dims = self.shape(dims)
        name = self.name("z")
        self.parameters.append(f"inout {name}: {dtype}[{', '.join(text for text, _ in dims)}]")
        self.arguments[name] = self.fill(dtype, tuple(e for _, e in dims), "small")
        self.frames[0].scopes[0][name] = Entry(Tensor(dtype, dims, "atomic"))
        # One operation for each tensor: the order of two would matter. No draw, so that programs keep their numbers.
        function = ("add", "max", "min", "and", "or", "xor")[len(self.parameters) % 6] if dtype == "i32" else "add"
        self.line(f"atomic_{function}({name}[{', '.join(indices)}], {self.text(Kind(dtype, axes), 1)});")
