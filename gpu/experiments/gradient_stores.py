#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the share of the addition to dq in the time of attention gradients, by editing the PTX.

    TESSERA_PTXAS=gradient_stores.py REAL_PTXAS=PTXAS EDIT=no-add|fragments compile.py ... --out FOLDER
    compare_folders.py FOLDER... --only REGEX

As TESSERA_PTXAS the script removes the tensor copies that add (no-add), or stores the accumulators of dq to shared
memory in register order (fragments). Both give a wrong dq; only the time matters.
"""

import os
import pathlib
import re
import subprocess
import sys

STORE = re.compile(r"st\.shared\.v2\.b32\s+\[(%rd\d+)\], \{(%r\d+), (%r\d+)\}")
SELECT = re.compile(r"selp\.[fb]32\s+(%r\d+), (%r\d+), (%r\d+)")
# The stores of an accumulator of 64 x 64 f32 elements, in pairs.
STORES = 16


def split_runs(lines):
    """Returns the line numbers of each run of stores of an accumulator."""
    runs = []
    for number, line in enumerate(lines):
        if STORE.search(line):
            if not runs or number - runs[-1][-1] > 3:
                runs.append([])
            runs[-1].append(number)
    return [run for run in runs if len(run) == STORES]


def store_fragments(lines, run, selects):
    """Replaces pairs at swizzled addresses by four registers at a time: consecutive 512 bytes per warp."""
    stores = [STORE.search(lines[number]) for number in run]
    registers = [register for store in stores for register in store.groups()[1:]]
    if all(register in selects for register in registers):
        taken = set()
        for i, register in enumerate(registers):
            registers[i] = next(source for source in selects[register] if source not in taken)
            taken.add(registers[i])
    text = ["{", ".reg .b32 %lane; .reg .b64 %own, %place;", "mov.u32 %lane, %laneid;",
            "mul.wide.u32 %own, %lane, 16;"]
    for i in range(STORES // 2):
        if i % 4 == 0:
            text += [f"and.b64 %place, {stores[2 * i][1]}, -1024;", "add.s64 %place, %place, %own;"]
        text.append(f"st.shared.v4.b32 [%place+{i % 4 * 512}], {{{', '.join(registers[4 * i:4 * i + 4])}}};")
    for number in run:
        lines[number] = ""
    lines[run[-1]] = "\n".join([*text, "}"])


def edit(path, how):
    lines = path.read_text().splitlines()
    if how == "no-add":
        lines = [line for line in lines if "cp.reduce.async.bulk" not in line]
    elif how == "fragments":
        selects = {found[1]: found.groups()[1:] for found in map(SELECT.search, lines) if found}
        for run in split_runs(lines):
            store_fragments(lines, run, selects)
    edited = path.with_suffix(f".{how}.ptx")
    edited.write_text("\n".join(lines) + "\n")
    return edited


def run_ptxas(arguments):
    how = os.environ["EDIT"]
    arguments = [str(edit(pathlib.Path(argument), how)) if argument.endswith(".ptx") and os.path.exists(argument)
                 else argument for argument in arguments]
    return subprocess.run([os.environ["REAL_PTXAS"], *arguments]).returncode


def main():
    sys.exit(run_ptxas(sys.argv[1:]))


if __name__ == "__main__":
    main()
