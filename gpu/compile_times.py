#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long tilec takes for each kernel of the examples at its defaults, each alone.

Prints the median of the wall-clock times and of the processor seconds (user and system, ptxas
included), and of the fastest run what planning took, the passes that choose by trying on copies, and
what each variant took in LLVM and in ptxas: variants are compiled side by side. Wall-clock times say
something on an idle machine only; its load is printed beside them. With --bar the exit status is 1 if a
median is above the bar, 0.8 s for the kernels of 03-matmul and 07-flash-attention and 1.3 s for others,
on two cores, or the least time of planning above 0.2 s. With --planning nothing else is compared, and
neither LLVM nor ptxas runs: that says something on a busy machine, too.
"""

import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BARS = {"03-matmul": 0.8, "07-flash-attention": 0.8}
OTHER_BAR = 1.3
PLANNING = ("PlanPass", "PipelinePass", "ScheduleLoopsPass")
PLANNING_BAR = 0.2

KERNEL = re.compile(r"^kernel (\w+)", re.MULTILINE)
# "    0.7  ( 50.2%)    0.7  ( 40.1%)      ptxas": the wall-clock time is the last one.
PART = re.compile(r"([\d.]+) \([ \d.]+%\) {4,}('\w+'|LLVM IR|code generation|ptxas)$")


PASS = re.compile(r"([\d.]+) \([ \d.]+%\) {2,}(\w+Pass)$", re.MULTILINE)


def read_planning(timing):
    """Seconds of the passes that plan; an error if one of them is not there."""
    seconds = dict.fromkeys(PLANNING, None)
    for value, name in PASS.findall(timing):
        if name in seconds:
            seconds[name] = (seconds[name] or 0) + float(value)
    missing = [name for name in PLANNING if seconds[name] is None]
    if missing:
        sys.exit(f"compile_times.py: --mlir-timing has no {', '.join(missing)}")
    return sum(seconds.values())


def read_parts(timing):
    """Seconds in LLVM and in ptxas by variant, from what --mlir-timing prints."""
    parts, variant = {}, None
    for line in timing.partition("code of kernels")[2].splitlines():
        if not (found := PART.search(line)):
            continue
        seconds, name = float(found[1]), found[2]
        if name.startswith("'"):
            variant = parts.setdefault(name.strip("'"), {"LLVM": 0.0, "ptxas": 0.0})
        elif variant is not None:
            variant["ptxas" if name == "ptxas" else "LLVM"] += seconds
    return parts


def compile_once(tilec, source, kernel, output, emit):
    """Wall-clock seconds, processor seconds, those of planning, and the parts of one compilation."""
    command = [tilec, str(source), "--kernel", kernel, f"--emit={emit}", "-o", str(output), "--mlir-timing"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"compile_times.py: {' '.join(command)}:\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, read_planning(done.stderr), read_parts(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", nargs="*", help="examples, by a part of the folder's name")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="compilations of each")
    parser.add_argument("--bar", action="store_true", help="fail if a median is above its bar")
    parser.add_argument("--planning", action="store_true", help="the time of planning alone")
    options = parser.parse_args()
    emit = "fence" if options.planning else "package"
    tilec = str(options.build / "bin" / "tilec")

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    row = "{:<21} {:<24} {:>6} {:>6} {:>5} {:>6}  {}"
    print(row.format("example", "kernel", "wall s", "CPU s", "bar", "plan s", "variant: LLVM + ptxas"))
    above = shown = longest = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        for source in sorted(ROOT.glob("examples/[0-9]*-*/kernel.tile")):
            example = source.parent.name
            if options.example and not any(word in example for word in options.example):
                continue
            for kernel in KERNEL.findall(source.read_text()):
                runs = [compile_once(tilec, source, kernel, pathlib.Path(folder, "kernel.tpk"), emit)
                        for _ in range(options.runs)]
                wall = statistics.median(run[0] for run in runs)
                cpu = statistics.median(run[1] for run in runs)
                bar = None if options.planning else BARS.get(example, OTHER_BAR)
                is_slow = bar is not None and wall > bar
                parts = ", ".join(f"{name}: {part['LLVM']:.2f} + {part['ptxas']:.2f}"
                                  for name, part in min(runs, key=lambda run: run[0])[3].items())
                planning = min(run[2] for run in runs)
                print(row.format(example, kernel, f"{wall:.2f}", f"{cpu:.2f}", f"{bar or '-'}{'!' if is_slow else ''}",
                                 f"{planning:.3f}{'!' if planning > PLANNING_BAR else ''}", parts).rstrip(), flush=True)
                shown += 1
                above += is_slow or planning > PLANNING_BAR
                longest = max(longest, planning)
    print(f"{above} of {shown} kernels above a bar; planning takes at most {longest:.3f} of {PLANNING_BAR} s; "
          f"load {os.getloadavg()[0]:.1f} at the end")
    return 1 if not shown or (options.bar and above) else 0


if __name__ == "__main__":
    sys.exit(main())
