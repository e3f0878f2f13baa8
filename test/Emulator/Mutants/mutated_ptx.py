#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates the PTX of the examples' kernels and the metadata of their packages, and checks that the emulator reports
the mutants.

    mutated_ptx.py ROOT SCRATCH [EXAMPLE …] [--count N] [--part K/N] [--jobs N] [--show]

For each kernel of ../Simulator/example_launches.py and more_launches.py, --count mutants of each class
(ptx_mutants.py, package_mutants.py) are launched in four orders. A mutant is reported in one of these ways:

- finding: the emulator reports an error at a line, or a deadlock
- hang: it executes four times as many steps as the kernel, or does not end
- launch: the runtime or the driver rejects the launch
- result: a result differs from the interpreter's by more than 0.02 of it plus 0.02
- bits: a result differs from the kernel's own result, which has the same bits in all orders

Text that is not PTX, or not a package, is not a mutant and not counted; nor is a mutant of an instruction that no
launch executes. Known survivors are in Inputs/ptx-harmless.txt, with lines of this form:

    EXAMPLE | CLASS: MUTATION, INSTRUCTION | HOW MANY | REASON

Fails if other mutants survive, if a run fails without an error message, or if fewer than 95 % of the mutants are
reported. With --part 2/10 the script takes every tenth kernel, starting with the second. It then only prints
survivors, and fails if fewer than 90 % are reported, since other code gives another choice of mutants. Results are
kept in SCRATCH; a mutant that was judged there with the same tile-launch is not launched again.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SIMULATOR = HERE.parents[1] / "Simulator"
sys.path[:0] = [str(SIMULATOR), str(SIMULATOR / "Mutation")]

import example_launches
import more_launches
import mutant_runs
import package_mutants
import ptx_mutants
from mutation import Harmless

BAR, BAR_OF_PART = 0.95, 0.9
COLUMNS = ("finding", "hang", "launch", "result", "bits", "explained", "SURVIVES")

# A kernel to mutate: its package and PTX as files, and launches.
Subject = collections.namedtuple("Subject", "example name entry package text launches")


def prepare(root, example, number, scratch):
    """Compiles and measures a row of example_launches.EXAMPLES."""
    kernel, parameters, launches, *more = example_launches.EXAMPLES[example][number]
    entry = more.pop(0) if more else kernel
    source = root / "examples" / example / "kernel.tile"
    folder = scratch / example / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    package, ptx = folder / "kernel.tpk", folder / "kernel.ptx"
    defines = example_launches.spell_defines(parameters)
    command = ["tilec", source, f"--kernel={kernel}", *defines, "--line-tables"]
    example_launches.run(*command, "--ptx-only", "--emit=package", "-o", package)
    example_launches.run(*command, "--emit=ptx", "-o", ptx)
    rng = np.random.default_rng(7)
    measured = []
    wanted = [(given, more) for given in launches] + more_launches.MORE.get((example, number), [])
    for index, (given, options) in enumerate(wanted):
        words, files = example_launches.interpret(source, kernel, parameters, given, folder / str(index), rng)
        launch = mutant_runs.Launch([*words, *options], files, {}, 0)
        launch, error = mutant_runs.measure(package, ptx, launch)
        if error:
            sys.exit(f"{example} {entry} itself is wrong: {error}")
        measured.append(launch)
    return Subject(example, f"{entry} {parameters}", entry, package, ptx.read_text(), measured)


def choose(subject, number, options):
    mutants = [*ptx_mutants.make_mutants(subject.text, subject.entry),
               *package_mutants.make_mutants(subject.package.read_bytes(), subject.text, subject.entry)]
    return list(ptx_mutants.choose(mutants, options.count, f"{subject.example}|{number}"))


def find_key(subject, mutant):
    """Returns a hash of everything that determines the result of a mutant: its text, its launches and the tool."""
    tool = pathlib.Path(shutil.which("tile-launch")).stat()
    words = (subject.name, tool.st_size, tool.st_mtime_ns, [launch.words for launch in subject.launches])
    key = hashlib.sha256(mutant.package or "\n".join(mutant.text).encode())
    key.update(repr(words).encode())
    for launch in subject.launches:
        for file in launch.expected.values():
            key.update(file.read_bytes())
    return key.hexdigest()


def judge_once(subject, mutant, folder):
    """Judges a mutant like `judge`, but reuses results in the folder."""
    file = folder / find_key(subject, mutant)
    if file.exists():
        return mutant_runs.Report(*json.loads(file.read_text()))
    report = judge(subject, mutant)
    file.write_text(json.dumps(report))
    return report


