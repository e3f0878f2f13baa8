#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures with ptxas the registers that the threads of each kernel of bench.py need.

    register_sweep.py --ptxas PATH [--build DIR] [--only REGEX] [--output FILE]

The need is the smallest budget under which ptxas neither spills nor reports that it made code slow (C75xx).
`serialised` is the largest budget under which it reports that. Both are found by binary search in steps of 8: the PTX
of each entry is assembled with different budgets. In a kernel with roles the budget is the count of setmaxnreg. It is
the same for all computing roles; other roles keep their registers at entry. In a kernel without roles the budget is
.maxnreg. The kernels are those of the examples at their defaults and those of configurations.toml.

In addition, the table has the compiler's budget for the kernel and the spills with that budget. Spills are counted
in bytes, and in instructions in innermost loops with products (see sass.py; needs nvdisasm).
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from machine_code import sass  # noqa: E402
from measure import result_file  # noqa: E402
import tables  # noqa: E402
from compile import command_for  # noqa: E402

STEP, LEAST, MOST = 8, 24, 248
PER_MULTIPROCESSOR, PER_THREAD = 65536, 255

SETMAXNREG = re.compile(r"setmaxnreg\.(inc|dec)(\.sync\.aligned\.u32\s+)(\d+)")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
COMPLAINT = re.compile(r"\(C75\d\d\)|Potential Performance Loss|ignored to maintain|is injected")


def default_units():
    """Yields the kernels of the examples at their defaults, without -D."""
    for folder in sorted(tables.EXAMPLES.glob("[0-9]*-*")):
        text = (folder / "kernel.tile").read_text()
        for kernel in re.findall(r"^kernel (\w+)", text, re.MULTILINE):
            yield tables.make_unit(folder.name, kernel, {})


def collect(only):
    units = dict.fromkeys(default_units())
    units |= {unit: None for unit, use in tables.collect_units().items() if use["configurations"]}

    def has_double(unit):
        # f16 needs as many registers as bf16.
        parameters = dict(unit.parameters)
        return parameters.get("T") == "f16" and tables.make_unit(
            unit.example, unit.kernel, {**parameters, "T": "bf16"}, unit.options) in units

    return [unit for unit in units if not has_double(unit) and (not only or re.search(only, unit.file))]


def read_entry(text):
    """Returns the name of the entry, its threads, and the budget of the computing threads."""
    entry = re.search(r"\.entry (\w+)", text)[1]
    threads = 1
    for size in re.search(r"\.maxntid ([\d, ]+)", text)[1].split(","):
        threads *= int(size)
    budgets = [int(found[3]) for found in SETMAXNREG.finditer(text)]
    blocks = re.search(r"\.minnctapersm (\d+)", text)
    at_start = PER_MULTIPROCESSOR // threads // (int(blocks[1]) if blocks else 1) // STEP * STEP
    return entry, threads, max(budgets, default=min(PER_THREAD, at_start))


