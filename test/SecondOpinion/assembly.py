# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`asm`: some instructions of PTX, each as an expression of the language. Others are not judged."""

import re

import numpy as np

from . import bounds, elements
from .functions import bits, fma, where
from .operations import binary, cast, complement, meet
from .problems import NotUnderstood, Undecided
from .syntax import Text
from .values import Tile, Type

STATEMENT = re.compile(r"(?:@(!?)(\w+)\s+)?([a-z]\w*(?:\.\w+)*)\s+(.+)")
DECLARATION = re.compile(r"\.reg\s+\.\w+\s+(\w+)")
RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# An i8 is in a register of 16 bits.
REGISTERS = {"i8": "i16", "u8": "u16"}


def lop3(x, y, z, table):
    """Returns the bits that the table has for the bits of x, y and z; x selects the upper half."""
    _, words = meet((x, y, z))
    number, result = int(table.data), 0
    for case in range(8):
        if number >> case & 1:
            chosen = [word if case >> place & 1 else ~word for word, place in zip(words, (2, 1, 0))]
            result = result | chosen[0] & chosen[1] & chosen[2]
    return Tile("i32", np.asarray(result, np.int32), 0.0)


def reciprocal(x):
    """Returns 1 / x within two units in the last place. Small numbers, which are flushed, are not judged."""
    result = binary("/", 1.0, x)
    for data in (x.data, result.data):
        if ((data != 0) & (np.abs(data) < 2.0**-125)).any():
            raise Undecided("the reciprocal of a number near the limits")
    return Tile("f32", result.data, result.error + 2.0 * bounds.unit("f32", bounds.size(result.data)), x.mask)


def absolute(x):
    return binary("max", x, binary("-", 0, x))


# The type of the operands and of the result, and the function.
INSTRUCTIONS = {
    "add.f32": ("f32", lambda x, y: binary("+", x, y)),
    "sub.f32": ("f32", lambda x, y: binary("-", x, y)),
    "mul.f32": ("f32", lambda x, y: binary("*", x, y)),
    "fma.rn.f32": ("f32", fma),
    "mov.f32": ("f32", lambda x: x),
    "rcp.approx.ftz.f32": ("f32", reciprocal),
    "add.s32": ("i32", lambda x, y: binary("+", x, y)),
    "sub.s32": ("i32", lambda x, y: binary("-", x, y)),
    "mul.lo.s32": ("i32", lambda x, y: binary("*", x, y)),
    "min.s32": ("i32", lambda x, y: binary("min", x, y)),
    "max.s32": ("i32", lambda x, y: binary("max", x, y)),
    "max.u32": ("u32", lambda x, y: binary("max", x, y)),
    "abs.s32": ("i32", absolute),
    "lop3.b32": ("i32", lop3),
    **{f"mov.b{8 * size}": (f"i{8 * size}", lambda x: x) for size in (2, 4, 8)},
    **{f"{name}.b{8 * size}": (f"i{8 * size}", lambda x, y, sign=sign: binary(sign, x, y))
       for name, sign in (("and", "&"), ("or", "|"), ("xor", "^")) for size in (2, 4, 8)},
    **{f"not.b{8 * size}": (f"i{8 * size}", complement) for size in (2, 4, 8)},
}


def typed(value, dtype):
    """Returns a register as a tile of a type of its width."""
    return value if value.dtype == dtype else bits(value, Type(dtype))


def number(text, dtype):
    """Returns a constant operand."""
    carrier = elements.carrier(dtype)
    if dtype in elements.FLOATS:
        data = np.array(int(text[2:], 16), np.uint32).view(np.float32) if text.startswith("0f") else np.array(float(text), carrier)
    else:
        data = np.array(int(text, 0) & (2 ** (8 * np.dtype(carrier).itemsize) - 1)).astype(carrier)
    return Tile(dtype, data)


def run(text, registers):
    """Executes the statements of a text."""
    for statement in text.replace("{", ";").replace("}", ";").split(";"):
        statement = statement.strip()
        if not statement or DECLARATION.fullmatch(statement):
            continue
        match = STATEMENT.fullmatch(statement)
        if not match:
            raise NotUnderstood(f"`{statement}`")
        negated, guard, name, operands = match.groups()
        target, *sources = [operand.strip() for operand in operands.split(",")]
        parts = name.split(".")
        if parts[0] == "setp" and len(parts) == 3 and parts[1] in RELATIONS and parts[2] in ("f32", "s32", "u32"):
            dtype, compute = parts[2].replace("s", "i"), lambda x, y: binary(RELATIONS[parts[1]], x, y)
        elif name in INSTRUCTIONS:
            dtype, compute = INSTRUCTIONS[name]
        else:
            raise NotUnderstood(f"`{name}` in `asm`")
        result = compute(*(typed(registers[s], dtype) if s in registers else number(s, dtype) for s in sources))
        if guard:
            kept = typed(registers[target], result.dtype)
            result = where(registers[guard], *((kept, result) if negated else (result, kept)))
        registers[target] = result


def assemble(node, evaluate):
    """Evaluates a call of `asm`."""
    kind = evaluate(node.arguments[0]) if node.arguments else None
    texts = [a.text for a in node.arguments if type(a) is Text]
    if node.named or type(kind) is not Type or kind.shape is not None or not texts:
        raise NotUnderstood("wrong arguments of asm")
    registers = {}
    for place, argument in enumerate(node.arguments[1 + len(texts):]):
        value = evaluate(argument)
        if type(value) in (int, float):
            value = cast(value, "i32" if type(value) is int else "f32")
        if type(value) is not Tile or value.dtype in ("bool", *elements.F8):
            raise NotUnderstood(f"asm of {value!r}")
        registers[f"${place + 1}"] = cast(value, REGISTERS.get(value.dtype, value.dtype))
    run("\n".join(texts), registers)
    if "$0" not in registers:
        raise NotUnderstood("asm without a result")
    return cast(typed(registers["$0"], REGISTERS.get(kind.name, kind.name)), kind.name)
