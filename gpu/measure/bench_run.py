# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one shape: its packages, peers and ceilings."""

import functools
import subprocess

import torch

import tables
import tessera
from dtypes import DTYPES
from families import base, peers
from tessera.tune import timing, workers

PEER, CEILING = "peer ", "ceiling "


class Launches:
    """The launches of a configuration as one function, and the arrays that they write."""

    def __init__(self, index, configuration, shape, problem, pool):
        self.given, self.arrays = problem.inputs, dict(problem.inputs)
        self.numbers = vars(configuration.case(shape)) if not configuration.kernel else {}
        self.pool, self.steps = pool, []
        # Rows of arrays that several launches write in parts.
        self.rows = {}
        for step in configuration.steps(shape):
            for binding in step.writes:
                if binding.rows is not None:
                    self.rows[binding.value] = max(self.rows.get(binding.value, 0), binding.rows.stop)
        for step in configuration.steps(shape):
            self.add(tessera.Package(index.path(step.unit)).kernel(step.unit.kernel), step)
        self.results = {name: self.arrays[name] for name in problem.expected if name in self.arrays}

    def add(self, kernel, step):
        parameters = {parameter["name"]: parameter for parameter in kernel.parameters}
        names = {name: tables.examples.Binding(name, name) for name in parameters}
        names |= {binding.parameter: binding for binding in (*step.writes, *step.reads)
                  if binding.parameter in parameters}
        # An array that a launch writes completely is allocated each time, as its shape may differ.
        fresh = {name for name, binding in names.items()
                 if parameters[name].get("access") == "write" and binding.rows is None
                 and binding.value not in self.given}
        call = {name: value for name, binding in names.items()
                if name not in fresh and (value := self.find(binding)) is not None}
        for name, sizes in kernel.shapes(**call).items():
            access = parameters[name]["access"]
            if access == "read":
                raise ValueError(f"nothing writes '{name}' before {kernel.name} reads it")
            value, rows = names[name].value, names[name].rows
            if rows is not None:
                sizes = (self.rows[value], *sizes[1:])
            array = self.make(value, DTYPES[parameters[name]["dtype"]], sizes)
            if access == "readwrite":
                # An array that a kernel adds to starts from zeros in each run.
                self.steps.append(lambda stream, array=array: array.zero_())
            self.arrays[value] = array
            call[name] = array if rows is None else array[rows]
        # Looking up torch's stream would cost as much as the launch.
        self.steps.append(kernel.prepare(**call))

    def find(self, binding):
        """Returns the array or number of a binding, or None if it does not exist yet."""
        if isinstance(binding.value, int):
            return binding.value
        value = self.arrays.get(binding.value)
        if value is None:
            number = self.numbers.get(binding.value)
            return number if isinstance(number, (int, float)) else None
        return value if binding.rows is None else value[binding.rows]

    def make(self, name, dtype, sizes):
        """Returns an array, shared among the configurations of a shape."""
        key = (name, dtype, sizes)
        if key not in self.pool:
            self.pool[key] = torch.empty(sizes, dtype=dtype, device="cuda")
        return self.pool[key]

    def __call__(self):
        for step in self.steps:
            step(self.stream)

    @functools.cached_property
    def stream(self):
        return torch.cuda.current_stream().cuda_stream


def check_launches(launches, problem):
    missing = problem.expected.keys() - launches.results.keys()
    if missing:
        raise ValueError(f"nothing writes {', '.join(sorted(missing))}")
    for array in launches.results.values():
        array.fill_(float("nan"))
    launches()
    torch.cuda.synchronize()
    problem.check(launches.results)


def is_lost(error):
    """Whether an error leaves the CUDA context unusable; running out of device memory does not."""
    if isinstance(error, torch.OutOfMemoryError):
        return False
    return isinstance(error, tessera.DriverError) or (
        isinstance(error, RuntimeError) and "cuda error" in str(error).lower())


def first_line(error):
    return f"{type(error).__name__}: {error}".splitlines()[0]


