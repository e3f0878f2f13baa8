#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the speed of the packages that two compilers make of the same kernels, in one run and in turn.

    compare_compilers.py OLD NEW [--only REGEX] [--out FILE]

OLD and NEW are folders of packages, made by compile.py with the old and the new compiler. For each shape, the two
fastest configurations of each side are measured in bursts, in turn. Their results must agree with float64. A ratio
above 1 means that the new compiler is faster. The exit status is 1 if the geometric mean or the smallest ratio is
below its bar.
"""

import argparse
import datetime
import pathlib
import re
import sys

import families
import tables
from measure import result_file
from measure.rates import geometric_mean

sys.path.append(str(tables.ROOT / "python"))

SIDES = ("old", "new")
FORM = "{:<46} {:>9} {:>9} {:>7}  {}"


def prepare(indices, shape):
    """Returns the launches by (side, configuration), and the errors of the others."""
    from measure import bench_run
    problem = shape.make_problem()
    works, errors, pool = {}, {}, {}
    for side, index in indices.items():
        for configuration in index.configurations(shape):
            key = side, configuration.name
            if error := index.configuration_error(configuration, shape):
                errors[key] = tables.first_error(error)
                continue
            try:
                work = bench_run.Launches(index, configuration, shape, problem, pool)
                bench_run.check_launches(work, problem)
            except ValueError as error:
                errors[key] = str(error)
                continue
            works[key] = work
    return works, errors


def measure(works):
    """Returns {(side, configuration): milliseconds} of the two fastest of each side."""
    from tessera.tune import timing
    captured, repeats = timing.capture_short(works)
    first = {key: samples[0] for key, samples in timing.measure_bursts(captured, 1).items()}
    kept = [key for side in SIDES
            for key in sorted((key for key in first if key[0] == side), key=first.get)[:2]]
    samples = timing.measure_bursts({key: captured[key] for key in kept})
    return {key: timing.summarize(values)["ms"] / repeats.get(key, 1) for key, values in samples.items()}


def compare(indices, shape):
    """Returns a row of the table."""
    works, errors = prepare(indices, shape)
    row = {"shape": shape.id, "errors": {" ".join(key): error for key, error in errors.items()}}
    times = measure(works) if works else {}
    for side in SIDES:
        best = min((key for key in times if key[0] == side), key=times.get, default=None)
        if best:
            row[side] = {"name": best[1], "ms": times[best]}
    if all(side in row for side in SIDES):
        row["ratio"] = row["old"]["ms"] / row["new"]["ms"]
    return row


def print_row(row):
    texts = [f"{row[side]['ms'] * 1e3:.1f}" if side in row else "-" for side in SIDES]
    names = ", ".join(dict.fromkeys(row[side]["name"] for side in SIDES if side in row))
    print(FORM.format(row["shape"], *texts, f"{row['ratio']:.3f}" if "ratio" in row else "-", names), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Compare the speed of the packages of two compilers.")
    parser.add_argument("old", metavar="OLD", help="packages of compile.py by the old compiler")
    parser.add_argument("new", metavar="NEW", help="the same by the new one")
    parser.add_argument("--only", metavar="REGEX", default="", help="only shapes whose name matches")
    parser.add_argument("--out", metavar="FILE", help="write all numbers to FILE as JSON")
    parser.add_argument("--mean", type=float, default=0.995, help="the bar of the geometric mean (0.995)")
    parser.add_argument("--least", type=float, default=0.97, help="the bar of each shape (0.97)")
    parser.add_argument("--list", action="store_true", help="print the shapes that both sides have, and run nothing")
    options = parser.parse_args()
    for folder in (options.old, options.new):
        if not pathlib.Path(folder, "index.json").exists():
            parser.error(f"'{folder}' has no index.json of compile.py")
    indices = {"old": tables.Index(options.old), "new": tables.Index(options.new)}
    wanted = [shape for shape in families.load_shapes() if re.search(options.only, shape.id)
              and all(index.configurations(shape) for index in indices.values())]
    if options.list:
        for shape in wanted:
            print(shape.id)
        return 0
    if not wanted:
        sys.exit("error: no shape has packages on both sides")

    from measure import bench_run
    import torch
    table = {"date": datetime.date.today().isoformat(), "machine": bench_run.describe_machine(),
             **{side: {"source": index.source, "ptxas": index.ptxas} for side, index in indices.items()}, "rows": []}
    print(FORM.format("microseconds", "old", "new", "ratio", "configurations"))
    # Not the default stream: short work is captured in graphs.
    with torch.cuda.stream(torch.cuda.Stream()):
        for shape in wanted:
            table["rows"].append(compare(indices, shape))
            print_row(table["rows"][-1])
            if options.out:
                result_file.write(options.out, table)
            torch.cuda.empty_cache()
    ratios = {row["shape"]: row["ratio"] for row in table["rows"] if "ratio" in row}
    lost = [row["shape"] for row in table["rows"] if "old" in row and "new" not in row]
    mean, least = geometric_mean(ratios.values()), min(ratios, key=ratios.get)
    print(f"{len(ratios)} shapes: geometric mean {mean:.3f}, least {ratios[least]:.3f} of {least}; "
          f"{len(lost)} that only the old compiler supports")
    return 0 if mean >= options.mean and ratios[least] >= options.least and not lost else 1


if __name__ == "__main__":
    sys.exit(main())
