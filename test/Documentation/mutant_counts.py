# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table of mutants in docs/design/simulator.md with the numbers expected by the tests in
test/Simulator/Mutation.

    mutant_counts.py ROOT
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs" / "design" / "simulator.md").read_text()
# By example: mutants, and reported mutants.
said = {row[1]: (int(row[2]), int(row[3]))
        for row in re.finditer(r"(?m)^\| (\d\d-[\w-]+)[^|]*\| (\d+) \| (\d+) \|", page)}
expected = {}
for test in sorted((root / "test" / "Simulator" / "Mutation").glob("*.test")):
    for line in re.finditer(r"CHECK: (\d\d-[\w-]+): (\d+) of (\d+) mutants reported", test.read_text()):
        expected[line[1]] = (int(line[3]), int(line[2]))
problems = [f"{example}: the page says {said.get(example)}, its test expects {expected.get(example)}"
            for example in sorted(said.keys() | expected.keys()) if said.get(example) != expected.get(example)]
mutants, reported = (sum(counts[place] for counts in said.values()) for place in range(2))
total = f"| all | {mutants} | {reported} ({100 * reported / mutants:.1f} %) |"
if total not in page:
    problems.append(f"the page has no total '{total}'")
print(*problems, f"{len(expected)} examples, {len(problems)} problems", sep="\n")
sys.exit(bool(problems) or len(expected) < 10)
