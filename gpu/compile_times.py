#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long tilec takes for each kernel of the examples at its defaults, each alone.

Prints the median of the wall-clock times and of the processor seconds (user and system, ptxas
included), and of the fastest run what each variant took in LLVM and in ptxas: variants are compiled
side by side. Wall-clock times say something on an idle machine only; its load is printed beside
them. With --bar the exit status is 1 if a median is above the bar: 0.8 s for the kernels of
03-matmul and 07-flash-attention, 1.3 s for others, on two cores.
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

KERNEL = re.compile(r"^kernel (\w+)", re.MULTILINE)
# "    0.7  ( 50.2%)    0.7  ( 40.1%)      ptxas": the wall-clock time is the last one.
PART = re.compile(r"([\d.]+) \([ \d.]+%\) {4,}('\w+'|LLVM IR|code generation|ptxas)$")


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


def compile_once(tilec, source, kernel, output):
    """Wall-clock seconds, processor seconds and the parts of one compilation."""
    command = [tilec, str(source), "--kernel", kernel, "-o", str(output), "--mlir-timing"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"compile_times.py: {' '.join(command)}:\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, read_parts(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", nargs="*", help="examples, by a part of the folder's name")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="compilations of each")
    parser.add_argument("--bar", action="store_true", help="fail if a median is above its bar")
    options = parser.parse_args()
    tilec = str(options.build / "bin" / "tilec")

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    row = "{:<21} {:<19} {:>6} {:>6} {:>5}  {}"
    print(row.format("example", "kernel", "wall s", "CPU s", "bar", "variant: LLVM + ptxas"))
    above = shown = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        for source in sorted(ROOT.glob("examples/[0-9]*-*/kernel.tile")):
            example = source.parent.name
            if options.example and not any(word in example for word in options.example):
                continue
            for kernel in KERNEL.findall(source.read_text()):
                runs = [compile_once(tilec, source, kernel, pathlib.Path(folder, "kernel.tpk"))
                        for _ in range(options.runs)]
                wall = statistics.median(run[0] for run in runs)
                cpu = statistics.median(run[1] for run in runs)
                bar = BARS.get(example, OTHER_BAR)
                parts = ", ".join(f"{name}: {part['LLVM']:.2f} + {part['ptxas']:.2f}"
                                  for name, part in min(runs)[2].items())
                print(row.format(example, kernel, f"{wall:.2f}", f"{cpu:.2f}",
                                 f"{bar}{'!' if wall > bar else ''}", parts), flush=True)
                shown += 1
                above += wall > bar
    print(f"{above} of {shown} kernels above the bar; load {os.getloadavg()[0]:.1f} at the end")
    return 1 if not shown or (options.bar and above) else 0


if __name__ == "__main__":
    sys.exit(main())
