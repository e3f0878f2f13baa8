# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of all built-in functions, of fns as arguments, and of the standard library.

Half of the programs have them, by their numbers; the other half keeps the programs of its numbers."""

import math

from .scope import FLOATS, INTEGERS, NARROW, Axis, Impossible, Kind

POSTFIX = 12
# Elements of a tile that the second opinion combines one by one.
MOST_COMBINED = 512
# Bodies of associative fns of two elements, for each group of types.
COMBINERS = {
    "bool": ["a || b", "a && b", "a ^ b", "b"],
    "integer": ["a + b", "a * b", "max(a, b)", "a & b", "a", "b", "min(b, a) | 0"],
    "f32": ["a + b", "max(a, b)", "b", "min(a, b)"],
    "float": ["max(a, b)", "b", "min(a, b)"],
}
# Bodies of associative fns of two pairs, and the types of a pair.
PAIRS = {
    "{ return b * a, b * x + y; }": ("i32", "i32"),
    "{ return b * a, x * b + y; }": ("u32", "u32"),
    "{ return max(a, b), where(b > a, y, x); }": ("i32", "f16"),
    "{ return a || b, if b { y } else { x + y }; }": ("bool", "i64"),
    "{ return y & 0 | b, y; }": ("i8", "i8"),
}
UNARY_NAMES = {"bool": [], "integer": ["abs", "popcount", "clz"],
               "float": ["abs", "floor", "ceil", "trunc", "round", "sign"]}
SMOOTH_OF_LIBRARY = ["silu", "gelu", "gelu_tanh"]


def group_of(dtype):
    return "bool" if dtype == "bool" else "integer" if dtype in INTEGERS else "float"


def size(axes):
    return math.prod(axis.extent for axis in axes)


def anonymous(axes, place):
    """Returns the axes without the name of one of them."""
    return (*axes[:place], Axis(axes[place].extent), *axes[place + 1:])


class Builtins:
    # Whether the program has these calls.
    has_all = False

    def more_ways(self, kind):
        """Returns further ways to make a value of an element type."""
        if not self.has_all:
            return []
        dtype, ways = kind.dtype, []
        if kind.axes:
            ways += [self.flipped, self.reshaped, self.permuted, self.repeated, self.concatenated, self.joined]
            ways += [self.part]
            ways += [self.sorted, self.running_extremum] * (dtype != "bool")
            ways += [self.sorted_positions] * (dtype == "i32")
        if dtype == "bool":
            ways += [self.test, self.test, self.quantified, self.quantified]
        if kind.is_float:
            ways += [self.of_signs, self.of_signs, self.library_of_floats]
            ways += [self.library_of_doubles] * (dtype == "f64")
        if dtype in ("f32", "f16", "bf16") and self.allows_smooth:
            ways += [self.smooth_of_two, self.smooth] + [self.library_of_floats] * (dtype == "f32")
        if dtype == "f32" or dtype in INTEGERS and dtype not in NARROW:
            ways += [self.multiplied]
        if dtype == "i32":
            ways += [self.place_of_extremum] * 2
        if dtype in ("u32", "f32"):
            ways += [self.random_number]
        if dtype in ("u8", "f32"):
            ways += [self.microscaled]
        return ways + [self.combined, self.combined, self.applied]

    def exact(self, kind):
        """Returns elements of a tensor, or of a simple expression of it."""
        return self.text(kind, 0 if self.chance(0.7) else 1)

    # Changes of shape.

    def flipped(self, kind, depth):
        place = self.random.randrange(len(kind.axes))
        inner = self.text(Kind(kind.dtype, anonymous(kind.axes, place)), depth - 1)
        return f"flip({inner}, {self.axis_text(place)})", POSTFIX

    def reshaped(self, kind, depth):
        rest, extents = size(kind.axes), []
        for _ in range(self.random.randint(0, 2)):
            extents.append(self.pick([n for n in range(1, min(rest, 64) + 1) if rest % n == 0]))
            rest //= extents[-1]
        extents.insert(self.random.randint(0, len(extents)), rest)
        inner = self.text(Kind(kind.dtype, tuple(map(Axis, extents))), depth - 1)
        return f"reshape({inner}, {self.extents_text(kind.axes)})", POSTFIX

    def extents_text(self, axes):
        return ", ".join(self.extent_text(axis.extent) for axis in axes)

    def permuted(self, kind, depth):
        order, axes = list(range(len(kind.axes))), [None] * len(kind.axes)
        self.random.shuffle(order)
        for axis, place in zip(kind.axes, order):
            axes[place] = axis
        return f"permute({self.text(Kind(kind.dtype, tuple(axes)), depth - 1)}, {', '.join(map(str, order))})", POSTFIX

    def repeated(self, kind, depth):
        axes = tuple(Axis(1) if self.chance(0.5) else axis for axis in kind.axes)
        return f"broadcast({self.text(Kind(kind.dtype, axes), depth - 1)}, {self.extents_text(kind.axes)})", POSTFIX

    def with_extent(self, kind, place, extent):
        return Kind(kind.dtype, (*kind.axes[:place], Axis(extent), *kind.axes[place + 1:]))

    def concatenated(self, kind, depth):
        place = self.random.randrange(len(kind.axes))
        rest, words = kind.axes[place].extent, []
        while rest and len(words) < 2:
            extent = self.random.randint(1, rest)
            words.append(self.text(self.with_extent(kind, place, extent), depth - 1))
            rest -= extent
        if rest:
            words.append(self.text(self.with_extent(kind, place, rest), 0))
        if len(words) < 2:
            raise Impossible
        return f"concat({', '.join(words)}, {self.axis_text(place)})", POSTFIX

    def joined(self, kind, depth):
        last = len(kind.axes) - 1
        if kind.axes[last].extent % 2:
            raise Impossible
        inner = self.with_extent(kind, last, kind.axes[last].extent // 2)
        return f"join({self.text(inner, depth - 1)}, {self.text(inner, depth - 1)})", POSTFIX

    def part(self, kind, depth):
        """Returns a part of a larger tile, or of a tile with one more axis."""
        indices = [":"] * len(kind.axes)
        if self.chance(0.4) and len(kind.axes) < 3:
            place, extent = self.random.randint(0, len(kind.axes)), self.random.randint(1, 4)
            indices.insert(place, str(self.random.randrange(extent)))
            inner = Kind(kind.dtype, (*kind.axes[:place], Axis(extent), *kind.axes[place:]))
        else:
            place = self.random.randrange(len(kind.axes))
            low, more = self.pick([(0, 3), (1, 0), (2, 2), (4, 0), (0, 0)])
            high = low + kind.axes[place].extent
            inner = self.with_extent(kind, place, high + more)
            indices[place] = f"{low or self.pick(['', '0'])}:{high if more else self.pick(['', high])}"
        return f"{self.tight(inner, depth - 1)}[{', '.join(indices)}]", POSTFIX

    # Orders, reductions and scans.

    def descending(self):
        return self.pick(["", "", ", descending = true", ", descending = false"])

    def sorted(self, kind, depth):
        place = self.random.randrange(len(kind.axes))
        inner = self.text(Kind(kind.dtype, anonymous(kind.axes, place)), depth - 1)
        return f"sort({inner}, {self.axis_text(place)}{self.descending()})", POSTFIX

    def sorted_positions(self, kind, depth):
        place, dtype = self.random.randrange(len(kind.axes)), self.narrow_type()
        inner = self.exact(Kind(dtype, anonymous(kind.axes, place)))
        return f"argsort({inner}, {self.axis_text(place)}{self.descending()})", POSTFIX

    def narrow_type(self):
        """Returns a type of at most 32 bits that has an order."""
        return self.pick([dtype for dtype in (*FLOATS, *INTEGERS) if "64" not in dtype])

    def larger(self, kind, dtype=None):
        """Returns a kind with one more axis, and its place."""
        place = self.random.randint(0, len(kind.axes))
        axes = (*kind.axes[:place], self.extra_axis(), *kind.axes[place:])
        if len(axes) > 3 or size(axes) > 4096:
            raise Impossible
        return Kind(dtype or kind.dtype, axes), place

    def place_of_extremum(self, kind, depth):
        inner, place = self.larger(kind, self.pick([*FLOATS, *INTEGERS]))
        return f"{self.pick(['argmax', 'argmin'])}({self.exact(inner)}, {self.axis_text(place)})", POSTFIX

    def quantified(self, kind, depth):
        inner, place = self.larger(kind)
        return f"{self.pick(['any', 'all'])}({self.text(inner, depth - 1)}, {self.axis_text(place)})", POSTFIX

    def reverse(self):
        return self.pick(["", ", reverse = true", ", reverse = false"])

    def running_extremum(self, kind, depth):
        place = self.few(kind)
        name = self.pick(["cummax", "cummin"])
        return f"{name}({self.text(kind, depth - 1)}, {self.axis_text(place)}{self.reverse()})", POSTFIX

    def few(self, kind):
        """Returns an axis of a tile whose elements are few enough to be combined one by one."""
        if not kind.axes or size(kind.axes) > MOST_COMBINED:
            raise Impossible
        return self.random.randrange(len(kind.axes))

    def multiplied(self, kind, depth):
        """Returns a product along an axis. Factors of floats are at most 1, so that no order overflows."""
        is_running = kind.axes and self.chance(0.5)
        inner, place = (kind, self.few(kind)) if is_running else self.larger(kind)
        self.few(inner)
        text = self.text(inner.of(self.summed(kind.dtype)), depth - 1)
        text = f"min(max({text}, -1.0), 1.0)" if kind.is_float else text
        if is_running:
            return f"cumprod({text}, {self.axis_text(place)}{self.reverse()})", POSTFIX
        return f"prod({text}, {self.axis_text(place)})", POSTFIX

    def combiner(self, dtype):
        """Returns an associative fn of two elements."""
        group = dtype if dtype == "f32" else group_of(dtype)
        return self.helper(f"(a, b) {{ return {self.pick(COMBINERS[group])}; }}")

    def helper(self, text):
        """Returns the name of a fn with these parameters and this body."""
        for fn in self.fns:
            if fn.endswith(text) and fn.startswith("fn g"):
                return fn[3:fn.index("(")]
        name = f"g{len(self.fns)}"
        self.fns.append(f"fn {name}{text}")
        return name

    def combined(self, kind, depth):
        is_scan = kind.axes and self.chance(0.5)
        inner, place = (kind, self.few(kind)) if is_scan else self.larger(kind)
        self.few(inner)
        words = [self.text(inner, depth - 1), self.axis_text(place), f"with = {self.combiner(kind.dtype)}"]
        if is_scan:
            return f"scan({', '.join(words)}{self.reverse()})", POSTFIX
        return f"reduce({', '.join(words)})", POSTFIX

    # Functions of elements.

    def test(self, kind, depth):
        name = self.pick(["isnan", "isinf", "isfinite"])
        return f"{name}({self.text(kind.of(self.pick(FLOATS)), depth - 1)})", POSTFIX

    def of_signs(self, kind, depth):
        name = self.pick(["sign", "copysign"] + ["fmod"] * (kind.dtype != "f64"))
        if name == "sign":
            return f"sign({self.exact(kind)})", POSTFIX
        if self.chance(0.3):
            return f"{name}({self.exact(kind)}, {self.pick(['-1.0', '0.75', '3.0'])})", POSTFIX
        second = self.exact(kind)
        # The sign of a NaN is not specified. An input of a type without infinity has some where -500 was given.
        if name == "copysign" and ("(" in second or kind.dtype == "f8e4m3"):
            second = f"where(isnan({second}), 1.0, {second})"
        return f"{name}({self.exact(kind)}, {second})", POSTFIX

    def smooth_of_two(self, kind, depth):
        first, second = self.exact(kind), self.exact(kind)
        return self.pick([f"atan2({first}, {second})", f"pow(abs({first}) + 0.5, min(max({second}, -2.0), 2.0))",
                          f"pow({first}, 2.0)", f"tan({first})"]), POSTFIX

    def applied(self, kind, depth):
        """Returns a call of a fn with a function as an argument."""
        names = UNARY_NAMES[group_of(kind.dtype)]
        body = self.pick(["!x", "x ^ x"] if kind.dtype == "bool" else ["x + x", "x - 1", "x * x"])
        name = self.pick(names) if names and self.chance(0.5) else self.helper(f"(x) {{ return {body}; }}")
        apply = self.helper(self.pick(["(x, f) { return f(x); }", "(f, x) { let y = f(x); return f(y); }"]))
        words = self.text(kind, depth - 1), name
        is_first = next(fn for fn in self.fns if fn.startswith(f"fn {apply}(")).startswith(f"fn {apply}(f")
        return f"{apply}({', '.join(words[::-1] if is_first else words)})", POSTFIX

    # The standard library.

    def of_library(self, path, name, *words):
        self.uses.setdefault(path, set()).add(name)
        return f"{name}({', '.join(words)})", POSTFIX

    def library_of_floats(self, kind, depth):
        names = ["relu", "leaky_relu"] + SMOOTH_OF_LIBRARY * (kind.dtype == "f32" and self.allows_smooth)
        name = self.pick(names)
        words = [self.text(kind, depth - 1)] + ["0.25"] * (name == "leaky_relu")
        return self.of_library("std/activations.tile", name, *words)

    def library_of_doubles(self, kind, depth):
        name = self.pick(["exp_f64", "exp2_f64", "log_f64"])
        inner = self.exact(kind)
        return self.of_library("std/doubles.tile", name, f"where(isnan({inner}), 1.0, {inner})")

    def microscaled(self, kind, depth):
        path, form = "std/microscaling.tile", self.pick(["e2m1", "e8m0"])
        if kind.dtype == "u8":
            return self.of_library(path, f"to_{form}", self.exact(kind.of("f32")))
        code = self.exact(kind.of("u8"))
        if self.chance(0.7):
            code, _ = self.of_library(path, f"to_{form}", self.exact(kind))
        return self.of_library(path, f"from_{form}", code)

    def random_number(self, kind, depth):
        words = [self.pick(["7", "0x12345678"]), self.text(kind.of(self.pick(["i32", "u32", "i64"])), depth - 1)]
        if self.frame.is_kernel and len(self.parameters) < 12 and self.chance(0.5):
            words[0] = self.scalar(self.pick(["i64", "u64", "i32", "u32"]))
        if kind.dtype == "u32":
            name = self.pick(["random_bits", "random_word"])
            words += [str(self.random.randint(0, 3))] * (name == "random_word")
            return self.of_library("std/random.tile", name, *words)
        name = self.pick(["uniform", "to_uniform", "dropout"] + ["normal"] * self.allows_smooth)
        if name == "to_uniform":
            words = [self.text(kind.of("u32"), depth - 1)]
        if name == "dropout":
            words = [self.text(kind, depth - 1), self.pick(["0.25", "0.5"]), *words]
        return self.of_library("std/random.tile", name, *words)

    # Statements.

    def let_several(self):
        """Emits a call with two values, and declares their names."""
        kind = self.random_kind()
        if kind.dtype == "int":
            raise Impossible
        ways = [self.halves, self.greatest, self.pair_of_fn, self.pair_of_fn, self.pair_of_combiner]
        text, kinds = self.pick(ways)(kind)
        word, names = self.pick(["let", "let", "var"]), [self.name("t"), self.name("t")]
        self.line(f"{word} {', '.join(names)} = {text};")
        for name, one in zip(names, kinds):
            if word == "var":
                one = Kind(one.dtype, tuple(Axis(axis.extent) for axis in one.axes))
            self.declare(name, one, is_var=word == "var")

    def halves(self, kind):
        if not kind.axes:
            raise Impossible
        last = len(kind.axes) - 1
        half = self.with_extent(kind, last, kind.axes[last].extent)
        return f"split({self.text(self.with_extent(kind, last, 2 * kind.axes[last].extent), 2)})", [half, half]

    def greatest(self, kind):
        if not kind.axes:
            raise Impossible
        place = self.random.randrange(len(kind.axes))
        k = kind.axes[place].extent
        taken = self.with_extent(Kind(self.narrow_type(), kind.axes), place, k)
        inner = self.with_extent(taken, place, self.pick([k, k + 1, k + 5, 2 * k]))
        words = f"{self.exact(inner)}, {self.extent_text(k)}, {self.axis_text(place)}{self.descending()}"
        return f"top({words})", [taken, taken.of("i32")]

    def pair_of_fn(self, kind):
        bodies = ["x ^ y, y", "y || x, !x"] if kind.dtype == "bool" else ["x + y, x - y", "y, x", "max(x, y), x * y"]
        name = self.helper(f"(x, y) {{ return {self.pick(bodies)}; }}")
        return f"{name}({self.text(kind, 2)}, {self.text(kind, 2)})", [kind, kind]

    def pair_of_combiner(self, kind):
        body, dtypes = self.pick(PAIRS.items())
        place = self.few(kind)
        # The names of axes may differ, so they have none.
        axes = tuple(Axis(axis.extent) for axis in kind.axes)
        words = [self.text(Kind(dtype, axes), 1) for dtype in dtypes]
        words += [self.axis_text(place), f"with = {self.helper(f'(a, x, b, y) {body}')}"]
        if self.chance(0.5):
            return f"scan({', '.join(words)}{self.reverse()})", [Kind(dtype, axes) for dtype in dtypes]
        axes = axes[:place] + axes[place + 1:]
        return f"reduce({', '.join(words)})", [Kind(dtype, axes) for dtype in dtypes]

    def print(self):
        kind = self.random_kind()
        self.line(f'print("{self.pick(["", "x", "the value of {}"])}", {self.text(kind, 1)});')

    def exchange(self):
        """Emits an atomic operation on elements that no other program changes, and declares the elements before."""
        name = self.pick(["add", "max", "min", "and", "or", "xor", "exchange", "cas"])
        dtypes = ["i32", "i64", "u32", "u64"]
        dtypes += {"add": ["f32", "f64", "f16", "bf16"], "exchange": ["f32", "f64"]}.get(name, [])
        known = [(n, t) for n, t in self.own_tensors() if t.dtype in dtypes]
        if known and self.chance(0.5):
            tensor_name, tensor = self.pick(known)
        else:
            tensor_name, tensor = self.new_result(Kind(self.pick(dtypes), self.random_axes()), "inout")
        indices, axes = self.indices_of(tensor, True)
        kind = Kind(tensor.dtype, axes)
        words = [f"{tensor_name}[{', '.join(indices)}]", *(self.text(kind, 1) for _ in range(1 + (name == "cas")))]
        if tensor_name in self.unsettled:
            self.barrier()
        order = self.pick(["", "", ", order = relaxed", ", order = acquire", ", order = release", ", order = acq_rel"])
        call, result = f"atomic_{name}({', '.join(words)}{order})", self.name("t")
        self.line(f"let {result} = {call};" if self.chance(0.8) else f"{call};")
        if self.frame.lines[-1].lstrip().startswith("let"):
            self.declare(result, kind)
        self.unsettled.add(tensor_name)
        self.stores += 1
