"""Parses, verifies and round-trips every ```mlir block of the dialect documentation.

Usage: ods_examples.py TILE_OPT ROOT. Fails if a block does not survive, or if an ODS definition that needs an
example has none.
"""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```", re.S | re.M)
# Definitions that a reader looks up: ops, types and attributes.
DEFINITION = re.compile(r"^def ((?:Tile|SM)_\w+)\s*:\s*((?:Tile|SM)_(?:\w*Op|Type|Attr|\w*QueryOp))<", re.M)


def run(tool, text):
    return subprocess.run([tool], input=text, text=True, capture_output=True)


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    failures = examples = 0

    def fail(path, line, message):
        nonlocal failures
        failures += 1
        print(f"{path.relative_to(root)}:{line}: {message}")

    files = sorted(p for p in (root / "dialects").rglob("*") if p.suffix in (".td", ".md"))
    for path in files:
        text = path.read_text()
        for match in BLOCK.finditer(text):
            examples += 1
            line = text.count("\n", 0, match.start()) + 1
            first = run(tool, match[2])
            if first.returncode != 0:
                fail(path, line, "example is rejected:\n" + first.stderr)
                continue
            second = run(tool, first.stdout)
            if second.stdout != first.stdout:
                fail(path, line, "example does not round-trip:\n" + first.stdout + second.stderr)
        definitions = list(DEFINITION.finditer(text))
        for here, following in zip(definitions, definitions[1:] + [None]):
            body = text[here.start() : following.start() if following else len(text)]
            if "summary" not in body or not BLOCK.search(body):
                line = text.count("\n", 0, here.start()) + 1
                fail(path, line, f"{here[1]} lacks a summary or an example")
    print(f"{examples} examples, {failures} failures")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main())
