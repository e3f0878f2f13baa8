#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the bits that kernels compute on the GPU with those of the PTX emulator.

Each launch of a case runs on the GPU and, on the same arrays, as `tile-launch --device ptx`. Differing bits must
have a cause in the PTX: approximate functions, sums of products, or the order of atomic additions. The results must
then agree within the bar of their type.
"""

import argparse
import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tables  # noqa: E402

sys.path.append(str(tables.ROOT / "python"))
from tessera.tune import workers  # noqa: E402


def work(options):
    """Runs as the worker: one answer per id."""
    import torch

    from checks import emulation

    torch.cuda.init()
    index = tables.Index(options.packages)
    cases = {case.id: case for case in tables.load_cases()}
    for name in workers.items():
        workers.announce(name)
        result = emulation.run_case(index, cases[name], options.seed, options.tool, options.limit)
        workers.answer(result)
        if result.get("fatal"):
            return 1
    return 0


def run_cases(options, ids):
    """Yields (id, answer of the worker) as `--jobs` workers finish cases."""
    command = [sys.executable, __file__, options.packages, options.tool, "--seed", str(options.seed),
               "--limit", str(options.limit), "--worker"]
    # For several launches and the work around them.
    timeout = 10 * options.limit + 60
    return workers.run_parallel(lambda part: workers.run(command, part, timeout), ids, options.jobs)


def print_case(name, result):
    launches = result.get("launches", [])
    elements = sum(one["elements"] for one in launches)
    differing = sum(one["differing"] for one in launches)
    worst = max((one["relative"] for one in launches), default=0.0)
    word = {"passed": "ok", "failed": "FAIL", "missing": "missing",
            "too large": "too large"}[result["status"]]
    print(f"{name:<50} {elements:>9} {differing:>9} {worst:>8.1e}  {word}", flush=True)
    if result.get("complaint"):
        print(tables.examples.indent(result["complaint"]), flush=True)


def print_causes(results):
    """Prints the launches by the causes of differences in their PTX."""
    counts = collections.defaultdict(lambda: [0, 0, 0, 0, 0.0])
    for result in results:
        for one in result.get("launches", []):
            row = counts[", ".join(one["causes"]) or "nothing of these"]
            row[0] += 1
            row[1] += not one["differing"]
            row[2] += one["elements"]
            row[3] += one["differing"]
            row[4] = max(row[4], one["relative"])
    form = "{:<70} {:>8} {:>10} {:>10} {:>10} {:>8}"
    print("\n" + form.format("the PTX has", "launches", "same bits", "elements", "differing", "rel RMS"))
    for causes, (launches, same, elements, differing, relative) in sorted(counts.items()):
        print(form.format(causes, launches, same, elements, differing, f"{relative:.1e}"))


def compare(options, cases):
    index = tables.Index(options.packages)
    print(f"seed {options.seed} (repeat with --seed {options.seed}); packages of {index.source} "
          f"by ptxas {index.ptxas}")
    print(f"{'case':<50} {'elements':>9} {'differing':>9} {'rel RMS':>8}  result")
    results = []
    for name, result in run_cases(options, [case.id for case in cases]):
        result.setdefault("status", "failed")
        result.setdefault("complaint", result.get("error", ""))
        results.append(result)
        print_case(name, result)
    print_causes(results)
    counts = collections.Counter(result["status"] for result in results)
    counts["not run"] = len(cases) - len(results)
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    return 0 if counts["passed"] and counts["passed"] + counts["too large"] == len(cases) else 1


def main():
    parser = argparse.ArgumentParser(description="Compare bits on the GPU with those of the emulator.")
    parser.add_argument("packages", metavar="DIR", help="the folder that compile.py wrote")
    parser.add_argument("tool", metavar="TILE-LAUNCH", help="the tile-launch to run")
    parser.add_argument("--only", metavar="REGEX", help="only cases whose id matches")
    parser.add_argument("--large", action="store_true", help="also run GPU-sized cases")
    parser.add_argument("--seed", type=int, help="repeat a run (default: a fresh seed)")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one launch in the emulator")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at a time (default: 1)")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "little")
    if options.worker:
        sys.exit(work(options))
    cases = [case for case in tables.load_cases(options.only) if options.large or not case.large]
    if not cases:
        sys.exit("error: no case matches")
    sys.exit(compare(options, cases))


if __name__ == "__main__":
    main()
