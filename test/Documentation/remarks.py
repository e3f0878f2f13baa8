"""Checks that every remark of lib/ has a name, and that docs/remarks.md has an entry for each name and no other.

The same holds for warnings of unmet schedules and of sources, in separate sections. Usage: remarks.py ROOT

A name ends the message: " [such-a-name]". The statement of a remark may have several lines; the name is then in one
of the later lines.
"""

import pathlib
import re
import sys

# The maximum distance in lines between the first and the last statement of a remark.
LINES = 16
NAME = re.compile(r'" \[([a-z0-9-]+)\]"')
# A warning of an entry of `schedule`: by a call whose last argument is its name, or at a product.
TEXT = r'(?:"(?:[^"\\]|\\.)*"|[^";])*?'
UNMET = re.compile(rf'warnOfUnmet\({TEXT}"([a-z-]+)"\);|is not done, "{TEXT}" \[([a-z-]+)\]"')
SECTION = "## Schedules that are not met"
# A warning of a source.
NAME_OF_SOURCE = re.compile(r'\[([a-z0-9-]+)\]"')
SOURCES = "lib/Frontend/Warnings/*.cpp"
SECTION_OF_SOURCES = "## Legal but surprising"


def compare(names, listed, kind):
    """Returns the differences between the names and a table of the page."""
    problems = [f"docs/remarks.md: no entry for '{name}'" for name in sorted(names - set(listed))]
    return problems + [f"docs/remarks.md: no {kind} is called '{name}'" for name in sorted(set(listed) - names)]


def main():
    root = pathlib.Path(sys.argv[1])
    names, unmet, problems, remarks = set(), set(), [], 0
    for file in sorted((root / "lib").rglob("*.cpp")):
        text = file.read_text()
        unmet.update(call or product for call, product in UNMET.findall(text))
        lines = text.splitlines()
        starts = [number for number, line in enumerate(lines) if re.search(r"\bemitRemark\(", line)]
        for start, following in zip(starts, [*starts[1:], len(lines)]):
            remarks += 1
            found = NAME.findall("\n".join(lines[start:min(start + LINES, following)]))
            if not found:
                problems.append(f"{file.relative_to(root)}:{start + 1}: a remark without a name")
            names.update(found)
    sources = {name for file in root.glob(SOURCES) for name in NAME_OF_SOURCE.findall(file.read_text())}
    page, _, of_sources = (root / "docs/remarks.md").read_text().partition(SECTION_OF_SOURCES)
    of_remarks, _, of_schedules = page.partition(SECTION)
    listed = re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", of_remarks)
    problems += compare(names, listed, "remark")
    problems += compare(unmet, re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", of_schedules), "warning")
    problems += compare(sources, re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", of_sources), "warning of sources")
    if listed != sorted(listed):
        problems.append("docs/remarks.md: expected names in order")
    counts = f"{remarks} remarks of {len(names)} names, {len(unmet)} warnings of schedules"
    print("\n".join([*problems, f"{counts}, {len(problems)} problems"]))
    return 1 if problems or not remarks or not unmet else 0


if __name__ == "__main__":
    sys.exit(main())
