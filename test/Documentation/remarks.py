"""Every remark of lib/ has a name, and docs/remarks.md has an entry for each name and no other.

Usage: remarks.py ROOT

A name ends the message: " [such-a-name]". A remark that is made in several statements ends in one of the
lines after the first.
"""

import pathlib
import re
import sys

# How far the last statement of a remark may be from the first.
LINES = 16
NAME = re.compile(r'" \[([a-z0-9-]+)\]"')


def main():
    root = pathlib.Path(sys.argv[1])
    names, problems, remarks = set(), [], 0
    for file in sorted((root / "lib").rglob("*.cpp")):
        lines = file.read_text().splitlines()
        starts = [number for number, line in enumerate(lines) if re.search(r"\bemitRemark\(", line)]
        for start, following in zip(starts, [*starts[1:], len(lines)]):
            remarks += 1
            found = NAME.findall("\n".join(lines[start:min(start + LINES, following)]))
            if not found:
                problems.append(f"{file.relative_to(root)}:{start + 1}: a remark without a name")
            names.update(found)
    listed = re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", (root / "docs/remarks.md").read_text())
    problems += [f"docs/remarks.md: no entry for '{name}'" for name in sorted(names - set(listed))]
    problems += [f"docs/remarks.md: no remark is called '{name}'" for name in sorted(set(listed) - names)]
    if listed != sorted(listed):
        problems.append("docs/remarks.md: expected names in order")
    print("\n".join([*problems, f"{remarks} remarks of {len(names)} names, {len(problems)} problems"]))
    return 1 if problems or not remarks else 0


if __name__ == "__main__":
    sys.exit(main())
