#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the PTX that two compilers emit for the kernels of check.py and bench.py.

    compare_ptx.py OLD_TILEC NEW_TILEC [--only REGEX]

For changes that should not affect code. Prints the units that differ, with the number of lines, and the units that
only one compiler rejects; the exit status is then 1. Needs neither ptxas nor a GPU.
"""

import argparse
import concurrent.futures
import difflib
import os
import subprocess
import sys

import tables
from compile import command_for


def make_ptx(tilec, unit, timeout):
    """Returns the lines of the PTX of a unit, or the compiler's error as text."""
    command = command_for(tilec, unit, "-", emit="ptx")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return f"no result after {timeout:g} s"
    return done.stdout.splitlines() if done.returncode == 0 else tables.first_error(done.stderr)


def describe(old, new):
    """Returns the difference as text; empty if there is none."""
    refusals = [f"{name}: {text}" for name, text in (("old", old), ("new", new)) if isinstance(text, str)]
    if len(refusals) == 2 and old == new:
        return ""
    if refusals:
        return "; ".join(refusals)
    changes = [line for line in difflib.unified_diff(old, new, lineterm="", n=0)
               if line[0] in "+-" and not line.startswith(("+++", "---"))]
    if not changes:
        return ""
    counts = [sum(line[0] == sign for line in changes) for sign in "-+"]
    return f"{counts[0]} of {len(old)} lines became {counts[1]}"


def main():
    parser = argparse.ArgumentParser(description="Compare the PTX of two compilers.")
    parser.add_argument("old", metavar="OLD_TILEC")
    parser.add_argument("new", metavar="NEW_TILEC")
    parser.add_argument("--only", metavar="REGEX", help="only units and cases that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one unit")
    options = parser.parse_args()
    units = [unit for unit in tables.collect_units(options.only) if unit.source.exists()]
    if not units:
        sys.exit("error: no unit matches; compile.py --list has them")

    def compare(unit):
        return describe(*(make_ptx(tilec, unit, options.timeout) for tilec in (options.old, options.new)))

    different = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for unit, text in zip(units, pool.map(compare, units)):
            different += bool(text)
            if text:
                print(f"{unit.example} {unit.name}: {text}", flush=True)
    print(f"{len(units) - different} units have the same PTX, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
