#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long tilec takes for each kernel of the examples at its defaults, one at a time.

Prints the medians of the wall-clock time and of the processor time (user and system, ptxas included). For the fastest
run it also prints the time of planning, and of each variant in LLVM and in ptxas. Planning consists of the passes that
try variants on copies; variants are compiled in parallel. Wall-clock times are meaningful only on an idle machine, so
the load is printed as well.

With --bar the exit status is 1 if a median is above its bar or if the minimum time of planning is above 0.2 s. The bar
is 0.8 s for the kernels of 03-matmul and 07-flash-attention and 1.3 s for others, on two cores. With --planning only
planning is compared, and neither LLVM nor ptxas runs; this also works on a busy machine.

With `--compare` an older version of the compiler compiles its examples as well. FILE is the output of this script for
that version on the machine of the bars. The time of a kernel is then the recorded time multiplied by the ratio of
the fastest runs here, and --bar compares this product; this also works on slower machines. Kernels that are missing
in FILE are skipped.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BARS = {"03-matmul": 0.8, "07-flash-attention": 0.8}
OTHER_BAR = 1.3
PLANNING = ("PlanPass", "PipelinePass", "ScheduleLoopsPass")
PLANNING_BAR = 0.2

KERNEL = re.compile(r"^kernel (\w+)", re.MULTILINE)
# "    0.7  ( 50.2%)    0.7  ( 40.1%)      ptxas": the wall-clock time is the last one.
PART = re.compile(r"([\d.]+) \([ \d.]+%\) {4,}('\w+'|LLVM IR|code generation|ptxas)$")
PASS = re.compile(r"([\d.]+) \([ \d.]+%\) {2,}(\w+Pass)$", re.MULTILINE)


def read_planning(timing):
    """Returns the seconds of the planning passes; a missing pass is an error."""
    seconds = dict.fromkeys(PLANNING, None)
    for value, name in PASS.findall(timing):
        if name in seconds:
            seconds[name] = (seconds[name] or 0) + float(value)
    missing = [name for name in PLANNING if seconds[name] is None]
    if missing:
        sys.exit(f"compile_times.py: --mlir-timing has no {', '.join(missing)}")
    return sum(seconds.values())


def read_parts(timing):
    """Returns the seconds in LLVM and in ptxas by variant, from the output of --mlir-timing."""
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
    """Returns wall-clock seconds, processor seconds, and the output of one compilation."""
    command = [str(tilec), str(source), "--kernel", kernel, f"--emit={emit}", "-o", str(output), "--mlir-timing"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"compile_times.py: {' '.join(command)}:\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stderr


def read_recorded(path):
    """Returns the wall-clock seconds by example and kernel in an output of this script."""
    rows = re.findall(r"^(\d\d-\S+) +(\w+) +([\d.]+) ", path.read_text(), re.MULTILINE)
    if not rows:
        sys.exit(f"compile_times.py: {path} has no times of kernels")
    return {(example, kernel): float(seconds) for example, kernel, seconds in rows}


def print_comparison(other, recorded, options):
    """Prints the table of `--compare`; returns the number of kernels above their bars, and of all kernels."""
    row = "{:<21} {:<24} {:>8} {:>8} {:>6} {:>11} {:>9} {:>5}"
    print(row.format("example", "kernel", "old s", "new s", "ratio", "recorded s", "so new s", "bar"))
    above = shown = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        for source, kernel in find_kernels(options.example):
            example = source.parent.name
            if (example, kernel) not in recorded:
                continue
            versions = ((other / "build", other / "examples" / example / source.name), (options.build, source))
            times = [[compile_once(build / "bin" / "tilec", text, kernel, f"{folder}/kernel.tpk", "package")[0]
                      for build, text in versions] for _ in range(options.runs)]
            old, new = map(min, zip(*times))
            bar, expected = BARS.get(example, OTHER_BAR), recorded[example, kernel] * new / old
            print(row.format(example, kernel, f"{old:.2f}", f"{new:.2f}", f"{new / old:.2f}",
                             f"{recorded[example, kernel]:.2f}", f"{expected:.2f}",
                             f"{bar}{'!' if expected > bar else ''}"), flush=True)
            shown += 1
            above += expected > bar
    print(f"{above} of {shown} kernels above the bar; load {os.getloadavg()[0]:.1f} at the end")
    return above, shown


def find_kernels(words):
    """Yields the sources of the examples that have one of `words` in their names, and their kernels."""
    for source in sorted(ROOT.glob("examples/[0-9]*-*/kernel.tile")):
        if not words or any(word in source.parent.name for word in words):
            for kernel in KERNEL.findall(source.read_text()):
                yield source, kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", nargs="*", help="examples, by a part of the folder's name")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="compilations of each")
    parser.add_argument("--bar", action="store_true", help="fail if a median is above its bar")
    parser.add_argument("--compare", nargs=2, type=pathlib.Path, metavar=("ROOT", "FILE"),
                        help="another version, built in ROOT/build, and the output of this script for it")
    parser.add_argument("--planning", action="store_true", help="measure only planning")
    options = parser.parse_args()
    if options.compare and options.planning:
        parser.error("--compare compares whole compilations; remove --planning")
    emit = "fence" if options.planning else "package"
    tilec = options.build / "bin" / "tilec"

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    if options.compare:
        above, shown = print_comparison(options.compare[0], read_recorded(options.compare[1]), options)
        return 1 if not shown or (options.bar and above) else 0
    row = "{:<21} {:<24} {:>6} {:>6} {:>5} {:>6}  {}"
    print(row.format("example", "kernel", "wall s", "CPU s", "bar", "plan s", "variant: LLVM + ptxas"))
    above = shown = longest = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        for source, kernel in find_kernels(options.example):
            example = source.parent.name
            runs = [compile_once(tilec, source, kernel, pathlib.Path(folder, "kernel.tpk"), emit)
                    for _ in range(options.runs)]
            wall = statistics.median(run[0] for run in runs)
            cpu = statistics.median(run[1] for run in runs)
            bar = None if options.planning else BARS.get(example, OTHER_BAR)
            is_slow = bar is not None and wall > bar
            parts = ", ".join(f"{name}: {part['LLVM']:.2f} + {part['ptxas']:.2f}"
                              for name, part in read_parts(min(runs)[2]).items())
            planning = min(read_planning(run[2]) for run in runs)
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
