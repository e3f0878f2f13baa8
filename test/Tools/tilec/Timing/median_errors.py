# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the least and the greatest median error of a family in the comparison that docs/design/clock.md links."""

import pathlib
import re
import sys

design = pathlib.Path(sys.argv[1], "docs/design/clock.md")
link, = re.findall(r"\[newest comparison\]\((.*?)\)", design.read_text())
lines = (design.parent / link).read_text().splitlines()
column = lines[0].index("median error")
errors = [float(found[0]) for line in lines[1:] if (found := re.findall(r"([0-9.]+) %", line[column - 2:]))]
print(f"median errors of families: {min(errors)} to {max(errors)} %")
