# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores of registers that get their constants only after the store.

ptxas 13.5.37 gives one place to a vector that is stored and that is also operand A of a product. It writes the
constants of the vector before the product, but after the store (see lib/Target/PTX/ConstantOperands.h).
"""

import re

from machine_code import flow, registers
from machine_code.kernel_code import Finding

STORE = re.compile(r"(ST|STG|STS|STSM)\b")
CONSTANT = re.compile(r"(MOV|IMAD\.MOV(\.U32)?|HFMA2(\.MMA)?|CS2R(\.32)?)$")
ELSEWHERE = re.compile(r"\bUR\d|\[|\bSR_")

# The data-flow fact maps each store to (kept, late): of the stored registers those not written since, and those to
# which only constants were written since.


def is_constant(kernel, index):
    instruction = kernel.code[index]
    return (not kernel.reads[index] and not instruction.predicate and bool(CONSTANT.match(instruction.opcode))
            and not ELSEWHERE.search(instruction.operands))


def find_stored(kernel, index):
    """Returns the registers that a store of at least two registers writes to memory."""
    instruction = kernel.code[index]
    base = instruction.opcode.split(".")[0]
    last = registers.REGISTER.fullmatch(registers.split_operands(instruction.operands)[-1])
    width = registers.read_width(base, instruction.opcode, 0, True)
    return registers.register_range(int(last[1]), width) if last and last[1] != "Z" and width > 1 else 0


def step(kernel, index, fact):
    if STORE.match(kernel.code[index].opcode):
        return {**fact, index: (stored, 0)} if (stored := find_stored(kernel, index)) else fact
    written = kernel.writes[index]
    if not written or not fact:
        return fact
    constant, changed = is_constant(kernel, index), {}
    for store, (kept, late) in fact.items():
        now = kept & ~written, late | kept & written if constant else late & ~written
        if now[0]:
            changed[store] = now
    return changed


def join(one, other):
    joined = {**one, **other}
    for store in one.keys() & other.keys():
        joined[store] = one[store][0] & other[store][0], one[store][1] | other[store][1]
    return {store: (kept, late) for store, (kept, late) in joined.items() if kept}


def check_stores(kernel):
    """Checks that no operand A has registers of an earlier store and constants written to such registers since."""
    if not any(a for _, _, a in kernel.products.values()):
        return

    def transfer(block, fact):
        for index in block:
            fact = step(kernel, index, fact)
        return fact

    for start, fact in flow.solve(kernel.graph, kernel.blocks, {}, transfer, join).items():
        for index in kernel.blocks[start]:
            a = kernel.products[index][2] if index in kernel.products else 0
            for store, (kept, late) in fact.items():
                if kept & a and late & a:
                    yield Finding("wrong", "stored-early", store,
                                  f"stores {registers.list_registers(late & a)} before the constants that "
                                  f"the product at {kernel.name(index)} reads there")
            fact = step(kernel, index, fact)
