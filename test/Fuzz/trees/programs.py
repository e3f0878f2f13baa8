# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the language as trees, and their text. A tree is a list of statements with one operation each."""

import collections
import dataclasses
import re

import numpy as np


@dataclasses.dataclass
class Parameter:
    """A tensor, or a scalar if it has no dimensions; `data` selects its elements."""

    name: str
    dtype: str
    dims: list
    access: str = "in"
    data: str = "integers"


@dataclasses.dataclass
class Axis:
    """An axis of the grid: a range of tiles, or an integer if there is no tile."""

    name: str
    size: str
    tile: str | None = None


@dataclasses.dataclass
class Let:
    """`let name = op(args)`; the keyword `var` declares, and an empty keyword assigns."""

    name: str
    op: str
    args: list
    keyword: str = "let"


@dataclasses.dataclass
class Load:
    """A load. An index is a range, perhaps moved ("3 + m", "s + m"), an integer by name or in digits, a tile of
    positions, or ":"."""

    name: str
    parameter: str
    indices: list
    fill: str = ""


@dataclasses.dataclass
class Store:
    parameter: str
    indices: list
    value: str
    is_atomic: bool = False
    # Whether the store is in a called function.
    is_called: bool = False
    # An atomic operation: its name, its order, and the name of the elements before it.
    function: str = "add"
    order: str = ""
    old: str = ""


@dataclasses.dataclass
class Effect:
    """A statement without a result: a check, a print, or the end of a loop."""

    kind: str
    args: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Barrier:
    """A barrier: elements stored before it may be loaded after it."""


@dataclasses.dataclass
class If:
    condition: str
    body: list
    other: list


@dataclasses.dataclass
class Function:
    """A function: `let x = call(name, args)` computes the operations of its body; `types` are "" or "f32[..]"."""

    name: str
    parameters: list
    types: list
    body: list
    result: str


@dataclasses.dataclass
class Loop:
    """A loop over the tiles of a size, over a part of them, or from `start` or up to `limit`; without a tile, over
    integers in steps."""

    name: str
    size: str
    tile: str | None
    body: list
    part: str = ""
    limit: str = ""
    start: str = ""
    step: int = 1
    # "while": a `while` that counts; a bool or a limit of integers: the condition of a `for … while`.
    condition: str = ""

    @property
    def is_while(self):
        return self.condition == "while"

    @property
    def over(self):
        if self.tile is None:
            return f"range({self.start or 0}, {self.size}{f', {self.step}' if self.step > 1 else ''})"
        low = f"{self.start}, " if self.start else ""
        return f"tiles({low}{self.limit or self.size}, {self.tile}{self.part})"


def blocks(statement):
    """Returns the lists of statements in a statement."""
    if isinstance(statement, Loop):
        return [statement.body]
    return [statement.body, statement.other] if isinstance(statement, If) else []


@dataclasses.dataclass
class Program:
    sizes: dict
    tiles: dict
    parameters: list
    grid: list
    schedule: dict
    body: list
    # Sizes that are `int` parameters, since no tensor has them.
    counts: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    # Whether exponentials keep their base.
    keeps_bases: bool = False


# The data of parameters: low, high, step.
DATA = {
    "integers": (-4.0, 4.0, 0),
    "bits": (0.0, 1.0, 0),
    "quarters": (-1.0, 1.0, -2),
    "reals": (-3.0, 3.0, None),
    "zeros": (0.0, 0.0, 0),
    "positions": (-2.0, 20.0, 0),
    "naturals": (0.0, 7.0, 0),
}


INTEGERS = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u64": np.uint64, "u32": np.uint32,
            "u16": np.uint16, "u8": np.uint8, "int": np.int64, "bool": np.bool_}


def fill(parameter, shape, generator):
    """Returns random elements, in a type that can represent those of the parameter."""
    low, high, step = DATA[parameter.data]
    if parameter.dtype in INTEGERS:
        return INTEGERS[parameter.dtype](generator.integers(int(low), int(high) + 1, shape))
    if step is None:
        return np.float32(np.clip(generator.standard_normal(shape), low, high))
    scale = 2.0**step
    return np.float32(generator.integers(round(low / scale), round(high / scale) + 1, shape) * scale)


