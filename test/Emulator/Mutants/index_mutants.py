"""Mutants of addresses, indices, guards and widths, for ptx_mutants.py; see synchronisation_mutants.py."""

import re

from ptx_text import is_number, replace, spell
from synchronisation_mutants import change_name, change_operand, with_operand, within


def descriptor(lines, instruction):
    """Changes fields of the matrix descriptor of a wgmma (PTX ISA, "Matrix descriptor format")."""
    if instruction.name != "or.b64" or not is_number(instruction.operands[2]):
        return
    bits = int(instruction.operands[2]) % 2**64
    if bits < 2**45:
        return
    leading, stride, mode = bits >> 16 & 0x3FFF, bits >> 32 & 0x3FFF, bits >> 62

    def change(what, flipped):
        value = bits ^ flipped
        return what, change_operand(lines, instruction, 2, str(value - 2**64 if value >= 2**63 else value))

    yield change("start 16 bytes on", 1 if not bits & 1 else 3)
    yield change("start 128 bytes on", 8)
    for other in range(4):
        if other != mode:
            yield change(f"swizzle mode {mode} -> {other}", (mode ^ other) << 62)
    yield change("stride twice", (stride ^ stride * 2 % 2**14) << 32)
    yield change("stride 16 bytes on", (stride ^ (stride + 1)) << 32)
    if leading > 1:  # If unused, the leading offset is 1.
        yield change("leading offset twice", (leading ^ leading * 2 % 2**14) << 16)
    yield change("base offset 1", 1 << 49)


def change_constant(lines, instruction):
    """Changes constants in the arithmetic of an address, an index or a bound."""
    root = instruction.name.split(".")[0]
    operands = instruction.operands
    kinds = ("add", "sub", "and", "or", "xor", "shl", "shr", "mul", "mad", "selp", "min", "max", "bfe", "mov")
    if root not in kinds or re.search(r"\.(f\d+|pred|f16x2)\b", instruction.name):
        return
    if root == "mov" and re.search(r"%(p|f)\d", operands[0]):
        return
    for index in range(1, len(operands)):
        if not is_number(operands[index]):
            continue
        number = int(operands[index])
        if abs(number) >= 2**24:  # Limits far above the positions of a launch.
            continue
        if root == "and" and number > 1 and number & (number + 1) == 0:
            options = {"of half as many": number >> 1}
        elif root in ("and", "xor", "or"):
            changed = number ^ (number & -number or 1) if number not in (1, 0) else number ^ 3
            options = {"lowest bit": changed}
        elif root in ("shl", "shr", "bfe"):
            options = {"+1": number + 1}
        elif root == "selp" and number in (0, 1):
            options = {"flipped": 1 - number}
        elif root == "mov" and number == 0:
            options = {"+": 2**30, "-": -1}  # 2.0 and NaN, if it is a float.
        else:
            # The step is the largest power of two that divides it: the address of a matrix of 1 KiB moves by one
            # matrix.
            step = min(number & -number, 1024) or 1
            options = {"+": number + step, "-": number - step}
        for what, value in options.items():
            yield f"{root} constant {what}", change_operand(lines, instruction, index, str(value))


def stride(lines, instruction):
    """Changes products in index arithmetic: another factor, no addend."""
    name, operands = instruction.name, instruction.operands
    if not re.match(r"(mul\.(lo|wide)|mad\.(lo|wide))\.[su]\d+$", name) or operands[1] == operands[2]:
        return
    if name.startswith("mad"):
        yield "no addend", change_operand(lines, instruction, 3, "0")
    if is_number(operands[2]):
        factor = int(operands[2]) + 1
        yield "another factor", change_operand(lines, instruction, 2, str(factor))
    elif "wide" not in name:
        bits = int(re.search(r"\d+$", name).group())
        yield "another factor", with_operand(lines, instruction, 2, f"add.s{bits}", 1, bits)


