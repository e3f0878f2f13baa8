# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers that a role does not have, and spilled ones that were not stored."""

import re

import flow
import registers
from kernel_code import Finding

SLOT = re.compile(r"^\[R1(?:\+(-?0x[0-9a-f]+))?\]$")


def check_limits(kernel, at_entry):
    """setmaxnreg: a role must not use a register that it has given back."""
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
                              f"uses R{used - 1} where the role has {limit} registers")


def check_pool(kernel, at_entry, threads):
    """A sum of setmaxnreg beyond what the launch allocated never gets its registers: it hangs."""
    counts = [(int(one.operands.split(",")[-1], 0), i) for i, one in enumerate(kernel.code)
              if one.opcode.startswith("USETMAXREG")]
    warpgroups = (threads or 0) // 128
    if not counts or not at_entry or len(counts) > warpgroups:
        return
    # Warpgroups that share an instruction have at least the least count.
    least = sum(count for count, _ in counts) + (warpgroups - len(counts)) * min(counts)[0]
    if least > at_entry * warpgroups:
        yield Finding("wrong", "register-pool", max(counts)[1],
                      f"{warpgroups} warpgroups want at least {least} registers for each of 128 threads, "
                      f"the launch has {at_entry} x {warpgroups}: it hangs")


def find_slots(kernel, index):
    """The words of the frame that a load or store of spilled registers touches, as a set, or None.
    Half a register is stored by STL.S16 and loaded as a whole one."""
    instruction = kernel.code[index]
    places = registers.split_operands(instruction.operands)
    address = SLOT.match(places[0] if instruction.opcode.startswith("STL") else places[-1])
    if not address:
        return None
    return registers.register_range(int(address[1] or "0", 0) // 4, registers.word_width(instruction.opcode))


def check_slots(kernel):
    """A spilled register must have been stored on every path before it is loaded."""
    local = {i for i, one in enumerate(kernel.code) if re.match(r"(LDL|STL)\b", one.opcode)}
    slots = {index: find_slots(kernel, index) for index in local}
    if not slots or None in slots.values():
        return

    def stored_after(index, stored):
        instruction = kernel.code[index]
        if index in slots and instruction.opcode.startswith("STL") and not instruction.predicate:
            return stored | slots[index]
        return stored

    def transfer(block, stored):
        for index in block:
            stored = stored_after(index, stored)
        return stored

    facts = flow.solve(kernel.graph, kernel.blocks, 0, transfer, int.__and__)
    for start, stored in facts.items():
        for index in kernel.blocks[start]:
            if index in slots and kernel.code[index].opcode.startswith("LDL") and slots[index] & ~stored:
                yield Finding("wrong", "slot-unwritten", index,
                              "loads a spilled register that was not stored on every path")
            stored = stored_after(index, stored)
