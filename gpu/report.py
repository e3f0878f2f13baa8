#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes gpu/RESULTS.md from the results in gpu/results: one summary table and one line per shape.

A shape's line is that of the newest day that measured the shape; older runs of the shape are ignored.
--check fails unless the page is up to date.
"""

import argparse
import json
import pathlib
import sys

from measure import rates
import summary

PAGE = summary.ROOT / "gpu" / "RESULTS.md"
HEAD = """# Measured speeds

`gpu/report.py` writes this page from the output of `gpu/bench.py`. See [the protocol](../docs/gpu.md#measuring) and [the
limits of each family](../docs/performance.md). A ratio above 1 means that our
kernel is faster than the fastest competitor of the same run. A ceiling is a part of the work alone, such as the bare
product, as if that part were all. The spread is the distance between the fastest and the slowest sample of a side; the
larger one of both sides is shown. Launches of shapes with a star are short and were captured in CUDA graphs.
"""


def load_runs(paths):
    """Returns the runs of result files, each with the name of its file."""
    return [{**json.loads(path.read_text()), "file": path.name} for path in paths]


def pick_rows(runs):
    """Returns [(run, row)], one per shape in the order of the files: the row of the summary, else the newest row."""
    newest = summary.newest_rows(runs)
    chosen = {}
    for run in sorted(runs, key=lambda run: run["date"]):
        for row in run["rows"]:
            if newest.get(row["shape"], row) is row:
                chosen[row["shape"]] = (run, row)
    order = dict.fromkeys(row["shape"] for run in runs for row in run["rows"])
    return [chosen[shape] for shape in order]


def list_sides(row, sides):
    """Returns names and speeds, such as `FA2 402, cuDNN 691`."""
    return ", ".join(f"{side['name']} {rates.rate(row, side):.0f}" for side in sides)


def write_runs(picked):
    """Yields the table of the runs that have a shown row."""
    yield "| run | machine | driver, torch, CUDA, cuDNN | protocol | kernels of | ptxas |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for run in {run["file"]: run for run, _ in picked}.values():
        machine = run["machine"]
        software = ", ".join(str(machine[key]) for key in ("driver", "torch", "cuda", "cudnn"))
        name = run["file"].removesuffix(".json")
        yield (f"| [{name}](results/{name}.json) | {machine['gpu']}, {machine['state']} | {software} | "
               f"{run['protocol']} | {run['source']} | {run.get('ptxas', '-')} |")


def write_shapes(picked):
    """Yields a table of one family: a line for each shape."""
    others = any(len(rates.list_peers(row)) > 1 for _, row in picked)
    ceilings = any(row.get("ceilings") for _, row in picked)
    unit = rates.unit(picked[0][1])
    yield (f"| shape | package | {unit} | competitor | {unit} | ratio |" + (" others |" if others else "")
           + (" ceiling |" if ceilings else "") + " spread | day |")
    yield "| --- | --- | ---: | --- | ---: | ---: |" + " --- |" * (others + ceilings) + " ---: | --- |"
    for run, row in picked:
        peers, ours, ratio = rates.list_peers(row), row.get("ours"), rates.ratio(row)
        cells = [row["shape"] + (" \\*" if row.get("captured") else "")]
        cells += [ours["name"], f"{rates.rate(row, ours):.0f}"] if ours else ["-", "-"]
        cells += [peers[0]["name"], f"{rates.rate(row, peers[0]):.0f}"] if peers else ["-", "-"]
        cells += [f"{ratio:.3f}" if ratio else "-"]
        cells += [list_sides(row, peers[1:])] if others else []
        cells += [list_sides(row, row.get("ceilings", []))] if ceilings else []
        spreads = [side["spread"] for side in [*peers[:1], *([ours] if ours else [])]]
        cells += [f"{100 * max(spreads):.1f} %" if ratio else "", run["date"][5:]]
        yield "| " + " | ".join(cells) + " |"


def list_failures(picked):
    """Yields a line for each failure of a shown row; equal failures share a line."""
    shapes = {}
    for _, row in picked:
        for name, error in [*row.get("packages", {}).items(), *([(None, row["error"])] if "error" in row else [])]:
            shapes.setdefault(f"`{name}`: {error}" if name else error, []).append(row["shape"])
    for error, names in shapes.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"- {error} ({names[0]}{more})"


def render(runs, plot=None):
    """Yields the lines of the page."""
    picked = pick_rows(runs)
    yield HEAD
    if plot:
        yield f"![Ratio to the fastest competitor]({plot})\n"
    yield "## Summary\n"
    yield from summary.render(runs)
    yield ""
    yield from write_runs(picked)
    absent = dict.fromkeys(f"{package} ({reason})" for run, _ in picked
                           for package, reason in run.get("absent", {}).items())
    if absent:
        yield f"\nRuns without a competitor lacked its package: {'; '.join(absent)}."
    families = {}
    for run, row in picked:
        families.setdefault(summary.family_of(row["group"]), []).append((run, row))
    for family in sorted(families, key=list(summary.names()).index):
        yield f"\n## {family[0].upper() + family[1:]}\n"
        yield from write_shapes(families[family])
    failures = list(list_failures(picked))
    if failures:
        yield "\n## Failures\n"
        yield from failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="*", type=pathlib.Path, help="files of bench.py --out (default: gpu/results)")
    parser.add_argument("--plot", metavar="FILE", default="speeds.svg",
                        help="the picture of plot.py, as the page links it (default: speeds.svg)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless the page is up to date")
    parser.add_argument("-o", metavar="FILE", dest="output", type=pathlib.Path, default=PAGE,
                        help="default: gpu/RESULTS.md; - for standard output")
    options = parser.parse_args()
    text = "\n".join(render(load_runs(options.json or summary.find_results()), options.plot)).rstrip() + "\n"
    if str(options.output) == "-":
        sys.stdout.write(text)
    elif not options.check:
        options.output.write_text(text)
    elif options.output.read_text() != text:
        sys.exit(f"error: {options.output}: the page differs from the results; run gpu/report.py")


if __name__ == "__main__":
    main()
