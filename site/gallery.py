# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gallery of the site: each example with its kernels and the speeds that were measured.

All of it stands elsewhere: what an example computes in examples/README.md, the shapes of a family in
gpu/RESULTS.md, whose first table of a group is the latest.
"""

import re

# The groups of gpu/RESULTS.md that an example is measured in, by how their names begin.
FAMILIES = {
    "02-softmax": ("softmax",),
    "03-matmul": ("matmul",),
    "05-layer-norm": ("layer norm",),
    "06-lola": ("lola",),
    "07-flash-attention": ("attention",),
    "08-gated-attention": ("gated", "gated-backward"),
    "09-linear-logp": ("logp", "logp-rows", "logp-training"),
    "10-varlen-attention": ("varlen",),
    "11-attention-backward": ("attention-backward",),
    "12-varlen-backward": ("varlen-backward",),
    "13-decoding": ("decoding",),
    "14-scaled-matmul": ("scaled",),
    "15-grouped-matmul": ("grouped",),
}

HEAD = """# Gallery

Each example, what it computes, and how fast it was on an H200. A ratio above 1 means that our kernel was
faster than the best peer that ran beside it. Speeds are the latest of each group in
[Measured speeds](../gpu/RESULTS.md), which has the day, the protocol and what bounds each family;
[Kernels on a GPU](gpu.md) says what such numbers can and cannot say.
"""
EXAMPLE = re.compile(r"^\| \[([\w-]+)\]\([\w-]+\) \| (.*?) \| (.*?) \|$", re.M)
GROUP = re.compile(r"^### ([^\n]*)\n\n(\| shape.*?\n)\n", re.M | re.S)


class GalleryError(Exception):
    """A page does not hold what the gallery takes from it."""


def read_groups(results):
    """The first table of each group: {name: ([column], [row])}, each row a list of cells."""
    groups = {}
    for name, table in GROUP.findall(results):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
        groups.setdefault(name, (rows[0], rows[2:]))
    return groups


def write_speeds(groups, families):
    """A table of the shapes of some families."""
    lines = []
    for name, (columns, rows) in groups.items():
        # "attention 128 full" is of the family attention, "attention-backward 128 full" is not.
        if not any(name == family or name.startswith(family + " ") for family in families):
            continue
        for row in rows:
            cells = dict(zip(columns, row))
            # The speed of either side stands beside its name.
            place = columns.index("package") + 1
            ours, theirs, unit = row[place], row[columns.index("best peer") + 1], columns[place]
            lines.append(f"| {cells['shape']} | {ours} {unit} | {cells['best peer']}, {theirs} {unit} "
                         f"| {cells['ratio']} |")
    if not lines:
        raise GalleryError(f"gpu/RESULTS.md has no table of {' or '.join(families)}; see FAMILIES in site/gallery.py")
    return "\n".join(["| shape | ours | best peer | ratio |", "| --- | ---: | --- | ---: |", *lines]) + "\n"


def write_gallery(root):
    overview = (root / "examples" / "README.md").read_text()
    groups = read_groups((root / "gpu" / "RESULTS.md").read_text())
    parts = [HEAD]
    for name, computes, shows in EXAMPLE.findall(overview):
        page = root / "examples" / name / "README.md"
        title = re.match(r"# (.*)", page.read_text())[1]
        parts.append(f"## {title}\n\nComputes {computes}; shows {shows}. "
                     f"[How it works](../examples/{name}/README.md), "
                     f"[the source](../examples/{name}/kernel.tile).\n")
        if name in FAMILIES:
            parts.append(write_speeds(groups, FAMILIES[name]))
    if len(parts) == 1:
        raise GalleryError("examples/README.md has no table of examples")
    return "\n".join(parts)
