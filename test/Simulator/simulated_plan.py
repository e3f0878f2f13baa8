# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a file with a plan in the simulator, and keeps it if it computes something else."""

import subprocess


class SimulatedPlan:
    """A kernel whose last plan is in `file`, below `folder`; `runs` are its launches, with what they compute."""

    def simulate(self, arguments):
        """Runs what the plan says; None if all is right, else what is wrong."""
        done = subprocess.run(["tile-run", self.file, *map(str, arguments)], capture_output=True, text=True)
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
