#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the results of the examples' code for the processor with those of the interpreter.

    compare_interpreter.py ROOT [EXAMPLE...] [--types all|one|remaining]

Each case runs in the interpreter and with `--device cpu`, with the same arguments. No kernel may fall back to the
interpreter. Prints how many cases agree to the bit. In the others, f32 products are rounded once more by the
interpreter, and functions by the polynomials: the results may differ by the relative RMS error BOUND.
"""

import argparse
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types

import numpy as np

BOUND = 1e-6


def load_module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(checks, folder, module, case, given, device):
    """Returns the results of a case by name, and the remarks of its runs."""
    chosen = types.SimpleNamespace(tile_run=shutil.which("tile-run"), device=device, options="", compiled=None,
                                   passes=None, verbose=False, timeout=600)
    remarks = []

    def run_tool(options, command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        # Some cases have NaN, which a remark counts.
        remarks.extend(re.findall(r"remark: (?!'\w+': \d+ of its \d+ elements are NaN).*", done.stderr))
        return done

    checks.run_tool = run_tool
    with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
        place = pathlib.Path(scratch)
        checks.run_case(chosen, folder / "kernel.tile", module, case, given, place)
        return {name: np.load(place / f"{name}.npy") for name in module.reference(case, given)}, remarks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("examples", nargs="*")
    parser.add_argument("--types", choices=("all", "one", "remaining"), default="one")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.path.append(str(options.root / "examples"))
    checks = load_module(options.root / "examples" / "check.py", "example_checks")
    compare = load_module(options.root / "test" / "Emulator" / "compare_interpreter.py", "comparison").compare
    wrong = total = total_same = 0
    print(f"{'example':<24}{'cases':>6}{'same bits':>11}{'largest rel RMS':>17}")
    for folder in sorted((options.root / "examples").glob("[0-9]*-*")):
        if options.examples and not any(word in folder.name for word in options.examples):
            continue
        module = checks.load_example(folder)
        cases = same = 0
        largest = 0.0
        for case in checks.load_cases(folder, options.types):
            given = checks.prepare(module, case, options.seed)
            expected, _ = run(checks, folder, module, case, given, "interpreter")
            actual, remarks = run(checks, folder, module, case, given, "cpu")
            is_same, worst = compare(checks, expected, actual)
            cases, same, largest = cases + 1, same + is_same, max(largest, worst)
            if worst > BOUND or remarks:
                print(f"{folder.name} {case.name} {case.T}: the results differ by {worst:.1e}", *remarks)
                wrong += 1
        print(f"{folder.name:<24}{cases:>6}{same:>11}{largest:>17.1e}", flush=True)
        total, total_same = total + cases, total_same + same
    print(f"{total} cases: {total_same} to the bit, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
