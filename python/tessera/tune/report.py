# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the parts of the output of `tilec --report` that ranking needs."""

import re
import typing

_SPILLS = re.compile(r"ptxas: \d+ registers at entry, (\d+) \+ (\d+) bytes spilled")
_STEP = re.compile(r"per step of the loop[^\n]*?: (\d+) FLOP[^\n]*\n[^\n]*: bound by (?:memory at (\d+) %)?")


class Report(typing.NamedTuple):
    # Bytes of registers that each thread stores and loads
    spilled: int
    # The share of peak that the roofline allows the loops; 1 if it does not limit them
    reach: float

    @staticmethod
    def read(text):
        """Reads the first kernel of a report; its variants for special arguments follow."""
        blocks = re.split(r"^(?=kernel '\w+': )", text, flags=re.MULTILINE)[1:]
        block = blocks[0] if blocks else ""
        spills = _SPILLS.search(block)
        steps = [(int(flops), int(percent or 100) / 100) for flops, percent in _STEP.findall(block)]
        total = sum(flops for flops, _ in steps)
        # Loops of a kernel share its time in proportion to their operations.
        slowness = sum(flops / max(share, 0.01) for flops, share in steps)
        return Report(int(spills[1]) + int(spills[2]) if spills else 0, total / slowness if slowness else 1.0)
