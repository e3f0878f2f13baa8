# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the gallery of the site: each example with its kernels and its measured speeds.

The page is assembled from examples/README.md (the computation of each example) and gpu/RESULTS.md (its speeds).
"""

import re

# The sections of gpu/RESULTS.md that measure an example.
FAMILIES = {
    "02-softmax": ("Softmax",),
    "03-matmul": ("Matrix products",),
    "05-layer-norm": ("Layer norm",),
    "06-lola": ("LayerNorm + Linear + GELU",),
    "07-flash-attention": ("Attention, heads of 128", "Attention, heads of 64"),
    "08-gated-attention": ("Gated attention", "Gated attention gradients"),
    "09-linear-logp": ("Linear log-probabilities", "Linear log-probabilities, 64 to 1000 rows",
                       "Linear log-probabilities with gradients"),
    "10-varlen-attention": ("Packed attention",),
    "11-attention-backward": ("Attention gradients",),
    "12-varlen-backward": ("Packed attention gradients",),
    "13-decoding": ("Decoding over long caches",),
    "14-scaled-matmul": ("F8 products with a scale per block",),
    "15-grouped-matmul": ("Mixtures of experts",),
}

HEAD = """# Gallery

Each example, what it computes, and how fast it was on an H200. A ratio above 1 means that our kernel was
faster than the fastest competitor of the same run. [Measured speeds](../gpu/RESULTS.md) has the day and the
protocol, [Performance](performance.md) the limits of each family, and [Kernels on a GPU](gpu.md) the meaning of
such numbers.
"""
EXAMPLE = re.compile(r"^\| \[([\w-]+)\]\([\w-]+\) \| (.*?) \| (.*?) \|$", re.M)
FAMILY = re.compile(r"^## ([^\n]*)\n\n(\| shape.*?\n)(?:\n|\Z)", re.M | re.S)


class GalleryError(Exception):
    """A page lacks a part that the gallery copies."""


def read_families(results):
    """Returns the table of each family: {name: ([column], [row])}, each row a list of cells."""
    families = {}
    for name, table in FAMILY.findall(results):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
        families[name] = (rows[0], rows[2:])
    return families


def write_speeds(tables, families):
    """Returns one table of the shapes of some families."""
    lines = []
    for family in families:
        if family not in tables:
            raise GalleryError(f"gpu/RESULTS.md has no table of {family}; see FAMILIES in site/gallery.py")
        columns, rows = tables[family]
        # The speed of a side is the cell after its name.
        ours, theirs = columns.index("package") + 1, columns.index("competitor") + 1
        lines += [f"| {row[0]} | {row[ours]} {columns[ours]} | {row[theirs - 1]}, {row[theirs]} {columns[theirs]} "
                  f"| {row[columns.index('ratio')]} |" for row in rows]
    head = ["| shape | ours | fastest competitor | ratio |", "| --- | ---: | --- | ---: |"]
    return "\n".join(head + lines) + "\n"


def write_gallery(root):
    overview = (root / "examples" / "README.md").read_text()
    tables = read_families((root / "gpu" / "RESULTS.md").read_text())
    parts = [HEAD]
    for name, computes, shows in EXAMPLE.findall(overview):
        page = root / "examples" / name / "README.md"
        title = re.match(r"# (.*)", page.read_text())[1]
        parts.append(f"## {title}\n\nComputes {computes}; shows {shows}. "
                     f"[How it works](../examples/{name}/README.md), "
                     f"[the source](../examples/{name}/kernel.tile).\n")
        if name in FAMILIES:
            parts.append(write_speeds(tables, FAMILIES[name]))
    if len(parts) == 1:
        raise GalleryError("examples/README.md has no table of examples")
    return "\n".join(parts)
