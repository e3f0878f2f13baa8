# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The worker that measures on this machine's GPU with torch. docs/tuning.md describes its protocol."""

import re
import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit("no torch, which measures: pip install torch, or name another program by --measure")

import tessera

from .. import tensors
from . import timing, workers

# Elements compared at once
_CHUNK = 1 << 26


def _dtype(name):
    return getattr(torch, tensors.torch_name(name))


def _make(parameter, shape, filling, random):
    """Makes the tensor of an input."""
    dtype = _dtype(parameter["dtype"])
    filling = filling or ("randn" if dtype.is_floating_point else "zeros")
    if filling == "randn":
        return torch.randn(shape, generator=random, device="cuda").to(dtype)
    if match := re.fullmatch(r"randint\((-?\d+), *(-?\d+)\)", filling):
        return torch.randint(int(match[1]), int(match[2]), shape, generator=random, device="cuda").to(dtype)
    return torch.full(shape, float(filling == "ones"), device="cuda").to(dtype)


def distance(result, expected):
    """Returns the relative RMS error; infinity if a non-finite element differs."""
    wrong = size = 0.0
    for some, other in zip(result.flatten().split(_CHUNK), expected.flatten().split(_CHUNK)):
        some, other = some.double(), other.double()
        finite = torch.isfinite(some) & torch.isfinite(other)
        same = (some == other) | (torch.isnan(some) & torch.isnan(other))
        if not bool((finite | same).all()):
            return float("inf")
        some, other = torch.where(finite, some, 0.0), torch.where(finite, other, 0.0)
        wrong += float((some - other).square().sum())
        size += float(other.square().sum())
    return 0.0 if wrong == 0.0 else (wrong / size) ** 0.5 if size else float("inf")


class Bench:
    """The arguments of a kernel at one shape, and the expected results."""

    def __init__(self, item):
        self.item = item
        self.random = torch.Generator("cuda").manual_seed(1)
        self.inputs, self.outputs = {}, {}
        # Contents of in-out arguments before a launch
        self.before = {}
        self.expected, self.reference = None, None

    def launch(self, package):
        """Returns a function that launches the kernel of a package."""
        kernel = tessera.Package(package).kernel(self.item["kernel"])
        call = {name: self.item["sizes"][name] for name in kernel.metadata["sizes"] if name in self.item["sizes"]}
        shapes = kernel.shapes(**call)
        for parameter in kernel.parameters:
            name = parameter["name"]
            if parameter["kind"] == "scalar":
                call.pop(name, None)
                call[name] = self._number(name)
            else:
                call[name] = self._tensor(parameter, shapes[name])
        step = kernel.prepare(**call)
        stream = torch.cuda.current_stream().cuda_stream
        return lambda: step(stream)

    def _number(self, name):
        for known in (self.item["arguments"], self.item["sizes"]):
            if name in known:
                return known[name]
        raise tessera.TesseraError(f"'arguments' of the tuning must have a value for '{name}'")

    def _tensor(self, parameter, shape):
        name = parameter["name"]
        if parameter["access"] == "write":
            return self._keep(self.outputs, name, lambda: torch.empty(shape, dtype=_dtype(parameter["dtype"]),
                                                                      device="cuda"))
        made = self._keep(self.inputs, name,
                          lambda: _make(parameter, shape, self.item["arguments"].get(name), self.random))
        if parameter["access"] == "read":
            return made
        self._keep(self.before, name, lambda: made)
        return self._keep(self.outputs, name, lambda: torch.empty_like(made))

    @staticmethod
    def _keep(pool, name, make):
        if name not in pool:
            pool[name] = make()
        return pool[name]

    def compute(self, work):
        """Returns the results of one launch; outputs are poisoned first."""
        for name, array in self.outputs.items():
            if name in self.before:
                array.copy_(self.before[name])
            else:
                array.fill_(float("nan") if array.dtype.is_floating_point else -1)
        work()
        torch.cuda.synchronize()
        return self.outputs

    def expect(self):
        """Computes the expected results with the first package that works."""
        errors = []
        for row in self.item["references"]:
            if row["package"] in self.item["lost"]:
                continue
            workers.announce(f"reference {row['package']}")
            try:
                found = self.compute(self.launch(row["package"]))
            except tessera.DriverError:
                raise
            except tessera.TesseraError as error:
                errors.append(f"{row['candidate']}: {error}")
                continue
            self.expected = {name: array.clone() for name, array in found.items()}
            self.reference = row["candidate"]
            return
        raise tessera.TesseraError("; ".join(errors) or "there is no candidate to compare with")

    def complaint(self, work):
        """Returns the error in the results of a launch, or None."""
        for name, array in self.compute(work).items():
            error = distance(array, self.expected[name])
            if not error <= self.item["tolerance"]:
                return (f"'{name}' has a relative RMS error of {error:.1e} compared with {self.reference}, more "
                        f"than {self.item['tolerance']:.1e}")
        return None

    def time(self, works):
        """Returns {name: {ms, spread}}, timed in turn."""
        captured, repeats = timing.capture_short(works)
        found = {}
        for name, samples in timing.measure_bursts(captured).items():
            row = timing.summarize([sample / repeats.get(name, 1) for sample in samples])
            found[name] = {"ms": row["ms"], "spread": round(row["spread"], 4)}
        return found

    def measure(self, candidates):
        """Returns the answer for candidates that are timed in turn."""
        works = {}
        for row in candidates:
            workers.announce(row["package"])
            work = self.launch(row["package"])
            if complaint := self.complaint(work):
                return {"wrong": complaint, "culprit": row["package"]}
            works[row["candidate"]] = work
        if len(candidates) > 1:
            workers.announce("timing")
        times = self.time(works)
        # After thousands of launches the results must still be right; otherwise there is a race.
        for row in candidates:
            if complaint := self.complaint(works[row["candidate"]]):
                return {"wrong": f"after its timing: {complaint}", "culprit": row["package"]}
        return times


def _answer(item, bench):
    if "finals" not in item and item["package"] in item["lost"]:
        return {"lost": item["lost"][item["package"]]}
    if bench.expected is None:
        bench.expect()
    if "finals" not in item:
        found = bench.measure([item])
        return found.get(item["candidate"], found)
    found = bench.measure(item["finals"])
    return found if "wrong" in found else {"times": found}


def main():
    torch.cuda.init()
    bench, key = None, None
    # Not the default stream: short work is captured in graphs.
    with torch.cuda.stream(torch.cuda.Stream()):
        for item in workers.items():
            try:
                if "machine" in item:
                    workers.answer({"device": torch.cuda.get_device_name()})
                    continue
                its_key = [item[name] for name in ("kernel", "sizes", "arguments", "references")]
                if its_key != key:
                    # Frees the memory of the last shape first.
                    bench = None
                    torch.cuda.empty_cache()
                    bench, key = Bench(item), its_key
                result = _answer(item, bench)
            except torch.OutOfMemoryError as error:
                result = {"error": f"out of memory: {error}".splitlines()[0]}
            except tessera.DriverError as error:
                result = {"error": str(error), "fatal": True}
            except (tessera.TesseraError, ValueError) as error:
                result = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            except RuntimeError as error:
                # A device fault that torch reported: the context is unusable.
                result = {"error": str(error).splitlines()[0], "fatal": True}
            workers.answer(result)
            if result.get("fatal"):
                return 1
    return 0
