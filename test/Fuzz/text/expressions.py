# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of a requested kind, with only the necessary parentheses."""

import zlib

import numpy as np

from .builtins import Builtins
from .scope import (FLOATS, HUGE, INT, INTEGERS, KNOWN_BOOL, KNOWN_FLOAT, KNOWN_INT, NARROW, NUMPY, UNSIGNED, WORDS32,
                    Axis, Impossible, Kind, Span, Tensor, Writer)

# The precedence of an expression: an operand needs parentheses unless its precedence suffices.
OR, AND, COMPARISON, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, PRODUCT, CAST, UNARY, POSTFIX = range(13)
BITWISE = {"|": BIT_OR, "^": BIT_XOR, "&": BIT_AND}
SMOOTH = ["exp2", "tanh", "sigmoid", "erf", "sqrt", "rsqrt", "log", "log2", "exp"]
# Functions with a bounded argument.
BOUNDED = ["sin({})", "cos({})", "atan({})", "cbrt({})", "log1p(abs({}))", "expm1(min({}, 4.0))",
           "asin(min(max({}, -1.0), 1.0))",
           "acos(min(max({}, -1.0), 1.0))", "sinh(min(max({}, -4.0), 4.0))", "cosh(min(max({}, -4.0), 4.0))"]
EXTENTS = [1, 2, 4, 8, 16, 32, 3, 5, 12, 20, 64]
# Texts of `asm` on words of 32 bits.
TEXTS = ["xor.b32 $0, $1, 0x55555555;", "lop3.b32 $0, $1, 0x0f0f0f0f, -7, 0xca;",
         "{ .reg .b32 t; not.b32 t, $1; and.b32 $0, t, 0x7ffffff0; }",
         ".reg .pred p; mov.b32 $0, 7; setp.ne.s32 p, $0, 7; @!p mov.b32 $0, $1;"]
# Left operands that are known and decide.
DECIDED = {"||": "1 < 2", "&&": "3 == 2"}


