"""Mutants of the computations and moves of instructions, for ptx_mutants.py; see synchronisation_mutants.py."""

import re

from ptx_text import is_number, replace, spell, swap
from synchronisation_mutants import change_name, change_operand, change_operands, with_operand, within


def swapped(lines, instruction):
    """Swaps operands of instructions that do not commute."""
    name, operands = instruction.name, instruction.operands
    root = name.split(".")[0]
    if root in ("sub", "div", "rem") or re.match(r"cvt\.\w+\.\w+x2\.f32", name):
        if operands[1] != operands[2]:
            yield root, change_operands(lines, instruction, swap(instruction, 1, 2))
    if root == "selp" and operands[1] != operands[2]:
        yield root, change_operands(lines, instruction, swap(instruction, 1, 2))
    if root in ("mad", "fma") and "wide" not in name and operands[2] != operands[3]:
        yield root, change_operands(lines, instruction, swap(instruction, 2, 3))
    if root in ("prmt", "shf") and operands[1] != operands[2]:
        yield root, change_operands(lines, instruction, swap(instruction, 1, 2))
    if root == "mov" and len(operands) == 2:
        for index in (0, 1):
            if operands[index].startswith("{"):
                parts = swap_vector(operands[index])
                yield "mov of parts", change_operand(lines, instruction, index, parts)
    if root in ("ld", "st", "stmatrix", "ldmatrix"):
        index = 1 if root in ("st", "stmatrix") else 0
        if operands[index].startswith("{") and swap_vector(operands[index]) != operands[index]:
            yield root, change_operand(lines, instruction, index, swap_vector(operands[index]))


def swap_vector(text, first=0, second=1):
    """Returns a vector with two of its registers exchanged."""
    parts = [part.strip() for part in text.strip("{}").split(",")]
    parts[first], parts[second] = parts[second], parts[first]
    return "{" + ", ".join(parts) + "}"


def product(lines, instruction):
    name, operands = instruction.name, instruction.operands
    if not name.startswith("wgmma.mma_async"):
        return
    flags = len(operands) - 4  # Index after D, A, B and the predicate
    for index, what in ((4, "sign of A"), (5, "sign of B")):
        yield what, change_operand(lines, instruction, index, "-1")
    a_in_registers = operands[1].startswith("{")
    for index in range(6, 4 + flags):
        what = "transposition of B" if a_in_registers or index == 7 else "transposition of A"
        yield what, change_operand(lines, instruction, index, str(1 - int(operands[index])))
    yield "D registers", change_operand(lines, instruction, 0, swap_vector(operands[0]))
    if a_in_registers:
        yield "A registers", change_operand(lines, instruction, 1, swap_vector(operands[1], 1, 2))
    elif operands[1] != operands[2]:
        yield "A and B", change_operands(lines, instruction, swap(instruction, 1, 2))
    block = lines[instruction.first : instruction.end]
    for place, line in enumerate(block):
        if match := re.search(r"setp\.ne\.b32 p, ([01]), 0;", line):
            block = [*block]
            block[place] = line.replace(f"p, {match.group(1)}, 0", f"p, {1 - int(match.group(1))}, 0")
            yield "D kept or not", block
            break
    for old, new in (("bf16.bf16", "f16.f16"), ("f16.f16", "bf16.bf16"), ("e4m3.e4m3", "e5m2.e4m3")):
        if name.endswith("." + old):
            yield "element type", change_name(lines, instruction, name[: -len(old)] + new)


def lane(lines, instruction):
    name, operands = instruction.name, instruction.operands
    if name.startswith("shfl"):
        # Lane 0 sends the number of the warp, which each lane already knows.
        if is_number(operands[2]) and "idx" not in name:
            by = int(operands[2])
            yield "another lane", change_operand(lines, instruction, 2, str(by * 2 or 1))
        if "bfly" in name:
            yield "bfly -> idx", change_name(lines, instruction, name.replace("bfly", "idx"))
            yield "not at all", within(lines, instruction, [f"\tmov.b32 \t{operands[0]}, {operands[1]};"])
        if is_number(operands[4]):
            yield "mask", change_operand(lines, instruction, 4, "65535")
    if name.startswith("elect"):
        pair = operands[0].split("|")
        yield "nobody", [f"\tsetp.ne.b32 \t{pair[1]}, 0, 0;"]
        yield "everybody", [f"\tsetp.eq.b32 \t{pair[1]}, 0, 0;"]
    if name.startswith(("stmatrix", "ldmatrix")):
        yield "transposed", change_name(lines, instruction, name.replace(".trans", "") if ".trans" in name
                                        else name.replace(".shared", ".trans.shared"))


