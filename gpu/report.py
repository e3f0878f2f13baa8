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
             "ours and the peer in turn",
    "sustained": "all variants in random order without a rest; median of 7 times 10 ms",
}


def table(rows):
    yield "| shape | package | TFLOP/s | peer | TFLOP/s | ratio | spread |"
    yield "| --- | --- | ---: | --- | ---: | ---: | ---: |"
    for row in rows:
        if "peer" not in row:
            yield f"| {row['shape']} | | | | | | |"
            continue
        peer = f"{row['peer']['name']} | {bench.teraflops(row, 'peer'):.0f}"
        if "ours" not in row:
            yield f"| {row['shape']} | - | - | {peer} | - | |"
            continue
        spread = max(row["ours"]["spread"], row["peer"]["spread"])
        yield (f"| {row['shape']} | {row['ours']['name']} | {bench.teraflops(row, 'ours'):.0f} | "
               f"{peer} | {bench.ratio(row):.3f} | {100 * spread:.1f} % |")


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
    yield f"## {run['date']}, {run['protocol']}"
    yield ""
    by = f" by ptxas {run['ptxas']}" if "ptxas" in run else ""
    yield (f"{machine['gpu']}, driver {machine['driver']} ({machine['state']}); torch "
           f"{machine['torch']}, CUDA {machine['cuda']}, cuDNN {machine['cudnn']}; kernels of "
           f"{run['source']}{by}. {PROTOCOLS[run['protocol']]}.")
    groups = {}
    for row in run["rows"]:
        groups.setdefault(row["group"], []).append(row)
    yield ""
    yield "| group | shapes | geometric mean of the ratios | worst | faster than the peer |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for group, rows in groups.items():
        ratios = [bench.ratio(row) for row in rows if "ours" in row]
        if not ratios:
            yield f"| {group} | 0 of {len(rows)} | - | - | - |"
            continue
        yield (f"| {group} | {len(ratios)} of {len(rows)} | {bench.geometric_mean(ratios):.3f} | "
               f"{min(ratios):.3f} | {sum(ratio > 1 for ratio in ratios)} |")
    for group, rows in groups.items():
        yield f"\n### {group}\n"
        yield from table(rows)
    lines = list(failures(run["rows"]))
    if lines:
        yield "\n### What did not run\n"
        yield from lines
    yield ""


def render(runs):
    yield "# Measured speeds"
    yield ""
    yield ("Made by `gpu/report.py` from the output of `gpu/bench.py`; how it is measured, and what "
           "the numbers can and cannot say, is in [docs/gpu.md](../docs/gpu.md). A ratio above 1 "
           "means that our kernel is faster. Spread is the distance between the fastest and the "
           "slowest sample of the wider side.")
    yield ""
    for run in runs:
        yield from section(run)


def main():
    parser = argparse.ArgumentParser(description="Turn the JSON of bench.py into Markdown.")
    parser.add_argument("json", nargs="+", help="files that bench.py --out wrote")
    parser.add_argument("-o", metavar="FILE", dest="output", help="default: standard output")
    options = parser.parse_args()
    runs = [json.loads(pathlib.Path(path).read_text()) for path in options.json]
    text = "\n".join(render(runs)).rstrip() + "\n"
    if options.output:
        pathlib.Path(options.output).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
