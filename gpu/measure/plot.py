#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the rows of gpu/RESULTS.md, or of other files of bench.py, as one SVG, with a row of bars per family.

Each bar is a shape's speed relative to its best peer, in the order of the table; marks show the other peers and the
ceilings. Families with few shapes share a line. The colours follow the page, light or dark. Needs matplotlib."""

import argparse
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import report  # noqa: E402
import summary  # noqa: E402
from measure import rates  # noqa: E402

FASTER, SLOWER, OTHER, CEILING = "#2a7f62", "#c0703f", "#333333", "#6a4c93"
# Colours of text and lines on a light page, and the background; each has a second colour on a dark page.
INK, PAPER = "#000000", "#ffffff"
DARK = {"fill": {PAPER: "#0d1117", CEILING: "#ab7df8"}, "stroke": {INK: "#e6edf3", OTHER: "#9aa4b0", CEILING: "#ab7df8"}}
# In bars: the width of a line, and the gaps after a group and after a family.
LINE, GROUP_GAP, FAMILY_GAP = 48, 1, 3
# Higher bars are cut here; their numbers are printed inside of them.
HIGHEST = 1.6


def collect_marks(row):
    """Returns the marks of a row: our ratio to the best peer or None, the other peers, and the ceilings."""
    best = rates.best_peer(row)["ms"]
    return (rates.ratio(row), [best / side["ms"] for side in rates.list_peers(row)[1:]],
            [best / side["ms"] for side in row.get("ceilings", [])])


def collect_families(rows):
    """Returns {family: {group: rows}} of the rows that have a competitor."""
    families = {}
    for row in rows:
        if rates.list_peers(row):
            family = families.setdefault(row.get("family", row["group"].split()[0]), {})
            family.setdefault(row["group"], []).append(row)
    return families


def darken(text):
    """Returns an SVG of matplotlib with rules for dark pages.

    Styles of elements need `!important` to be overridden. White text is on bars, whose colours stay."""
    rules = [f'{shape}[style*="{key}: {light}"]{{{key}:{dark}!important}}'
             for key, colours in DARK.items() for light, dark in colours.items() for shape in ("path", "use")]
    rules.append(f'text:not([style*="fill"]){{fill:{DARK["stroke"][INK]}}}')
    before, found, after = text.partition("</style>")
    if not found:
        raise SystemExit("error: this matplotlib writes no <style>")
    return f"{before}@media (prefers-color-scheme: dark) {{{''.join(rules)}}}{found}{after}"


def title(runs):
    """Returns the machines, dates and protocols of the runs."""
    machines = ", ".join(dict.fromkeys(run["machine"].get("gpu", "?") for run in runs))
    dates = [run["date"] for run in runs]
    when = " to ".join(dict.fromkeys((min(dates), max(dates))))
    protocols = ", ".join(dict.fromkeys(run["protocol"] for run in runs))
    return f"{machines}, {when}, {protocols}"


def width(groups):
    return sum(len(rows) + GROUP_GAP for rows in groups.values()) - GROUP_GAP


def break_lines(families):
    """Returns lists of families that fit side by side."""
    lines, used = [[]], 0
    for family, groups in families.items():
        if lines[-1] and used + width(groups) > LINE:
            lines.append([])
            used = 0
        lines[-1].append(family)
        used += width(groups) + FAMILY_GAP
    return lines


def draw_row(axes, place, row):
    ours, others, ceilings = collect_marks(row)
    if ours:
        axes.bar(place, min(ours, HIGHEST), width=0.8, color=FASTER if ours >= 1 else SLOWER)
        axes.text(place, 0.04, f"{ours:.2f}", ha="center", fontsize=4.5, color="white")
    for value in others:
        axes.plot([place - 0.4, place + 0.4], [value, value], color=OTHER, linewidth=0.8)
    for value in ceilings:
        axes.plot(place, min(value, HIGHEST), marker="v", markersize=2.5, color=CEILING)


def draw_family(axes, start, family, groups):
    place = start
    axes.text(start - 0.5, HIGHEST + 0.22, family, fontsize=7, fontweight="bold")
    for group, rows in groups.items():
        label = group.removeprefix(family).strip()
        axes.text(place - 0.5 + len(rows) / 2, -0.1, label, ha="center", va="top", fontsize=5.5)
        for row in rows:
            draw_row(axes, place, row)
            place += 1
        place += GROUP_GAP
    end = place - GROUP_GAP
    axes.plot([start - 0.6, end - 0.4], [1, 1], color="black", linewidth=0.6)
    return end + FAMILY_GAP


def draw(runs, output):
    import matplotlib
    matplotlib.use("svg")
    # Keeps text as text, and makes the file a function of the numbers.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tessera"})
    from matplotlib import pyplot
    families = collect_families([row for _, row in report.pick_rows(runs)])
    if not families:
        raise SystemExit("error: no shape was measured with a peer")
    lines = break_lines(families)
    figure, all_axes = pyplot.subplots(len(lines), 1, figsize=(10, 1.3 * len(lines) + 0.5),
                                       squeeze=False)
    for axes, line in zip(all_axes[:, 0], lines):
        start = 0
        for family in line:
            start = draw_family(axes, start, family, families[family])
        axes.set(xlim=(-1, LINE), ylim=(0, HIGHEST + 0.15), xticks=[], yticks=[0, 0.5, 1, 1.5])
        axes.tick_params(axis="y", labelsize=5)
        for side in ("top", "right", "bottom"):
            axes.spines[side].set_visible(False)
    figure.suptitle(f"Speed relative to the best peer on {title(runs)}.\n"
                    "Bars: our kernels. Lines: other peers. Triangles: ceilings.", fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 0.99))
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    output.write_text(darken(file.getvalue()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="*", type=pathlib.Path, help="files of bench.py --out (default: gpu/results)")
    parser.add_argument("-o", metavar="FILE", dest="output", type=pathlib.Path,
                        default=summary.ROOT / "gpu" / "speeds.svg", help="the SVG (default: gpu/speeds.svg)")
    options = parser.parse_args()
    draw(report.load_runs(options.json or summary.find_results()), options.output)


if __name__ == "__main__":
    main()
