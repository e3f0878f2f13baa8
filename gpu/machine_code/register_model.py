#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the compiler's estimates of registers with the registers that ptxas needed.

    register_model.py TABLE.json [--build DIR] [--only REGEX] [--within N] [--share P] [--least N]

TABLE.json is the output of register_sweep.py. ptxas is not needed: the estimates come from `tilec --report` after
the phase `fence`. Prints the differences, and the share of kernels whose estimate is within N registers of the need
(default: 16). The exit status is 1 if that share is below P percent, or if fewer kernels than --least were compared.
It is also 1 if a kernel is estimated to fit a budget with N registers to spare, but ptxas made it slow with that
budget.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import problems  # noqa: E402
from machine_code import register_sweep  # noqa: E402
import tables  # noqa: E402
from compile import command_for  # noqa: E402

KERNEL = re.compile(r"^kernel '(\w+)'")
EXPECTED = re.compile(r"^    (?:'\w+': )?about (\d+) of \d+")


def read_expected(tilec, unit):
    """Returns the estimated registers of the threads of each entry: the maximum over its roles."""
    command = command_for(tilec, unit, os.devnull, emit="fence") + ["--report"]
    done = subprocess.run(command, capture_output=True, text=True)
    expected, kernel = {}, None
    for line in done.stderr.splitlines():
        if found := KERNEL.match(line):
            kernel = found[1]
        elif found := EXPECTED.match(line):
            expected[kernel] = max(expected.get(kernel, 0), int(found[1]))
    return expected


def main():
    parser = argparse.ArgumentParser(description="Compare expected registers with measured ones.")
    parser.add_argument("table", type=pathlib.Path, help="the output of register_sweep.py")
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tilec to use")
    parser.add_argument("--only", metavar="REGEX", help="only units that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("--within", type=int, default=16, metavar="N", help="the tolerated difference in registers")
    parser.add_argument("--share", type=float, default=0, metavar="P", help="the required percentage of kernels")
    parser.add_argument("--least", type=int, default=1, metavar="N", help="the required number of compared kernels")
    options = parser.parse_args()
    table = json.loads(options.table.read_text())
    units = {unit.file: unit for unit in register_sweep.collect(options.only)}
    wanted = [row for row in table["entries"] if "error" not in row and row["unit"] in units]
    tilec = tables.examples.find_tool("tilec", options.build)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        files = list(dict.fromkeys(row["unit"] for row in wanted))
        expected = dict(zip(files, pool.map(lambda file: read_expected(tilec, units[file]), files)))
    compared, close, broken = 0, 0, []
    for row in wanted:
        about = expected[row["unit"]].get(row["entry"])
        if about is None:
            continue
        # Without a measured need, the kernel needs more than the largest budget that was tried.
        need = row["need"] or max(about, table["most"] + table["step"])
        compared += 1
        difference = about - need
        is_close = abs(difference) <= options.within
        close += is_close
        print(f"{row['entry']:<34} {about:>4} {need:>4} {difference:>+5} {'' if is_close else '*':<1}  {row['unit']}")
        fits = about + options.within
        if (row["serialised"] or 0) >= fits:
            broken.append(f"{row['unit']}: '{row['entry']}' is expected to fit {fits} registers, "
                          f"but ptxas made it slow with {row['serialised']}")
    share = 100 * close / max(compared, 1)
    print(f"{compared} kernels, {close} within {options.within} registers ({share:.1f} %)")
    if compared < options.least:
        broken.append(f"expected at least {options.least} kernels to compare")
    if share < options.share:
        broken.append(f"expected at least {options.share:g} % within {options.within} registers")
    return problems.report(broken)


if __name__ == "__main__":
    sys.exit(main())
