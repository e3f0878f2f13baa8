# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of random programs (../../Fuzz/trees/random_programs.py) that have plans."""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Fuzz"))
import fuzz_programs
from trees import random_programs

# The options of Runner.
HOW = argparse.Namespace(phase=None, order="program", plant=None, without_ptx=True, without_opinion=True,
                         gpu=False)


def keep_planned(text, kind):
    """Returns the module without variants that have no plan, so that a launch runs a kernel with a plan."""
    kernels = re.split(r"(?m)^(?=  sm\.kernel @)", text)
    if len(kernels) <= 2:
        return text
    last = kernels[-1][kernels[-1].index("\n  }\n") + 5:]
    kept = [kernel for kernel in kernels[1:] if kind.read(kernel)]
    if kept and kept[-1] is not kernels[-1]:
        kept.append(last)
    return "".join(kernels[:1] + kept) if kept else ""


def make(number, folder, kind):
    """Writes program `number` and its arguments to `folder`.

    Returns the text of the phase of the plan, the words of the arguments, and for each result the largest difference of
    two correct evaluations. Returns None if the program has no plan or does not fit the machine.
    """
    program = random_programs.random_program(number)
    text = fuzz_programs.Runner.write(program)
    if "@" not in text or not program.schedule:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    runner = fuzz_programs.Runner(HOW, number)
    words = runner.prepare(program, folder)
    done = subprocess.run(["tilec", folder / "kernel.tile", f"--emit={kind.PHASE}"], capture_output=True, text=True)
    if done.returncode or not kind.read(plan := keep_planned(done.stdout, kind)):
        return None
    tolerances = runner.tolerances(program)
    return plan, words, {name: tolerances.get(name, 0.0) for name in runner.results(program)}


def is_too_large(refusal):
    """Checks whether a program is refused because it does not fit the machine."""
    return any(re.search(pattern, refusal) for pattern in fuzz_programs.REFUSALS)


def is_right(expected, got, tolerance):
    """Checks whether all elements are equal or differ by at most the tolerance."""
    same = (expected == got) | np.isnan(expected) & np.isnan(got)
    with np.errstate(invalid="ignore"):
        return bool((same | (np.abs(expected.astype(np.float64) - got) <= tolerance)).all())
