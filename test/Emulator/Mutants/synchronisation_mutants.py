"""Mutants of the synchronisation of threads and asynchronous operations, for ptx_mutants.py.

Each function takes an instruction of ptx_text.py and yields a description and replacement lines. They replace the
lines `first` to `end`, since the block of an instruction of inline assembly is replaced as a whole; a third value is
another range.
"""

import re

from ptx_text import is_number, replace, spell


def with_operand(lines, instruction, index, operator, number, bits=32):
    """Returns the block of an instruction with an operand that is computed from the original one."""
    old = instruction.operands[index]
    own = instruction.line - instruction.first
    inner = [*lines[instruction.first : instruction.end]]
    inner[own] = spell(instruction, operands=replace(instruction, index, "mutant"))
    return ["{", f".reg .b{bits} mutant;", f"{operator} mutant, {old}, {number};", *inner, "}"]


def within(lines, instruction, text):
    """Returns the block of an instruction with other lines in its place."""
    own = instruction.line - instruction.first
    inner = [*lines[instruction.first : instruction.end]]
    return inner[:own] + text + inner[own + 1 :]


def change_operands(lines, instruction, operands):
    return within(lines, instruction, [spell(instruction, operands=operands)])


def change_operand(lines, instruction, index, operand):
    return change_operands(lines, instruction, replace(instruction, index, operand))


def change_name(lines, instruction, name):
    return within(lines, instruction, [spell(instruction, name=name)])


def fence(lines, instruction):
    kinds = r"(fence\.proxy|fence\.mbarrier_init|fence|membar|wgmma\.fence)\b"
    if match := re.match(kinds, instruction.name):
        yield "delete " + match.group(), []


def wait(lines, instruction):
    name = instruction.name
    if name.startswith("mbarrier.try_wait"):
        yield "delete", []
        own = [*lines[instruction.first : instruction.end]]
        once = [line for line in own if not re.fullmatch(r"\s*bra(\.uni)? TRY;", line)]
        if once != own:
            yield "once", once
    if "wait_group" in name or name in ("griddepcontrol.wait", "barrier.cluster.wait"):
        yield "delete", []
    if "wait_group" in name:
        left = int(instruction.operands[0])
        yield "leave one more", [spell(instruction, operands=[str(left + 1)])]


def arrival(lines, instruction):
    name = instruction.name
    own = lines[instruction.first : instruction.end]
    if name.startswith("mbarrier.arrive") or "commit_group" in name or name == "bar.arrive":
        yield "delete", []
    if name.startswith("mbarrier.arrive"):
        yield "twice", [*own, *own]
        if instruction.guard:
            yield "by all threads", within(lines, instruction, [spell(instruction, guard="")])
    if name.startswith("mbarrier.arrive.shared::cluster"):
        mapa = next(line for line in own if "mapa." in line)
        register = re.search(r"%r\d+", mapa).group()
        yield "at the own CTA", [
            line.replace("[remote]", f"[{register}]").replace("shared::cluster.b64", "shared::cta.b64")
            for line in own if line != mapa]
    if name.startswith("mapa."):
        yield "at another CTA", with_operand(lines, instruction, 2, "xor.b32", 1)


def parity(lines, instruction):
    if instruction.name.startswith("mbarrier.try_wait.parity"):
        yield "flip", with_operand(lines, instruction, 2, "xor.b32", 1)


def byte_count(lines, instruction):
    if "expect_tx" in instruction.name:
        for change in (16, -16):
            yield f"{change:+}", with_operand(lines, instruction, 2, "add.s32", change)


def barrier(lines, instruction):
    name, operands = instruction.name, instruction.operands
    if name in ("bar.sync", "barrier.cluster.arrive"):
        yield "delete", []
    if name in ("bar.sync", "bar.arrive"):
        other = str((int(operands[0]) + 1) % 16) if is_number(operands[0]) else None
        text = [spell(instruction, operands=replace(instruction, 0, other))] if other else None
        yield "another one", text or with_operand(lines, instruction, 0, "add.s32", 1)
        if len(operands) > 1 and is_number(operands[1]):
            for change in (32, -32):
                yield f"threads {change:+}", within(lines, instruction, [
                    spell(instruction, operands=replace(instruction, 1, str(int(operands[1]) + change)))])
    if name.startswith("mbarrier.init"):
        yield "no init", []
        for change in (1, -1):
            yield f"arrivals {change:+}", with_operand(lines, instruction, 1, "add.s32", change)


def registers(lines, instruction):
    if instruction.name.startswith("setmaxnreg"):
        number = int(instruction.operands[0])
        if number < 256:
            yield "all registers", [spell(instruction, operands=["256"])]
        if number < 248:  # The registers of a thread in a launch of two warpgroups.
            other = {"inc": "dec", "dec": "inc"}
            name = re.sub(r"\b(inc|dec)\b", lambda match: other[match.group()], instruction.name)
            yield "the other way", [spell(instruction, name=name)]


CLASSES = {"fence": fence, "wait": wait, "arrival": arrival, "parity": parity, "byte count": byte_count,
           "barrier": barrier, "registers": registers}
