# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to global memory before the preceding launch, which may still write that memory, is complete.

ACQBULK is griddepcontrol.wait (PTX ISA, "Parallel Synchronization and Communication Instructions"). ptxas assumes
that memory loaded by ld.global.nc is constant during a launch. It therefore moves such loads above the wait if both
are in one block. The wait is in the first block of a kernel, so code before it also runs before it.
"""

import re

from machine_code.kernel_code import Finding

GLOBAL = re.compile(r"(LDG|LDGSTS|LD|STG|ST|RED|REDG|ATOM|ATOMG|UTMALDG|UTMASTG|UTMAREDG|UBLKCP|UBLKRED)\b")


def check_wait(kernel):
    wait = next((index for index, one in enumerate(kernel.code) if one.opcode == "ACQBULK"), 0)
    for index in range(wait):
        if GLOBAL.match(kernel.code[index].opcode):
            yield Finding("wrong", "touched-early", index, "accesses global memory before the wait for the preceding "
                          "launch")
