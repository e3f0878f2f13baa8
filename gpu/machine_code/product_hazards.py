# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers of products in flight.

A product (wgmma, here HGMMA and its variants) reads and writes registers after it was issued. A wait
(WARPGROUP.DEPBAR.LE gsb0, N) leaves at most N later groups in flight. A product with `gsb0` ends a group.
"""

from machine_code import flow, registers
from machine_code.kernel_code import Finding

# Waits leave at most 7 groups in flight; older groups need no exact age.
OLDEST = 15

# The data-flow fact is (written, flight, pending):
#   written  the registers that ordinary instructions have written since the last WARPGROUP.ARRIVE
#   flight   for each product in flight, the number of groups that have ended since its issue, its own
#            included; the minimum over all paths
#   pending  the maximum number of groups in flight


def join_flights(one, other):
    flight = dict(one[1])
    for product, groups in other[1].items():
        flight[product] = min(groups, flight.get(product, OLDEST))
    return one[0] | other[0], flight, max(one[2], other[2])


def end_group(flight):
    return {product: min(groups + 1, OLDEST) for product, groups in flight.items()}


def step_products(kernel, index, fact):
    written, flight, pending = fact
    if index in kernel.products:
        flight = {**flight, index: 0}
        if index in kernel.groups:
            return written, end_group(flight), min(pending + 1, OLDEST)
        return written, flight, pending
    if index in kernel.waits:
        allowed = kernel.waits[index]
        flight = {product: groups for product, groups in flight.items() if groups <= allowed}
        return written, flight, min(pending, allowed)
    if index in kernel.arrivals:
        return 0, flight, pending
    return written | kernel.writes[index], flight, pending


def conflicts_of_product(kernel, index, written, flight):
    accumulators, added, a = kernel.products[index]
    if unfenced := (accumulators | a) & written:
        yield ("no-arrive", f"no WARPGROUP.ARRIVE after {registers.list_registers(unfenced)} "
                            "was written and before this product")
    for product in flight:
        other_accumulators, _, other_a = kernel.products[product]
        where = f"the product at {kernel.name(product)} is in flight"
        if both := a & other_accumulators:
            yield ("operand-in-flight", f"reads {registers.list_registers(both)} as operand A while {where}")
        # Products on the same accumulators are executed in order.
        if accumulators != other_accumulators and (both := accumulators & other_accumulators):
            yield ("accumulator-overlap", f"has {registers.list_registers(both)} among other accumulators "
                                          f"while {where}")
        if product != index and (both := accumulators & other_a):
            yield ("operand-rewritten", f"writes {registers.list_registers(both)}, operand A, while {where}")


def conflicts_of_ordinary(kernel, index, flight):
    read, written = kernel.reads[index], kernel.writes[index]
    for product in flight:
        accumulators, _, a = kernel.products[product]
        where = f"the product at {kernel.name(product)} is in flight"
        if both := read & accumulators:
            yield ("accumulator-read", f"reads {registers.list_registers(both)}, accumulators, while {where}")
        if both := written & accumulators:
            yield ("accumulator-rewritten",
                   f"writes {registers.list_registers(both)}, accumulators, while {where}")
        if both := written & a:
            yield ("operand-rewritten", f"writes {registers.list_registers(both)}, operand A, while {where}")


def touched_in_flight(kernel, flight):
    touched = 0
    for product in flight:
        touched |= kernel.products[product][0] | kernel.products[product][2]
    return touched


def check_products(kernel):
    def transfer(block, fact):
        for index in block:
            fact = step_products(kernel, index, fact)
        return fact

    if not kernel.products:
        return
    # At entry every register may have been written.
    entry = (registers.register_range(0, 255), {}, 0)
    for start, fact in flow.solve(kernel.graph, kernel.blocks, entry, transfer, join_flights).items():
        touched, known = 0, None
        for index in kernel.blocks[start]:
            written, flight, pending = fact
            if flight is not known:
                touched, known = touched_in_flight(kernel, flight), flight
            conflicts = ()
            if index in kernel.products:
                conflicts = [*conflicts_of_product(kernel, index, written, flight)]
                if index in kernel.groups and pending == OLDEST:
                    conflicts.append(("piled-up", "the groups of a loop without a wait pile up"))
            elif (kernel.reads[index] | kernel.writes[index]) & touched:
                conflicts = conflicts_of_ordinary(kernel, index, flight)
            elif flight and flow.base_of(kernel.code[index]) == "EXIT":
                names = ", ".join(kernel.name(product) for product in sorted(flight)[:3])
                conflicts = [("never-waited", f"ends while products are in flight: {names}")]
            # Reports one conflict per rule; the others have the same missing wait.
            for rule, message in dict(reversed(list(conflicts))).items():
                yield Finding("wrong", rule, index, message)
            fact = step_products(kernel, index, fact)


def check_serialised(kernel):
    """Finds products that add to the accumulators of the preceding product after an unnecessary wait."""
    previous, waited, needed = None, False, False
    for index, instruction in enumerate(kernel.code):
        if index in kernel.products:
            accumulators, added, _ = kernel.products[index]
            if previous is not None and waited and not needed and added \
                    and accumulators == kernel.products[previous][0]:
                yield Finding("slow", "serialised", index,
                              f"waits for the product at {kernel.name(previous)}, to whose accumulators it adds")
            previous, waited, needed = index, False, False
        elif index in kernel.waits:
            waited = waited or kernel.waits[index] == 0
        elif flow.base_of(instruction) in flow.BRANCHES + ("SYNCS", "BAR", "STS", "STSM", "FENCE"):
            needed = True
        elif previous is not None:
            accumulators, _, a = kernel.products[previous]
            needed = needed or bool((kernel.reads[index] | kernel.writes[index]) & accumulators
                                    or kernel.writes[index] & a)
        if index + 1 in kernel.blocks:
            previous = None
