# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the parts of the output of tilec that ranking needs."""

import re

_SPILLS = re.compile(r"ptxas: \d+ registers at entry, (\d+) \+ (\d+) bytes spilled")
_TIME = re.compile(r"^kernel '\w+': ([\d.]+) us predicted", re.MULTILINE)


def read_spilled(text):
    """Returns the bytes of registers that each thread stores and loads, from the first kernel of a --report.

    The variants of the kernel for special arguments follow."""
    blocks = re.split(r"^(?=kernel '\w+': )", text, flags=re.MULTILINE)[1:]
    spills = _SPILLS.search(blocks[0]) if blocks else None
    return int(spills[1]) + int(spills[2]) if spills else 0


def read_time(text):
    """Returns the microseconds of an --explain, or None."""
    time = _TIME.search(text)
    return float(time[1]) if time else None
