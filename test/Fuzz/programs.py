# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the language as trees: lists of statements, of one operation each, and their text."""

import collections
import dataclasses

import numpy as np


@dataclasses.dataclass
class Parameter:
    """A tensor, or a scalar if it has no dimensions; `data` says how it is filled."""

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
    """`let name = op(args)`; keyword `var` declares, and `` assigns."""

    name: str
    op: str
    args: list
    keyword: str = "let"


@dataclasses.dataclass
class Load:
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


@dataclasses.dataclass
class Loop:
    """Over the tiles of a size, a part of them, or those up to `limit`; without a tile, integers."""

    name: str
    size: str
    tile: str | None
    body: list
    part: str = ""
    limit: str = ""


@dataclasses.dataclass
class Program:
    sizes: dict
    tiles: dict
    parameters: list
    grid: list
    schedule: dict
    body: list
    # Sizes that are given as `int` parameters, since no tensor has them.
    counts: list = dataclasses.field(default_factory=list)


# The data that parameters are filled with: low, high, step.
DATA = {
    "integers": (-4.0, 4.0, 0),
    "bits": (0.0, 1.0, 0),
    "quarters": (-1.0, 1.0, -2),
    "reals": (-3.0, 3.0, None),
    "zeros": (0.0, 0.0, 0),
}


def fill(parameter, shape, generator):
    """Random elements, in a type that holds those of the parameter."""
    low, high, step = DATA[parameter.data]
    if parameter.dtype == "i32":
        return generator.integers(int(low), int(high) + 1, shape).astype(np.int32)
    if step is None:
        return np.clip(generator.standard_normal(shape), low, high).astype(np.float32)
    scale = 2.0**step
    return (generator.integers(round(low / scale), round(high / scale) + 1, shape) * scale).astype(np.float32)


# How operations are written.
SPELLING = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "fma": "fma({}, {}, {})",
    "div": "{} / (abs({}) + 1.0)", "max": "max({}, {})", "min": "min({}, {})", "neg": "-{}", "abs": "abs({})",
    "exp": "exp({})", "tanh": "tanh({})", "sigmoid": "sigmoid({})", "erf": "erf({})",
    "rsqrt": "rsqrt(abs({}) + 1.0)", "sqrt": "sqrt(abs({}) + 1.0)", "log": "log(abs({}) + 1.0)",
    "floor": "floor({})", "lt": "{} < {}", "ge": "{} >= {}", "eq": "{} == {}", "both": "{} && {}",
    "either": "{} || {}", "where": "where({}, {}, {})", "cast": "{} as {}", "sum": "sum({}, axis = {})",
    "most": "max({}, axis = {})", "least": "min({}, axis = {})", "cumsum": "cumsum({}, {})",
    "cumsum_back": "cumsum({}, {}, reverse = true)", "dot": "{} @ {}", "transpose": "{}.T", "same": "{}",
    "index": "{}.index", "valid": "{}.valid", "full": "full({}[{}], {})",
}  # fmt: skip


def write_number(number, dtype):
    return str(int(number)) if dtype in ("i32", "int") else repr(float(number))


# Operations whose last operand is an axis or a type.
AXIS_OPERATIONS = ("sum", "most", "least", "cumsum", "cumsum_back", "expand", "cast")


def write_expression(let, dtype, rank, extent_names):
    """The text of an operation on operands of a type and a rank."""
    args = list(let.args)
    if let.op == "expand":
        places = [":"] * rank
        places.insert(args[1], "_")
        return f"{args[0]}[{', '.join(places)}]"
    if let.op == "full":
        extents = ", ".join(extent_names.get(axis, axis) for axis in args[1])
        return f"full({args[0]}[{extents}], {write_number(args[2], dtype)})"
    if let.op in AXIS_OPERATIONS:
        return SPELLING[let.op].format(*args)
    return SPELLING[let.op].format(*(arg if isinstance(arg, str) else write_number(arg, dtype) for arg in args))


def write(program, texts):
    """The text of a program; `texts` are those of its operations, which an analysis finds."""
    lines = []

    def put(depth, body):
        indent = "  " * depth
        for statement in body:
            if isinstance(statement, Let):
                keyword = f"{statement.keyword} " if statement.keyword else ""
                lines.append(f"{indent}{keyword}{statement.name} = {texts[id(statement)]};")
            elif isinstance(statement, Load):
                access = f"{statement.parameter}[{', '.join(statement.indices)}]"
                value = f"load({access}, fill = {statement.fill})" if statement.fill else access
                lines.append(f"{indent}let {statement.name} = {value};")
            elif isinstance(statement, Store):
                access = f"{statement.parameter}[{', '.join(statement.indices)}]"
                lines.append(f"{indent}atomic_add({access}, {statement.value});" if statement.is_atomic
                             else f"{indent}{access} = {statement.value};")
            elif isinstance(statement, Loop):
                over = (f"range(0, {statement.size})" if statement.tile is None else
                        f"tiles({statement.limit or statement.size}, {statement.tile}{statement.part})")
                lines.append(f"{indent}for {statement.name} in {over} {{")
                put(depth + 1, statement.body)
                lines.append(f"{indent}}}")

    constants = ", ".join(f"{name}: int = {value}" for name, value in program.tiles.items())
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
    lines.append("{")
    put(1, program.body)
    lines.append("}")
    return "\n".join(lines) + "\n"


def used_names(body):
    """The names of values that statements read, but for variables that only feed themselves."""
    used = collections.Counter()
    for statement in body:
        if isinstance(statement, Let):
            used.update({arg for arg in statement.args if isinstance(arg, str) and (statement.keyword or arg != statement.name)})
        elif isinstance(statement, Load):
            used.update(statement.indices)
        elif isinstance(statement, Store):
            used.update([statement.value, *statement.indices])
        elif isinstance(statement, Loop):
            used.update(used_names(statement.body))
    return used


def drop_unused(body, used):
    """Drops statements that compute what nobody reads; says whether there were any."""
    count = len(body)
    body[:] = [s for s in body if not (isinstance(s, (Let, Load)) and s.name not in used)]
    dropped = len(body) < count
    for statement in body:
        if isinstance(statement, Loop):
            dropped |= drop_unused(statement.body, used)
    count = len(body)
    body[:] = [s for s in body if not (isinstance(s, Loop) and not s.body)]
    return dropped or len(body) < count
