#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the gallery in examples/README.md: code, schedule and measured speeds of each example.

    gallery.py [--check] [PAGE]

Code comes from the examples, schedules are the pictures of site/pictures/draw.py, and speeds are those that
gpu/summary.py reads from gpu/results. --check fails if the page differs.
"""

import argparse
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "gpu"), str(ROOT / "site" / "pictures")]

import schedules  # noqa: E402
import summary  # noqa: E402
from measure import rates  # noqa: E402

PAGE = ROOT / "examples" / "README.md"
BEGIN, END = "<!-- site/gallery.py: begin -->\n", "<!-- site/gallery.py: end -->\n"
# The families of gpu/summary.py that measure an example.
FAMILIES = {
    "02-softmax": ("softmax",),
    "03-matmul": ("matrix products",),
    "05-layer-norm": ("layer norm",),
    "06-lola": ("LayerNorm + Linear + GELU",),
    "07-flash-attention": ("attention, heads of 128", "attention, heads of 64"),
    "08-gated-attention": ("gated attention", "gated attention gradients"),
    "09-linear-logp": ("linear log-probabilities", "linear log-probabilities, 64 to 1000 rows",
                       "linear log-probabilities with gradients"),
    "10-varlen-attention": ("packed attention",),
    "11-attention-backward": ("attention gradients",),
    "12-varlen-backward": ("packed attention gradients",),
    "13-decoding": ("decoding over long caches",),
    "14-scaled-matmul": ("f8 products with a scale per block",),
    "15-grouped-matmul": ("mixtures of experts",),
}
# A longer kernel is shown by its loop of products.
LONGEST = 36
EXAMPLE = re.compile(r"^\| \[([\w-]+)\]\([\w-]+\) \| (.*?) \| (.*?) \|$", re.M)


def find_block(lines, start):
    """Returns the lines from `start` to the brace that is as far to the left."""
    indent = lines[start][:len(lines[start]) - len(lines[start].lstrip())]
    return lines[start:lines.index(indent + "}", start) + 1]


def pick_code(name):
    """Returns the code of an example, and a note if it is a part of the file that does not compile alone."""
    text = (ROOT / "examples" / name / "kernel.tile").read_text()
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"kernel {schedules.KERNELS[name]}<"))
    kernel = find_block(lines, start)
    if len(kernel) <= LONGEST:
        uses = [line for line in lines if line.startswith("use ")]
        if uses:
            kernel = [*uses, "", *kernel]
        return kernel, "a part of kernel.tile" if "\nfn " in text else None
    loops = [find_block(kernel, n) for n, line in enumerate(kernel) if re.match(r" +for .* in .*{$", line)]
    loop = next(loop for loop in loops if any(" @ " in line for line in loop))
    indent = len(loop[0]) - len(loop[0].lstrip())
    return [line[indent:] for line in loop], "the loop of kernel.tile"


def write_speeds(rows, family):
    """Yields the rows of a family: its mean, and its first, middle and last shape."""
    ratios = [rates.ratio(row) for row in rows]
    yield (f"| **{family}**: {len(rows)} shapes, {min(ratios):.2f} to {max(ratios):.2f} | | | "
           f"**{rates.geometric_mean(ratios):.2f}** |")
    for row in (rows[0], rows[len(rows) // 2], rows[-1]):
        peer, unit = rates.best_peer(row), rates.unit(row)
        yield (f"| {row['shape']} | {rates.rate(row, row['ours']):.0f} {unit} | {peer['name']}, "
               f"{rates.rate(row, peer):.0f} {unit} | {rates.ratio(row):.2f} |")


def write_example(name, computes, shows, families):
    """Yields the lines of one example."""
    title = re.match(r"# (.*)", (ROOT / "examples" / name / "README.md").read_text())[1]
    kernel = schedules.KERNELS[name]
    code, part = pick_code(name)
    yield f"\n### {title}\n"
    yield (f"`{kernel}` of [{name}/kernel.tile]({name}/kernel.tile) computes {computes}. It shows {shows}. "
           f"[How it works]({name}/README.md).\n")
    if part:
        yield f"<!-- sketch: {part}, which examples/check.py executes -->"
    yield "```tile"
    yield from code
    yield "```\n"
    yield f"![Roles, rings and the order of an iteration of {kernel}]({name}/schedule.svg)"
    if name in FAMILIES:
        yield ""
        yield "| shape | ours | fastest competitor | ratio |"
        yield "| --- | ---: | --- | ---: |"
        for family in FAMILIES[name]:
            yield from write_speeds(families[family], family)


def write_gallery(page):
    """Returns the text of the gallery for a page with the table of examples."""
    families = {}
    for row in summary.newest_rows([json.loads(path.read_text()) for path in summary.find_results()]).values():
        families.setdefault(summary.family_of(row["group"]), []).append(row)
    examples = EXAMPLE.findall(page)
    if [name for name, _, _ in examples] != list(schedules.KERNELS):
        sys.exit("error: the table of examples and KERNELS of site/pictures/schedules.py list different examples")
    return "\n".join(line for example in examples for line in write_example(*example, families)) + "\n\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=PAGE, help="default: examples/README.md")
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the page is up to date")
    options = parser.parse_args()
    old = options.page.read_text()
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        sys.exit(f"error: {options.page}: expected {BEGIN.strip()} and then {END.strip()}, once each")
    new = old[:old.index(BEGIN) + len(BEGIN)] + write_gallery(old) + old[old.index(END):]
    if not options.check:
        options.page.write_text(new)
    elif new != old:
        sys.exit(f"error: {options.page}: the gallery differs from its sources; run site/gallery.py")


if __name__ == "__main__":
    main()
