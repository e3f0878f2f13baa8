"""Checks that pages of docs/design name existing files.

Usage: design_pages.py ROOT PHASES

Each file of C++ in backticks (`RingPlan.cpp`, `Emulator/Products/*.cpp`) exists in lib/ or include/.
The page of decisions has a link to each page of docs/passes, and its third column begins with names of PHASES, a file
of what `tilec --list-phases` prints.
"""

import pathlib
import re
import sys

# The input of the first phase.
OTHERS = {"the source"}


def find_files(root, page):
    """Yields the C++ files that a page names but the tree lacks."""
    for name in sorted(set(re.findall(r"`([\w/*]+(?:\.cpp|\.h))`", page))):
        if not any(root.glob(name)) and not any(any((root / top).rglob(name)) for top in ("lib", "include")):
            yield name


def check_decisions(root, page, phases):
    for path in sorted((root / "docs/passes").glob("*.md")):
        if f"(../passes/{path.name}" not in page:
            yield f"no link to docs/passes/{path.name}"
    rows = re.findall(r"(?m)^\| (.*) \|$", page)[2:]
    for row in rows:
        decision, _, where, _ = (cell.strip() for cell in row.split(" | "))
        known = re.match(r"`([\w-]+)`", where)
        if where not in OTHERS and (not known or known[1] not in phases):
            yield f"'{decision}' is read in no phase: {where}"


def main():
    root, phases = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    phases = {line.partition(":")[0] for line in phases.splitlines()}
    problems, pages = [], sorted((root / "docs/design").glob("*.md"))
    for path in pages:
        problems += [f"{path.name}: no file is called {name}" for name in find_files(root, path.read_text())]
    decisions = root / "docs/design/decisions.md"
    problems += [f"decisions.md: {text}" for text in check_decisions(root, decisions.read_text(), phases)]
    print("\n".join([*problems, f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
