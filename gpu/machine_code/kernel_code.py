# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of a kernel with their effects on registers, and findings about them."""

import collections
import re

from machine_code import flow, registers

# `wrong`: the machine may compute wrong values, or hang; `slow`: the code is slower by a factor.
Finding = collections.namedtuple("Finding", "severity rule index message")


class Kernel:
    """The instructions of a kernel, and the registers that each instruction reads and writes."""

    def __init__(self, code, labels):
        self.code, self.labels = code, labels
        self.graph = flow.flow_graph(code, labels)
        self.blocks = flow.find_blocks(code, self.graph)
        self.reads, self.writes, self.products, self.unknown = [], [], {}, []
        for index, instruction in enumerate(code):
            try:
                read, written = registers.read_registers(instruction.opcode, instruction.operands)
                if registers.is_product(instruction.opcode):
                    self.products[index] = registers.read_product(instruction.opcode, instruction.operands)
            except registers.UnknownInstruction:
                read = written = 0
                self.unknown.append(index)
            self.reads.append(read)
            self.writes.append(written)
        # Indices of the instructions that synchronise the products of a warpgroup; all others are ordinary.
        self.arrivals = {i for i, one in enumerate(code) if one.opcode == "WARPGROUP.ARRIVE"}
        self.waits = {i: int(one.operands.split(",")[-1], 0) for i, one in enumerate(code)
                      if one.opcode.startswith("WARPGROUP.DEPBAR")}
        self.groups = {i for i in self.products if re.search(r"\bgsb0\b", code[i].operands)}

    def name(self, index):
        return f"{self.code[index].address:#06x}"