def copy(lines, instruction):
    """Changes coordinates, addresses, barriers and masks of copies."""
    name, operands = instruction.name, instruction.operands
    if ".tensor." in name:
        index = next(n for n, operand in enumerate(operands) if "{" in operand)
        map_name, coordinates = re.fullmatch(r"\[(\S+), \{(.*)\}\]", operands[index]).groups()
        parts = coordinates.split(", ")
        for place in range(len(parts) - 1):
            if parts[place] != parts[place + 1]:
                text = swap_vector("{" + coordinates + "}", place, place + 1)
                box = f"[{map_name}, {text}]"
                yield "coordinates", change_operand(lines, instruction, index, box)
        for place in range(len(parts)):
            moved = ["mutant" if n == place else part for n, part in enumerate(parts)]
            box = f"[{map_name}, {{{', '.join(moved)}}}]"
            text = spell(instruction, operands=replace(instruction, index, box))
            start = [".reg .b32 mutant;", f"mov.b32 mutant, {parts[place]};", "add.s32 mutant, mutant, 1;"]
            yield "coordinate +1", within(lines, instruction, ["{", *start, text, "}"])
        yield "twice", [*lines[instruction.first : instruction.end]] * 2
        yield "delete", []
        if ".multicast" in name:
            yield "mask", with_operand(lines, instruction, len(operands) - 1, "shr.u16", 1, 16)
        for place, operand in enumerate(operands):
            if match := re.fullmatch(r"\[(%r\d+)\]", operand):
                what = "address" if place == 0 or "global.shared" in name else "barrier"
                for change in ((128,) if what == "address" else (8, -8)):
                    other = f"[{match.group(1)}+{change}]"
                    yield f"{what} {change:+}", change_operand(lines, instruction, place, other)
    if name.startswith("cp.reduce"):
        plain = re.sub(r"\.add\b", "", name.replace("cp.reduce", "cp"))
        yield "no reduction", change_name(lines, instruction, plain)
    if re.match(r"cp\.async\.c[ag]\.", name):
        yield "delete", []
        if len(operands) > 3:
            yield "size of the source", change_operands(lines, instruction, operands[:3])
        if match := re.fullmatch(r"\[(%r\w+)(?:\+\d+)?\]", operands[0]):
            yield "address +16", change_operand(lines, instruction, 0, f"[{match.group(1)}+16]")
    if re.match(r"red\..*add\.f32$", name) and ".v" not in name:
        yield "stored, not added", change_name(lines, instruction, "st.global.b32")
    if name.startswith(("st.shared", "stmatrix", "st.global", "ld.shared")):
        index = 1 if name.startswith("ld") else 0
        if match := re.fullmatch(r"\[(%\w+)((?:\+-?\d+)?)\]", operands[index]):
            by = 16 if "matrix" in name or ".v4" in name else 4 if "32" in name else 2
            offset = int(match.group(2) or 0) + by
            other = f"[{match.group(1)}+{offset}]"
            yield f"{name.split('.')[0]} offset", change_operand(lines, instruction, index, other)


def conversion(lines, instruction):
    name = instruction.name
    if not name.startswith("cvt."):
        return
    pairs = (("bf16x2", "f16x2"), ("bf16", "f16"), ("e4m3x2", "e5m2x2"))
    for old, new in [*pairs, *((new, old) for old, new in pairs)]:
        if re.search(rf"\.{old}(\.|$)", name):
            other = re.sub(rf"\.{old}(?=\.|$)", f".{new}", name)
            yield "another type", change_name(lines, instruction, other)
            break
    if ".rn." in name:
        down = name.replace(".rn.", ".rz.").replace(".satfinite", "")
        yield "rounded down", change_name(lines, instruction, down)


CLASSES = {"swapped operands": swapped, "product": product, "lane": lane, "copy": copy,
           "conversion": conversion}
