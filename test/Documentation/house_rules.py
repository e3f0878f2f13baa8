"""The rules of the sources that a machine can hold.

Usage: house_rules.py ROOT
"""

import pathlib
import re
import sys

LIMITS = {".cpp": 800, ".h": 800, ".td": 500, ".mlir": 800, ".tile": 400}
FOLDERS = ("cmake", "dialects", "examples", "include", "lib", "test", "tools")
# Folders whose texts must also follow the rules of wording.
TEXTS = FOLDERS + (".ci", ".github", "docs", "editors", "gpu", "python")
EMPTY_NAMES = re.compile(r"^(Util|Utils|Utility|Common|Helper|Helpers|Misc)")
# Ends the process on what a user wrote.
FATAL = re.compile(r"\b(report_fatal_error|abort|exit|_exit)\(")
# A diagnostic that starts with a capital or ends in a period; names in quotes may start it.
CAPITAL = re.compile(r"""(?:emitError|emitOpError|emitRemark|emitWarning)\([^"]*\)?\s*<<\s*"([A-Z][a-z])""")
# Words of place that were used for order in time and in texts, which "after" and "before" say plainly.
PLACE = re.compile(r"b[e]hind|\bin[\s/#*\"]+fron[t]\b(?!.end)", re.IGNORECASE)
# The most files and folders in one folder of these trees; the fuzzers' inputs are data.
ENTRIES = 28
TREES = ("gpu", "include", "lib", "python", "test")
DATA = ("test", "Fuzz", "corpus")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def find_texts(root):
    """The paths and texts of the files that people write; the fuzzers' inputs are data."""
    paths = [p for folder in TEXTS for p in sorted((root / folder).rglob("*"))]
    for path in [p for p in sorted(root.glob("*")) if p.is_file()] + paths:
        if not path.is_file() or path.is_relative_to(root / "test" / "Fuzz" / "corpus"):
            continue
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            pass


def find_folders(root):
    """Yields the folders whose number of entries is limited."""
    for tree in TREES:
        for folder in [root / tree, *sorted((root / tree).rglob("*"))]:
            parts = folder.relative_to(root).parts
            if folder.is_dir() and parts[:3] != DATA and "__pycache__" not in parts:
                yield folder


def list_entries(folder):
    return [path for path in sorted(folder.iterdir()) if path.name != "__pycache__" and not path.name.startswith(".")]


def check_list(folder):
    """Yields the problems of the list of sources in the README.md of a folder of lib/ or include/.

    A folder without CMakeLists.txt is a part of a library and needs the list.
    """
    entries = list_entries(folder)
    sources = {p.name for p in entries if p.suffix == ".cpp"}
    page = folder / "README.md"
    if not page.exists():
        if sources and not (folder / "CMakeLists.txt").exists():
            yield "no README.md; expected a list of the files"
        return
    text = page.read_text()
    named = set(re.findall(r"`(\w+\.cpp)`", text))
    yield from (f"README.md does not name {name}" for name in sorted(sources - named))
    yield from (f"README.md names {name}, which does not exist" for name in sorted(named - sources))
    folders = {p.name for p in entries if p.is_dir()} - set(re.findall(r"`(\w+)/?`", text))
    yield from (f"README.md does not name {name}/" for name in sorted(folders))


def find_unnamed_results(root):
    """Returns the files of gpu/results that no page and no table of gpu/RESULTS.md names."""
    text = "".join(path.read_text() for path in find_pages(root))
    return [path for path in sorted((root / "gpu" / "results").rglob("*.*")) if path.name not in text]


def find_pages(root):
    """Returns the Markdown pages of the repository."""
    folders = [root / folder for folder in ("dialects", "docs", "examples", "gpu", "python")]
    return [*sorted(root.glob("*.md")), *(page for folder in folders for page in sorted(folder.rglob("*.md")))]


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
    for folder in find_folders(root):
        name = folder.relative_to(root)
        if (count := len(list_entries(folder))) > ENTRIES:
            problems.append(f"{name}: {count} entries; the limit is {ENTRIES}: sort the files into folders")
        if name.parts[0] in ("include", "lib"):
            problems += [f"{name}: {problem}" for problem in check_list(folder)]
    for path, text in find_texts(root):
        for match in PLACE.finditer(text):
            words = " ".join(re.findall(r"\w+", match.group()))
            report(path, text.count("\n", 0, match.start()) + 1, f"'{words}'; expected 'after' or 'before'")
    for path in find_unnamed_results(root):
        report(path, 1, "no page names this result; delete it, or run gpu/report.py")
    for problem in problems:
        print(problem)
    print(f"{sources} sources, {len(problems)} problems")
    return 1 if problems or sources < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
