#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans machine code for known errors of assemblers, and for code that is slow by a factor.

Reads packages (.tpk), machine code (.cubin), listings of nvdisasm -c (.sass) and folders of packages. With --ptxas
the PTX of packages is assembled again by another ptxas, and its code is scanned. Rules and their limits:
docs/design/emulator.md, "Below PTX". The exit status is 1 after a finding `wrong`, with --strict also after a
finding `slow`, and 3 without nvdisasm (see sass.py).
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from machine_code import cubin, hazards, sass  # noqa: E402

Row = collections.namedtuple("Row", "family kernel code assembler products loops spills findings")
RULES = {"wrong": ("operand-rewritten", "operand-in-flight", "accumulator-read", "accumulator-rewritten",
                   "accumulator-overlap", "no-arrive", "never-waited", "piled-up", "register-beyond",
                   "register-pool", "setmaxnreg-lost", "slot-unwritten", "load-in-flight", "load-overtaken",
                   "stored-early", "touched-early", "unknown"),
         "slow": ("serialised", "spill", "moved", "fence")}


def assemble(ptxas, ptx, level):
    with tempfile.TemporaryDirectory() as folder:
        text, code = pathlib.Path(folder, "a.ptx"), pathlib.Path(folder, "a.cubin")
        text.write_bytes(ptx.rstrip(b"\0"))
        done = subprocess.run([ptxas, "-arch=sm_90a", f"-O{level}", "-lineinfo", text, "-o", code],
                              capture_output=True, text=True)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise RuntimeError(f"{ptxas}: {lines[0]}")
        return code.read_bytes()


def read_pieces(path, ptxas):
    """Returns the pieces of machine code of a file, each with its PTX or None."""
    data = path.read_bytes()
    if data[:8] != b"TESSERAK":
        return [(code, None) for code in sass.read_code(path)]
    codes, texts = sass.read_sections(data, 2), sass.read_sections(data, 3)
    pieces = list(zip(codes, texts if len(texts) == len(codes) else [None] * len(codes)))
    if not ptxas:
        return pieces
    return [(assemble(ptxas, text, cubin.read_assembler(code)[1]), text) for code, text in pieces if text]


def find_lost_registers(code, ptx):
    """Finds dropped setmaxnreg: ptxas may ignore setmaxnreg, and mentions that only in its informational output."""
    wanted = len(re.findall(rb"\bsetmaxnreg\.", ptx or b""))
    there = sum(one.opcode.startswith("USETMAXREG") for one in code)
    if there < wanted:
        yield hazards.Finding("wrong", "setmaxnreg-lost", 0,
                              f"the PTX has {wanted} setmaxnreg, the machine code {there}")


def count_spills(code):
    return sum(sass.classify(one.opcode) == "local" for one in code)


def scan_listing(family, text, launches, assembler, ptx=None):
    for kernel, (code, labels) in sass.parse(text).items():
        findings = [*find_lost_registers(code, ptx),
                    *hazards.find_hazards(code, labels, *launches.get(kernel, ()))]
        products = sum("GMMA." in one.opcode for one in code)
        loops = len(list(sass.main_loops(code, labels))) if products else 0
        yield Row(family, kernel, code, assembler, products, loops, count_spills(code), findings)


def scan_file(program, ptxas, path):
    """Returns the rows of a file; their code is reduced to the instructions of findings, since rows pass between
    processes."""
    family = path.name.split(".")[0]
    if path.suffix == ".sass":
        rows = list(scan_listing(family, path.read_text(), {}, "unknown"))
    else:
        rows = [row for code, ptx in read_pieces(path, ptxas)
                for row in scan_listing(family, sass.disassemble(program, code), cubin.read_launches(code),
                                        cubin.read_assembler(code)[0], ptx)]
    return [row._replace(code=len(row.code), findings=[(one, row.code[one.index]) for one in row.findings])
            for row in rows]


def describe(name, kernel, finding, instruction):
    place = f" ({instruction.place})" if instruction.place else ""
    operands = re.sub(r"\s*\(\*.*?\*\)", "", instruction.operands)
    return (f"{finding.severity} {finding.rule}: {name}: {kernel}+{instruction.address:#x}{place}: "
            f"{instruction.predicate} {instruction.opcode} {operands}".replace(":  ", ": ").rstrip()
            + f": {finding.message}")


def print_table(rows):
    print(f"{'':18}{'kernels':>8}{'instructions':>14}{'products':>10}{'loops':>7}{'spilling':>10}"
          f"{'wrong':>7}{'slow':>6}")
    families = collections.defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    for family, members in [*sorted(families.items()), ("all", rows)]:
        wrong, slow = (sum(one.severity == severity for row in members for one, _ in row.findings)
                       for severity in ("wrong", "slow"))
        print(f"{family:18}{len(members):8}{sum(row.code for row in members):14}"
              f"{sum(row.products for row in members):10}{sum(row.loops for row in members):7}"
              f"{sum(row.spills > 0 for row in members):10}{wrong:7}{slow:6}")


def print_rules(rows):
    counts = collections.Counter(one.rule for row in rows for one, _ in row.findings)
    for severity, rules in RULES.items():
        for half in filter(None, (rules[:len(rules) // 2], rules[len(rules) // 2:])):
            print(f"{severity}: " + ", ".join(f"{rule} {counts[rule]}" for rule in half))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILE")
    parser.add_argument("--ptxas", metavar="PATH", help="assemble the PTX of packages again with this ptxas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--strict", action="store_true", help="also fail after slow findings")
    parser.add_argument("--quiet", action="store_true", help="print the table and the counts, but no findings")
    return parser.parse_args()


def collect_files(given):
    for path in given:
        if path.is_dir():
            yield from sorted(path.glob("*.tpk"))
        elif path.exists():
            yield path
        else:
            sys.exit(f"scan_machine_code.py: there is no file '{path}'")


def main():
    options = read_arguments()
    files = list(collect_files(options.files))
    program = sass.find_disassembler()
    if not program and any(path.suffix != ".sass" for path in files):
        print("scan_machine_code.py: cannot find nvdisasm; it is in the Python package "
              "nvidia-cuda-nvdisasm and in the CUDA toolkit", file=sys.stderr)
        return 3
    rows = []
    scan = functools.partial(scan_file, program, options.ptxas)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        try:
            for path, found in zip(files, pool.map(scan, files)):
                rows += found
                if not options.quiet:
                    for row in found:
                        for finding, instruction in row.findings:
                            print(describe(path.name, row.kernel, finding, instruction))
        except RuntimeError as error:
            sys.exit(f"scan_machine_code.py: {error}")
    if not rows:
        sys.exit("scan_machine_code.py: the files have no kernel")
    assemblers = ", ".join(sorted({row.assembler for row in rows}))
    print(f"{len(files)} files, machine code by ptxas {assemblers}")
    print_table(rows)
    print_rules(rows)
    severities = {one.severity for row in rows for one, _ in row.findings}
    return 1 if "wrong" in severities or options.strict and severities else 0


if __name__ == "__main__":
    sys.exit(main())
