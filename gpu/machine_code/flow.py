# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The control-flow graph of machine code, and a solver for forward data-flow problems on it."""

import collections

from machine_code import sass

BRANCHES = ("BRA", "CALL", "EXIT", "RET")
# The text does not contain the targets of these instructions.
UNKNOWN_TARGETS = ("BRX", "BRXU", "JMP", "JMX", "JMXU", "RPCMOV", "RTT")


class UnknownBranch(Exception):
    def __init__(self, index):
        super().__init__(index)
        self.index = index


def base_of(instruction):
    return instruction.opcode.split(".")[0]


def find_target(code, labels, index):
    target = sass.TARGET.search(code[index].operands)
    if not target or target[1] not in labels:
        raise UnknownBranch(index)
    return labels[target[1]]


def is_conditional(instruction):
    target = sass.TARGET.search(instruction.operands)
    return bool(instruction.predicate) or bool(
        base_of(instruction) == "BRA" and target and instruction.operands[:target.start()].strip())


def flow_graph(code, labels):
    """Returns the possible successors of each instruction.

    A return goes to the instruction after every call of its function. That adds infeasible paths, but omits none."""
    calls = collections.defaultdict(list)
    for index, instruction in enumerate(code):
        if base_of(instruction) == "CALL":
            calls[find_target(code, labels, index)].append(index + 1)
    graph = []
    for index, instruction in enumerate(code):
        base = base_of(instruction)
        if base in UNKNOWN_TARGETS:
            raise UnknownBranch(index)
        following = []
        if base in ("BRA", "CALL"):
            following.append(find_target(code, labels, index))
        elif base == "RET":
            functions = [start for start in calls if start <= index]
            if not functions:
                raise UnknownBranch(index)
            following += calls[max(functions)]
        if base not in BRANCHES or is_conditional(instruction):
            following.append(index + 1)
        graph.append([place for place in following if place < len(code)])
    return graph


def find_blocks(code, graph):
    """Returns the basic blocks as ranges of indices, by their first index."""
    starts = {0}
    for index, following in enumerate(graph):
        if base_of(code[index]) in BRANCHES or following != [index + 1]:
            starts.update(following)
            starts.add(index + 1)
    ordered = sorted(start for start in starts if start < len(code)) + [len(code)]
    return {start: range(start, end) for start, end in zip(ordered, ordered[1:])}


def solve(graph, blocks, entry, transfer, join, take=lambda last, following, fact: fact):
    """Solves a forward data-flow problem; returns the fact at the start of each reachable block.

    `transfer(block, fact)` returns the fact after a block. `take(last, following, fact)` adapts that fact to an
    edge. `join(fact, fact)` merges the facts of two edges."""
    facts, waiting = {0: entry}, [0]
    while waiting:
        start = waiting.pop()
        after = transfer(blocks[start], facts[start])
        for following in graph[blocks[start][-1]]:
            taken = take(blocks[start][-1], following, after)
            joined = join(facts[following], taken) if following in facts else taken
            if following not in facts or joined != facts[following]:
                facts[following] = joined
                waiting.append(following)
    return facts
