#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs our versions of the kernels of outside suites and compares them with float64 references.

A suite is a folder. Its kernels.txt names the commit of the suite, then each kernel with its lines there. missing.txt
names the kernels without our version, with the reason. A folder of a suite is a family: .tile files and cases.py, whose
functions make cases. The decorator @case names the kernels of the suite that a case covers, our file and kernel and the
compile-time parameters. The function returns the arguments and the expected results by name. A function with several
decorators makes several cases, and takes the compile-time parameters that it names. A result whose size only the
caller knows has an argument: a text with its shape.

A kernel of the suite agrees if each case that names it agrees on each device. Lines are those of kernels and of the
functions that they use, without blank lines and comments. The emulator executes PTX; wgmma in it means tensor cores.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import importlib.util
import inspect
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Case:
    kernels: list
    source: pathlib.Path
    kernel: str
    defines: dict
    # The largest relative root-mean-square error that passes; integers must be equal.
    rms: float
    make: object
    family: str

    def __str__(self):
        words = [f"{self.family}/{self.source.name}:{self.kernel}"]
        return " ".join(words + [f"{name}={value}" for name, value in self.defines.items()])


def load_family(folder):
    """Returns the cases of a family, from its cases.py."""
    cases = []

    def case(kernels, file, kernel, rms=2e-5, **defines):
        def add(make):
            taken = {name: defines[name] for name in inspect.signature(make).parameters if name in defines}
            bound = functools.partial(make, **taken)
            cases.append(Case(kernels.split(), folder / f"{file}.tile", kernel, defines, rms, bound, folder.name))
            return make
        return add

    spec = importlib.util.spec_from_file_location(folder.name, folder / "cases.py")
    module = importlib.util.module_from_spec(spec)
    module.case = case
    spec.loader.exec_module(module)
    return cases


def spell(value):
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def compare(name, expected, actual, rms):
    """Returns a complaint about a result, or an empty text."""
    expected = np.asarray(expected)
    if actual.shape != expected.shape:
        return f"{name} has the shape {actual.shape}, expected {expected.shape}"
    if expected.dtype.kind in "iub":
        different = np.count_nonzero(actual != expected)
        return f"{name}: {different} of {actual.size} differ" if different else ""
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(expected)
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        return f"{name} differs where the reference is NaN or infinite"
    size = np.sqrt(np.mean(expected[finite] ** 2)) if finite.any() else 0.0
    error = np.sqrt(np.mean((actual[finite] - expected[finite]) ** 2)) / (size or 1.0) if finite.any() else 0.0
    return "" if error <= rms else f"{name}: relative RMS error {error:.1e} exceeds {rms:.0e}"