def with_budget(text, threads, registers):
    """Returns the PTX with another budget for the computing threads."""
    budgets = [int(found[3]) for found in SETMAXNREG.finditer(text)]
    if not budgets:
        text = re.sub(r"^\.minnctapersm \d+\n", "", text, flags=re.MULTILINE)
        return re.sub(r"^(\.maxntid .*)$", rf"\1\n.maxnreg {registers}", text, flags=re.MULTILINE)
    at_start = min(PER_THREAD, PER_MULTIPROCESSOR // threads) // STEP * STEP

    def replace(found):
        count = registers if int(found[3]) == max(budgets) else at_start
        return f"setmaxnreg.{'inc' if count > at_start else 'dec'}{found[2]}{count}"

    return SETMAXNREG.sub(replace, text)


def assemble(ptxas, text, keep=False):
    """Returns the spilled bytes (stores and loads), complaints by code or text, and the machine code."""
    with tempfile.TemporaryDirectory() as folder:
        source, code = pathlib.Path(folder, "a.ptx"), pathlib.Path(folder, "a.cubin")
        source.write_text(text)
        done = subprocess.run([ptxas, "-arch=sm_90a", "-O3", "-v", source, "-o", code],
                              capture_output=True, text=True)
        said = done.stdout + done.stderr
        complaints = sorted({found[0] for found in COMPLAINT.finditer(said)})
        if done.returncode != 0:
            return None, ["refused"], None
        spilled = sum(int(count) for found in SPILLS.findall(said) for count in found)
        return spilled, complaints, code.read_bytes() if keep else None


def find_least(is_enough, low, high):
    """Returns the smallest budget from `low` to `high` with is_enough(budget), which holds for `high`."""
    while low < high:
        middle = (low + high) // 2 // STEP * STEP
        if is_enough(middle):
            high = middle
        else:
            low = middle + STEP
    return low


def find_need(ptxas, text, threads):
    """Returns the smallest budget without spills and complaints, and the largest one with complaints; either may be
    None."""
    @functools.cache
    def try_budget(registers):
        spilled, complaints, _ = assemble(ptxas, with_budget(text, threads, registers))
        return spilled, bool(complaints)

    need = None
    if try_budget(MOST) == (0, False):
        need = find_least(lambda registers: try_budget(registers) == (0, False), LEAST, MOST)
    if try_budget(MOST)[1]:
        return need, MOST
    # ptxas complains only about products.
    if "wgmma" not in text:
        return need, None
    quiet = find_least(lambda registers: not try_budget(registers)[1], LEAST, need or MOST)
    return need, quiet - STEP if quiet > LEAST else None


def count_spills_in_loops(program, code):
    """Counts loads and stores of spilled registers in innermost loops with products."""
    count = 0
    for instructions, labels in sass.parse(sass.disassemble(program, code)).values():
        for loop in sass.main_loops(instructions, labels):
            count += sum(sass.classify(one.opcode) == "local" for one in loop)
    return count


def measure(tilec, ptxas, disassembler, unit):
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder, "a.tpk")
        done = subprocess.run([*command_for(tilec, unit, package), "--ptx-only"], capture_output=True, text=True)
        if done.returncode != 0:
            return [{"unit": unit.file, "error": tables.first_error(done.stderr)}]
        texts = [text.rstrip(b"\0").decode() for text in sass.read_sections(package.read_bytes(), 3)]
    rows = []
    for text in texts:
        entry, threads, budget = read_entry(text)
        spilled, complaints, code = assemble(ptxas, text, keep=True)
        need, serialised = find_need(ptxas, text, threads)
        rows.append({"unit": unit.file, "entry": entry, "threads": threads,
                     "roles": bool(SETMAXNREG.search(text)), "budget": budget,
                     "need": need, "serialised": serialised, "spilled": spilled, "complaints": complaints,
                     "spills_in_loops": count_spills_in_loops(disassembler, code) if code and disassembler else None})
    return rows


def show(rows):
    print(f"{'entry':<34} {'budget':>6} {'need':>5} {'serialised':>10} {'spilled':>8} {'in loops':>8}  unit")
    for row in rows:
        if "error" in row:
            print(f"not compiled: {row['error']}  {row['unit']}")
            continue
        need = row["need"] or f">{MOST}"
        print(f"{row['entry']:<34} {row['budget']:>6} {need:>5} {row['serialised'] or '-':>10} {row['spilled']:>8} "
              f"{row['spills_in_loops'] or 0:>8}"
              f"  {row['unit']}{''.join('  ' + text for text in row['complaints'])}")
    measured = [row for row in rows if "error" not in row]
    print(f"{len(measured)} entries of {len({row['unit'] for row in measured})} units")


def main():
    parser = argparse.ArgumentParser(description="Measure the registers that kernels need.")
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tilec to use")
    parser.add_argument("--ptxas", default=os.environ.get("TESSERA_PTXAS") or shutil.which("ptxas"),
                        help="the ptxas to run")
    parser.add_argument("--only", metavar="REGEX", help="only units that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="assemblers at once")
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path, help="write the table as JSON")
    options = parser.parse_args()
    if not options.ptxas:
        sys.exit("error: no ptxas; name it with --ptxas or TESSERA_PTXAS")
    tilec = tables.examples.find_tool("tilec", options.build)
    units = collect(options.only) or sys.exit("error: no unit matches")
    disassembler = sass.find_disassembler()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda unit: measure(tilec, options.ptxas, disassembler, unit), units)
        rows = [row for rows in found for row in rows]
    show(rows)
    version = subprocess.run([options.ptxas, "--version"], capture_output=True, text=True).stdout
    table = {"ptxas": re.search(r"V([\d.]+)", version)[1], "step": STEP, "most": MOST, "entries": rows}
    if options.output:
        result_file.write(options.output, table, rows="entries")


if __name__ == "__main__":
    main()
