"""Mutants that move a wait or an arrival to another place: see synchronisation_mutants.py."""

import re

from ptx_text import read_registers

# Accesses to memory, products and arrivals; and waits.
ACCESS = re.compile(r"(mbarrier\.arrive\.shared|bar\.|cp\.(reduce\.)?async\.(?!\S*_group )|wgmma\.mma|"
                    r"(ld|st)\.(global|shared)|red\.|atom\.|stmatrix|ldmatrix)")
WAIT = re.compile(r"\S*wait")


def find_near(lines, places, patterns):
    """Returns the first place with a matching instruction, as a range of lines; stops at a branch or a label."""
    places = list(places)
    step = places[1] - places[0]
    for place in places:
        line = lines[place].strip()
        if re.match(r"(@\S+ )?bra\b|ret\b|\$\w+:", line):
            return None
        if line in ("{", "}"):
            other = place
            while lines[other].strip() != ("}" if step > 0 else "{"):
                other += step
            first, end = min(place, other), max(place, other) + 1
            return (first, end) if any(has(lines[n], patterns) for n in range(first, end)) else None
        if has(line, patterns):
            return place, place + 1
    return None


def has(line, patterns):
    text = re.sub(r"^@\S+\s+", "", line.strip()).replace(";", " ;")
    return any(pattern.match(text) for pattern in patterns)


def is_computed(lines, own):
    """Whether registers of an instruction are results of others: the instruction cannot move before those."""
    results = {match.group(1) for line in lines if (match := re.match(r"\s*[a-z][\w.:]*\s+(%\w+),", line))}
    return any(set(read_registers(line)) & results for line in own)


def order(lines, instruction):
    """Moves a wait after the access that it protects, or an arrival before the access that it follows."""
    name, own = instruction.name, lines[instruction.first : instruction.end]
    is_arrival = name.startswith("mbarrier.arrive") and "expect_tx" not in name
    if name.startswith("mbarrier.try_wait") or "wait_group" in name:
        after = find_near(lines, range(instruction.end, len(lines)), [ACCESS])
        if after and lines[after[0] : after[1]] != own:
            first, end = instruction.first, after[1]
            yield f"later: {name.split('.')[0]}", [*lines[instruction.end : end], *own], (first, end)
    if is_arrival or "commit_group" in name or name == "bar.arrive":
        before = find_near(lines, range(instruction.first - 1, 0, -1), [ACCESS, WAIT])
        if before and not is_computed(lines[before[0] : instruction.first], own):
            first, end = before[0], instruction.end
            yield f"earlier: {name.split('.')[0]}", [*own, *lines[first : instruction.first]], (first, end)


CLASSES = {"order": order}
