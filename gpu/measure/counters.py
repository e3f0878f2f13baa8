#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures with Nsight Compute which units kernels keep busy, and why their warps stall.

    counters.py PACKAGES --from RESULTS.json [--only REGEX] [--out FILE.json]
    counters.py --show FILE.json

Each shape is profiled in its own process, with the fastest configuration of a results file of bench.py.
--configuration adds configurations and --peer adds peers. Clocks and caches are not changed, as in bench.py.
However, ncu runs each launch many times, alone, so durations are not speeds.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measure import counter_table, result_file  # noqa: E402
import families  # noqa: E402
import tables  # noqa: E402

sys.path.append(str(tables.ROOT / "python"))

# ncu counts only launches between cudaProfilerStart and cudaProfilerStop.
NCU = ["ncu", "--clock-control", "none", "--cache-control", "none", "--profile-from-start", "off",
       "--page", "raw", "--csv", "--print-units", "base"]


def work(packages, peers_folder, shape_id, name):
    """Runs in the profiled process: checks the results of the launches, then counts them."""
    import torch

    from families import peers
    from measure import bench_run

    if peers_folder:
        peers.add_folder(peers_folder)
    index = tables.Index(packages)
    shape = next(shape for shape in families.load_shapes() if shape.id == shape_id)
    configuration = find_configuration(index, shape, name)
    with torch.cuda.stream(torch.cuda.Stream()):
        problem = shape.make_problem()
        if configuration:
            launches = bench_run.Launches(index, configuration, shape, problem, {})
            bench_run.check_launches(launches, problem)
        else:
            launches = problem.peers[name]()
            launches()
            torch.cuda.synchronize()
        torch.cuda.profiler.start()
        launches()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()


def find_configuration(index, shape, name):
    return next((one for one in index.configurations(shape)
                 if one.name == name and not index.configuration_error(one, shape)), None)


def run(command, timeout):
    """Returns (output, error) of a command. On a timeout, its child processes end as well."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "", f"no result after {timeout:g} s"
    if process.returncode:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return output, f"status {process.returncode}: {lines[-1] if lines else 'no message'}"
    return output, None


def profile(options, metrics, shape, name):
    """Returns the launches of a shape with their counters, or an error."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log.csv")
        command = [*NCU, "--metrics", ",".join(metrics), "--log-file", str(log), sys.executable, __file__,
                   options.packages, "--worker", shape.id, name]
        if options.peers:
            command += ["--peers", options.peers]
        _, error = run(command, options.timeout)
        text = log.read_text() if log.exists() else ""
    launches = counter_table.read_csv(text.splitlines(), metrics)
    if not error and not launches:
        lines = [line for line in text.splitlines() if line.startswith("==")]
        error = lines[-1] if lines else "nothing was counted"
    return {"error": error} if error else {"launches": launches}


def choose(options, wanted):
    """Yields (shape, name) of each configuration or peer to profile.

    These are the fastest configuration in the first results file that has the shape, the configurations of
    --configuration that compute the shape, and the peers of --peer."""
    best = {}
    for path in options.results:
        for row in json.loads(pathlib.Path(path).read_text())["rows"]:
            if "ours" in row:
                best.setdefault(row["shape"], row["ours"]["name"])
    index = tables.Index(options.packages)
    for shape in wanted:
        names = [name for name in options.configuration if find_configuration(index, shape, name)]
        if shape.id in best and not find_configuration(index, shape, best[shape.id]):
            print(f"{shape.id}: there is no package for '{best[shape.id]}'", flush=True)
        elif shape.id in best:
            names.insert(0, best[shape.id])
        for name in dict.fromkeys(names + options.peer):
            yield shape, name


def describe_machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", "0"]
    version, _ = run(["ncu", "--version"], 20)
    output, error = run(query, 20) if shutil.which(query[0]) else ("", "no nvidia-smi")
    return {"gpu": "unknown" if error else output.strip(),
            "ncu": (re.findall(r"Version (\S+)", version) or ["unknown"])[0]}


def count(options, wanted):
    known, error = run(["ncu", "--query-metrics", "--chip", options.chip], 60)
    if error:
        sys.exit(f"error: ncu --query-metrics: {error}")
    metrics, absent = counter_table.choose_metrics(known.splitlines())
    index = tables.Index(options.packages)
    table = {"date": datetime.date.today().isoformat(), "source": index.source, "ptxas": index.ptxas,
             "machine": describe_machine(), "absent": absent, "rows": []}
    for metric in absent:
        print(f"{metric} is skipped: {options.chip} has no such metric")
    print(counter_table.heading(), flush=True)
    deadline = time.monotonic() + options.budget
    left = 0
    for shape, name in choose(options, wanted):
        if time.monotonic() > deadline:
            left += 1
            continue
        row = {"shape": shape.id, "family": shape.family, "package": name,
               **profile(options, metrics, shape, name)}
        table["rows"].append(row)
        print("\n".join(counter_table.format_row(row)), flush=True)
        if options.out:
            result_file.write(options.out, table)
    failed = sum("error" in row for row in table["rows"])
    print(f"{len(table['rows'])} profiled, {failed} with an error, {left} not run")
    return 1 if failed or left or not table["rows"] else 0


def show(path):
    table = json.loads(pathlib.Path(path).read_text())
    print(f"{table['machine']['gpu']}, ncu {table['machine']['ncu']}; kernels of {table['source']} by ptxas "
          f"{table['ptxas']}, {table['date']}")
    print(counter_table.heading())
    for row in table["rows"]:
        print("\n".join(counter_table.format_row(row)))


def main():
    parser = argparse.ArgumentParser(description="Measure with Nsight Compute which units kernels keep busy.")
    parser.add_argument("packages", nargs="?", metavar="DIR", help="the folder that compile.py wrote")
    parser.add_argument("--from", metavar="FILE", dest="results", nargs="+", default=[],
                        help="results of bench.py, which have the best configurations; the first file with "
                        "a shape counts")
    parser.add_argument("--configuration", metavar="NAME", action="append", default=[],
                        help="add this configuration if it computes the shape; may be repeated")
    parser.add_argument("--peer", metavar="NAME", action="append", default=[],
                        help="add this peer, by its name in bench.py; may be repeated")
    parser.add_argument("--peers", metavar="DIR", help="a folder of further unpacked packages")
    parser.add_argument("--only", metavar="REGEX", help="only shapes whose name matches")
    parser.add_argument("--out", metavar="FILE", help="write all counters to FILE as JSON")
    parser.add_argument("--show", metavar="FILE", help="print what --out wrote, and run nothing")
    parser.add_argument("--chip", default="gh100", help="the chip whose metrics to use (default: gh100)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one shape")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds for all shapes")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show:
        return show(options.show)
    if not options.packages or not pathlib.Path(options.packages, "index.json").exists():
        parser.error("the first argument must be a folder with an index.json of compile.py")
    if options.worker:
        return work(options.packages, options.peers, *options.worker)
    wanted = [shape for shape in families.load_shapes()
              if not options.only or re.search(options.only, shape.id)]
    if not wanted:
        sys.exit("error: no shape matches; bench.py --list has them")
    if not (options.results or options.configuration or options.peer):
        sys.exit("error: expected --from, --configuration or --peer")
    if not shutil.which("ncu"):
        sys.exit("error: no ncu on the PATH; install Nsight Compute, a part of CUDA")
    sys.exit(count(options, wanted))


if __name__ == "__main__":
    main()
