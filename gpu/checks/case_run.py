# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one case on the GPU twice and compares it with its reference.

In the second run its launches are captured in a graph."""

import math
import time

import numpy as np
import torch

from checks import atomic_sums, references
import tables
import tessera
from dtypes import DTYPES

# Bytes before and after each array, which detect writes outside of it. Guards and arrays are initialised to bytes of
# 0xFF: NaN in each float type, -1 in each integer type.
GUARD = 1 << 16
POISON = 0xFF

# compute-sanitizer takes a cp.async of 16 bytes for a read of 16 bytes even if its src-size is smaller (PTX ISA,
# cp.async). Arrays are padded for that. The emulator is exact.
ROUND = 16


class GuardedArray:
    """A tensor between guards. All bytes are poison until written."""

    def __init__(self, name, dtype, shape, device):
        self.name = name
        dtype = DTYPES[dtype]
        self.bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        rounded = -(-self.bytes // ROUND) * ROUND
        self.memory = torch.full((rounded + 2 * GUARD,), POISON, dtype=torch.uint8, device=device)
        self.tensor = self.memory[GUARD : GUARD + self.bytes].view(dtype).view(shape)

    def check_guards(self):
        outside = torch.cat([self.memory[:GUARD], self.memory[GUARD + self.bytes :]])
        if bool((outside != POISON).any()):
            raise tables.examples.Failure(f"{self.name}: the kernel wrote outside of the array")

    def get(self):
        """Returns the contents as float64, or as integers."""
        tensor = self.tensor
        return (tensor.double() if tensor.is_floating_point() else tensor).cpu().numpy()


class CaseRun:
    """The launches of a case, with their arrays."""

    def __init__(self, index, case, given, device):
        self.index, self.case, self.device = index, case, device
        self.values = dict(given)
        # The last array of each name, and all arrays of the launches: a launch may write to a new array of a name that
        # an earlier launch has written.
        self.arrays = {}
        self.made = []
        self.steps = []

    def upload(self, name, dtype, value):
        array = GuardedArray(name, dtype, value.shape, self.device)
        self.made.append(array)
        array.tensor.copy_(torch.from_numpy(np.ascontiguousarray(value)))
        return array

    def prepare(self, unit, reads, writes):
        """Adds a launch; returns its arguments by the names of parameters."""
        kernel = tessera.Package(self.index.path(unit)).kernel(unit.kernel)
        dtypes = {parameter["name"]: parameter["dtype"] for parameter in kernel.parameters}
        call = {}
        for binding in reads + [binding for binding in writes if binding.rows is not None]:
            call[binding.parameter] = self.get_argument(binding, dtypes[binding.parameter])
        written = {binding.parameter: binding.value for binding in writes}
        for parameter, shape in kernel.shapes(**call).items():
            if parameter not in written:
                raise tables.examples.Failure(f"the kernel has a parameter '{parameter}', which the case lacks")
            name = written[parameter]
            self.arrays[name] = GuardedArray(name, dtypes[parameter], shape, self.device)
            self.made.append(self.arrays[name])
            call[parameter] = self.arrays[name].tensor
        self.steps.append(kernel.prepare(**call))
        return call

    def get_argument(self, binding, dtype):
        """Returns the tensor or number of a binding."""
        name = binding.value
        if isinstance(name, int):
            return name
        if name not in self.arrays:
            if np.ndim(self.values[name]) == 0:
                return self.values[name]
            self.arrays[name] = self.upload(name, dtype, self.values[name])
        tensor = self.arrays[name].tensor
        return tensor if binding.rows is None else tensor[binding.rows]

    def launch(self):
        for step in self.steps:
            step()

    def run(self, captured):
        for unit, reads, writes in self.case.launches():
            self.prepare(unit, reads, writes)
        if captured:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.launch()
            graph.replay()
        else:
            self.launch()
        torch.cuda.synchronize()
        for array in self.made:
            array.check_guards()


def is_lost(error):
    """Whether an error leaves the CUDA context unusable."""
    if isinstance(error, tessera.DriverError):
        return True
    return isinstance(error, RuntimeError) and "CUDA" in str(error)


def run_case(index, case, seed, device="cuda"):
    """Returns the answer for a case: errors, times, and complaints."""
    missing = [error for unit, _, _ in case.launches() if (error := index.error(unit))]
    if missing:
        return {"status": "missing", "complaint": missing[0]}
    given = tables.examples.prepare(case.module, case.values, seed)
    start = time.perf_counter()
    try:
        runs = []
        for captured in (False, True):
            runs.append(CaseRun(index, case, given, device))
            runs[-1].run(captured)
    except (tessera.TesseraError, tables.examples.Failure, RuntimeError) as error:
        return {"status": "failed", "complaint": f"{type(error).__name__}: {error}",
                "fatal": is_lost(error)}
    seconds = time.perf_counter() - start
    first, second = runs
    identical = all(torch.equal(array.memory, second.arrays[name].memory)
                    for name, array in first.arrays.items())
    if case.large:
        expected = references.compute(case, given, device)
    else:
        expected = case.module.reference(case.values, given)
    rms, absolute, complaints = compare(case, expected, first.arrays)
    if not identical and not any(atomic_sums.has_atomic_sums(index.path(unit).read_bytes())
                                 for unit, _, _ in case.launches()):
        complaints.append("two runs gave different bits, though no kernel adds to memory in any order")
    return {"status": "failed" if complaints else "passed", "complaint": "\n".join(complaints),
            "rms": rms, "max": absolute, "identical": identical, "seconds": seconds}


def compare(case, expected, arrays):
    """Returns (relative RMS error, largest absolute error, complaints) over all results of a case."""
    worst, largest, complaints = 0.0, 0.0, []
    for name, reference in expected.items():
        try:
            relative, absolute, complaint = tables.examples.judge(
                case.module, case.values, name, reference, arrays[name].get())
        except tables.examples.Failure as failure:
            complaints.append(str(failure))
            worst = largest = math.nan
            continue
        worst, largest = max(worst, float(relative)), max(largest, float(absolute))
        complaints += [complaint] if complaint else []
    return worst, largest, complaints


def check_reference(case, seed, device):
    """Compares the reference on the GPU with that of the example; returns a complaint or an empty text."""
    given = tables.examples.prepare(case.module, case.values, seed)
    fast = references.compute(case, given, device)
    for name, expected in case.module.reference(case.values, given).items():
        relative, _ = tables.examples.compare(name, expected, fast[name])
        if not relative <= 1e-12:
            return f"{name}: relative RMS error {relative:.2e}"
    return ""
