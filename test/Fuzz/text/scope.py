# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a program as text: names and their entries, parameters, arguments."""

import contextlib
import dataclasses
import math

import numpy as np

FLOATS = ("f32", "f16", "bf16", "f8e4m3", "f8e5m2", "f64")
INTEGERS = ("i32", "i8", "i64", "i16", "u8", "u16", "u32", "u64")
# Integers whose sums are of i32.
NARROW = ("i8", "i16", "u8", "u16")
UNSIGNED = ("u8", "u16", "u32", "u64")
# Integers with as many bits as f32.
WORDS32 = ("i32", "u32")
NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "bool": np.bool_}
# Numbers at which conversions and comparisons change their result.
SPECIAL_FLOATS = [np.nan, np.inf, -np.inf, 3e38, -3e38, 3e9, -3e9, 65504.0, 65520.0, -7e4, 448.0, 464.0, 480.0, -500.0,
                  57344.0, 61440.0, 127.0, 127.5, 128.0, -128.9, -129.0, 300.0, 0.5, 1.5, 2.5, -0.5, -1.5, 2.0**31,
                  -(2.0**31), 1e-7, 2.0**-9,
                  2.0**-10, 2.0**-17, 1e19, -1e19, 2049.0, 257.0, 17.0, 19.0, 4097.0, 0.1, 1e-40]  # fmt: skip
# Names that are not reserved.
WORDS = ("max sum load tile tiles range part of grid schedule numerics out inout barrier where exp start valid index "
         "axis fill reverse persistent zeros iota _a x_ T fma assert_ returns int_ f32_ infinity nan0 type_").split()
# Prefixes of names that are local to a block.
LOCAL = "tvrine"
# The largest number of elements of a tensor: the interpreter, the emulator and the second opinion hold it in memory.
MOST_ELEMENTS = 2**22
HUGE = [2**31 - 1, 2**31, 2**31 + 1, -(2**31), -(2**31) - 1, 2**32, 2**32 + 5, 3 * 2**31, 2**40, -(2**33), 2**62]


class Impossible(Exception):
    """The attempted construct is impossible here."""


@dataclasses.dataclass(frozen=True)
class Axis:
    """An axis of a tile: its extent and its remembered size, if any."""

    extent: int
    name: str | None = None


@dataclasses.dataclass(frozen=True)
class Kind:
    """The type of a value; dtype may also be "int" (run time), or "known int", "known float", "known bool"."""

    dtype: str
    axes: tuple = ()

    def fits(self, wanted):
        """Whether a value of this kind may be used where another kind is wanted."""
        return self.dtype == wanted.dtype and len(self.axes) == len(wanted.axes) and all(
            a.extent == b.extent and a.name in (None, b.name) for a, b in zip(self.axes, wanted.axes))

    def of(self, dtype):
        return Kind(dtype, self.axes)

    @property
    def is_float(self):
        return self.dtype in FLOATS


INT = Kind("int")
KNOWN_INT, KNOWN_FLOAT, KNOWN_BOOL = Kind("known int"), Kind("known float"), Kind("known bool")


