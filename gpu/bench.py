#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the packages of compile.py and their peers, in one process and in turn.

For each shape the fastest configuration and the fastest peer count. Results must agree with float64. Workers
measure; if a package or peer faults or hangs, the failure is recorded and its shape is measured again without it.
--out is written after every shape.
"""

import argparse
import datetime
import pathlib
import re
import sys
import time

import families
import tables
from measure import result_file
from measure.rates import best_peer, geometric_mean, list_peers, rate, ratio

sys.path.append(str(tables.ROOT / "python"))
from tessera.tune import workers  # noqa: E402


def work(options):
    """Runs as the worker: answers with the machine first, then with each shape."""
    import torch

    from measure import bench_run
    from families import peers

    torch.cuda.init()
    if options.peers:
        peers.add_folder(options.peers)
    index = tables.Index(options.packages)
    known = {shape.id: shape for shape in families.load_shapes()}
    # Not the default stream: short work is captured in graphs.
    with torch.cuda.stream(torch.cuda.Stream()):
        for item in workers.items():
            try:
                if item["shape"] is None:
                    result = bench_run.describe_machine()
                else:
                    excluded = {**item["excluded"], **item["lost"]}
                    result = bench_run.measure_shape(index, known[item["shape"]], excluded,
                                                     options.sustained)
            except Exception as error:  # Recorded; the next shape gets a new process.
                result = {"error": f"{type(error).__name__}: {error}".splitlines()[0],
                          "fatal": True}
            workers.answer(result)
            if result.get("fatal"):
                return 1
            torch.cuda.empty_cache()
    return 0


def without_culprit(item, result):
    """Returns the item to run in place of one that ended its worker, without the package or peer at fault.

    A lost peer or ceiling is skipped for the rest of its family, whose items share `lost`."""
    names = (result.get("about") or "").removeprefix("timing of ").split(", ")
    names = [name for name in names
             if name and name not in item["excluded"] and name not in item["lost"]]
    if not names:
        return None
    excluded = dict(item["excluded"])
    for name in names:
        (item["lost"] if is_other(name) else excluded)[name] = result["error"]
    return {**item, "excluded": excluded}


def is_other(label):
    """Whether a label names a peer or ceiling; labels of packages do not begin with these words."""
    return label.startswith(("peer ", "ceiling "))


FORM = "{:<48} {:<18} {:>7} {:>7} {:>6}  {}"


def print_row(row):
    if "error" in row:
        print(FORM.format(row["shape"], "-", "-", "-", "-", row["error"]), flush=True)
        return
    ours, peer, others = row.get("ours"), best_peer(row), list_peers(row)[1:]
    beside = [peer["name"]] if peer else []
    beside += [f"{side['name']} {rate(row, side):.0f}" for side in others + row.get("ceilings", [])]
    print(FORM.format(row["shape"], ours["name"] if ours else "-",
                      f"{rate(row, ours):.0f}" if ours else "-",
                      f"{rate(row, peer):.0f}" if peer else "-",
                      f"{ratio(row):.3f}" if ours and peer else "-", ", ".join(beside)), flush=True)
    for name, error in row["packages"].items():
        if not error.startswith(tables.NOT_COMPILED):
            print(f"    {name}: {error}", flush=True)


def shorten(error):
    """Returns the complaint of a compiler without its location, which index.json has."""
    text = error.removeprefix(tables.NOT_COMPILED).split("error: ", 1)[-1]
    return text if len(text) <= 90 else text[:89] + "…"


def print_not_compiled(rows):
    """Prints each reason once, as one rejected kernel is missing from many shapes."""
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
        if ratio(row):
            groups.setdefault(row["group"], []).append(ratio(row))
    for group, values in groups.items():
        print(f"{group}: geometric mean {geometric_mean(values):.3f} over {len(values)} shapes")


def leave_out(index, wanted):
    """Returns the shapes of all families that have a kernel among the packages."""
    present = {shape.family for shape in wanted if index.configurations(shape)}
    for family in dict.fromkeys(shape.family for shape in wanted):
        if family not in present:
            print(f"{family} is skipped: the packages lack its kernel")
    return [shape for shape in wanted if shape.family in present]


def note_absent(table, result):
    """Prints packages that cannot be imported, each once."""
    for package, reason in result.pop("absent", {}).items():
        if package not in table["absent"]:
            print(f"{package} is skipped: {reason}", flush=True)
            table["absent"][package] = reason


def measure_all(options, wanted):
    command = [sys.executable, __file__, options.packages, "--worker"]
    command += ["--sustained"] if options.sustained else []
    command += ["--peers", options.peers] if options.peers else []
    index = tables.Index(options.packages)
    table = {"date": datetime.date.today().isoformat(),
             "protocol": "sustained" if options.sustained else "burst",
             "source": index.source, "ptxas": index.ptxas, "machine": {}, "absent": {}, "rows": []}
    print(FORM.format("TFLOP/s or GB/s", "package", "ours", "peer", "ratio", "peers, ceilings"))
    deadline = time.monotonic() + options.budget
    wanted = leave_out(index, wanted)
    by_id = {shape.id: shape for shape in wanted}
    # Each family gets its own processes, so that its memory and state do not affect other families.
    for family in dict.fromkeys(shape.family for shape in wanted):
        if time.monotonic() > deadline:
            break
        lost = {}
        items = [] if table["machine"] else [{"shape": None, "excluded": {}, "lost": lost}]
        items += [{"shape": shape.id, "excluded": {}, "lost": lost}
                  for shape in wanted if shape.family == family]
        for item, result in workers.run(command, items, options.timeout, without_culprit):
            if item["shape"] is None:
                if "error" in result:
                    sys.exit(f"error: {result['error']}")
                result.pop("about", None)
                table["machine"] = result
                continue
            shape = by_id[item["shape"]]
            note_absent(table, result)
            row = {"shape": shape.id, "family": shape.family, "group": shape.group,
                   "bytes" if shape.unit == "GB/s" else "flops": shape.work, **result}
            table["rows"].append(row)
            print_row(row)
            if options.out:
                result_file.write(options.out, table)
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
    for shape in wanted:
        fits = [configuration.name
                + (" (missing)" if index and index.configuration_error(configuration, shape) else "")
                for configuration in tables.find_configurations(shape)]
        unit_of_work = "MB" if shape.unit == "GB/s" else "GFLOP"
        work = shape.work / (1e6 if shape.unit == "GB/s" else 1e9)
        print(f"{shape.id:<48} {work:>9.0f} {unit_of_work}  {', '.join(fits)}")
    print(f"{len(wanted)} shapes")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Measure kernel packages on the GPU.")
    parser.add_argument("packages", nargs="?", metavar="DIR", help="the folder that compile.py wrote")
    parser.add_argument("--only", metavar="REGEX", help="only shapes whose name matches")
    parser.add_argument("--peers", metavar="DIR", help="a folder of further unpacked packages")
    parser.add_argument("--sustained", action="store_true",
                        help="measure without rests, at the clock that the power limit allows")
    parser.add_argument("--out", metavar="FILE", help="write all numbers to FILE as JSON")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one shape, or one of its peers")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds for all shapes")
    parser.add_argument("--list", action="store_true", help="print the shapes and run nothing")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        sys.exit(work(options))
    wanted = [shape for shape in families.load_shapes()
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
