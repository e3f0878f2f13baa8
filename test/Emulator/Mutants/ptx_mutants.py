"""The mutants of a kernel in PTX, and an even selection of them."""

import collections
import re
import zlib

import data_mutants
import equivalent_mutants
import index_mutants
import order_mutants
import ptx_text
import synchronisation_mutants

# `line` is that of the instruction: the mutant is judged if it is executed and its guard holds. `text` is None for a
# mutant of the launch, which changes `package`.
Mutant = collections.namedtuple("Mutant", "kind what name line guard text package")


def find_shared_addresses(instruction):
    name, operands = instruction.name, instruction.operands
    if name.startswith("wgmma.mma_async"):
        return operands[1:3]
    if name.startswith(("mbarrier.", "stmatrix", "ldmatrix", "mapa")) or ".shared" in name:
        return [operand for operand in operands if operand.startswith("[") and "{" not in operand]
    return []


def make_mutants(text, entry):
    """Returns all mutants of a kernel."""
    lines = text.splitlines()
    instructions = ptx_text.find_instructions(lines, entry)
    shared = ptx_text.find_addresses(instructions, find_shared_addresses)
    outside = ptx_text.find_addresses(instructions, equivalent_mutants.find_global_addresses)
    facts = equivalent_mutants.find_facts(instructions)
    modules = (order_mutants, synchronisation_mutants, index_mutants, data_mutants)
    classes = {kind: make for module in modules for kind, make in module.CLASSES.items()}
    for instruction in instructions:
        target = instruction.operands[0] if instruction.operands else None
        makers = dict(classes)
        if target in shared or target in outside:
            makers["shared address" if target in shared else "global address"] = index_mutants.change_constant
        for kind, make in makers.items():
            for what, replacement, *place in make(lines, instruction):
                if equivalent_mutants.is_equivalent(facts, instruction, kind, what):
                    continue
                first, end = place[0] if place else (instruction.first, instruction.end)
                mutant = lines[:first] + list(replacement) + lines[end:]
                yield Mutant(kind, what, instruction.name, instruction.line,
                             instruction.guard if kind != "guard" else None, mutant, None)


def choose(mutants, count, seed):
    """Selects mutants of each class, alternating between its mutations; the selection of a mutant does not depend on
    others."""
    ranked = collections.defaultdict(lambda: collections.defaultdict(list))
    seen = collections.Counter()
    for number, mutant in enumerate(mutants):
        words = f"{seed}|{mutant.kind}|{mutant.what}|{mutant.name}"
        seen[words] += 1
        key = zlib.crc32(f"{words}|{seen[words]}".encode())
        ranked[mutant.kind][mutant.what].append((key, number, mutant))
    for kind, by_what in ranked.items():
        rows = [sorted(row) for row in by_what.values()]
        rows.sort(key=lambda row: row[0][0])
        turns = [row[turn] for turn in range(max(map(len, rows))) for row in rows if turn < len(row)]
        yield from (mutant for _, _, mutant in turns[:count])