# The text of operations.
SPELLING = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "fma": "fma({}, {}, {})",
    "div": "{} / (abs({}) + 1.0)", "max": "max({}, {})", "min": "min({}, {})", "neg": "-{}", "abs": "abs({})",
    "exp": "exp({})", "tanh": "tanh({})", "sigmoid": "sigmoid({})", "erf": "erf({})",
    "rsqrt": "rsqrt(abs({}) + 1.0)", "sqrt": "sqrt(abs({}) + 1.0)", "log": "log(abs({}) + 1.0)",
    "floor": "floor({})", "lt": "{} < {}", "ge": "{} >= {}", "eq": "{} == {}", "both": "{} && {}",
    "either": "{} || {}", "where": "where({}, {}, {})", "cast": "{} as {}", "sum": "sum({}, axis = {})",
    "most": "max({}, axis = {})", "least": "min({}, axis = {})", "cumsum": "cumsum({}, axis = {})",
    "cumsum_back": "cumsum({}, axis = {}, reverse = true)", "dot": "{} @ {}", "transpose": "{}.T", "same": "{}",
    "index": "{}.index", "valid": "{}.valid", "full": "full({}[{}], {})", "start": "{}.start", "end": "{}.end",
    "choose": "if {} {{ {} }} else {{ {} }}", "number": "{} as {}",
    "tile": "tile({}, {}, {})", "exp2": "exp2({})", "log2": "log2(abs({}) + 1.0)", "ceil": "ceil({})",
    # Operations of more.py.
    "sign": "sign({})", "round": "round({})", "trunc": "trunc({})", "copysign": "copysign({}, {})",
    "fmod": "fmod({}, 3.0)", "isnan": "isnan({})", "isinf": "isinf({})", "isfinite": "isfinite({})", "sin": "sin({})",
    "cos": "cos({})", "atan": "atan({})", "log1p": "log1p(abs({}))", "expm1": "expm1(min({}, 1.0))",
    "cbrt": "cbrt(abs({}) + 1.0)", "sinh": "sinh(min(max({}, -2.0), 2.0))", "cosh": "cosh(min(max({}, -2.0), 2.0))",
    "tan": "tan(min(max({}, -1.0), 1.0))", "asin": "asin(0.5 * min(max({}, -1.0), 1.0))",
    "acos": "acos(0.5 * min(max({}, -1.0), 1.0))", "atan2": "atan2({}, abs({}) + 1.0)",
    "pow": "pow(abs({}) + 1.0, 0.5)", "relu": "relu({})", "leaky": "leaky_relu({}, 0.25)", "gelu": "gelu({})",
    "silu": "silu({})", "gelu_tanh": "gelu_tanh({})", "exp_f64": "exp_f64(min({}, 4.0))", "popcount": "popcount({})",
    "clz": "clz({})", "mulhi": "mulhi({}, {})", "and": "{} & {}", "or": "{} | {}", "xor": "{} ^ {}", "shl": "{} << 1",
    "shr": "{} >> 2", "complement": "~{}", "quotient": "{} / 3", "remainder": "{} % 5",
    "bits": 'bits(asm(i32, "not.b32 $0, $1;", ~bits({0}, i32)), f32)', "flip": "flip({}, axis = {})", "sort": "sort({}, axis = {})",
    "sort_down": "sort({}, axis = {}, descending = true)", "argsort": "argsort({}, axis = {})",
    "cummax": "cummax({}, axis = {})", "cummin": "cummin({}, axis = {}, reverse = true)",
    "cumprod": "cumprod({}, axis = {})", "scan_sum": "scan({}, axis = {}, with = sum_of)",
    "scan_last": "scan({}, axis = {}, with = later)", "scan_pair": "places_of_most({}, {})",
    "argmax": "argmax({}, axis = {})", "argmin": "argmin({}, axis = {})", "prod": "prod({}, axis = {})",
    "any": "any({}, axis = {})", "all": "all({}, axis = {})", "reduce_sum": "reduce({}, axis = {}, with = sum_of)",
    "reduce_last": "reduce({}, axis = {}, with = later)", "reduce_pair": "place_of_most({}, {})",
    "swapped": "swapped({})", "turned": "permute(permute({}, 1, 0), 1, 0)", "applied": "applied({}, abs)",
    "uniform": "uniform(7, {})", "random_bits": "random_bits(0x12345, {}) >> 12",
    "dropout": "dropout({}, 0.5, 11, {})", "dot_tf32": "({} as tf32) @ ({} as tf32)",
}  # fmt: skip