class ShapeRun:
    """One shape on the GPU.

    `excluded` has the errors of packages, peers and ceilings that ended a worker, by their labels."""

    def __init__(self, index, shape, excluded):
        self.index, self.shape = index, shape
        self.problem = shape.make_problem()
        torch.cuda.synchronize()
        self.errors = dict(excluded)
        self.absent, self.works = {}, {}

    def attempt(self, label, prepare):
        """Keeps the function that `prepare` returns, or records its error; raises errors that end the process."""
        if label in self.errors:
            return
        workers.announce(label)
        try:
            self.works[label] = prepare()
        except peers.AbsentError as error:
            package, reason = error.args
            self.absent[package] = reason
        except Exception as error:  # Peers may raise anything.
            self.errors[label] = first_line(error)
            if is_lost(error):
                raise

    def prepare_others(self):
        def checked(prepare):
            work = prepare()
            self.problem.check(work(), base.PEER_BAR)
            return work

        def started(prepare):
            work = prepare()
            work()
            torch.cuda.synchronize()
            return work

        for name, prepare in self.problem.peers.items():
            self.attempt(PEER + name, lambda: checked(prepare))
        for name, prepare in self.problem.ceilings.items():
            self.attempt(CEILING + name, lambda: started(prepare))

    def prepare_ours(self):
        pool = {}

        def checked(configuration):
            work = Launches(self.index, configuration, self.shape, self.problem, pool)
            check_launches(work, self.problem)
            return work

        for configuration in self.index.configurations(self.shape):
            if error := self.index.configuration_error(configuration, self.shape):
                self.errors.setdefault(configuration.name,
                                       tables.NOT_COMPILED + tables.first_error(error))
                continue
            self.attempt(configuration.name, lambda: checked(configuration))

    def time(self, sustained):
        """Returns the rows of peers and ceilings, our best configuration, and the first time of each configuration.

        After one round only our two best configurations continue."""
        measure = timing.measure_sustained if sustained else timing.measure_bursts
        ours = [label for label in self.works if not label.startswith((PEER, CEILING))]
        workers.announce("timing of " + ", ".join(ours or self.works))
        works, repeats = timing.capture_short(self.works)
        first = {name: samples[0] / repeats.get(name, 1) for name, samples in
                 timing.measure_bursts({name: works[name] for name in ours}, 1).items()}
        dropped = sorted(first, key=first.get)[2:]
        variants = {label: work for label, work in works.items() if label not in dropped}
        rows = {label: timing.summarize([sample / repeats.get(label, 1) for sample in samples])
                for label, samples in measure(variants).items()}

        def sorted_rows(prefix):
            chosen = [{"name": label.removeprefix(prefix), **row} for label, row in rows.items()
                      if label.startswith(prefix)]
            return sorted(chosen, key=lambda row: row["ms"])

        answer = {"peers": sorted_rows(PEER), "ceilings": sorted_rows(CEILING), "first": first}
        if repeats:
            answer["captured"] = sorted(repeats)
        left = [label for label in rows if label in ours]
        if left:
            best = min(left, key=lambda label: rows[label]["ms"])
            answer["ours"] = {"name": best, **rows[best]}
        return answer


def measure_shape(index, shape, excluded, sustained):
    """Returns the answer for a shape."""
    run = ShapeRun(index, shape, excluded)
    try:
        run.prepare_others()
        run.prepare_ours()
    except Exception as error:
        return {"error": first_line(error), "fatal": True}
    answer = run.time(sustained) if run.works else {}
    answer |= {"packages": run.errors, "absent": run.absent}
    # After thousands of launches the results must still be right; otherwise there is a race.
    if "ours" in answer:
        name = answer["ours"]["name"]
        try:
            check_launches(run.works[name], run.problem)
        except ValueError as error:
            run.errors[name] = f"after its timing: {error}"
            del answer["ours"]
    return answer


def describe_machine():
    """Returns the GPU and the software, for the JSON."""
    query = "driver_version,power.limit,clocks.max.sm,temperature.gpu"
    try:
        smi = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader", "-i", "0"],
                             capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        smi = ""
    driver, *rest = [word.strip() for word in smi.split(",")] if smi else ["unknown"]
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "state": ", ".join(rest),
            "torch": torch.__version__, "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version()}
