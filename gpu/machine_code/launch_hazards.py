# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global memory that is touched before the launch that may still write it is complete.

ACQBULK is griddepcontrol.wait (PTX ISA, "Parallel Synchronization and Communication Instructions"). ptxas takes
memory that is loaded by ld.global.nc to be the same during all of a launch, and moves such loads above the wait where
both stand in one block. The wait stands in the first block of a kernel, so what comes before it in the code runs
before it.
"""

import re

from machine_code.kernel_code import Finding

GLOBAL = re.compile(r"(LDG|LDGSTS|LD|STG|ST|RED|REDG|ATOM|ATOMG|UTMALDG|UTMASTG|UTMAREDG|UBLKCP|UBLKRED)\b")


def check_wait(kernel):
    wait = next((index for index, one in enumerate(kernel.code) if one.opcode == "ACQBULK"), 0)
    for index in range(wait):
        if GLOBAL.match(kernel.code[index].opcode):
            yield Finding("wrong", "touched-early", index, "touches global memory before the launch before this one is "
                          "waited for")