# Atomic operations of integers.
ATOMIC = ["add", "max", "min", "exchange", "and", "or", "xor"]
# Functions that operations call, in the order of their declaration.
FUNCTIONS = {
    "sum_of": "(a, b) { return a + b; }",
    "later": "(a, b) { return b; }",
    "greater": "(v, i, w, j) { let is_greater = w > v; return where(is_greater, w, v), where(is_greater, j, i); }",
    "swapped": "(x) { let a, b = split(x); return join(b, a); }",
    "applied": "(x, f) { return f(x); }",
    "places_of_most": """(x, axis: int) {
  let most, places = scan(x, cumsum(bits_of_ones(x), axis = axis) - 1, axis = axis, with = greater);
  return places;
}""",
    "place_of_most": """(x, axis: int) {
  let most, place = reduce(x, cumsum(bits_of_ones(x), axis = axis) - 1, axis = axis, with = greater);
  return place;
}""",
    "bits_of_ones": "(x) { return where(x == x, 1, 1); }",
    "top_values": "(x, k: int, axis: int) { let values, _positions = top(x, k, axis = axis); return values; }",
    "top_positions": """(x, k: int, axis: int) {
  let _values, positions = top(x, k, axis = axis, descending = false);
  return positions;
}""",
}
LIBRARY = {
    "activations": ["relu", "leaky_relu", "gelu", "silu", "gelu_tanh"], "doubles": ["exp_f64"],
    "random": ["uniform", "random_bits", "dropout"],
}


def uses_of(text):
    """Yields the fns and the uses of the standard library that a text needs."""
    needed, added = {}, True
    while added:
        added = False
        for name, body in FUNCTIONS.items():
            if name not in needed and re.search(rf"\b{name}\b", text):
                needed[name] = added = True
                text += body
    for path, names in LIBRARY.items():
        if called := [name for name in names if re.search(rf"\b{name}\(", text)]:
            yield f'use "std/{path}.tile" ({", ".join(called)});'
    yield from (f"fn {name}{FUNCTIONS[name]}" for name in FUNCTIONS if name in needed)


def write_number(number, dtype):
    return str(int(number)) if dtype in INTEGERS else repr(float(number))


# Operations whose last operand is an axis or a type.
AXIS_OPERATIONS = ("sum", "most", "least", "cumsum", "cumsum_back", "expand", "cast", "number", "flip", "sort",
                   "sort_down", "argsort", "cummax", "cummin", "cumprod", "scan_sum", "scan_last", "scan_pair",
                   "argmax", "argmin", "prod", "any", "all", "reduce_sum", "reduce_last", "reduce_pair")
# Operations whose operands other than the first are numbers or names of extents.
SHAPE_OPERATIONS = ("reshape", "part", "repeat", "top_values", "top_positions")


def write_expression(let, dtype, rank, extent_names):
    """Returns the text of an operation on operands of a type and a rank."""
    args = list(let.args)
    if let.op == "expand":
        places = [":"] * rank
        places.insert(args[1], "_")
        return f"{args[0]}[{', '.join(places)}]"
    if let.op == "full":
        extents = ", ".join(extent_names.get(axis, axis) for axis in args[1])
        return f"full({args[0]}[{extents}], {write_number(args[2], dtype)})"
    if let.op == "reshape":
        return f"reshape({args[0]}, {', '.join(extent_names.get(axis, axis) for axis in args[1])})"
    if let.op == "part":
        places = [":"] * rank
        places[args[1]] = f"{args[2]}:{args[2]} + {args[3]}"
        return f"{args[0]}[{', '.join(places)}]"
    if let.op == "repeat":
        return f"concat({args[0]}, {args[0]}, axis = {args[1]})"
    if let.op in ("top_values", "top_positions"):
        return f"{let.op}({args[0]}, {args[2]}, {args[1]})"
    if let.op == "tile":
        return SPELLING["tile"].format(*args)
    if let.op == "call":
        return f"{args[0]}({', '.join(args[1:])})"
    if let.op in AXIS_OPERATIONS:
        return SPELLING[let.op].format(*args)
    return SPELLING[let.op].format(*(arg if isinstance(arg, str) else write_number(arg, dtype) for arg in args))


def write_statement(statement, texts):
    """Returns the text of a statement, or the head of a statement that contains others."""
    if isinstance(statement, Let):
        keyword = f"{statement.keyword} " if statement.keyword else ""
        return f"{keyword}{statement.name} = {texts[id(statement)]};"
    if isinstance(statement, Load):
        access = f"{statement.parameter}[{', '.join(statement.indices)}]"
        value = f"load({access}, fill = {statement.fill})" if statement.fill else access
        return f"let {statement.name} = {value};"
    if isinstance(statement, Store):
        if statement.is_called:
            words = [statement.parameter, *statement.indices, statement.value]
            return f"put{len(statement.indices)}({', '.join(words)});"
        access = f"{statement.parameter}[{', '.join(statement.indices)}]"
        if not statement.is_atomic:
            return f"{access} = {statement.value};"
        order = f", order = {statement.order}" if statement.order else ""
        call = f"atomic_{statement.function}({access}, {statement.value}{order});"
        return f"let {statement.old} = {call}" if statement.old else call
    if isinstance(statement, Effect):
        return {"break": "break;", "check": "check ({0}) || !({0}), \"always\";", "print": "print(\"value\", {0});"}[
            statement.kind].format(*statement.args)
    if isinstance(statement, Loop):
        if statement.is_while:
            return f"while {statement.name} < {statement.size} {{"
        condition = f" while {statement.condition}" if statement.condition else ""
        return f"for {statement.name} in {statement.over}{condition} {{"
    return f"if {statement.condition} {{" if isinstance(statement, If) else "barrier();"


