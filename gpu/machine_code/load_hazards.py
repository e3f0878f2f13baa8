# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads from shared memory whose results are used without a wait.

The control bits of an instruction name two kinds of scoreboards. It holds one, if any, until its result is in
registers, and it waits for others before it is issued. Loads from shared memory and warp shuffles complete in order,
and ptxas relies on this order: a load without a scoreboard is complete when a later one is. The later one may have a
predicate that turns it off. An arrival at an mbarrier takes another path, and may be performed before loads that were
issued earlier. This does not matter for data that threads exchange. Threads write the data, meet at a barrier, read
the data, and meet again before it is overwritten. A barrier of threads is assumed to wait for the loads before it.
"""

import re

from machine_code import flow, registers
from machine_code.kernel_code import Finding

LOAD = re.compile(r"LDSM?\b")
IN_ORDER = re.compile(r"(LDSM?|SHFL)\b")
WHOLE_WAIT = re.compile(r"SB(\d), 0x0\b")
STORE = re.compile(r"(STSM?|ATOMS)\b")
THREADS_MEET = re.compile(r"BAR\.(SYNC|RED)\b")
MBARRIER_WAIT = re.compile(r"SYNCS\.PHASECHK\b")
NO_SCOREBOARD = 7

# The data-flow fact is (flight, stored, exchanged):
#   flight     for each load that may be in flight, the scoreboards that show its completion: its own, and
#              those of in-order instructions issued later on every path
#   stored     whether threads have written to shared memory since their last barrier
#   exchanged  whether reads see only data exchanged at the last barrier, and no mbarrier wait followed it
# The bit SAFE above the scoreboards means that no arrival matters to a load.
SAFE, ALL = 1 << 6, (1 << 7) - 1


def scoreboard_of(instruction):
    """Returns the scoreboard that an instruction holds, as a set."""
    number = instruction.control >> 5 & 7
    return 0 if number == NO_SCOREBOARD else 1 << number


def waits_of(instruction):
    """Returns the scoreboards that an instruction waits for, as a set."""
    waited = instruction.control >> 11 & 63
    if instruction.opcode == "DEPBAR.LE" and (whole := WHOLE_WAIT.match(instruction.operands)):
        waited |= 1 << int(whole[1])
    return waited


def wait(instruction, fact):
    flight, stored, exchanged = fact
    waited = waits_of(instruction)
    if not waited or not flight:
        return fact
    return ({load: scoreboards for load, scoreboards in flight.items() if not scoreboards & waited}, stored,
            exchanged)


def add_to_all(flight, scoreboards):
    return {load: others | scoreboards for load, others in flight.items()}


def issue(kernel, index, fact):
    flight, stored, exchanged = fact
    instruction = kernel.code[index]
    if STORE.match(instruction.opcode):
        return flight, True, exchanged
    if MBARRIER_WAIT.match(instruction.opcode):
        return flight, stored, False
    if THREADS_MEET.match(instruction.opcode) and not instruction.predicate:
        return add_to_all(flight, SAFE), False, stored or exchanged
    if not IN_ORDER.match(instruction.opcode):
        return fact
    held = scoreboard_of(instruction)
    if held:
        flight = add_to_all(flight, held)
    if LOAD.match(instruction.opcode) and kernel.writes[index]:
        flight = {**flight, index: held | (SAFE if exchanged else 0)}
    return flight, stored, exchanged


def join(one, other):
    flight = {load: one[0].get(load, ALL) & other[0].get(load, ALL) for load in {*one[0], *other[0]}}
    return flight, one[1] and other[1], one[2] and other[2]


def name_loads(kernel, loads):
    names = ", ".join(kernel.name(load) for load in loads[:3])
    return f"{len(loads)} loads: {names}, ..." if len(loads) > 3 else names


def conflicts(kernel, index, flight):
    touched = kernel.reads[index]
    if not IN_ORDER.match(kernel.code[index].opcode):
        touched |= kernel.writes[index]
    if loads := [load for load in sorted(flight) if kernel.writes[load] & touched]:
        both = registers.list_registers(kernel.writes[loads[0]] & touched)
        yield Finding("wrong", "load-in-flight", index,
                      f"accesses {both} without a wait: {name_loads(kernel, loads)}")
    overtaken = sorted(load for load, scoreboards in flight.items() if not scoreboards & SAFE)
    if overtaken and kernel.code[index].opcode.startswith("SYNCS.ARRIVE"):
        yield Finding("wrong", "load-overtaken", index, "may be performed before the loads from shared "
                                                        f"memory at {name_loads(kernel, overtaken)}")


def check_loads(kernel):
    def transfer(block, fact):
        for index in block:
            fact = issue(kernel, index, wait(kernel.code[index], fact))
        return fact

    # A listing without encodings has no control bits.
    if any(instruction.control is None for instruction in kernel.code):
        return
    entry = {}, False, False
    for start, fact in flow.solve(kernel.graph, kernel.blocks, entry, transfer, join).items():
        for index in kernel.blocks[start]:
            fact = wait(kernel.code[index], fact)
            if fact[0]:
                yield from conflicts(kernel, index, fact[0])
            fact = issue(kernel, index, fact)
