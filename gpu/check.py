#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the packages of compile.py on the GPU and compares the results with float64 references.

Needs torch, NumPy and libtessera_runtime.so. Every case runs twice from poisoned outputs. Both runs must agree to
the bit, unless a kernel adds to memory in any order. Cases run in worker processes: a kernel that faults or hangs
loses only its own case.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import tables

sys.path.append(str(tables.ROOT / "python"))
from tessera.tune import workers  # noqa: E402

SANITIZER = "compute-sanitizer"

# Cases per process under the sanitizer, which takes most of its time to start.
BATCH = 16


def work(options):
    """Runs as the worker: one answer per id."""
    import torch

    from checks import case_run

    torch.cuda.init()
    if options.unguarded:
        case_run.GUARD = 0
    index = tables.Index(options.packages)
    cases = {case.id: case for case in tables.load_cases()}
    for name in workers.items():
        workers.announce(name)
        result = case_run.run_case(index, cases[name], options.seed)
        workers.answer(result)
        if result.get("fatal"):
            return 1
    return 0


def sanitize(options, names):
    """Runs cases in one process under memcheck; returns its finding, or an empty text."""
    command = [SANITIZER, "--tool", "memcheck", "--error-exitcode", "99", sys.executable, __file__,
               options.packages, "--seed", str(options.seed), "--worker", "--unguarded"]
    # torch's memory cache and guards would hide accesses beyond an array.
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    seconds = options.timeout * (3 + len(names))
    try:
        done = subprocess.run(command, input=json.dumps(names), capture_output=True, text=True,
                              env=environment, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no result after {seconds:g} s"
    if done.returncode == 0:
        return ""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    found = [line for line in lines if "Invalid" in line or "ERROR" in line] or lines[-1:]
    return f"status {done.returncode}: {found[0].strip(' =') if found else 'no message'}"


def sanitize_each(options, names):
    """Returns the finding of the sanitizer for each case. A batch with an error runs again, one case at a time."""
    if not names or not sanitize(options, names):
        return dict.fromkeys(names, "")
    return {name: sanitize(options, [name]) for name in names}


def check_references(options, cases):
    """Compares the references of gpu/ with those of the examples; needs no GPU."""
    import torch

    from checks import case_run

    device = "cuda" if torch.cuda.is_available() else "cpu"
    failed = 0
    small = [case for case in cases if not case.large]
    for case in small:
        try:
            complaint = case_run.check_reference(case, options.seed, device)
        except tables.examples.Failure as failure:
            complaint = str(failure)
        failed += bool(complaint)
        if complaint:
            print(f"FAIL {case.id}: {complaint}")
    print(f"{len(small) - failed} references agree, {failed} do not")
    return 1 if failed or not small else 0


def list_cases(options, cases):
    index = tables.Index(options.packages) if options.packages else None
    for case in cases:
        units = [unit for unit, _, _ in case.launches()]
        state = ""
        if index:
            state = "missing" if any(index.error(unit) for unit in units) else "compiled"
        print(f"{case.id:<50} {state:<9} {' '.join(unit.name for unit in units)}".rstrip())
    print(f"{len(cases)} cases")
    return 0


def run_cases(options, ids):
    """Yields (id, answer of the worker, finding of the sanitizer) as `--jobs` workers finish cases."""
    command = [sys.executable, __file__, options.packages, "--seed", str(options.seed), "--worker"]

    def run_part(part):
        for name, result in workers.run(command, part, options.timeout):
            yield name, result, ""
            if time.monotonic() > options.deadline:
                break

    def sanitize_part(part):
        while part and time.monotonic() < options.deadline:
            batch, part = part[:BATCH], part[BATCH:]
            results = dict(workers.run(command, batch, options.timeout))
            found = sanitize_each(options, [name for name in batch if results[name].get("status") != "missing"])
            for name in batch:
                yield name, results[name], found.get(name, "")

    return workers.run_parallel(sanitize_part if options.sanitize else run_part, ids, options.jobs)


def measure(result, field, form):
    return form.format(result[field]) if field in result else "-"


def check_cases(options, cases):
    row = "{:<50} {:>9} {:>9} {:>6}  {}"
    index = tables.Index(options.packages)
    print(f"seed {options.seed} (repeat with --seed {options.seed}); packages of {index.source} "
          f"by ptxas {index.ptxas}")
    print(row.format("case", "rel RMS", "max abs", "bits", "result"))
    counts = {"passed": 0, "failed": 0, "missing": 0, "not run": 0}
    options.deadline = time.monotonic() + options.budget
    ids = [case.id for case in cases]
    for name, result, found in run_cases(options, ids):
        status = result.get("status", "failed")
        complaint = result.get("complaint") or result.get("error", "")
        if found:
            status, complaint = "failed", f"{complaint}\n{SANITIZER}: {found}".strip()
        counts[status] += 1
        if status == "missing" and options.compiled:
            continue
        bits = {True: "same", False: "differ"}.get(result.get("identical"), "-")
        word = {"passed": "ok", "failed": "FAIL", "missing": "missing"}[status]
        print(row.format(name, measure(result, "rms", "{:.1e}"), measure(result, "max", "{:.1e}"),
                         bits, word), flush=True)
        if complaint:
            lines = complaint.splitlines()
            shown = lines if status == "failed" else lines[:1]
            print(tables.examples.indent("\n".join(shown)), flush=True)
    counts["not run"] = len(ids) - sum(counts.values())
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    wrong = counts["failed"] + counts["not run"] + (0 if options.compiled else counts["missing"])
    return 0 if counts["passed"] and not wrong else 1


def main():
    parser = argparse.ArgumentParser(description="Check kernel packages on the GPU.")
    parser.add_argument("packages", nargs="?", metavar="DIR", help="the folder that compile.py wrote")
    parser.add_argument("--only", metavar="REGEX", help="only cases whose id matches")
    parser.add_argument("--compiled", action="store_true",
                        help="skip cases whose kernels were not compiled")
    parser.add_argument("--sanitize", action="store_true",
                        help=f"run each case again under {SANITIZER}")
    parser.add_argument("--seed", type=int, help="repeat a run (default: a fresh seed)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one case")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds for all cases")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="cases at a time; useful with --sanitize (default: 1)")
    parser.add_argument("--list", action="store_true", help="print the cases and run nothing")
    parser.add_argument("--references", action="store_true",
                        help="compare the GPU references with the examples' own instead")
    for internal in ("--worker", "--unguarded"):
        parser.add_argument(internal, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "little")
    if options.worker:
        sys.exit(work(options))
    cases = tables.load_cases(options.only)
    if not cases:
        sys.exit("error: no case matches; see --list")
    if options.list:
        sys.exit(list_cases(options, cases))
    if options.references:
        sys.exit(check_references(options, cases))
    if not options.packages or not pathlib.Path(options.packages, "index.json").exists():
        parser.error("the first argument must be a folder with an index.json of compile.py")
    if options.sanitize and not shutil.which(SANITIZER):
        print(f"{SANITIZER} is not on PATH; cases run without it", file=sys.stderr)
        options.sanitize = False
    sys.exit(check_cases(options, cases))


if __name__ == "__main__":
    main()
