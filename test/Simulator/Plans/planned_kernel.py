# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel with a plan, its launches in the simulator, and the results that they must have."""

import collections
import re
import subprocess
import sys

import example_launches
import numpy as np
import random_kernels

# The first error at a line, with its notes.
ERROR = re.compile(r"^\S+:\d+:\d+: error: .*?(?=^\S+:\d+:\d+: error: |\Z)", re.M | re.S)
# A program without the plain variant may have no variant for its arguments.
UNMET = ("no variant", "needs", "cannot be launched")


def examples():
    return {f"examples/{name}/kernel.tile": entries for name, entries in example_launches.EXAMPLES.items()}


def generalize(refusal):
    """Returns the first line of an error without location, numbers and names."""
    return re.sub(r"\d+|'[^']*'", "N", refusal.splitlines()[0].split(" error: ", 1)[1])


def adds_to_memory(text):
    """Checks whether copies or threads add to memory, which they do in any order."""
    return " add " in text or "sm.atomic add" in text


def spell_files(option, files):
    return [f"--{option}={name}={'@' * (option == 'expect')}{file}" for name, file in files.items()]


def within(rtol, atol):
    return [f"--rtol={rtol}", f"--atol={atol}"]


class Kernel:
    """A kernel whose last plan is in `file`.

    kind: the module of its plan
    plan: the plan of the compiler
    runs: its launches as arguments of tile-run, with the expected results
    reasons: by outcome, the number of refused plans and of mutants
    """

    def __init__(self, kind, name, folder, text):
        self.kind, self.name, self.folder, self.text = kind, name, folder, text
        self.file = folder / "plan.mlir"
        self.plan = kind.read(text)
        self.runs, self.reasons = [], collections.Counter()

    def require(self, condition, message):
        if not condition:
            sys.exit(f"{self.name}: {message}")

    def carry_out(self, plan):
        """Writes a plan and compiles it; returns the first error, or an empty string."""
        self.file.write_text(plan.write())
        done = subprocess.run(["tilec", self.file, "--emit=fence", "-o", "/dev/null"],
                              capture_output=True, text=True, timeout=300)
        if not done.returncode:
            return ""
        error = ERROR.search(done.stderr)
        self.require(error, f"tilec {self.file} ends with {done.returncode} and no error at a line:\n{done.stderr}")
        return error[0]

    def carry_out_own(self):
        """Compiles the plan of the compiler; returns the error."""
        self.require(self.plan.write() == self.text, "the plan is not written as it was read")
        return self.carry_out(self.plan)

    def simulate(self, *arguments):
        """Runs the file in the simulator; returns the first errors, or None."""
        done = subprocess.run(["tile-run", self.file, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300)
        if done.returncode == 0:
            return None
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "error:" in line or "mismatch" in line]
        return "\n".join(lines[:3]) or f"exit status {done.returncode}: {done.stderr}"

    def finds_error(self, what, options, rng):
        """Simulates the file with one of the launches after each phase; keeps and reports a file with an error."""
        launch = rng.choice(self.runs)
        for phase in options.phases.split(","):
            seed = [f"--sim-seed={rng.randrange(1000)}"] if "random" in options.orders else []
            arguments = [*launch, f"--phase={phase}", f"--order={options.orders}", *seed]
            if error := self.simulate(*arguments):
                kept = self.folder / f"wrong-{what}.mlir"
                kept.write_text(self.file.read_text())
                print(f"{self.name}: {kept} is accepted and wrong:\n"
                      f"tile-run PLAN {' '.join(map(str, arguments))}\n{error}")
                return True
        return False


def of_source(kind, source, entry, folder):
    """Returns a kernel of a source, or None if its text has no plan. `entry` is as in example_launches."""
    name, parameters, launches, *more = entry
    folder.mkdir(parents=True, exist_ok=True)
    text = example_launches.run("tilec", source, f"--kernel={name}", *example_launches.spell_defines(parameters),
                                f"--emit={kind.PHASE}", "-o", "-")
    kernel = Kernel(kind, f"{name} {parameters}", folder, text)
    if not kernel.plan:
        return None
    refusal = kernel.carry_out_own()
    kernel.require(not refusal, f"the compiler's own plan is refused: {refusal}")
    rng = np.random.default_rng(7)
    for number, given in enumerate(launches):
        words, files = example_launches.interpret(source, name, parameters, given, folder / str(number), rng)
        launch = [f"--kernel={name}", "--device=sim", *words, *more[1:]]
        expected = [*spell_files("expect", files), *within(kind.TOLERANCE, kind.TOLERANCE)]
        bits = {result: folder / str(number) / f"{result}-bits.npy" for result in files}
        error = kernel.simulate(*launch, *expected, *spell_files("save", bits))
        kernel.require(not error, f"the compiler's own plan: {error}")
        # A plan does not change the results of a kernel until passes carry it out.
        for phase in kind.BEFORE:
            error = kernel.simulate(*launch, *expected, f"--phase={phase}")
            kernel.require(not error, f"with a plan that is not carried out: {error}")
        if kind.KEEPS_BITS and not adds_to_memory(text):
            expected = [*spell_files("expect", bits), *within(0, 0)]
        kernel.runs.append([*launch, *expected])
    return kernel


def of_program(kind, number, folder):
    """Returns the kernel of a random program, or None if it has no plan, or none that the simulator can check."""
    made = random_kernels.make(number, folder, kind)
    if not made:
        return None
    text, words, tolerances = made
    kernel = Kernel(kind, f"program {number}", folder, text)
    if refusal := kernel.carry_out_own():
        kernel.require(random_kernels.is_too_large(refusal), f"the compiler's own plan is refused: {refusal}")
        return None
    right, own = ({name: folder / f"{name}-{what}.npy" for name in tolerances} for what in ("right", "own"))
    example_launches.run("tile-run", folder / "kernel.tile", "--device=interpreter", *words, *spell_files("save", right))
    if error := kernel.simulate("--device=sim", *words, *spell_files("save", own)):
        kernel.require(any(word in error for word in UNMET), f"the compiler's own plan: {error}")
        return None
    for name, tolerance in tolerances.items():
        is_right = random_kernels.is_right(np.load(right[name]), np.load(own[name]), tolerance)
        kernel.require(is_right, f"the compiler's own plan computes another {name}")
    keeps_bits = kind.KEEPS_BITS and not adds_to_memory(text)
    kernel.runs = [["--device=sim", *words, *spell_files("expect", own),
                    *within(0, 0 if keeps_bits else repr(max(tolerances.values())))]]
    # Elements that no program writes have no value to compare.
    if error := kernel.simulate(*kernel.runs[0]):
        kernel.require("no program wrote" in error, f"the compiler's own plan computes other results again: {error}")
        return None
    error = kernel.simulate(*kernel.runs[0], "--phase=fence")
    kernel.require(not error, f"the compiler's own plan, carried out: {error}")
    return kernel