def write_body(depth, body, texts):
    indent = "  " * depth
    for statement in body:
        is_while = isinstance(statement, Loop) and statement.is_while
        if is_while:
            yield f"{indent}var {statement.name} = {statement.start or 0};"
        yield indent + write_statement(statement, texts)
        for number, inner in enumerate(blocks(statement)):
            if number and inner:
                yield f"{indent}}} else {{"
            yield from write_body(depth + 1, inner, texts)
        if is_while:
            yield f"{indent}  {statement.name} += {statement.step};"
        if blocks(statement):
            yield f"{indent}}}"


def called_stores(body):
    """Yields the numbers of indices of stores in called functions."""
    for statement in body:
        if isinstance(statement, Store) and statement.is_called:
            yield len(statement.indices)
        for inner in blocks(statement):
            yield from called_stores(inner)


def write(program, texts):
    """Returns the text of a program; `texts` are those of its operations, from an analysis."""
    lines = []
    for function in program.functions:
        words = [f"{name}: {dtype}" if dtype else name for name, dtype in zip(function.parameters, function.types)]
        lines += [f"fn {function.name}({', '.join(words)}) {{", *write_body(1, function.body, texts),
                  f"  return {function.result};", "}", ""]
    for rank in sorted(set(called_stores(program.body))):
        indices = ", ".join(f"i{number}" for number in range(rank))
        lines += [f"fn put{rank}(y, {indices}, value) {{", f"  y[{indices}] = value;", "}", ""]
    # Every second tile has values to choose from, unless a dimension names it. Engines take the default.
    dims = {word for parameter in program.parameters for dim in parameter.dims for word in re.findall(r"\w+", dim)}
    constants = ", ".join(
        f"{name}: int{f' in {{{value}, {2 * value}}}' if number % 2 and name not in dims else ''} = {value}"
        for number, (name, value) in enumerate(program.tiles.items()))
    parameters = []
    for parameter in program.parameters:
        access = "" if parameter.access == "in" else parameter.access + " "
        dims = f"[{', '.join(parameter.dims)}]" if parameter.dims else ""
        parameters.append(f"{access}{parameter.name}: {parameter.dtype}{dims}")
    parameters += [f"{name}: int" for name in program.counts]
    lines.append(f"kernel k{f'<{constants}>' if constants else ''}({', '.join(parameters)})")
    if program.grid:
        axes = [f"{axis.name} in {axis.size}" if axis.tile is None else
                f"{axis.name} in tiles({axis.size}, {axis.tile})" for axis in program.grid]
        lines.append(f"  grid ({', '.join(axes)})")
    if program.schedule:
        hints = [name if value is True else f"{name} = {value}" for name, value in program.schedule.items()]
        lines.append(f"  schedule ({', '.join(hints)})")
    if program.keeps_bases:
        lines.append("  numerics (fold_exp2 = false)")
    text = "\n".join([*lines, "{", *write_body(1, program.body, texts), "}"]) + "\n"
    return "".join(f"{line}\n" for line in uses_of(text)) + text


def index_words(indices):
    return [word for index in indices for word in index.split()]


def used_names(body):
    """Returns the names of values that statements read, except variables that only feed themselves."""
    used = collections.Counter()
    for statement in body:
        if isinstance(statement, Let):
            used.update({arg for arg in statement.args
                         if isinstance(arg, str) and (statement.keyword or arg != statement.name)})
        elif isinstance(statement, Load):
            used.update(index_words(statement.indices))
        elif isinstance(statement, Store):
            used.update([statement.value, *index_words(statement.indices)])
        elif isinstance(statement, Effect):
            used.update(statement.args)
        elif isinstance(statement, Loop):
            used.update([statement.start, statement.limit, *statement.condition.split()])
        elif isinstance(statement, If):
            used.update([statement.condition])
        for inner in blocks(statement):
            used.update(used_names(inner))
    return used


def drop_unused(body, used):
    """Drops statements whose results are unused; returns whether there were any."""
    count = len(body)
    body[:] = [s for s in body if not (isinstance(s, (Let, Load)) and s.name not in used)]
    dropped = len(body) < count
    for statement in body:
        for inner in blocks(statement):
            dropped |= drop_unused(inner, used)
    count = len(body)
    body[:] = [s for s in body if not blocks(s) or any(blocks(s))]
    return dropped or len(body) < count
