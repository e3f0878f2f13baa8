# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds known hazards in machine code of sm_90a by data flow."""

import re

from machine_code import flow, launch_hazards
from machine_code import load_hazards, product_hazards
from machine_code import register_hazards, sass, store_hazards
from machine_code.kernel_code import Finding, Kernel

SLOW_FENCE = re.compile(r"MEMBAR\.(ALL|SC)\.(GPU|SYS)|ERRBAR|CGAERRBAR")


def report_unknown(kernel):
    for index in kernel.unknown:
        yield Finding("wrong", "unknown", index, "is missing in the tables of registers.py, so it was not checked")


def find_moves(kernel, inside):
    """Returns the moves of values that a product of the loop has computed.

    Such a move means that the accumulator was not computed in the register where it is needed."""
    computed, moves = 0, []
    # Two passes, since accumulators are carried around the loop.
    for index in inside + inside:
        instruction = kernel.code[index]
        if index in kernel.products:
            computed |= kernel.products[index][0]
            continue
        is_move = sass.classify(instruction.opcode, instruction.operands) == "move"
        if is_move and kernel.reads[index] & computed:
            moves.append(index)
        computed &= ~kernel.writes[index]
    return sorted(set(moves))


def check_loops(kernel):
    indices = {instruction.address: i for i, instruction in enumerate(kernel.code)}
    for loop in sass.main_loops(kernel.code, kernel.labels):
        inside = [indices[instruction.address] for instruction in loop]
        rows = {
            "spill": ([i for i in inside if sass.classify(kernel.code[i].opcode) == "local"],
                      "loads or stores of spilled registers"),
            "fence": ([i for i in inside if SLOW_FENCE.match(kernel.code[i].opcode)],
                      "instructions of a fence beyond the block (a release at cluster or GPU scope)"),
            "moved": (find_moves(kernel, inside), "moves of accumulators"),
        }
        for rule, (found, what) in rows.items():
            if found:
                yield Finding("slow", rule, found[0],
                              f"{len(found)} {what} in the loop with products at "
                              f"{kernel.name(inside[0])}")


def find_hazards(code, labels, at_entry=None, threads=None):
    """Returns all findings in a kernel, in the order of the code.

    `at_entry` is the number of registers of a thread at entry and `threads` the size of a block; None if unknown."""
    try:
        kernel = Kernel(code, labels)
    except flow.UnknownBranch as branch:
        return [Finding("wrong", "unknown", branch.index, "branches to an unknown target")]
    findings = [*report_unknown(kernel), *check_loops(kernel),
                *product_hazards.check_products(kernel), *product_hazards.check_serialised(kernel),
                *register_hazards.check_limits(kernel, at_entry),
                *register_hazards.check_pool(kernel, at_entry, threads),
                *register_hazards.check_slots(kernel), *load_hazards.check_loads(kernel),
                *store_hazards.check_stores(kernel), *launch_hazards.check_wait(kernel)]
    return sorted(set(findings), key=lambda finding: (finding.index, finding.rule))