class Expressions(Builtins, Writer):
    def __init__(self, random, number):
        super().__init__(random, number)
        self.allows_smooth = self.chance(0.15)

    def wrapped(self, expression, level):
        """Returns the text of an operand, in parentheses unless its precedence is at least `level`."""
        text, own = expression
        if own >= level and not self.chance(0.03):
            return text
        return f"({text})"

    def join(self, sign, level, left, right):
        return f"{self.wrapped(left, level)} {sign} {self.wrapped(right, level + 1)}", level

    def text(self, kind, depth=2):
        return self.expression(kind, depth)[0]

    def tight(self, kind, depth=2, level=POSTFIX):
        return self.wrapped(self.expression(kind, depth), level)

    def expression(self, kind, depth):
        """Returns (text, level) of an expression; `kind` has the axes that it must agree with."""
        for _ in range(12 if depth >= -1 else 0):
            ways = self.leaves(kind) if depth <= 0 else self.leaves(kind)[:2] + self.ways(kind)
            try:
                return self.pick(ways)(kind, depth)
            except Impossible:
                continue
        return self.last_resort(kind)

    def last_resort(self, kind):
        """Returns an expression that is possible anywhere, from the visible names."""
        dtype = kind.dtype
        if dtype == "int":
            ints = self.values(INT) or [name + ".start" for name, _ in self.named(Span)]
            return (self.pick(ints), POSTFIX) if ints else ("3 as i32 as int", CAST)
        if kind.axes and self.chance(0.8):
            if dtype == "i32" and len(kind.axes) == 1:
                return self.some_positions(kind.axes[0])
            if found := self.converted(kind):
                return found
        if kind.axes:
            type_text = self.tile_type(kind)
            value = self.pick(["false", "true"]) if dtype == "bool" else self.number(dtype)[0]
            return f"full({type_text}, {value})", POSTFIX
        if dtype == "bool":
            sign = self.pick(["<", "<=", ">", ">=", "==", "!="])
            return f"{self.tight(INT, 0, SUM)} {sign} {self.random.randint(-1, 20)}", COMPARISON
        if self.chance(0.7) and (found := self.converted(kind)):
            return found
        return f"{self.random.randint(0, 3)} as {self.type_text(dtype)}", CAST

    def some_positions(self, axis):
        names = self.spans(axis)
        if names and self.chance(0.3):
            return f"{self.pick(names)}.index", POSTFIX
        index = f"iota({self.extent_text(axis.extent)})"
        forms = [(index, POSTFIX), (f"{index} * {self.random.randint(2, 4)}", TERM),
                 (f"{index} % {self.random.randint(2, 5)}", TERM),
                 (f"{index} + {self.random.randint(1, 9)}", SUM), (f"{self.random.randint(0, 20)} - {index}", SUM)]
        return self.pick(forms)

    def converted(self, kind):
        """Returns a value of another type, or a repeated scalar, converted to a kind."""
        dtype = kind.dtype
        others = [(name, other.dtype) for name, other in self.named(Kind)
                  if other.dtype != "int" and not other.dtype.startswith("known")
                  and Kind(dtype, other.axes).fits(kind)]
        if not others:
            return None
        name, source = self.pick(others)
        if dtype == "bool":
            if source == "bool":
                return name, POSTFIX
            return f"{name} {self.pick(['<', '>=', '==', '!='])} {self.random.randint(0, 5)}", COMPARISON
        return (name, POSTFIX) if source == dtype else (f"{name} as {self.type_text(dtype)}", CAST)

    def tile_type(self, kind):
        return f"{self.type_text(kind.dtype)}[{', '.join(self.extent_text(axis.extent) for axis in kind.axes)}]"

    # Constructs of each kind.

    def leaves(self, kind):
        dtype = kind.dtype
        if dtype.startswith("known"):
            return [self.known, self.known, self.known]
        if kind.axes:
            more = [self.index_of] if dtype == "i32" and len(kind.axes) == 1 else []
            more += [self.valid_of] if dtype == "bool" and len(kind.axes) == 1 else []
            return [self.variable, self.load, *more, self.load, self.constant_tile]
        if dtype == "int":
            return [self.variable, self.int_leaf, self.int_leaf]
        return [self.variable, self.element, self.parameter, self.variable]

    def ways(self, kind):
        dtype = kind.dtype
        if dtype == "known int":
            return [self.known_arithmetic]
        if dtype == "known float":
            return [self.known_float]
        if dtype == "known bool":
            return [self.known_truth]
        if dtype == "int":
            return [*[self.int_arithmetic] * 5, self.bitwise, self.shift, self.complement, self.int_of_scalar,
                    self.choice, self.extreme_int, self.call, self.absolute, self.negative]
        if dtype == "bool":
            return [*[self.comparison] * 5, *[self.logic] * 3, self.inverse, self.bitwise, self.complement,
                    self.choice, self.call, *self.more_ways(kind)]
        ways = [*[self.arithmetic] * 6, *[self.cast] * 3, self.choice, self.call, self.call, self.absolute,
                self.negative, self.extreme]
        if kind.is_float:
            ways += [self.rounding, self.fma, self.quotient]
            if dtype == "f32" and self.allows_smooth:
                ways += [self.smooth] * 3
        else:
            ways += [*[self.integer_quotient] * 2, *[self.bitwise] * 2, *[self.shift] * 2, self.complement,
                     self.bit_function]
            ways += [self.bits] * (dtype in WORDS32)
        if kind.axes:
            ways += [self.where, self.where] + [self.running] * (dtype not in NARROW)
            if len(kind.axes) == 2:
                ways += [self.transpose]
                if dtype in ("f32", "i32"):
                    ways += [self.product, self.product]
        else:
            ways += [self.where]
        if len(kind.axes) < 2:
            ways += [self.reduction, self.reduction]
        return ways + self.more_ways(kind)

    # Leaves.

    def variable(self, kind, depth):
        names = self.values(kind)
        if not names:
            raise Impossible
        # The last names are the newest.
        return self.pick(names[-4:] if self.chance(0.5) else names), POSTFIX

    def number(self, dtype):
        """Returns a literal for an operand of a type."""
        if dtype in FLOATS and self.chance(0.6):
            return self.literal(self.pick(["0.5", "2.0", "1.5", "0.25", "3.0", "1e0", "25e-2"]))
        if dtype == "int" and self.chance(0.1):
            return self.literal(str(self.pick([h for h in HUGE if h > 0])))
        if dtype in ("i32", "i64") and self.chance(0.04):
            return self.pick([("-2147483648", UNARY), ("2147483647", POSTFIX), ("0x7fffffff", POSTFIX)])
        return self.literal(self.pick(["0", "1", "2", "3", "5", "7", "0x0a", "16"]), dtype)

    def literal(self, text, dtype="int"):
        if dtype in UNSIGNED:
            return text, POSTFIX
        return (f"-{text}", UNARY) if self.chance(0.3) else (text, POSTFIX)

    def known(self, kind, depth):
        names = self.values(kind)
        if names and self.chance(0.6):
            return self.pick(names), POSTFIX
        if kind == KNOWN_INT:
            return str(self.random.randint(0, 9)), POSTFIX
        if kind == KNOWN_FLOAT:
            return self.pick(["0.5", "1.0", "2.0", "0.25"]), POSTFIX
        return self.pick(["true", "false"]), POSTFIX

    def constant_tile(self, kind, depth):
        if not self.chance(0.4):
            raise Impossible
        text = self.tile_type(kind)
        if kind.dtype == "bool":
            return f"full({text}, {self.pick(['true', 'false'])})", POSTFIX
        if kind.dtype == "i32" and len(kind.axes) == 1 and self.chance(0.5):
            return f"iota({self.extent_text(kind.axes[0].extent)})", POSTFIX
        if self.chance(0.3):
            return f"{self.pick(['zeros', 'ones'])}({text})", POSTFIX
        if self.chance(0.4):
            value = self.text(INT if self.chance(0.3) else Kind(kind.dtype), 1)
            return f"full({text}, {value})", POSTFIX
        return f"full({text}, {self.number(kind.dtype)[0]})", POSTFIX

    def spans(self, axis):
        """Returns the ranges that make an axis."""
        return [name for name, span in self.named(Span)
                if span.extent == axis.extent and span.walks in (None, axis.name)]

    def index_of(self, kind, depth):
        return f"{self.span_text(kind.axes[0])}.index", POSTFIX

    def span_text(self, axis):
        """Returns a range that makes an axis, by its name or by its expression."""
        names = self.spans(axis)
        other = [(name, span) for name, span in self.named(Span) if span.extent == axis.extent]
        if other and self.chance(0.2):
            return f"({self.moved(*self.pick(other))[0]})"
        if self.frame.is_kernel and self.chance(0.1):
            return f"tile({self.text(INT, 0)}, {self.limit(0)}, {self.extent_text(axis.extent)})"
        if not names:
            raise Impossible
        return self.pick(names)

    def valid_of(self, kind, depth):
        return f"{self.span_text(kind.axes[0])}.valid", POSTFIX

    def parameter(self, kind, depth):
        if not self.frame.is_kernel or len(self.parameters) > 12 or not self.chance(0.4):
            raise Impossible
        return self.scalar(kind.dtype), POSTFIX

    def int_leaf(self, kind, depth):
        spans = self.named(Span)
        way = self.random.random()
        if way < 0.35 and spans:
            return f"{self.pick(spans)[0]}.{self.pick(['start', 'end', 'limit'])}", POSTFIX
        if way < 0.5 and self.frame.is_kernel and len(self.parameters) < 12:
            return (self.scalar("int"), POSTFIX) if self.chance(0.7) else (f"{self.scalar('i64')} as int", CAST)
        scalars = self.values(Kind("i32")) + self.values(Kind("i64"))
        ints = self.values(INT)
        if way < 0.65 and scalars and ints:
            return f"{self.pick(ints)} + {self.pick(scalars)}", SUM
        return self.variable(kind, depth)

    # Elements of tensors.

    def moved(self, name, span):
        """Returns a moved range; the offset is small or large."""
        offset = self.tight(KNOWN_INT if self.chance(0.5) else INT, 1, TERM)
        text = f"{name} + {offset}" if self.chance(0.5) else f"{offset} + {self.wrapped((name, POSTFIX), TERM)}"
        return text, Span(span.extent)

    def limit(self, depth):
        """Returns an end of a range that is not bound to a size."""
        return f"{self.tight(INT, depth, SUM)} + {self.random.randint(0, 2)}"

    def index_for(self, axis, depth):
        """Returns an index that keeps a dimension, as an axis: its text, and the text of a dimension."""
        spans = [(name, span) for name, span in self.named(Span)
                 if span.extent == axis.extent and span.walks in (None, axis.name)]
        way = self.random.random()
        if spans and way < 0.75:
            name, span = self.pick(spans)
            if span.walks:
                return name, span.walks
            return name, self.size()
        other = [(name, span) for name, span in self.named(Span) if span.extent == axis.extent]
        if other and way < 0.87:
            return self.moved(*self.pick(other))[0], self.size()
        if way < 0.92:
            return ":", self.extent_text(axis.extent)
        if way < 0.96:
            low = self.text(INT, 1)
            high = self.pick([self.limit(1), f"{self.tight(INT, 1, SUM)} + {axis.extent}"])
            return f"tile({low}, {high}, {self.extent_text(axis.extent)})", self.size()
        dtype = self.pick(["i32", "i64", "u8", "u32", "i16"]) if self.has_all else "i32"
        return self.text(Kind(dtype, (Axis(axis.extent),)), min(depth, 2) - 1), self.size()

    def dim_value(self, text):
        if text in self.sizes:
            return self.sizes[text]
        if " " in text:
            name, sign, number = text.split()
            return self.sizes[name] + int(sign + number)
        entry = dict(self.entries()).get(text)
        return int(text) if entry is None else entry.value

    def dim(self, text):
        return text, self.dim_value(text)

    def load(self, kind, depth):
        """Returns elements of a fitting tensor, or of a new one."""
        if not self.frame.is_kernel:
            return self.load_known(kind, depth)
        if self.chance(0.3):
            return self.load_known(kind, depth)
        if len(self.parameters) > 12:
            raise Impossible
        indices, dims = [], []
        for axis in kind.axes:
            index, dim = self.index_for(axis, depth)
            indices.append(index)
            dims.append(dim)
        if self.chance(0.3) and len(dims) < 3 or not dims:
            place = self.random.randint(0, len(dims))
            dims.insert(place, self.size() + (f" + {self.random.randint(1, 3)}" if self.chance(0.1) else ""))
            indices.insert(place, self.position(*self.dim(dims[place]), depth))
        name, tensor = self.tensor(kind.dtype, dims)
        return self.loaded(name, indices, kind), POSTFIX

    def position(self, dim, extent, depth=1):
        """Returns an integer index; mostly one within bounds."""
        if self.chance(0.5):
            # An index that is known to be out of bounds is an error.
            return str(self.random.randint(0, 2 if dim in self.sizes else min(2, extent - 1)))
        if self.chance(0.2):
            return self.text(Kind(self.pick(["i32", "i64"])), min(depth, 2) - 1)
        ints = self.values(INT)
        return self.pick(ints) if ints and self.chance(0.6) else self.text(INT, min(depth, 2) - 1)

    def loaded(self, name, indices, kind):
        access = f"{name}[{', '.join(indices)}]"
        if kind.axes and self.chance(0.2):
            fill = self.number(kind.dtype)[0] if kind.dtype != "bool" else self.pick(["true", "false"])
            if kind.is_float and kind.dtype != "f8e4m3" and self.chance(0.15):
                fill = self.pick(["inf", "-inf", "nan"])
            return f"load({access}, fill = {fill})"
        return access

    def load_known(self, kind, depth):
        """Returns elements of a visible tensor, at visible ranges."""
        tensors = [(name, t) for name, t in self.named(Tensor) if t.dtype == kind.dtype and t.access == "in"
                   and len(t.dims) >= max(1, len(kind.axes))]
        if not tensors:
            raise Impossible
        name, tensor = self.pick(tensors)
        kept = sorted(self.random.sample(range(len(tensor.dims)), len(kind.axes)))
        indices = []
        for place, (text, extent) in enumerate(tensor.dims):
            if place not in kept:
                indices.append(self.position(text, extent, depth))
                continue
            axis = kind.axes[kept.index(place)]
            spans = [n for n, span in self.named(Span)
                     if span.extent == axis.extent and (span.walks is None or span.walks == text == axis.name)]
            if spans and self.chance(0.8):
                indices.append(self.pick(spans))
            elif text == str(axis.extent):
                indices.append(":")
            else:
                indices.append(self.text(Kind("i32", (Axis(axis.extent),)), min(depth, 1) - 1))
        return self.loaded(name, indices, kind), POSTFIX

    def element(self, kind, depth):
        return self.load(kind, depth)

    # Operations.

    def broadcast(self, kind, depth):
        """Returns an operand that is broadcast to the shape of a tile: of fewer dimensions, a scalar or a number."""
        way = self.random.random()
        if way < 0.3 and kind.dtype != "bool":
            return self.number(kind.dtype)
        if way < 0.45 and kind.dtype not in ("bool", *NARROW):
            return self.expression(INT, 1)
        if way < 0.6 or len(kind.axes) < 2:
            return self.expression(Kind(kind.dtype), depth - 1)
        kept = self.random.randrange(len(kind.axes))
        # A number for the other axes, of extent 1.
        places = [":" if place == kept else "_" for place in range(len(kind.axes))]
        inner = self.tight(Kind(kind.dtype, (kind.axes[kept],)), depth - 1)
        return f"{inner}[{', '.join(places)}]", POSTFIX

    def pair(self, kind, depth):
        """Returns two operands; at least one of them has the kind."""
        first = self.expression(kind, depth - 1)
        if kind.axes and self.chance(0.5):
            second = self.broadcast(kind, depth)
        elif not kind.axes and self.chance(0.5):
            second = self.number(kind.dtype) if self.chance(0.6) or not kind.is_float else self.expression(INT, 1)
        else:
            second = self.expression(kind, depth - 1)
        return (second, first) if self.chance(0.35) else (first, second)

    def arithmetic(self, kind, depth):
        sign = self.pick(["+", "-", "*", "+", "-"])
        return self.join(sign, TERM if sign == "*" else SUM, *self.pair(kind, depth))

    def quotient(self, kind, depth):
        if self.chance(0.6):
            return self.join("/", TERM, self.expression(kind, depth - 1),
                             self.literal(self.pick(["2", "4.0", "0.5", "8"])))
        divisor = f"abs({self.text(kind, depth - 1)}) + {self.pick(['1', '2.0', '1.5'])}", SUM
        return self.join("/", TERM, self.expression(kind, depth - 1), divisor)

    def integer_quotient(self, kind, depth):
        sign = self.pick("/%")
        if self.chance(0.6):
            divisor = self.literal(self.pick(["2", "3", "5", "16", "7"]), kind.dtype)
        else:
            divisor = f"abs({self.text(kind, depth - 1)}) + {self.pick('123')}", SUM
        return self.join(sign, TERM, self.expression(kind, depth - 1), divisor)

    def negative(self, kind, depth):
        return f"-{self.tight(kind, depth - 1, UNARY)}", UNARY

    def absolute(self, kind, depth):
        return f"abs({self.text(kind, depth - 1)})", POSTFIX

    def extreme(self, kind, depth):
        first, second = self.expression(kind, depth - 1)[0], self.expression(kind, depth - 1)[0]
        if self.chance(0.3):
            integers = ["0", "1", "7" if kind.dtype in UNSIGNED else "-7"]
            second = self.pick(["0.0", "1.0", "-2.5", "0"] if kind.is_float else integers)
        return f"{self.pick(['max', 'min'])}({first}, {second})", POSTFIX

    def extreme_int(self, kind, depth):
        name, first = self.pick(["max", "min"]), self.text(INT, depth - 1)
        return f"{name}({first}, {self.text(self.pick([INT, KNOWN_INT]), depth - 1)})", POSTFIX

    def rounding(self, kind, depth):
        name = self.pick(["floor", "ceil"])
        inner = self.text(kind, depth - 1)
        # The text decides, so that a seed draws the same program otherwise.
        name = (name, "round", "trunc")[zlib.crc32(inner.encode()) % 3]
        return f"{name}({inner})", POSTFIX

    def smooth(self, kind, depth):
        name = self.pick(SMOOTH)
        inner = self.text(kind, depth - 1)
        choice = zlib.crc32(inner.encode())
        if choice % 2:
            return BOUNDED[choice // 2 % len(BOUNDED)].format(inner), POSTFIX
        if name in ("sqrt", "rsqrt", "log", "log2"):
            inner = f"abs({inner}) + 1.0"
        elif name.startswith("exp"):
            inner = f"min({inner}, 4.0)"
        return f"{name}({inner})", POSTFIX

    def fma(self, kind, depth):
        words = [self.text(kind, depth - 1) for _ in range(3)]
        if self.chance(0.4):
            words[self.random.randrange(3)] = self.number(kind.dtype)[0]
        if self.chance(0.15):
            return f"fma({words[0]}, z = {words[2]}, y = {words[1]})", POSTFIX
        return f"fma({', '.join(words)})", POSTFIX

    def cast(self, kind, depth):
        sources = [d for d in (*FLOATS, *INTEGERS, "bool") if d != kind.dtype]
        if not kind.axes and self.chance(0.3):
            source = INT
        else:
            source = kind.of(self.pick(sources))
        return f"{self.tight(source, depth - 1, CAST)} as {self.type_text(kind.dtype)}", CAST

    def int_of_scalar(self, kind, depth):
        source = Kind(self.pick(["i32", "i64", "i8", "f32", "f16", "bool"]))
        return f"{self.tight(source, depth - 1, CAST)} as int", CAST

    def int_arithmetic(self, kind, depth):
        sign = self.pick(["+", "-", "*", "+", "/", "%"])
        first = self.expression(INT, depth - 1)
        if sign in "/%":
            return self.join(sign, TERM, first, self.literal(self.pick(["2", "3", "7", "16"])))
        second = self.number("int") if self.chance(0.5) else self.expression(INT, depth - 1)
        if self.chance(0.3):
            first, second = second, first
        return self.join(sign, TERM if sign == "*" else SUM, first, second)

    def comparison(self, kind, depth):
        dtypes = ["f32", "i32", "f16", "bf16", "f64", "f32", *INTEGERS]
        operands = kind.of(self.pick(dtypes)) if kind.axes or self.chance(0.5) else INT
        sign = self.pick(["==", "!=", "<", "<=", ">", ">="])
        if operands == INT:
            pair = [self.expression(INT, depth - 1),
                    self.number("int") if self.chance(0.6) else self.expression(INT, depth - 1)]
        else:
            pair = self.pair(operands, depth)
        return f"{self.wrapped(pair[0], BIT_OR)} {sign} {self.wrapped(pair[1], BIT_OR)}", COMPARISON

    def logic(self, kind, depth):
        sign = self.pick(["&&", "||"])
        first = self.expression(kind, depth - 1)
        second = self.expression(kind, depth - 1)
        if kind.axes and self.chance(0.3):
            second = self.broadcast(kind, depth)
        elif self.chance(0.2):
            second = self.expression(KNOWN_BOOL, 1)
        elif self.chance(0.1) and not kind.axes:
            # A known left operand decides, so the right operand is not checked.
            first = DECIDED[sign], COMPARISON
            second = self.pick(["nothing", "1 + true", "1 / 0 == 2"]), COMPARISON
            return self.join(sign, AND if sign == "&&" else OR, first, second)
        return self.join(sign, AND if sign == "&&" else OR, first, second)

    def inverse(self, kind, depth):
        return f"!{self.tight(kind, depth - 1, UNARY)}", UNARY

    # Bits.

    def bitwise(self, kind, depth):
        sign = self.pick("&|^")
        if kind.dtype in ("int", "bool"):
            pair = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            if kind.dtype == "int" and self.chance(0.5):
                pair = pair[0], self.number("int")
        else:
            pair = self.pair(kind, depth)
        return self.join(sign, BITWISE[sign], *pair)

    def shift(self, kind, depth):
        width = 64 if kind.dtype == "int" else 8 * np.dtype(NUMPY[kind.dtype]).itemsize
        if self.chance(0.6):
            amount = str(self.pick([0, 1, 2, 4, width // 2, width - 1])), POSTFIX
        elif kind.dtype != "int" and self.chance(0.5):
            # Any amount that is not known is defined.
            amount = self.load(kind, 1)
        else:
            amount = self.join("&", BIT_AND, self.expression(kind, depth - 1), ("7", POSTFIX))
        return self.join(self.pick(["<<", ">>"]), SHIFT, self.expression(kind, depth - 1), amount)

    def complement(self, kind, depth):
        return f"~{self.tight(kind, depth - 1, UNARY)}", UNARY

    def bit_function(self, kind, depth):
        if self.chance(0.4) and kind.dtype in (*NARROW, *WORDS32):
            return f"mulhi({self.text(kind, depth - 1)}, {self.text(kind, depth - 1)})", POSTFIX
        return f"{self.pick(['popcount', 'clz'])}({self.text(kind, depth - 1)})", POSTFIX

    def bits(self, kind, depth):
        source = self.pick(["f32", *WORDS32])
        operand = self.load(kind.of(source), 1)[0]
        # Many programs of other seeds stay as they are: the choice needs no random number.
        choice = zlib.crc32(operand.encode()) % (2 * len(TEXTS))
        if choice < len(TEXTS):
            return f'asm({kind.dtype}, "{TEXTS[choice]}", {operand})', POSTFIX
        return f"bits({operand}, {kind.dtype})", POSTFIX

    def where(self, kind, depth):
        condition = self.text(kind.of("bool"), depth - 1)
        words = [self.text(kind, depth - 1), self.text(kind, depth - 1)]
        if kind.axes and self.chance(0.4):
            words[self.random.randrange(2)] = self.broadcast(kind, depth)[0]
        if kind.axes and kind.dtype in ("i32", "f32") and self.chance(0.1):
            words = ["1", "0"] if kind.dtype == "i32" else ["1.0", "-0.5"]
        if self.chance(0.05):
            return f"where({condition}, y = {words[1]}, x = {words[0]})", POSTFIX
        return f"where({condition}, {', '.join(words)})", POSTFIX

    def choice(self, kind, depth):
        """Returns an `if` expression."""
        numbers = kind.dtype in ("int", "f32") and not kind.axes and self.chance(0.5)
        is_known = not numbers and self.chance(0.25)
        condition = self.text(KNOWN_BOOL if is_known else Kind("bool"), depth - 1)
        if any(decided in condition for decided in DECIDED.values()):
            # Only the chosen branch has a type.
            numbers = False
        branches = []
        for _ in range(2):
            lets, value = self.value_branch(kind, depth)
            if numbers and self.chance(0.6):
                # A known number takes the type of the other branch, or its own type.
                value = self.number("int")[0] if kind == INT else self.pick(["-1.5", "0.5", "inf", "2.0"])
            branches.append(f"{{ {lets}{value} }}")
        other = ""
        if self.chance(0.2):
            other = f"if {self.text(Kind('bool'), 0)} {{ {self.text(kind, depth - 2)} }} else "
        return f"if {condition} {branches[0]} else {other}{branches[1]}", POSTFIX

    def value_branch(self, kind, depth):
        lets = ""
        self.frame.scopes.append({})
        try:
            if self.chance(0.3):
                other = self.pick([kind, Kind("f32"), INT])
                text = self.text(other, depth - 1)
                name = self.declare(self.name("e"), other)
                lets = f"let {name} = {text}; "
            return lets, self.text(kind, depth - 1)
        finally:
            self.frame.scopes.pop()

    def extra_axis(self):
        """Returns an additional axis, of a visible range or of any extent."""
        spans = [span for _, span in self.named(Span)]
        if spans and self.chance(0.7):
            span = self.pick(spans)
            return Axis(span.extent, span.walks)
        return Axis(self.pick(EXTENTS))

    def reduction(self, kind, depth):
        place = self.random.randint(0, len(kind.axes))
        axes = list(kind.axes)
        axes.insert(place, self.extra_axis())
        function = self.pick(["max", "min"] if kind.dtype in NARROW else ["sum", "sum", "max", "min"])
        dtype = self.summed(kind.dtype) if function == "sum" else kind.dtype
        return f"{function}({self.text(Kind(dtype, tuple(axes)), depth - 1)}, {self.axis_text(place)})", POSTFIX

    def summed(self, dtype):
        """Returns a type whose sums have the type `dtype`."""
        return self.pick(NARROW) if dtype == "i32" and self.chance(0.3) else dtype

    def axis_text(self, place):
        names = [name for name, entry in self.entries() if entry.what == KNOWN_INT and entry.value == place]
        return f"axis = {self.pick(names) if names and self.chance(0.3) else place}"

    def running(self, kind, depth):
        place = self.random.randrange(len(kind.axes))
        reverse = self.pick(["", "", ", reverse = true", f", reverse = {self.text(KNOWN_BOOL, 0)}"])
        summand = self.text(kind.of(self.summed(kind.dtype)), depth - 1)
        return f"cumsum({summand}, {self.axis_text(place)}{reverse})", POSTFIX

    def transpose(self, kind, depth):
        return f"{self.tight(Kind(kind.dtype, kind.axes[::-1]), depth - 1)}.T", POSTFIX

    def product(self, kind, depth):
        inner = self.extra_axis()
        floats = ["f16", "bf16", "f32", "f16", "f8e4m3", "f8e5m2"]
        dtypes = ["i8", "i8"] if kind.dtype == "i32" else [self.pick(floats)] * 2
        if dtypes[0].startswith("f8") and self.chance(0.5):
            dtypes[1] = self.pick(["f8e4m3", "f8e5m2"])
        shapes = (kind.axes[0], inner), (inner, kind.axes[1])
        words = []
        for dtype, axes, level in zip(dtypes, shapes, (PRODUCT, CAST)):
            if self.chance(0.4):
                words.append(f"{self.tight(Kind(dtype, axes[::-1]), depth - 2)}.T")
            else:
                words.append(self.tight(Kind(dtype, axes), depth - 2, level))
        if dtypes[0] == "f32" and zlib.crc32(words[0].encode()) % 2:
            words = [f"(({word}) as tf32)" if "@" in word else f"({word} as tf32)" for word in words]
        return " @ ".join(words), PRODUCT

    def known_arithmetic(self, kind, depth):
        first, second = self.expression(KNOWN_INT, depth - 1), self.expression(KNOWN_INT, depth - 1)
        sign = self.pick(["+", "-", "*", "/", "%", "&|^", ">>"])
        if sign in ("/", "%", ">>"):
            second = str(self.random.randint(1, 5)), POSTFIX
        if sign == ">>":
            return self.join(sign, SHIFT, first, second)
        if sign == "&|^":
            sign = self.pick(sign)
            return self.join(sign, BITWISE[sign], first, second)
        return self.join(sign, SUM if sign in "+-" else TERM, first, second)

    def known_float(self, kind, depth):
        first = self.expression(KNOWN_FLOAT, depth - 1)
        second = self.expression(self.pick([KNOWN_FLOAT, KNOWN_INT]), depth - 1)
        return self.join(self.pick("+-"), SUM, first, second)

    def known_truth(self, kind, depth):
        way = self.random.random()
        if way < 0.3:
            return f"!{self.tight(KNOWN_BOOL, depth - 1, UNARY)}", UNARY
        if way < 0.6:
            sign = self.pick(["&&", "||"])
            return self.join(sign, AND if sign == "&&" else OR, self.expression(KNOWN_BOOL, depth - 1),
                             self.expression(KNOWN_BOOL, depth - 1))
        sign = self.pick(["==", "!=", "<", "<=", ">", ">="])
        words = self.tight(KNOWN_INT, depth - 1, SUM), self.tight(KNOWN_INT, depth - 1, SUM)
        return f"{words[0]} {sign} {words[1]}", COMPARISON
