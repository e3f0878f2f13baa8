"""Compares the bytes of registers that ptxas spilled in the kernels of the examples with a table.

Usage: spills.py ROOT PACKAGES [EXAMPLE...], with the packages of ../Suite/example_packages.py. A kernel that is not
in the table may not spill. A kernel in the table spills at least one byte and at most its number: the table
shrinks when the code improves.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Suite"))
import example_packages  # noqa: E402

# Upper limits for bytes of stores and loads, and why. They are rounded up, since every change of the order of
# instructions changes them by about 8 bytes.
ALLOWED: "dict[str, tuple[int, int, str]]" = {
    "kda_chunks": (32, 48, "outside of loops: addresses, for two CTAs"),
    "kda_chunks_back": (300, 310, "outside of loops: products of six levels in one program"),
    "attention_bwd": (16, 40, "two words that only the code before and after the loops reads"),
}

KERNEL = re.compile(r"^kernel '(\w+)'")
SPILLED = re.compile(r"^  ptxas: .*, (\d+) \+ (\d+) bytes spilled")


def read_spills(report):
    """Returns the bytes that each kernel of a report stores and loads."""
    spilled, kernel = {}, None
    for line in report.splitlines():
        if found := KERNEL.match(line):
            kernel = found[1]
        elif found := SPILLED.match(line):
            spilled[kernel] = int(found[1]), int(found[2])
    return spilled


def main():
    root, folder, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    reports = example_packages.make_packages(root, folder, names)
    results = {source: read_spills(report or "") for source, report in reports.items()}
    problems, seen = [], 0
    for source, spilled in results.items():
        where = source.relative_to(root)
        if not spilled:
            errors = (folder / f"{source.parent.name}.txt").read_text()
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
    known = {kernel for spilled in results.values() for kernel in spilled}
    problems += [f"the table has a kernel '{kernel}' that no example has"
                 for kernel in ALLOWED if not names and kernel not in known]
    for problem in problems:
        print(problem)
    print(f"{len(results)} examples, {seen} kernels, {len(problems)} problems")
    return 1 if problems or seen < max(2 * len(results), 4) else 0


if __name__ == "__main__":
    sys.exit(main())
