"""The rules of the sources that a machine can hold.

Usage: house_rules.py ROOT
"""

import pathlib
import re
import sys

LIMITS = {".cpp": 800, ".h": 800, ".td": 500, ".mlir": 800, ".tile": 400}
FOLDERS = ("cmake", "dialects", "examples", "include", "lib", "test", "tools")
EMPTY_NAMES = re.compile(r"^(Util|Utils|Utility|Common|Helper|Helpers|Misc)")
# Ends the process on what a user wrote.
FATAL = re.compile(r"\b(report_fatal_error|abort|exit|_exit)\(")
# A diagnostic that starts with a capital or ends in a period; names in quotes may start it.
CAPITAL = re.compile(r"""(?:emitError|emitOpError|emitRemark|emitWarning)\([^"]*\)?\s*<<\s*"([A-Z][a-z])""")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*"))]
    problems = []
    sources = 0

    def report(path, line, message):
        problems.append(f"{path.relative_to(root)}:{line}: {message}")

    for path in paths:
        if not path.is_file() or path.suffix not in LIMITS:
            continue
        sources += 1
        text = path.read_text()
        lines = text.splitlines()
        if len(lines) > LIMITS[path.suffix]:
            report(path, len(lines), f"{len(lines)} lines; the limit is {LIMITS[path.suffix]}")
        if EMPTY_NAMES.match(path.name):
            report(path, 1, "a file is named by a noun that says what it holds")
        if path.suffix in (".cpp", ".h", ".td") and LICENCE not in text:
            report(path, 1, "no licence header")
        if path.suffix == ".h" and "#ifndef TESSERA_" not in text:
            report(path, 1, "no header guard TESSERA_…")
        in_lib = path.is_relative_to(root / "lib")
        for number, line in enumerate(lines, 1):
            if "#pragma once" in line:
                report(path, number, "#pragma once")
            if in_lib and FATAL.search(line):
                report(path, number, "ends the process")
            if in_lib and CAPITAL.search(line):
                report(path, number, "a diagnostic starts in lower case")
    for problem in problems:
        print(problem)
    print(f"{sources} sources, {len(problems)} problems")
    return 1 if problems or sources < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