def judge(subject, mutant):
    """Returns the report of a mutant; `how` may also be "survives" or "not executed"."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        package, ptx = subject.package, scratch / "mutant.ptx"
        ptx.write_text("\n".join(mutant.text) + "\n" if mutant.text else subject.text)
        if mutant.package:
            package = scratch / "mutant.tpk"
            package.write_bytes(mutant.package)
        report = mutant_runs.find_report(package, ptx, subject.launches)
        if report:
            return report
        if mutant.text and not mutant_runs.is_executed(package, subject.text, mutant.line, mutant.guard,
                                                       subject.launches, scratch):
            return mutant_runs.Report("not executed", "")
    return mutant_runs.Report("survives", "")


def describe(subject, mutant):
    """Returns the class and mutation, and the original instruction."""
    line = subject.text.splitlines()[mutant.line].strip() if mutant.text else "the launch"
    return f"{subject.example} | {mutant.kind}: {mutant.what}, {mutant.name} | {line[:150]}"


class Tables:
    """Counts mutants by class and by kernel, with their reports."""

    def __init__(self):
        self.by_class = collections.defaultdict(collections.Counter)
        self.by_kernel = collections.defaultdict(collections.Counter)
        self.left_out = collections.Counter()

    def count(self, subject, mutant, how):
        if how in ("refused", "not executed"):
            self.left_out[how] += 1
            return
        self.by_class[mutant.kind][how] += 1
        self.by_kernel[f"{subject.example} {subject.name}"][how] += 1

    def sum_up(self):
        total = collections.Counter()
        for row in self.by_class.values():
            total += row
        return total

    def print(self):
        for title, rows in (("kernel", self.by_kernel), ("class", self.by_class)):
            width = max(map(len, rows), default=0)
            print(f"{title:{width}} mutants reported " + " ".join(f"{name:>9}" for name in COLUMNS))
            for name, row in [*rows.items(), ("all", self.sum_up())]:
                print(f"{name:{width}} {row.total():7} {count_reported(row):8} "
                      + " ".join(f"{row[column]:9}" for column in COLUMNS))
            print()
        print(", ".join(f"{number} {how}" for how, number in self.left_out.items()) or "none skipped")


def count_reported(row):
    return row.total() - row["explained"] - row["SURVIVES"]


def check(subject, number, options, harmless, tables, pool):
    """Runs the mutants of a kernel; returns whether one of them is a problem."""
    mutants = choose(subject, number, options)
    is_bad = False
    folder = options.scratch / "results"
    folder.mkdir(parents=True, exist_ok=True)
    reports = pool.map(lambda mutant: judge_once(subject, mutant, folder), mutants)
    for mutant, report in zip(mutants, reports):
        how = report.how
        if how == "survives":
            reason = harmless.take(subject.example, f"{mutant.kind}: {mutant.what}, {mutant.name}")
            how = "explained" if reason else "SURVIVES"
        tables.count(subject, mutant, how)
        is_bad |= how == "CRASH" or (how == "SURVIVES" and options.part == "1/1")
        if how in ("SURVIVES", "CRASH") or options.show:
            print(f"{how}: {describe(subject, mutant)} | {report.text}", flush=True)
    return is_bad


def find_rows(options):
    """Returns the kernels to mutate: examples, and their rows in the table."""
    rows = [(example, number) for example, kernels in example_launches.EXAMPLES.items()
            for number in range(len(kernels))
            if not options.example or any(word in example for word in options.example)]
    part, parts = map(int, options.part.split("/"))
    return rows[part - 1 :: parts]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("example", nargs="*", help="examples by a part of their names (default: all)")
    parser.add_argument("--count", type=int, default=3, help="mutants of each class of each kernel")
    parser.add_argument("--part", default="1/1", help="every N-th kernel, from the K-th on: K/N")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="print what each mutant is reported as")
    options = parser.parse_args()
    harmless = Harmless(HERE / "harmless.txt")
    tables = Tables()
    is_bad = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for example, number in find_rows(options):
            subject = prepare(options.root, example, number, options.scratch)
            is_bad |= check(subject, number, options, harmless, tables, pool)
    tables.print()
    total = tables.sum_up()
    share = count_reported(total) / max(total.total(), 1)
    print(f"{count_reported(total)} of {total.total()} mutants reported, {share:.1%}")
    if options.part == "1/1" and not options.example:
        for kind, what in harmless.find_unused():
            print(f"{kind}, {what}: reported, and not harmless")
            is_bad = True
    return 1 if is_bad or share < (BAR if options.part == "1/1" else BAR_OF_PART) else 0


if __name__ == "__main__":
    sys.exit(main())
