# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers beyond the budget of a role, and loads of spilled registers that were not stored."""

import re

from machine_code import flow, registers
from machine_code.kernel_code import Finding

SLOT = re.compile(r"^\[R1(?:\+(-?0x[0-9a-f]+))?\]$")


def check_limits(kernel, at_entry):
    """Checks setmaxnreg: a role must not use a register that it has released."""
    def limit_after(index, limit):
        if kernel.code[index].opcode.startswith("USETMAXREG"):
            return int(kernel.code[index].operands.split(",")[-1], 0)
        return limit

    def transfer(block, limit):
        for index in block:
            limit = limit_after(index, limit)
        return limit

    facts = flow.solve(kernel.graph, kernel.blocks, at_entry or 255, transfer, min)
    for start, limit in facts.items():
        for index in kernel.blocks[start]:
            limit = limit_after(index, limit)
            used = (kernel.reads[index] | kernel.writes[index]).bit_length()
            if used > limit:
                yield Finding("wrong", "register-beyond", index,
                              f"uses R{used - 1}, but the role has {limit} registers")


def check_pool(kernel, at_entry, threads):
    """Checks setmaxnreg: a kernel whose roles need more registers than the launch allocated hangs."""
    counts = [(int(one.operands.split(",")[-1], 0), i) for i, one in enumerate(kernel.code)
              if one.opcode.startswith("USETMAXREG")]
    warpgroups = (threads or 0) // 128
    if not counts or not at_entry or len(counts) > warpgroups:
        return
    # Warpgroups that share an instruction need at least the smallest count.
    least = sum(count for count, _ in counts) + (warpgroups - len(counts)) * min(counts)[0]
    if least > at_entry * warpgroups:
        yield Finding("wrong", "register-pool", max(counts)[1],
                      f"{warpgroups} warpgroups need at least {least} registers for each of 128 threads, but "
                      f"the launch has {at_entry} x {warpgroups}: it hangs")


def find_slots(kernel, index):
    """Returns the words of the frame that a load or store of spilled registers accesses, as a set, or None.

    STL.S16 stores half a register, which is loaded as a whole register."""
    instruction = kernel.code[index]
    places = registers.split_operands(instruction.operands)
    address = SLOT.match(places[0] if instruction.opcode.startswith("STL") else places[-1])
    if not address:
        return None
    return registers.register_range(int(address[1] or "0", 0) // 4, registers.word_width(instruction.opcode))


def is_written(predicate, instruction):
    """Whether an instruction writes the predicate, which would come before its sources."""
    if instruction.opcode.startswith(("STL", "BRA")):
        return False
    return predicate in registers.split_operands(instruction.operands)[:3]


def check_slots(kernel):
    """Checks that a spilled register was stored on every path before its load.

    Of two registers that are loaded together one may be undefined, so one stored register is enough."""
    local = {i for i, one in enumerate(kernel.code) if re.match(r"(LDL|STL)\b", one.opcode)}
    slots = {index: find_slots(kernel, index) for index in local}
    if not slots or None in slots.values():
        return

    # The data-flow fact is (stored, predicated): the stored words, and the words stored under a predicate. A branch on
    # the same predicate makes the latter certain.
    def step(index, fact):
        stored, predicated = fact
        instruction = kernel.code[index]
        if index in slots and instruction.opcode.startswith("STL"):
            if not instruction.predicate:
                return stored | slots[index], predicated
            condition = instruction.predicate
            return stored, {**predicated, condition: predicated.get(condition, 0) | slots[index]}
        changed = [one for one in predicated if is_written(one.lstrip("@!"), instruction)]
        return stored, {one: words for one, words in predicated.items() if one not in changed}

    def transfer(block, fact):
        for index in block:
            fact = step(index, fact)
        return fact

    def take(last, following, fact):
        stored, predicated = fact
        condition = kernel.code[last].predicate
        if condition and flow.base_of(kernel.code[last]) == "BRA" and following == last + 1:
            condition = "@" + condition[2:] if condition.startswith("@!") else "@!" + condition[1:]
        return stored | predicated.get(condition, 0), predicated

    def join(one, other):
        return one[0] & other[0], {condition: words & other[1][condition]
                                   for condition, words in one[1].items() if condition in other[1]}

    facts = flow.solve(kernel.graph, kernel.blocks, (0, {}), transfer, join, take)
    for start, fact in facts.items():
        for index in kernel.blocks[start]:
            if index in slots and kernel.code[index].opcode.startswith("LDL") and not slots[index] & fact[0]:
                yield Finding("wrong", "slot-unwritten", index,
                              "loads a spilled register that was not stored on every path")
            fact = step(index, fact)
