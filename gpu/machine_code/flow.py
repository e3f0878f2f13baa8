# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The control flow of machine code, and facts that flow along it."""

import collections

from machine_code import sass

BRANCHES = ("BRA", "CALL", "EXIT", "RET")
# Where these go is not in the text.
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
    """What may be executed after each instruction. A return goes to after every call of the function
    that it stands in: that is one path more than there are, and never one less."""
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
    """The basic blocks as ranges of indices, by their beginning."""
    starts = {0}
    for index, following in enumerate(graph):
        if base_of(code[index]) in BRANCHES or following != [index + 1]:
            starts.update(following)
            starts.add(index + 1)
    ordered = sorted(start for start in starts if start < len(code)) + [len(code)]
    return {start: range(start, end) for start, end in zip(ordered, ordered[1:])}


def solve(graph, blocks, entry, transfer, join, take=lambda last, following, fact: fact):
    """What holds at the beginning of each block that can be reached: `transfer(block, fact)` says what
    holds after a block, `take(last, following, fact)` what of it on the way from its last instruction to
    another one, `join(fact, fact)` what of two paths that meet."""
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
