#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON files of bench.py into Markdown: gpu/RESULTS.md.

Numbers of several files stand in sections of their own: only those of one run can be compared.
"""

import argparse
import json
import pathlib
import sys

import bench

PROTOCOLS = {
    "burst": "0.12 s rest, 3 launches, then at least 10 ms of launches back to back; median of 3, "
             "ours and the peers in turn",
    "sustained": "all variants in random order without a rest; median of 7 times 10 ms",
}


def sides(row, those):
    """Names and speeds, as `FA2 402, cuDNN 691`."""
    return ", ".join(f"{side['name']} {bench.rate(row, side):.0f}" for side in those)


def table(rows):
    """A line for each shape; a column for other peers and one for ceilings, where there are any."""
    has_others = any(len(bench.list_peers(row)) > 1 for row in rows)
    has_ceilings = any(row.get("ceilings") for row in rows)
    unit = bench.unit(rows[0])
    yield (f"| shape | package | {unit} | best peer | {unit} | ratio |"
           + (" other peers |" if has_others else "") + (" ceiling |" if has_ceilings else "")
           + " spread |")
    yield ("| --- | --- | ---: | --- | ---: | ---: |" + (" --- |" if has_others else "")
           + (" --- |" if has_ceilings else "") + " ---: |")
    for row in rows:
        peers, ours, ratio = bench.list_peers(row), row.get("ours"), bench.ratio(row)
        cells = [row["shape"]]
        cells += [ours["name"], f"{bench.rate(row, ours):.0f}"] if ours else ["-", "-"]
        cells += [peers[0]["name"], f"{bench.rate(row, peers[0]):.0f}"] if peers else ["-", "-"]
        cells += [f"{ratio:.3f}" if ratio else "-"]
        cells += [sides(row, peers[1:])] if has_others else []
        cells += [sides(row, row.get("ceilings", []))] if has_ceilings else []
        spreads = [side["spread"] for side in [*peers[:1], *([ours] if ours else [])]]
        cells += [f"{100 * max(spreads):.1f} %" if ratio else ""]
        yield "| " + " | ".join(cells) + " |"


def failures(rows):
    """One line for each thing that went wrong, those alike together."""
    alike = {}
    for row in rows:
        if "error" in row:
            alike.setdefault(row["error"], []).append(row["shape"])
        for name, error in row.get("packages", {}).items():
            alike.setdefault(f"`{name}`: {error}", []).append(row["shape"])
    for error, names in alike.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"- {error} ({names[0]}{more})"


def section(run):
    machine = run["machine"]
    yield f"## {run['date']}, {run['protocol']}, kernels of {run['source']}"
    yield ""
    by = f" by ptxas {run['ptxas']}" if "ptxas" in run else ""
    yield (f"{machine['gpu']}, driver {machine['driver']} ({machine['state']}); torch "
           f"{machine['torch']}, CUDA {machine['cuda']}, cuDNN {machine['cudnn']}; kernels of "
           f"{run['source']}{by}. {PROTOCOLS[run['protocol']]}.")
    for package, reason in run.get("absent", {}).items():
        yield f"Without {package}: {reason}."
    groups = {}
    for row in run["rows"]:
        groups.setdefault(row["group"], []).append(row)
    yield ""
    yield "| group | shapes | geometric mean of the ratios | worst | faster than the best peer |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for group, rows in groups.items():
        ratios = [bench.ratio(row) for row in rows if bench.ratio(row)]
        if not ratios:
            yield f"| {group} | 0 of {len(rows)} | - | - | - |"
            continue
        yield (f"| {group} | {len(ratios)} of {len(rows)} | {bench.geometric_mean(ratios):.3f} | "
               f"{min(ratios):.3f} | {sum(ratio > 1 for ratio in ratios)} |")
    for group, rows in groups.items():
        yield f"\n### {group}\n"
        yield from table(rows)
        short = [row["shape"] for row in rows if row.get("captured")]
        if short:
            yield f"\nCaptured in graphs, as they are short: {', '.join(short)}."
    lines = list(failures(run["rows"]))
    if lines:
        yield "\n### What did not run\n"
        yield from lines
    yield ""


def render(runs, plot=None):
    yield "# Measured speeds"
    yield ""
    yield ("Made by `gpu/report.py` from the output of `gpu/bench.py`; how it is measured, and what "
           "the numbers can and cannot say, is in [docs/gpu.md](../docs/gpu.md). A ratio above 1 "
           "means that our kernel is faster than the best peer. A ceiling is part of the work alone, "
           "such as the bare product, as if it were all. Spread is the distance between the "
           "fastest and the slowest sample of the wider side.")
    yield ""
    if plot:
        yield f"![Ratio to the best peer]({plot})"
        yield ""
    for run in runs:
        yield from section(run)


def main():
    parser = argparse.ArgumentParser(description="Turn the JSON of bench.py into Markdown.")
    parser.add_argument("json", nargs="+", help="files that bench.py --out wrote")
    parser.add_argument("--plot", metavar="FILE", help="a picture of plot.py to show, from there")
    parser.add_argument("-o", metavar="FILE", dest="output", help="default: standard output")
    options = parser.parse_args()
    runs = [json.loads(pathlib.Path(path).read_text()) for path in options.json]
    text = "\n".join(render(runs, options.plot)).rstrip() + "\n"
    if options.output:
        pathlib.Path(options.output).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
