#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/architecture.svg: the levels of the compiler, and the libraries and engines of each.

    architecture.py [--check] FILE.svg

--check compares FILE with the drawing and fails if they differ.
"""

import pathlib
import sys
from xml.sax.saxutils import escape

# Level, its meaning, the library that makes it, the engine that executes it.
LEVELS = [
    ("kernel.tile", "mathematics on tiles", None, "NumPy (test/SecondOpinion)"),
    ("tile dialect", "what is computed", "Frontend", "Interpreter"),
    ("sm dialect", "which role does it, and when", "Conversion/TileToSM", "Simulator"),
    ("llvm + nvvm", "one thread", "Conversion/SMToNVVM", None),
    ("PTX", "virtual machine code", "Target", "Emulator"),
    ("package", "machine code and its launch", "Target, ptxas", "Runtime, a GPU"),
]
PASSES = {1: "Dialect/Tile/Transforms", 2: "Dialect/SM/Transforms"}
WIDTH, ROW, TOP = 860, 84, 58
LEVEL, ENGINE = (280, 250), (600, 240)
STYLE = ("text{font:14px sans-serif;fill:#1f2328}.s{font-size:12px;fill:#59636e}"
         ".m{font-family:monospace;font-size:12px}"
         ".h{font-weight:bold}rect{fill:#f6f8fa;stroke:#8c959f}.e{fill:#ddf4ff}path{stroke:#59636e;fill:none}")


def text(x, y, words, kind="", anchor="middle"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(place, y, title, note, kind=""):
    x, width = place
    middle = x + width // 2
    lines = [text(middle, y + (20 if note else 29), title, "h")]
    if note:
        lines.append(text(middle, y + 37, note, "s"))
    return [f'<rect x="{x}" y="{y}" width="{width}" height="46" rx="6" class="{kind}"/>', *lines]


def arrow(*points):
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    return f'<path d="{path}" marker-end="url(#head)"/>'


def draw():
    height = TOP + ROW * len(LEVELS) - 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">',
           f"<style>{STYLE}</style>",
           '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
           '<path d="M1 1 L7 4 L1 7"/></marker></defs>',
           f'<rect width="{WIDTH}" height="{height}" style="fill:#fff;stroke:none"/>',
           text(135, 32, "libraries (lib/)", "h"), text(LEVEL[0] + LEVEL[1] // 2, 32, "levels", "h"),
           text(ENGINE[0] + ENGINE[1] // 2, 32, "executed by", "h")]
    center = LEVEL[0] + LEVEL[1] // 2
    for number, (name, meaning, library, engine) in enumerate(LEVELS):
        y = TOP + number * ROW
        out += box(LEVEL, y, name, meaning)
        if library:
            out.append(arrow((center, y - ROW + 46), (center, y)))
            out.append(text(LEVEL[0] - 20, y - 14, library, "m", "end"))
        if number in PASSES:
            left = LEVEL[0]
            out.append(arrow((left, y + 12), (left - 14, y + 12), (left - 14, y + 34), (left, y + 34)))
            out.append(text(left - 20, y + 27, PASSES[number], "m", "end"))
        if engine:
            out += box(ENGINE, y, engine, "", "e")
            out.append(arrow((LEVEL[0] + LEVEL[1], y + 23), (ENGINE[0], y + 23)))
    return "\n".join([*out, "</svg>", ""])


def main():
    path = pathlib.Path(sys.argv[-1])
    if "--check" not in sys.argv:
        path.write_text(draw())
    elif path.read_text() != draw():
        sys.exit(f"{path} differs from the drawing of site/architecture.py; run the script")


if __name__ == "__main__":
    main()
