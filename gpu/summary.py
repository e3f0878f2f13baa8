#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the table of speeds by family, which gpu/RESULTS.md and the chart of the README show.

A shape's result is that of the newest day on which bench.py measured the shape (files `*-burst*.json`).
If several runs of that day have the shape, the lowest ratio counts, since their peers differ.
"""

import argparse
import json
import pathlib
import re
import sys

from measure import rates

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The rows of the table: a name, and the groups of bench.py (regular expression, whole name).
FAMILIES = (
    ("matrix products", r"matmul .*"),
    ("attention, heads of 128", r"attention 128 .*"),
    ("attention, heads of 64", r"attention 64 .*"),
    ("attention gradients", r"attention-backward(-grouped)? .*"),
    ("gated attention", r"gated \d+"),
    ("gated attention gradients", r"gated-backward .*"),
    ("packed attention", r"varlen [\d/]+"),
    ("packed attention gradients", r"varlen-backward .*"),
    ("decoding over long caches", r"decoding"),
    ("LayerNorm + Linear + GELU", r"lola"),
    ("linear log-probabilities", r"logp"),
    ("linear log-probabilities, 64 to 1000 rows", r"logp-rows"),
    ("linear log-probabilities with gradients", r"logp-training"),
    ("f8 products with a scale per block", r"scaled"),
    ("mixtures of experts", r"grouped"),
    ("gated delta rule", r"delta"),
    ("gated delta rule with gradients", r"delta-gradients"),
    ("Kimi delta attention", r"kda"),
    ("Kimi delta attention with gradients", r"kda-gradients"),
    ("softmax", r"softmax"),
    ("layer norm", r"layer norm"),
)
# Kernels that are not written in the language; only the tables of shapes show these.
OTHERS = (("attention, written in `sm`", r"attention-sm .*"),)


def names():
    return [name for name, _ in FAMILIES + OTHERS]


def find_results():
    """Returns the paths of the committed runs of bench.py."""
    return sorted((ROOT / "gpu" / "results").glob("*-burst*.json"))


def newest_rows(runs):
    """Returns {shape: row} of rows with a ratio: the newest day, and the lowest ratio of that day."""
    found = {}
    for run in runs:
        for row in run["rows"]:
            if not rates.ratio(row):
                continue
            key = (run["date"], -rates.ratio(row))
            if row["shape"] not in found or key > found[row["shape"]][0]:
                found[row["shape"]] = (key, row)
    return {shape: row for shape, (_, row) in found.items()}


def family_of(group):
    families = [name for name, pattern in FAMILIES + OTHERS if re.fullmatch(pattern, group)]
    if len(families) != 1:
        sys.exit(f"error: group '{group}' belongs to {len(families)} rows of FAMILIES, expected one")
    return families[0]


def render(runs):
    """Yields the lines of the table."""
    rows = newest_rows(runs)
    members = {name: [] for name, _ in FAMILIES}
    for row in rows.values():
        members.setdefault(family_of(row["group"]), []).append(row)
    dates = sorted({run["date"] for run in runs if any(row in run["rows"] for row in rows.values())})
    cards = sorted({run["machine"]["gpu"] for run in runs if run["date"] in dates})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    yield f"{', '.join(cards)}, {when}: the fastest of our configurations relative to the fastest competitor in"
    yield "the same run. Above 1 ours is faster."
    yield ""
    yield "| family | fastest competitor | shapes | geometric mean | range |"
    yield "| --- | --- | ---: | ---: | --- |"
    for family, _ in FAMILIES:
        shown = members[family]
        if not shown:
            continue
        ratios = [rates.ratio(row) for row in shown]
        peers = sorted({rates.best_peer(row)["name"] for row in shown})
        yield (f"| {family} | {', '.join(peers)} | {len(shown)} | {rates.geometric_mean(ratios):.2f} | "
               f"{min(ratios):.2f} to {max(ratios):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="*", type=pathlib.Path, help="files of bench.py --out (default: gpu/results)")
    options = parser.parse_args()
    paths = options.json or find_results()
    print("\n".join(render([json.loads(path.read_text()) for path in paths])))


if __name__ == "__main__":
    main()
