#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the packages of compile.py beside torch's cuBLAS and cuDNN, in one process and in turn.

Each shape takes the fastest of the configurations that were compiled for it and whose result
agrees with the peer's. Workers measure; a package that faults or hangs is noted and its shape
measured again without it. --out is written after every shape.
"""

import argparse
import datetime
import json
import math
import pathlib
import re
import sys
import time

import shapes
import tables
import workers

sys.path.append(str(tables.ROOT / "python"))


def work(options):
    """The worker: first the machine, then an answer for each shape that it is sent."""
    import torch

    import bench_run

    torch.cuda.init()
    index = tables.Index(options.packages)
    known = {shape.id: shape for shape in shapes.load_shapes()}
    for item in workers.items():
        try:
            if item["shape"] is None:
                result = bench_run.describe_machine()
            else:
                result = bench_run.measure_shape(index, known[item["shape"]], item["excluded"],
                                                 options.sustained)
        except Exception as error:  # The peer's: noted, and the next shape gets a new process.
            result = {"error": f"{type(error).__name__}: {error}".splitlines()[0], "fatal": True}
        workers.answer(result)
        if result.get("fatal"):
            return 1
        torch.cuda.empty_cache()
    return 0


def without_culprit(item, result):
    """The item to run in place of one that ended its worker while it dealt with a package."""
    names = [name for name in (result.get("about") or "").removeprefix("timing of ").split(", ")
             if name and name != "the peer"]
    if not names or set(names) <= set(item["excluded"]):
        return None
    excluded = {**item["excluded"], **{name: result["error"] for name in names}}
    return {**item, "excluded": excluded}


def teraflops(row, side):
    return row["flops"] / row[side]["ms"] / 1e9


def ratio(row):
    return row["peer"]["ms"] / row["ours"]["ms"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_row(row):
    form = "{:<48} {:<18} {:>7} {:>7} {:>6}"
    if "peer" not in row:
        print(form.format(row["shape"], "-", "-", "-", "-") + f"  {row['error']}", flush=True)
        return
    peer = f"{teraflops(row, 'peer'):.0f}"
    if "ours" in row:
        print(form.format(row["shape"], row["ours"]["name"], f"{teraflops(row, 'ours'):.0f}", peer,
                          f"{ratio(row):.3f}"), flush=True)
    else:
        print(form.format(row["shape"], "-", "-", peer, "-"), flush=True)
    for name, error in row["packages"].items():
        if not error.startswith(tables.NOT_COMPILED):
            print(f"    {name}: {error}", flush=True)


def shorten(error):
    """What a compiler complains of, without where: that is in index.json."""
    text = error.removeprefix(tables.NOT_COMPILED).split("error: ", 1)[-1]
    return text if len(text) <= 90 else text[:89] + "…"


def print_not_compiled(rows):
    """Each reason once, as one kernel that is refused is missing from many shapes."""
    names = {}
    for row in rows:
        for name, error in row.get("packages", {}).items():
            if error.startswith(tables.NOT_COMPILED):
                names.setdefault(shorten(error), {})[name] = None
    for reason, those in names.items():
        print(f"{tables.NOT_COMPILED}{', '.join(those)}: {reason}")


def print_means(rows):
    groups = {}
    for row in rows:
        if "ours" in row:
            groups.setdefault(row["group"], []).append(ratio(row))
    for group, values in groups.items():
        print(f"{group}: geometric mean {geometric_mean(values):.3f} over {len(values)} shapes")


def leave_out(index, wanted):
    """The shapes without those whose kernel was not there when the packages were made."""
    absent = {shape.family for shape in wanted
              if isinstance(shape, shapes.HandWrittenAttention) and not index.configurations(shape)}
    for family in absent:
        print(f"{family} is left out: its kernel is not among the packages")
    return [shape for shape in wanted if shape.family not in absent]


def measure_all(options, wanted):
    command = [sys.executable, __file__, options.packages, "--worker"]
    command += ["--sustained"] if options.sustained else []
    index = tables.Index(options.packages)
    table = {"date": datetime.date.today().isoformat(),
             "protocol": "sustained" if options.sustained else "burst",
             "source": index.source, "ptxas": index.ptxas, "machine": {}, "rows": []}
    print("{:<48} {:<18} {:>7} {:>7} {:>6}".format("TFLOP/s", "package", "ours", "peer", "ratio"))
    deadline = time.monotonic() + options.budget
    wanted = leave_out(index, wanted)
    by_id = {shape.id: shape for shape in wanted}
    # Families apart: what one leaves behind in its process does not meet the other.
    for family in dict.fromkeys(shape.family for shape in wanted):
        if time.monotonic() > deadline:
            break
        items = [] if table["machine"] else [{"shape": None, "excluded": {}}]
        items += [{"shape": shape.id, "excluded": {}} for shape in wanted if shape.family == family]
        for item, result in workers.run(command, items, options.timeout, without_culprit):
            if item["shape"] is None:
                if "error" in result:
                    sys.exit(f"error: {result['error']}")
                result.pop("about", None)
                table["machine"] = result
                continue
            shape = by_id[item["shape"]]
            row = {"shape": shape.id, "group": shape.group, "flops": shape.flops, **result}
            table["rows"].append(row)
            print_row(row)
            if options.out:
                pathlib.Path(options.out).write_text(json.dumps(table, indent=1) + "\n")
            if time.monotonic() > deadline:
                break
    print_not_compiled(table["rows"])
    print_means(table["rows"])
    left = len(wanted) - len(table["rows"])
    without = sum("ours" not in row for row in table["rows"])
    print(f"{len(table['rows'])} shapes, {without} without a kernel of ours, {left} not run")
    return 1 if left or without or not table["rows"] else 0


def list_shapes(options, wanted):
    index = tables.Index(options.packages) if options.packages else None
    configurations = tables.load_configurations()
    for shape in wanted:
        fits = [configuration.name
                + (" (missing)" if index and index.configuration_error(configuration) else "")
                for configuration in configurations if configuration.fits(shape)]
        print(f"{shape.id:<48} {shape.flops / 1e9:>9.0f} GFLOP  {', '.join(fits)}")
    print(f"{len(wanted)} shapes")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Measure kernel packages on the GPU.")
    parser.add_argument("packages", nargs="?", metavar="DIR", help="the folder that compile.py wrote")
    parser.add_argument("--only", metavar="REGEX", help="only shapes whose name matches")
    parser.add_argument("--sustained", action="store_true",
                        help="without rests, at the clock that the power limit leaves")
    parser.add_argument("--out", metavar="FILE", help="write all numbers there, as JSON")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one shape")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds for all shapes")
    parser.add_argument("--list", action="store_true", help="print the shapes and run nothing")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        sys.exit(work(options))
    wanted = [shape for shape in shapes.load_shapes()
              if not options.only or re.search(options.only, shape.id)]
    if not wanted:
        sys.exit("error: no shape matches; see --list")
    if options.list:
        sys.exit(list_shapes(options, wanted))
    if not options.packages or not pathlib.Path(options.packages, "index.json").exists():
        parser.error("the first argument must be a folder with an index.json of compile.py")
    sys.exit(measure_all(options, wanted))


if __name__ == "__main__":
    main()
