# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of families that the other generators cannot make.

The first families are finite masks, differences of large vectors, many products in a loop, gathered operands, rows of
odd extents, and integer quotients. Later families are reductions by functions, paired positions, rearranged tiles,
functions of floats, and barriers of the grid. A family writes its loop and its results; random statements of statements.py surround them.
Program i belongs to one of the first six families, i / 2 modulo 6: every family has even and odd numbers, which run in
different ways. Some rounds of 16 belong to the other families, so that other programs keep their numbers.
"""

from random import Random

import numpy as np

from .calls import calls
from .gates import gates
from .gathers import gathers
from .masks import masks
from .merges import merges
from .pairs import pairs
from .products import products
from .programs import SMOOTH, SecondOpinion, SizeWriter, TextProgram, assemble, make_constants
from .quotients import quotients
from .rearranged import rearranged
from .rounds import rounds
from .rows import rows
from .scope import NUMPY, Axis, Entry, Impossible, Kind, Span, Tensor

FAMILIES = {family.__name__: family
            for family in (masks, gates, products, gathers, rows, quotients, merges, pairs, rearranged, calls,
                           rounds)}
# The families of some of the 16 rounds.
LATER = {7: "merges", 12: "rounds", 13: "calls", 14: "rearranged", 15: "pairs"}
# The largest error bound that most elements of a result may have, relative to the largest element.
WORST = 3e-2


class KernelProgram(TextProgram):
    """A program with a tolerance for each element."""

    # Its tiles are small. A refusal for lack of registers is a finding.
    fits_registers = True

    def evaluate(self):
        evaluated = SecondOpinion.evaluate(self.text, self.arguments, None, self.defines, by_element=True)
        self.expected, self.errors = evaluated
        return self

    def tolerances(self):
        folds = SMOOTH.search(self.text) and "fold_exp2 = false" not in self.text
        defers = "for " in self.text and "sum(" in self.text
        result = {}
        for name, error in self.errors.items():
            value = self.expected[name]
            if (folds or defers) and value.dtype.kind == "f":
                # The compiler may scale any value, or the terms of a sum, by log2(e), and undo it later. It may also
                # add the terms of a sum one by one to what a loop carries.
                largest = np.maximum(SecondOpinion.bounds.finite(value), SecondOpinion.functions.MODERATE)
                error = error + 2.0**-19 * largest
            result[name] = np.broadcast_to(2 * np.asarray(error, np.float64), value.shape)
        return result

    def is_telling(self):
        """Checks whether the tolerance of most elements is small."""
        for name, error in self.errors.items():
            value = self.expected[name]
            worst = WORST * max(1.0, SecondOpinion.bounds.magnitude(value))
            if value.dtype.kind == "f" and value.size and np.mean(np.broadcast_to(error, value.shape) <= worst) < 0.5:
                return False
        return True


class KernelWriter(SizeWriter):
    """Emits the parts that families share: axes, tensors, loops, results."""

    keeps_bases = 0.15

    def __init__(self, random, number):
        super().__init__(random, number)
        self.heads = []

    def length(self, extent, most):
        """Draws a size of at most `most` tiles; the last tile is full or partial."""
        tiles = self.random.randint(1, most)
        kind = self.random.random()
        if kind < 0.35:
            return tiles * extent
        if kind < 0.9:
            return max(1, tiles * extent - self.random.randint(1, extent))
        return self.random.randint(1, extent)

    def axis(self, extent, length):
        """Adds an axis to the grid; returns its range and its size."""
        size, name = self.size(length), self.name("m")
        self.heads.append(f"{name} in tiles({size}, {self.extent_text(extent)})")
        self.declare(name, Span(extent, size))
        self.grid.append((name, size))
        return name, size

    def given(self, dtype, dims, data):
        """Adds an input tensor; `data` makes its elements from a shape."""
        dims = self.shape(map(str, dims))
        name = self.name("x")
        self.parameters.append(f"{name}: {dtype}[{', '.join(text for text, _ in dims)}]")
        elements = data(tuple(extent for _, extent in dims))
        self.arguments[name] = elements.astype(NUMPY.get(dtype, np.float32))
        self.frames[0].scopes[0][name] = Entry(Tensor(dtype, dims))
        return name

    def scalar_of(self, dtype, value):
        """Adds a scalar parameter."""
        name = self.name("p")
        self.parameters.append(f"{name}: {dtype}")
        self.arguments[name] = value
        self.frames[0].scopes[0][name] = Entry(Kind(dtype))
        return name

    def small(self, most=2, scale=1.0):
        """Returns a function that draws small numbers, whose sums are exact."""
        return lambda shape: (self.data.integers(-most, most + 1, shape) * scale).astype(np.float32)

    def row_numbers(self, low, high):
        """Returns a function that draws positions of rows."""
        return lambda shape: self.data.integers(low, max(low, high) + 1, shape)

    def let_named(self, text, kind=None):
        """Emits a `let`; a kind makes the name known to random statements."""
        name = self.name("t")
        self.line(f"let {name} = {text};")
        if kind:
            self.declare(name, kind)
        return name

    def var(self, text, kind):
        """Emits a `var`."""
        name = self.name("v")
        self.line(f"var {name} = {text};")
        self.declare(name, Kind(kind.dtype, tuple(Axis(axis.extent) for axis in kind.axes)), is_var=True)
        return name

    def put(self, kind, text):
        """Stores a result to a new tensor."""
        name, tensor = self.new_result(kind)
        self.store_to(name, tensor, text)

    def loop_over(self, size, extent, write, prefix="n"):
        """Emits a loop over the tiles of a size; `write` emits its body for a range."""
        name = self.name(prefix)
        self.line(f"for {name} in tiles({size}, {self.extent_text(extent)}) {{")
        with self.block():
            self.declare(name, Span(extent, size))
            write(name)
        self.line("}")

    def enclosed(self, write):
        """Calls `write`, sometimes inside a run-time condition or a loop of two iterations."""
        way = self.random.random()
        if way > 0.12:
            write()
            return
        is_condition = way < 0.06
        head = (f"if {self.scalar_of('bool', self.chance(0.8))}" if is_condition
                else f"for {self.name('i')} in range(0, 2)")
        self.line(f"{head} {{")
        with self.block():
            write()
        self.line("}")

    def context(self):
        """Emits one or two random statements, or none."""
        if self.chance(0.25):
            self.statements(self.random.randint(1, 2))


def grow(random, number, family):
    writer = KernelWriter(random, number)
    if writer.chance(0.5):
        make_constants(writer)
    FAMILIES[family](writer)
    writer.context()
    if writer.chance(0.2):
        writer.store_all()
    if not writer.stores:
        raise Impossible
    program = assemble(writer, writer.heads)
    return KernelProgram(program.text, program.arguments, program.defines)


def family_of(number):
    # The first families, whose numbers tests name, keep them.
    others = len(FAMILIES) - len(LATER)
    return LATER.get(number // (2 * others) % 16) or list(FAMILIES)[number // 2 % others]


def random_kernel(number):
    """Returns program `number`. The second opinion understands it and finds it legal."""
    for attempt in range(100):
        random = Random(f"kernel {number} {attempt}")
        try:
            program = grow(random, number, family_of(number))
            program.evaluate()
        except (Impossible, SecondOpinion.Illegal, SecondOpinion.Undecided):
            continue
        except SecondOpinion.NotUnderstood as problem:
            # The generator or the second opinion is wrong.
            raise SecondOpinion.NotUnderstood(f"{problem}\n{program.text}") from None
        if program.is_telling():
            return program
    raise Impossible
