#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels of check.py and bench.py on a machine without a GPU.

Writes one package per unit (see tables.py), and index.json with the use of each unit and its error if compilation
failed. Failures are part of the result: the exit status is 1 only if every unit failed, or with --strict if any unit
failed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time

import tables


def command_for(tilec, unit, output, emit="package"):
    """Returns the command line of tilec for a unit."""
    command = [tilec, str(unit.source), f"--emit={emit}", "-o", str(output)]
    if not unit.is_ir:
        command += ["--kernel", unit.kernel]
    for name, value in unit.parameters:
        command += ["-D", f"{name}={value}"]
    return command + list(unit.options)


def compile_unit(tilec, unit, folder, timeout):
    """Compiles one unit; returns the error or None, and the seconds taken."""
    output = folder / unit.file
    output.unlink(missing_ok=True)
    start = time.perf_counter()
    error = None
    try:
        done = subprocess.run([*command_for(tilec, unit, output), "--refuse-hazards"],
                              capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            # The table is read on machines where the checkout has another path.
            error = done.stderr.strip().replace(f"{tables.ROOT}/", "") or f"exit status {done.returncode}"
        elif not output.exists():
            error = "the compiler wrote no package"
    except subprocess.TimeoutExpired:
        error = f"no result after {timeout} s"
    if error:
        # Deletes an incomplete package.
        output.unlink(missing_ok=True)
    return error, time.perf_counter() - start


def read_ptxas(package):
    """Returns the version of the ptxas that made a package's machine code, or None."""
    data = package.read_bytes()
    for section in range(struct.unpack_from("<I", data, 12)[0]):
        kind, _, offset, size = struct.unpack_from("<IIQQ", data, 24 + 24 * section)
        if kind == 1:
            return json.loads(data[offset:offset + size]).get("ptxas")
    return None


def describe_source():
    """Returns the commit of the packages for reports; "unknown" without git."""
    if not shutil.which("git"):
        return "unknown"
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=tables.ROOT,
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def list_units(wanted):
    for unit, use in wanted.items():
        names = ", ".join(use["configurations"])
        measured = f"  measured as {names}" if names else ""
        print(f"{unit.example:<21} {unit.name:<60} {len(use['cases']):>2} cases{measured}")
    print(f"{len(wanted)} units")


def compile_all(options, wanted):
    tilec = tables.examples.find_tool("tilec", options.build)
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    # Keeps the rows of units that --only excludes.
    path = folder / "index.json"
    rows = {}
    if options.only and path.exists():
        rows = {row["file"]: row for row in json.loads(path.read_text())["packages"]}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(compile_unit, tilec, unit, folder, options.timeout): unit
                for unit in wanted}
        for job in concurrent.futures.as_completed(jobs):
            unit = jobs[job]
            error, seconds = job.result()
            failed += error is not None
            rows[unit.file] = {
                "example": unit.example, "kernel": unit.kernel,
                "parameters": dict(unit.parameters), "options": list(unit.options),
                "file": unit.file, "error": error, "seconds": round(seconds, 3),
                "ptxas": None if error else read_ptxas(folder / unit.file), **wanted[unit]}
            if error or options.verbose:
                print(f"{'FAIL' if error else 'ok':<5} {unit.example} {unit.name}", flush=True)
                if error:
                    print(f"      {tables.first_error(error)}", flush=True)
    table = {"source": describe_source(), "packages": [rows[file] for file in sorted(rows)]}
    path.write_text(json.dumps(table, indent=1) + "\n")
    print(f"{len(wanted) - failed} compiled, {failed} failed; {path}")
    return 1 if failed and (options.strict or failed == len(wanted)) else 0


def main():
    parser = argparse.ArgumentParser(
        description="Compile the kernels that check.py and bench.py run.")
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tilec to use")
    parser.add_argument("--out", metavar="DIR", help="the folder for packages and index.json")
    parser.add_argument("--only", metavar="REGEX", help="only units and cases that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one unit")
    parser.add_argument("--strict", action="store_true", help="fail if any unit does not compile")
    parser.add_argument("--list", action="store_true", help="print the units and compile nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print units that compiled")
    options = parser.parse_args()
    wanted = tables.collect_units(options.only)
    for unit in [unit for unit in wanted if not unit.source.exists()]:
        print(f"{unit.example} does not exist; skipped", file=sys.stderr)
        del wanted[unit]
    if not wanted:
        sys.exit("error: no unit matches; see --list")
    if options.list:
        return list_units(wanted)
    if not options.out:
        parser.error("--out is missing")
    sys.exit(compile_all(options, wanted))


if __name__ == "__main__":
    main()
