# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads from shared memory that nobody has waited for.

The control bits of an instruction's encoding name the scoreboard that it holds until its result is in
registers, if any, and those that it waits for before it is issued. Loads from shared memory and shuffles of a
warp answer in their order, on which ptxas relies: a load without a scoreboard is there when a later one is.
An arrival at a barrier takes another way, and may be performed before loads that were issued earlier.
"""

import re

import flow
import registers
from kernel_code import Finding

LOAD = re.compile(r"LDSM?\b")
IN_ORDER = re.compile(r"(LDSM?|SHFL)\b")
WHOLE_WAIT = re.compile(r"SB(\d), 0x0\b")
NO_SCOREBOARD = 7

# What flows is, for each load that may be on its way, the scoreboards that say when it is there: its own, and
# those of what was issued after it on every path.


def scoreboard_of(instruction):
    """The scoreboard that an instruction holds, as a set."""
    number = instruction.control >> 5 & 7
    return 0 if number == NO_SCOREBOARD else 1 << number


def waits_of(instruction):
    """The scoreboards that an instruction waits for, as a set."""
    waited = instruction.control >> 11 & 63
    if instruction.opcode == "DEPBAR.LE" and (whole := WHOLE_WAIT.match(instruction.operands)):
        waited |= 1 << int(whole[1])
    return waited


def wait(instruction, flight):
    waited = waits_of(instruction)
    if not waited or not flight:
        return flight
    return {load: scoreboards for load, scoreboards in flight.items() if not scoreboards & waited}


def issue(kernel, index, flight):
    instruction = kernel.code[index]
    if not IN_ORDER.match(instruction.opcode):
        return flight
    held = scoreboard_of(instruction)
    # What a predicate may leave out says nothing of what was before it.
    if held and not instruction.predicate:
        flight = {load: scoreboards | held for load, scoreboards in flight.items()}
    if LOAD.match(instruction.opcode) and kernel.writes[index]:
        flight = {**flight, index: held}
    return flight


def join(one, other):
    return {load: one.get(load, 63) & other.get(load, 63) for load in {*one, *other}}


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
                      f"touches {both}, for which it has not waited: {name_loads(kernel, loads)}")
    if flight and kernel.code[index].opcode.startswith("SYNCS.ARRIVE"):
        yield Finding("wrong", "load-overtaken", index,
                      f"may be performed before what was loaded from shared memory at "
                      f"{name_loads(kernel, sorted(flight))}")


def check_loads(kernel):
    def transfer(block, flight):
        for index in block:
            flight = issue(kernel, index, wait(kernel.code[index], flight))
        return flight

    # A listing without encodings does not say.
    if any(instruction.control is None for instruction in kernel.code):
        return
    for start, flight in flow.solve(kernel.graph, kernel.blocks, {}, transfer, join).items():
        for index in kernel.blocks[start]:
            flight = wait(kernel.code[index], flight)
            if flight:
                yield from conflicts(kernel, index, flight)
            flight = issue(kernel, index, flight)
