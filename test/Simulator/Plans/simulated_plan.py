# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a file with a plan in the simulator, and keeps it if it computes something else."""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np

import example_launches

ERROR = re.compile(r"^\S+:\d+:\d+: error: (.*)$", re.M)


def make_parser(phases):
    """What scripts that draw plans take, with the phases after which these are simulated by default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--plans", type=int, default=2, help="of each kernel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="NAME,...", help="these kernels")
    parser.add_argument("--phases", default=phases)
    parser.add_argument("--orders", default="program,late,early,random")
    return parser


class SimulatedPlan:
    """A kernel whose last plan is in `file`, below `folder`; `runs` are its launches, with what they compute."""

    def make_runs(self, source, launches, options, tolerance):
        """Launches in the simulator that are compared with what the interpreter computes."""
        rng, runs = np.random.default_rng(7), []
        for number, given in enumerate(launches):
            words, files = example_launches.interpret(source, self.name, self.parameters, given,
                                                      self.folder / str(number), rng)
            compare = [*(f"--expect={result}=@{file}" for result, file in files.items()),
                       f"--rtol={tolerance}", f"--atol={tolerance}"]
            runs.append([f"--kernel={self.name}", "--device=sim", *words, *options, *compare])
        return runs

    def carry_out(self, text):
        """Writes a plan and compiles it; returns the first error, or an empty string."""
        self.file.write_text(text)
        done = subprocess.run(["tilec", self.file, "--emit=fence", "-o", "/dev/null"],
                              capture_output=True, text=True, timeout=300)
        errors = ERROR.findall(done.stderr)
        if done.returncode and not errors:
            sys.exit(f"tilec {self.file} ends with {done.returncode} and no error at a line:\n{done.stderr}")
        return errors[0] if done.returncode else ""

    def simulate(self, arguments):
        """Runs what the plan says; None if all is right, else what is wrong."""
        done = subprocess.run(["tile-run", self.file, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300)
        if done.returncode == 0:
            return None
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "error:" in line or "mismatch" in line]
        return "\n".join(lines[:3]) or f"exit status {done.returncode}: {done.stderr}"

    def check(self, phases, orders, rng):
        """Runs the last plan with one of the launches; None if all is right."""
        launch = rng.choice(self.runs)
        for phase in phases:
            arguments = [*launch, f"--phase={phase}", f"--order={orders}", f"--sim-seed={rng.randrange(1000)}"]
            if error := self.simulate(arguments):
                return f"tile-run PLAN {' '.join(map(str, arguments))}\n{error}"
        return None

    def report(self, what, number, error):
        """Keeps the file of a plan that was accepted and computes something else."""
        kept = self.folder / f"wrong-{what}-{number}.mlir"
        kept.write_text(self.file.read_text())
        print(f"{self.name} {self.parameters}: {what} {number}, {kept}, is accepted and wrong: {error}")
