"""Compiles every example with its default parameters and compares what ptxas spilled with a table.

Usage: spills.py TILEC ROOT. A kernel that is not in the table may not spill. One that is may spill
at most what stands there, and must spill something: the table shrinks with the code.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

# Bytes of stores and loads, each at most, and why; rounded up, since they follow every change of
# the order of instructions by some 8 bytes.
ALLOWED = {}

KERNEL = re.compile(r"^kernel '(\w+)'")
SPILLED = re.compile(r"^  ptxas: .*, (\d+) \+ (\d+) bytes spilled")


def compile_example(tilec, source):
    """For each kernel of a file the bytes that were stored and loaded, or the errors."""
    done = subprocess.run([tilec, source, "--emit=package", "-o", "/dev/null", "--report",
                           "--refuse-hazards"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return source, None, done.stderr
    spilled, kernel = {}, None
    for line in done.stderr.splitlines():
        if found := KERNEL.match(line):
            kernel = found[1]
        elif found := SPILLED.match(line):
            spilled[kernel] = int(found[1]), int(found[2])
    return source, spilled, ""


def main():
    tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    sources = sorted(root.glob("examples/*/kernel.tile"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda source: compile_example(tilec, source), sources))
    problems, seen = [], 0
    for source, spilled, errors in results:
        where = source.relative_to(root)
        if not spilled:
            problems.append(f"{where}: nothing compiled\n{errors}")
            continue
        seen += len(spilled)
        for kernel, (stores, loads) in spilled.items():
            most = ALLOWED.get(kernel, (0, 0, ""))
            if stores > most[0] or loads > most[1]:
                problems.append(f"{where}: '{kernel}' spills {stores} + {loads} bytes, "
                                f"the table allows {most[0]} + {most[1]}")
            elif kernel in ALLOWED and stores + loads == 0:
                problems.append(f"{where}: '{kernel}' does not spill; take it out of the table")
    known = {kernel for _, spilled, _ in results for kernel in spilled or {}}
    problems += [f"the table has a kernel '{kernel}' that no example has"
                 for kernel in ALLOWED if kernel not in known]
    for problem in problems:
        print(problem)
    print(f"{len(sources)} examples, {seen} kernels, {len(problems)} problems")
    return 1 if problems or seen < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