@dataclasses.dataclass(frozen=True)
class Span:
    """A range."""

    extent: int
    walks: str | None = None


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor. `dims` are pairs of a text and an extent; `own` are the indices that the program may write."""

    dtype: str
    dims: tuple
    access: str = "in"
    own: tuple = ()


@dataclasses.dataclass(frozen=True)
class Element:
    """A type by name."""

    dtype: str


@dataclasses.dataclass
class Entry:
    what: object
    value: object = None
    is_var: bool = False


@dataclasses.dataclass
class Frame:
    """A frame of a kernel or a function: scopes of names, innermost last, and lines."""

    is_kernel: bool
    scopes: list = dataclasses.field(default_factory=lambda: [{}])
    lines: list = dataclasses.field(default_factory=list)
    depth: int = 1


class Writer:
    """A growing text, in frames."""

    def __init__(self, random, number):
        self.random = random
        self.data = np.random.default_rng(number)
        self.frames = [Frame(True)]
        self.counts = {}
        self.words = []
        self.constants, self.parameters, self.arguments = [], [], {}
        self.sizes, self.fns = {}, []
        # The fns of the standard library that the kernel calls, by file.
        self.uses = {}
        self.defines = {}
        # Tensors that were stored to after the last barrier.
        self.unsettled = set()

    # Random choices.

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(list(choices))

    # Names and lines.

    @property
    def frame(self):
        return self.frames[-1]

    def name(self, prefix):
        """Returns a new name; occasionally a word with a meaning elsewhere."""
        if prefix in "tv" and self.chance(0.03):
            words = [word for word in WORDS if word not in self.words]
            if words:
                self.words.append(self.pick(words))
                return self.words[-1]
        self.counts[prefix] = self.counts.get(prefix, -1) + 1
        return f"{prefix}{self.counts[prefix]}"

    def line(self, text):
        if self.chance(0.02):
            text += self.pick(["  // as it was", " // 1 + \u00e9 ;", "   /// \"quoted", "//"])
        self.frame.lines.append("  " * self.frame.depth + text)

    def declare(self, name, what, value=None, is_var=False):
        self.frame.scopes[-1][name] = Entry(what, value, is_var)
        return name

    def entries(self):
        for scope in self.frame.scopes:
            yield from scope.items()

    def named(self, what_type):
        return [(name, entry.what) for name, entry in self.entries() if isinstance(entry.what, what_type)]

    def values(self, wanted):
        return [name for name, kind in self.named(Kind) if kind.fits(wanted)]

    @contextlib.contextmanager
    def block(self):
        counts = dict(self.counts)
        self.frame.scopes.append({})
        self.frame.depth += 1
        try:
            yield
        finally:
            self.frame.scopes.pop()
            self.frame.depth -= 1
            # Names of the block may be declared again.
            for prefix in LOCAL:
                self.counts[prefix] = counts.get(prefix, -1)

    def is_nested(self):
        return self.frame.depth > 1

    # Parameters.

    def size(self, extent=None):
        """Returns the name of a size; a new one of a given extent, or any."""
        if extent is None and self.sizes and self.chance(0.3):
            return self.pick(self.sizes)
        name = self.name("N")
        self.sizes[name] = self.extent() if extent is None else extent
        # A size is declared as soon as a parameter has it.
        return name

    def extent(self):
        kind = self.random.random()
        if kind < 0.06:
            return self.random.randint(0, 1)
        return self.random.randint(2, 24) if kind < 0.7 else self.random.choice([31, 32, 33, 40, 48, 63, 64, 65, 70])

    def fill(self, dtype, shape, data=None):
        """Returns random elements, as an array of a type that the parameter takes."""
        generator = self.data
        kind = data or self.pick(["small"] * 10 + ["special"])
        if dtype == "bool":
            return generator.integers(0, 2, shape).astype(bool)
        if dtype in INTEGERS:
            if kind == "special":
                limits = np.iinfo(NUMPY[dtype])
                return generator.integers(limits.min, limits.max, shape, dtype=NUMPY[dtype], endpoint=True)
            if kind == "positions":
                return generator.integers(-2, 20, shape).astype(NUMPY[dtype])
            return generator.integers(-9, 10, shape).astype(NUMPY[dtype])
        if kind == "special":
            return generator.choice(SPECIAL_FLOATS, shape).astype(np.float64 if dtype == "f64" else np.float32)
        scale = self.pick([1.0, 1.0, 0.5, 0.25])
        return (generator.integers(-6, 7, shape) * scale).astype(np.float32)

    def shape(self, texts):
        """Returns the dimensions of a new tensor as pairs of a text and an extent."""
        dims = tuple(map(self.dim, texts))
        if math.prod(extent for _, extent in dims) > MOST_ELEMENTS:
            raise Impossible
        return dims

    def tensor(self, dtype, dims, data=None):
        """Adds an input tensor; dims are texts."""
        dims = self.shape(dims)
        name = self.name("x")
        types = [t for t, entry in self.frames[0].scopes[0].items()
                 if entry.what == Element(dtype) and t.startswith("T")]
        word = self.pick(types) if types and self.chance(0.6) else dtype
        self.parameters.append(f"{name}: {word}[{', '.join(text for text, _ in dims)}]")
        self.arguments[name] = self.fill(dtype, tuple(extent for _, extent in dims), data)
        what = Tensor(dtype, dims)
        self.frames[0].scopes[0][name] = Entry(what)
        return name, what

    def scalar(self, dtype):
        """Adds a scalar parameter."""
        name = self.name("p")
        self.parameters.append(f"{name}: {dtype}")
        if dtype == "int":
            # A launch passes 32 bits; larger values come as an i64, or are computed.
            value = self.pick([2**31 - 1, 2**31 - 2, -(2**31)]) if self.chance(0.3) else self.random.randint(-5, 40)
        elif dtype == "i64" and self.chance(0.5):
            value = self.pick([*HUGE, 2**63 - 1, -(2**63)])
        elif dtype == "bool":
            value = self.chance(0.5)
        elif dtype in UNSIGNED:
            # An argument is at most 2^63 - 1.
            most = min(2 ** int(dtype[1:]), 2**63) - 1
            value = self.random.randint(most - 20, most) if self.chance(0.5) else self.random.randint(0, 20)
        elif dtype in INTEGERS:
            value = self.random.randint(-20, 20)
        else:
            value = self.random.randint(-12, 12) / self.pick([1, 2, 4])
        self.arguments[name] = value
        self.frames[0].scopes[0][name] = Entry(Kind(dtype))
        return name

    def constant(self, kind, text, value):
        """Adds a compile-time parameter; its kind is int, float, bool or type."""
        name = self.name({"int": "C", "float": "F", "bool": "Q", "type": "T"}[kind])
        self.constants.append(f"{name}: {kind} = {text}")
        what = Element(value) if kind == "type" else Kind(f"known {kind}")
        self.frames[0].scopes[0][name] = Entry(what, value)
        return name

    def extent_text(self, extent):
        """Returns an extent as a number, or the name of a known one."""
        names = [name for name, entry in self.entries() if entry.what == KNOWN_INT and entry.value == extent]
        return self.pick(names) if names and self.chance(0.7) else str(extent)

    def type_text(self, dtype):
        names = [name for name, what in self.named(Element) if what.dtype == dtype]
        return self.pick(names) if names and self.chance(0.6) else dtype
