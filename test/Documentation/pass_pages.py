"""Runs the examples of the pages on passes: the command turns the code before it into the code after it, up to
the names of values. Every pass has a page, every page a pass, and every page names the source of its pass. The
description in Passes.td is a contract of at most 8 lines that names the page.

Every pass has a page, every page a pass, and every page names the source of its pass. Usage: pass_pages.py TILE_OPT
ROOT [--update]. --update writes the results and sources to the pages.
"""

import pathlib
import re
import subprocess
import sys

EXAMPLE = re.compile(
    r"```mlir\n(?P<before>.*?)```\n\n```sh\ntile-opt before\.mlir (?P<options>[^\n]*)\n```\n\n"
    r"```mlir\n(?P<after>.*?)```\n", re.S)

PASS = re.compile(r'^def (\w+) *: *\w*Pass<"([\w-]+)"', re.M)
CONTRACT = re.compile(PASS.pattern + r"(?:(?!^def ).)*?\n  let description = \[\{\n(.*?)\n  \}\];$", re.M | re.S)
CONTRACT_LINES = 8
DEFINITION = re.compile(r"^#define GEN_PASS_DEF_(\w+)$", re.M)
SOURCE = re.compile(r"\A# [^\n]*\n\n(Source: [^\n]*\n\n)?")


def find_sources(root):
    """Returns {flag of a pass: path of the file that defines it}."""
    files = {match[1]: path for path in (root / "lib").rglob("*.cpp")
             for match in DEFINITION.finditer(path.read_text())}
    return {match[2]: files.get(match[1].upper()) for file in root.glob("include/**/Passes.td")
            for match in PASS.finditer(file.read_text())}


def find_contracts(root):
    """Yields (flag of a pass, lines of its description)."""
    for file in root.glob("include/**/Passes.td"):
        yield from ((match[2], match[3].split("\n")) for match in CONTRACT.finditer(file.read_text()))


def check_contract(flag, lines):
    """Yields the problems of the description of a pass."""
    if len(lines) > CONTRACT_LINES:
        yield f"{flag}: a description of {len(lines)} lines; the limit is {CONTRACT_LINES}: move text to its page"
    if f"See docs/passes/{flag}.md." not in lines[-1]:
        yield f"{flag}: expected 'See docs/passes/{flag}.md.' at the end of its description"


def format_source(root, path):
    return f"Source: [`{path.name}`](../../{path.relative_to(root).as_posix()})\n\n"


def run(tool, text, options=()):
    done = subprocess.run([tool, *options], input=text, text=True, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def unwrap(text):
    """Returns the aliases and the module's content, as a page shows them."""
    lines = text.strip().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("module"))
    shown = lines[:start] + [line.removeprefix("  ") for line in lines[start + 1 : -1]]
    return "".join(line + "\n" for line in shown)


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    update = "--update" in sys.argv
    folder = root / "docs" / "passes"
    sources = find_sources(root)
    passes = set(sources)
    pages = sorted(folder.glob("*.md"))
    failures = examples = 0
    for name in sorted(passes ^ {page.stem for page in pages}):
        failures += 1
        print(f"{name}: a pass without a page" if name in passes else f"{name}.md: no such pass")
    contracts = dict(find_contracts(root))
    problems = [f"{flag}: a pass without a description" for flag in sorted(passes - set(contracts))]
    for flag, lines in contracts.items():
        problems += check_contract(flag, lines)
    failures += len(problems)
    print("".join(f"{problem}\n" for problem in problems), end="")
    for page in pages:
        text = page.read_text()
        found = list(EXAMPLE.finditer(text))
        if not found:
            failures += 1
            print(f"{page.name}: no example")
        for match in reversed(found):
            examples += 1
            made = run(tool, match["before"], match["options"].split())
            if made is None:
                failures += 1
                print(f"{page.name}: the command fails")
                continue
            if update:
                text = text[:match.start("after")] + unwrap(made) + text[match.end("after"):]
            elif made != run(tool, match["after"]):
                failures += 1
                print(f"{page.name}: the command makes\n{unwrap(made)}")
        head = SOURCE.match(text)
        source = format_source(root, sources[page.stem]) if sources.get(page.stem) else ""
        if update:
            page.write_text(f"{text[:text.index(chr(10))]}\n\n{source}{text[head.end():]}")
        elif (head[1] or "") != source:
            failures += 1
            print(f"{page.name}: expected as its second paragraph '{source.strip()}'")
    print(f"{len(pages)} pages, {examples} examples, {failures} failures")
    return 1 if failures or len(passes) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
