# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the launches of a case in the PTX emulator on the arrays of the GPU, and compares the bits of their
outputs."""

import pathlib
import re
import subprocess
import tempfile

import numpy as np
import torch

from checks import case_run
from machine_code import sass
import tables

# Causes of different bits on a GPU, by instructions of the PTX (docs/design/emulator.md, "Numbers").
CAUSES = {
    "approximate functions": rb"\b(?:ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh|div)\.(?:approx|full)",
    "sums of products": rb"\bwgmma\.mma_async",
    "order of atomic additions": rb"\b(?:red|atom)\.[\w.]*add\.[\w.]*(?:f32|f16|bf16)|\bcp\.reduce\.async\.bulk",
}


def find_causes(path):
    text = b"".join(sass.read_sections(path.read_bytes(), 3))
    return [cause for cause, pattern in CAUSES.items() if re.search(pattern, text)]


def to_host(tensor):
    """Returns the values; narrow floats as f32, which represents them exactly."""
    return (tensor.float() if tensor.is_floating_point() else tensor).cpu().numpy()


def get_bits(array):
    """Returns integers that are equal for equal bits; all NaNs give the same integer."""
    if array.dtype.kind != "f":
        return array
    array = np.where(np.isnan(array), np.float32(np.nan), array.astype(np.float32))
    return np.ascontiguousarray(array).view(np.int32)


def count_differing(machine, emulated):
    return int(np.count_nonzero(get_bits(machine) != get_bits(emulated)))


def flatten(arrays):
    return np.concatenate([array.ravel().astype(np.float64) for array in arrays])


class EmulatedRun(case_run.CaseRun):
    """The launches of a case on the GPU, each repeated in the emulator."""

    def __init__(self, index, case, given, device, tool, limit):
        super().__init__(index, case, given, device)
        self.tool, self.limit = tool, limit
        self.calls = []

    def prepare(self, unit, reads, writes):
        self.calls.append((unit, super().prepare(unit, reads, writes)))

    def run(self):
        """Returns an answer for each launch: the kernel, and the comparison of its outputs."""
        for unit, reads, writes in self.case.launches():
            self.prepare(unit, reads, writes)
        answers = []
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            for step, (unit, call) in zip(self.steps, self.calls):
                command = self.write_inputs(pathlib.Path(folder), unit, call)
                step()
                torch.cuda.synchronize()
                answers.append(self.emulate(pathlib.Path(folder), unit, call, command))
        return answers

    def accesses(self, unit):
        metadata = case_run.tessera.Package(self.index.path(unit)).kernel(unit.kernel).metadata
        return {parameter["name"]: parameter.get("access", "read") for parameter in metadata["parameters"]}

    def write_inputs(self, folder, unit, call):
        command = [self.tool, self.index.path(unit), "--device", "ptx", "--kernel", unit.kernel]
        accesses = self.accesses(unit)
        for name, value in call.items():
            if not torch.is_tensor(value):
                text = tables.examples.spell(value)
            elif accesses[name] == "write":
                text = f"({', '.join(map(str, value.shape))})"
            else:
                np.save(folder / f"{name}.npy", to_host(value))
                text = f"@{folder / name}.npy"
            command += ["--arg", f"{name}={text}"]
        return command

    def emulate(self, folder, unit, call, command):
        written = [name for name, access in self.accesses(unit).items()
                   if access != "read" and torch.is_tensor(call[name])]
        for name in written:
            command += ["--save", f"{name}={folder / name}-emulated.npy"]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=self.limit)
        if done.returncode != 0:
            raise tables.examples.Failure(f"{unit.name} in the emulator: {done.stderr.strip()}")
        machine = [to_host(call[name]) for name in written]
        emulated = [np.load(folder / f"{name}-emulated.npy") for name in written]
        # Outputs are compared together: an output that should be 0 is measured relative to the others.
        relative, _ = tables.examples.compare(unit.kernel, flatten(machine), flatten(emulated))
        return {"kernel": unit.kernel, "causes": find_causes(self.index.path(unit)),
                "elements": sum(array.size for array in machine),
                "differing": sum(map(count_differing, machine, emulated)), "relative": float(relative)}


def run_case(index, case, seed, tool, limit):
    """Returns the result of a case; each launch may take `limit` seconds in the emulator."""
    missing = [error for unit, _, _ in case.launches() if (error := index.error(unit))]
    if missing:
        return {"status": "missing", "complaint": missing[0]}
    given = tables.examples.prepare(case.module, case.values, seed)
    try:
        answers = EmulatedRun(index, case, given, "cuda", tool, limit).run()
    except subprocess.TimeoutExpired:
        return {"status": "too large", "complaint": ""}
    except (case_run.tessera.TesseraError, tables.examples.Failure, RuntimeError) as error:
        return {"status": "failed", "complaint": f"{type(error).__name__}: {error}",
                "fatal": case_run.is_lost(error)}
    bar = tables.examples.BARS[case.values.T]
    complaints = []
    for answer in answers:
        if answer["differing"] and not answer["causes"]:
            complaints.append(f"{answer['kernel']}: {answer['differing']} elements differ, and nothing in its "
                              "PTX explains that")
        elif answer["relative"] > bar:
            complaints.append(f"{answer['kernel']}: the results differ by {answer['relative']:.1e} (relative RMS)")
    return {"status": "failed" if complaints else "passed", "complaint": "\n".join(complaints),
            "launches": answers}
