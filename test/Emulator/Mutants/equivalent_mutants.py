"""Finds mutants of a kernel in PTX that are equivalent to the kernel by construction; they are not made."""

import collections
import re

import ptx_text

# `idle` has the lines of instructions that may be changed without effect. `barriers` has the thread counts of barriers
# with arrivals that do not wait, `numbers` the registers with numbers of barriers. `sums` has the registers with
# addresses in global memory, `addresses` these and their summands.
Facts = collections.namedtuple("Facts", "idle barriers numbers sums addresses")


def find_global_addresses(instruction):
    if re.match(r"(ld|st|red|atom)\..*global", instruction.name):
        return [operand for operand in instruction.operands if operand.startswith("[")]
    return instruction.operands[1:2] if re.match(r"cp\.async\.c[ag]\.", instruction.name) else []


def find_corrections(instructions):
    """Returns the lines that test whether a quotient is negative and must be rounded down; here none is negative."""
    pending = [i.operands[3] for i in instructions
               if i.name.startswith("selp.b") and i.operands[1:3] == ["-1", "0"]]
    makers = {i.operands[0]: i for i in instructions
              if re.match(r"(setp\.|and\.pred|or\.pred|xor\.pred)", i.name)}
    products = {i.operands[0]: i for i in instructions if i.name.startswith("mul.lo")}
    uses = collections.Counter(name for i in instructions for operand in i.operands[1:]
                               for name in set(ptx_text.read_registers(operand)))
    lines = set()
    while pending:
        maker = makers.get(pending.pop())
        if maker and maker.line not in lines:
            lines.add(maker.line)
            pending += [name for name in maker.operands[1:] if name in makers]
            lines |= {products[name].line for name in maker.operands[1:]
                      if name in products and uses[name] == 1}
    return lines


def find_divisions(instructions):
    """Returns the lines that choose between divisions; the 32-bit division is only faster."""
    halves = {i.operands[0] for i in instructions if i.name == "and.b64" and i.operands[2] == "-4294967296"}
    tests = {i.operands[0]: i.line for i in instructions
             if i.name == "setp.ne.b64" and i.operands[1] in halves}
    return {*tests.values(), *(i.line for i in instructions if i.name.startswith("bra") and i.guard in tests)}


def find_prefetches(instructions):
    """Returns the branches around prefetches."""
    return {first.line for first, second in zip(instructions, instructions[1:])
            if first.name.startswith("bra") and second.name.startswith("prefetch")}


def find_idle_fences(instructions):
    """Returns unnecessary fences of products.

    Such a fence follows another one in the text, and no instruction in between accesses a register of the products.
    The first fence of the kernel is necessary."""
    idle, touched, is_first = set(), set(), True
    for number, instruction in enumerate(instructions):
        if instruction.name.startswith("wgmma.fence"):
            products = []
            for other in instructions[number + 1 :]:
                if other.name.startswith("wgmma.commit"):
                    break
                products += [other] if other.name.startswith("wgmma.mma") else []
            used = {name for product in products for operand in product.operands[:2]
                    for name in ptx_text.read_registers(operand)}
            if not is_first and not used & touched:
                idle.add(instruction.line)
            touched, is_first = set(), False
        elif not instruction.name.startswith("wgmma"):
            touched |= set(ptx_text.read_registers(" ".join(instruction.operands)))
    return idle


def find_facts(instructions):
    idle = find_corrections(instructions) | find_divisions(instructions)
    idle |= find_prefetches(instructions) | find_idle_fences(instructions)
    sums = {name for i in instructions for operand in find_global_addresses(i)
            for name in ptx_text.read_registers(operand)}
    parts = {name for i in instructions if i.name == "add.s64" and i.operands[0] in sums
             for name in i.operands[1:]}
    barriers = [i.operands[1:] for i in instructions if i.name == "bar.arrive"]
    numbers = {i.operands[0] for i in instructions if i.name.startswith("bar.")}
    return Facts(idle, barriers, numbers, sums, sums | parts)


def is_equivalent(facts, instruction, kind, what):
    """Whether a mutant is equivalent to the kernel.

    A barrier without arrivals that do not wait may have another number. Tensors of 2^31 elements are not launched
    here, so positions, unlike addresses, fit 32 bits."""
    target = instruction.operands[0] if instruction.operands else None
    if instruction.line in facts.idle:
        return True
    if (kind, what) == ("barrier", "another one"):
        return instruction.operands[1:] not in facts.barriers
    if target in facts.numbers:
        return not instruction.name.startswith("bar.")
    if kind == "width" and what.endswith("in 32 bits"):
        return target not in facts.sums
    if kind == "width" and what == "ld b64 -> b32":
        return target not in facts.addresses
    return False