RELATIONS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq",
             "ltu": "leu", "leu": "ltu", "gtu": "geu", "geu": "gtu"}


def guard(lines, instruction):
    if instruction.guard and instruction.guard.lstrip("!").startswith("%"):
        other = instruction.guard[1:] if instruction.guard[0] == "!" else "!" + instruction.guard
        yield "negated", within(lines, instruction, [spell(instruction, guard=other)])
        yield "always", within(lines, instruction, [spell(instruction, guard="")])
        yield "never", within(lines, instruction, [])
    if instruction.name in ("and.pred", "or.pred"):
        other = {"and.pred": "or.pred", "or.pred": "and.pred"}[instruction.name]
        yield instruction.name + " -> " + other, change_name(lines, instruction, other)
    if instruction.name == "not.pred":
        yield "not negated", change_name(lines, instruction, "mov.pred")
    match = re.match(r"setp\.(\w+)\.[subf]\d+$", instruction.name)
    if match and match.group(1) in RELATIONS and instruction.operands[0] != "p":
        old, new = match.group(1), RELATIONS[match.group(1)]
        name = instruction.name.replace(f".{old}.", f".{new}.")
        yield f"{old} -> {new}", change_name(lines, instruction, name)


NARROW = {"b128": "b64", "b64": "b32", "b32": "b16", "b16": "b8", "u8": "b8"}


def width(lines, instruction):
    name, operands = instruction.name, instruction.operands
    if match := re.match(r"(ld|st)\.(?:global|shared|param).*\.(b64|b32|b16)$", name):
        kind, bits = match.groups()
        # Sizes, and program numbers passed through shared memory, fit 16 bits in all launches.
        is_number_of_launch = bits == "b32" and (".param" in name or name.endswith(".shared.b32"))
        if is_number_of_launch:
            return
        if ".v" not in name:
            narrow = NARROW[bits]
            yield f"{kind} {bits} -> {narrow}", change_name(lines, instruction, name[: -len(bits)] + narrow)
        elif kind == "st":
            count = int(re.search(r"\.v(\d)", name).group(1))
            vector = operands[1].strip("{}").split(", ")[: count // 2]
            fewer = f".v{count // 2}" if count > 2 else ""
            text = "{" + ", ".join(vector) + "}" if count > 2 else vector[0]
            yield "st of half the vector", within(lines, instruction, [
                spell(instruction, name=name.replace(f".v{count}", fewer), operands=[operands[0], text])])
    if name in ("add.s64", "sub.s64", "mul.lo.s64"):
        # In 32 bits, and extended again.
        a, b = operands[1:]
        second = f"mov.b32 y, {b};" if is_number(b) else f"cvt.u32.u64 y, {b};"
        if not is_number(b) or abs(int(b)) < 2**31:
            yield name + " in 32 bits", within(lines, instruction, [
                "{", ".reg .b32 x, y;", f"cvt.u32.u64 x, {a};", second, f"{name[:-4]}.s32 x, x, y;",
                f"cvt.s64.s32 {operands[0]}, x;", "}"])
    if name == "shl.b64" and is_number(operands[2]):
        yield "shl.b64 in 32 bits", within(lines, instruction, [
            "{", ".reg .b32 x;", f"cvt.u32.u64 x, {operands[1]};", f"shl.b32 x, x, {operands[2]};",
            f"cvt.s64.s32 {operands[0]}, x;", "}"])


def space(lines, instruction):
    """Changes the state space."""
    name = instruction.name
    if match := re.match(r"(ld|st)\.(global|shared)(\.nc)?(?=\.)", name):
        kind, old = match.group(1), match.group(2)
        new = {"global": "shared", "shared": "global"}[old]
        other = f"{kind}.{new}{name[match.end() :]}"
        yield f"{kind}.{old} -> {kind}.{new}", change_name(lines, instruction, other)


CLASSES = {"descriptor": descriptor, "stride": stride, "guard": guard, "width": width, "state space": space}