def run_case(case, devices):
    """Runs a case; returns the complaints."""
    given, expected = case.make(np.random.default_rng(zlib.crc32(str(case).encode())))
    constants = [word for name, value in case.defines.items() for word in ("-D", f"{name}={spell(value)}")]
    complaints = []
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        folder = pathlib.Path(folder)
        arguments = []
        for name, value in given.items():
            if isinstance(value, str) or np.ndim(value) == 0:
                arguments += ["--arg", f"{name}={spell(value)}"]
            else:
                np.save(folder / f"{name}.npy", value.astype("f4") if value.dtype.kind == "f" else value)
                arguments += ["--arg", f"{name}=@{folder / name}.npy"]
        for name in expected:
            arguments += ["--save", f"{name}={folder / name}-result.npy"]
        for device in devices:
            command = ["tile-run", case.source, "--kernel", case.kernel, "--device", device, *constants, *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                complaints.append(f"{device}: no result after 300 s")
                continue
            if done.returncode:
                complaints.append(f"{device}: exit status {done.returncode}\n{done.stderr[-1500:]}")
                continue
            found = (compare(name, array, np.load(folder / f"{name}-result.npy"), case.rms)
                     for name, array in expected.items())
            complaints += [f"{device}: {text}" for text in found if text]
    return complaints


def read_items(source):
    """Returns the lines of the kernels and functions of a file and of the files that it uses, without the library."""
    items, lines = {}, []
    for line in source.read_text().splitlines():
        start = re.match(r'(kernel|fn) (\w+)|use "(?!std/)(.*)"', line)
        if start and start[3]:
            items |= {name: item for name, item in read_items(source.parent / start[3]).items() if name[0] == "fn"}
        elif start:
            lines = items.setdefault((start[1], start[2]), [])
        if line.strip() and not line.strip().startswith("//"):
            lines.append(line)
    return items


def count_lines(cases):
    """Returns the lines of the kernels of cases, and of the functions that these use."""
    total = 0
    for source in {case.source for case in cases}:
        items, counted = read_items(source), set()
        wanted = {("kernel", case.kernel) for case in cases if case.source == source}
        while wanted:
            item = wanted.pop()
            counted.add(item)
            words = {("fn", word) for word in re.findall(r"\w+", "\n".join(items[item]))}
            wanted |= (words & set(items)) - counted
        total += sum(len(items[item]) for item in counted)
    return total


def examine_code(case, ptxas):
    """Returns whether the PTX of a case uses tensor cores, and the bytes that ptxas spills (None without ptxas)."""
    constants = [word for name, value in case.defines.items() for word in ("-D", f"{name}={spell(value)}")]
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        path = pathlib.Path(folder, "k.ptx")
        subprocess.run(["tilec", case.source, "--kernel", case.kernel, *constants, "--emit=ptx", "-o", path],
                       check=True, capture_output=True)
        cores = "wgmma.mma_async" in path.read_text()
        if not ptxas:
            return cores, None
        done = subprocess.run([ptxas, "-arch=sm_90a", "-v", path, "-o", pathlib.Path(folder, "k.cubin")],
                              check=True, capture_output=True, text=True)
        spills = sum(int(number) for number in re.findall(r"(\d+) bytes spill stores", done.stderr))
        return cores, spills


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=[path.parent.name for path in HERE.glob("*/kernels.txt")])
    parser.add_argument("filter", nargs="?", default="", help="run the cases that match this regular expression")
    parser.add_argument("--devices", default="cpu,ptx")
    parser.add_argument("--part", help="3/20: every 20th case, from the third on; changes with --seed")
    parser.add_argument("--seed", type=int, default=0, help="added to the number of the part")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", help="write the table to this file")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    options = parser.parse_args()

    suite = HERE / options.suite
    lines = dict(line.split() for line in (suite / "kernels.txt").read_text().splitlines() if line[0] != "#")
    missing = dict(line.split(": ", 1) for line in (suite / "missing.txt").read_text().splitlines())
    cases = [case for path in sorted(suite.glob("*/cases.py")) for case in load_family(path.parent)]
    unknown = {name for case in cases for name in case.kernels} | set(missing)
    if unknown - set(lines):
        sys.exit(f"error: the suite has no {sorted(unknown - set(lines))}")
    covered = {name for case in cases for name in case.kernels}
    if covered & set(missing):
        sys.exit(f"error: missing.txt names kernels with cases: {sorted(covered & set(missing))}")
    run = [case for case in cases if re.search(options.filter, f"{case} {' '.join(case.kernels)}")]
    if options.part:
        part, parts = map(int, options.part.split("/"))
        run = run[(part - 1 + options.seed) % parts::parts]
    if not run:
        sys.exit("error: no case matches")

    wrong = set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, complaints in zip(run, pool.map(lambda case: run_case(case, options.devices.split(",")), run)):
            if complaints:
                wrong |= set(case.kernels)
                print(f"{case}: " + "\n  ".join(complaints))
    ran = {name for case in run for name in case.kernels}
    print(f"{len(run)} cases: {len(ran - wrong)} kernels of {options.suite} agree, {len(wrong)} wrong")
    if options.table:
        write_table(options, lines, missing, cases, wrong)
    sys.exit(1 if wrong else 0)


def write_table(options, lines, missing, cases, wrong):
    """Writes a line for each kernel of the suite."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        code = dict(zip(map(id, cases), pool.map(lambda case: examine_code(case, options.ptxas), cases)))
    rows = ["| kernel | our file | lines here | lines there | tensor cores | spilled bytes | agrees |",
            "| --- | --- | --- | --- | --- | --- | --- |"]
    done = 0
    for name, there in lines.items():
        own = [case for case in cases if name in case.kernels]
        if not own:
            rows.append(f"| {name} | | | {there} | | | {missing.get(name, 'not written yet')} |")
            continue
        files = ", ".join(sorted({f"{case.family}/{case.source.stem}" for case in own}))
        cores = "yes" if any(code[id(case)][0] for case in own) else "no"
        spills = [code[id(case)][1] for case in own]
        spilled = "?" if None in spills else max(spills)
        done += name not in wrong
        agrees = "no" if name in wrong else "yes"
        rows.append(f"| {name} | {files} | {count_lines(own)} | {there} | {cores} | {spilled} | {agrees} |")
    text = "\n".join([f"{done} of {len(lines)} kernels agree.", "", *rows, ""])
    pathlib.Path(options.table).write_text(text)


if __name__ == "__main__":
    main()
