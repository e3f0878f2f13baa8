"""Compiles every program of the language reference.

Usage: language_blocks.py TILEC ROOT

A ```tile block is a whole program that compiles. A ```tile-error block is one that does not, and
the ```text block after it is its first error.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```([\w-]*)\n(.*?)^```$", re.S | re.M)
ERROR = re.compile(r": error: (.*)")


def main():
    tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    page = root / "docs" / "language.md"
    text = page.read_text()
    blocks = [(text.count("\n", 0, m.start()) + 1, m[1], m[2]) for m in BLOCK.finditer(text)]
    counts = {"tile": 0, "tile-error": 0}
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "block.tile"
        for position, (line, kind, body) in enumerate(blocks):
            if kind not in counts:
                continue
            counts[kind] += 1
            source.write_text(body)
            run = subprocess.run([tilec, source, "-o", "/dev/null"], capture_output=True, text=True)
            if kind == "tile":
                if run.returncode != 0:
                    problems.append(f"{page.name}:{line}: does not compile\n{run.stderr}")
                continue
            following = blocks[position + 1] if position + 1 < len(blocks) else (line, "", "")
            error = ERROR.search(run.stderr)
            if following[1] != "text":
                problems.append(f"{page.name}:{line}: no message in a ```text block after it")
            elif run.returncode != 1 or not error:
                problems.append(f"{page.name}:{line}: expected an error, got exit {run.returncode}\n{run.stderr}")
            elif error[1] != following[2].strip():
                problems.append(f"{page.name}:{line}: the page says\n  {following[2].strip()}\ntilec says\n  {error[1]}")
    for problem in problems:
        print(problem)
    print(f"{counts['tile']} programs, {counts['tile-error']} with an error, {len(problems)} problems")
    return 1 if problems or counts["tile"] < 10 or counts["tile-error"] < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
