# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions: values, ranges, tensors, types and compile-time numbers as arguments."""

import dataclasses

from .expressions import POSTFIX, Expressions
from .scope import (FLOATS, INT, INTEGERS, KNOWN_BOOL, KNOWN_FLOAT, KNOWN_INT, Element, Entry, Frame, Impossible, Kind,
                    Span, Tensor)


@dataclasses.dataclass
class Function:
    name: str
    parameters: list
    # The entry of each argument, and its value if known.
    entries: list
    kind: Kind


class Functions(Expressions):
    def __init__(self, random, number):
        super().__init__(random, number)
        self.functions = []

    def call(self, kind, depth):
        """Returns a call of a function that returns a kind; the function is new or existing."""
        known = [f for f in self.functions if f.kind.fits(kind)]
        if known and self.chance(0.6):
            return self.call_of(self.pick(known), depth)
        if len(self.functions) > 4 or len(self.frames) > 2 or depth < 1 or not self.chance(0.5):
            raise Impossible
        return self.call_of(self.new_function(kind), depth)

    def call_of(self, function, depth):
        words = [self.argument(entry, depth) for entry in function.entries]
        named = self.random.randint(0, len(words)) if self.chance(0.2) else len(words)
        words[named:] = [f"{name} = {word}" for name, word in list(zip(function.parameters, words))[named:]]
        return f"{function.name}({', '.join(words)})", POSTFIX

    def argument(self, entry, depth):
        what = entry.what
        if isinstance(what, (Span, Tensor)):
            names = [name for name, other in self.entries() if other.what == what]
            if not names:
                raise Impossible
            return self.pick(names)
        if isinstance(what, Element):
            return self.type_text(what.dtype)
        if what == KNOWN_INT:
            return self.extent_text(entry.value)
        if what in (KNOWN_BOOL, KNOWN_FLOAT):
            return self.text(what, 1)
        return self.text(what, min(depth - 1, 1))

    def written_type(self, what):
        """Returns the type of a parameter as it may be written."""
        if isinstance(what, (Span, Tensor)):
            return ""
        if isinstance(what, Element):
            return self.pick(["", ": type"])
        if what.dtype.startswith("known"):
            return self.pick(["", f": {what.dtype.split()[1]}"])
        if what == INT or not what.axes:
            return self.pick(["", f": {what.dtype}", f": {what.dtype}[..]" if what != INT else ": int"])
        extents = ", ".join(str(axis.extent) for axis in what.axes)
        return self.pick(["", "", f": {what.dtype}[..]", f": {what.dtype}[{extents}]"])

    def new_function(self, kind):
        """Returns a function whose parameters are similar to visible entries."""
        entries = [Entry(kind)] if self.chance(0.7) else []
        for axis in kind.axes:
            if self.chance(0.6):
                if names := self.spans(axis):
                    entries.append(Entry(dict(self.entries())[self.pick(names)].what))
        tensors = [t for _, t in self.named(Tensor) if t.access == "in"]
        if tensors and self.chance(0.6):
            entries.append(Entry(self.pick(tensors)))
        for _ in range(self.random.randint(0, 2)):
            dtype = self.pick([*FLOATS[:3], "i32", "i8", "bool", kind.dtype])
            entries.append(self.pick([
                Entry(INT), Entry(KNOWN_INT, self.random.randint(0, 9)),
                Entry(KNOWN_INT, len(kind.axes) and self.random.randrange(len(kind.axes))),
                Entry(KNOWN_BOOL), Entry(KNOWN_FLOAT),
                Entry(Element(self.pick([*FLOATS, *INTEGERS,
                                         kind.dtype if kind.dtype not in ("int", "bool") else "f32"]))),
                Entry(Kind(dtype if dtype != "int" else "f32")), Entry(kind),
            ]))  # fmt: skip
        if not entries:
            entries.append(Entry(INT))
        self.random.shuffle(entries)
        counts, self.counts = self.counts, {}
        parameters = [self.name("a") for _ in entries]
        types = [self.written_type(entry.what) for entry in entries]
        self.frames.append(Frame(False))
        try:
            for name, entry in zip(parameters, entries):
                self.declare(name, entry.what, entry.value)
            self.line(f"return {self.fn_body(kind)};")
            lines = self.frame.lines
        finally:
            self.frames.pop()
            self.counts = counts
        name = f"g{len(self.fns)}"
        words = ", ".join(p + t for p, t in zip(parameters, types))
        self.fns.append("\n".join([f"fn {name}({words}) {{", *lines, "}"]))
        function = Function(name, parameters, entries, kind)
        self.functions.append(function)
        return function

    def fn_body(self, kind):
        """Returns the statements before the return, and the text of the returned value."""
        raise NotImplementedError
