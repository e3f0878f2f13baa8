# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the candidates of a kernel.tune.toml into a folder of packages, without a GPU."""

import collections
import concurrent.futures
import pathlib
import subprocess

from .. import compiler, sources, tuned
from ..cache import Cache
from ..errors import TuningError
from . import plan, report, space
from .progress import Progress

_MOST_REASONS = 5
# Keys that compilation adds to a row of the plan.
_MADE = ("error", "spilled", "predicted")


def _arguments(kernel, given, choice):
    values = {name: tuned.spell(value) for name, value in {**given, **choice}.items()}
    return ["--kernel", kernel, *compiler.define(values)]


def _run(tilec, path, arguments, timeout):
    """Returns the output of tilec and None, or an empty text and the reason of the failure."""
    try:
        # The program of a wheel acts as the tool by whose name it is called.
        done = subprocess.run(["tilec", str(path), *arguments], executable=tilec.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "", f"no result after {timeout:g} s"
    except OSError as error:
        raise TuningError(f"cannot run {tilec.path}: {error}") from None
    if done.returncode == 0:
        return done.stdout + done.stderr, None
    lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
    return "", next((line for line in lines if "error:" in line), lines[0])


def _require_ptxas(tilec):
    """Raises a TuningError if there is no ptxas or if it does not run; every candidate would be refused for it."""
    text, error = _run(tilec, "--find-ptxas", [], 60)
    path, *version = text.splitlines() or [""]
    if error is None and not any(version):
        error = f"'{path} --version' prints no version of ptxas"
    if error:
        reason = error.removeprefix("tilec: error: ").replace("'--ptxas=PATH'", "'TESSERA_PTXAS=PATH'")
        raise TuningError(f"{reason}; '--ptx-only' makes packages without ptxas, whose spills are unknown")


class _Job:
    """A candidate without its package or some predictions; `shapes` are those of its classes."""

    def __init__(self, tilec, path, arguments, row, shapes):
        self.tilec, self.path, self.arguments, self.row, self.shapes = tilec, path, arguments, row, shapes

    def is_done(self):
        known = self.row.get("predicted", {})
        return "error" in self.row and (self.row["error"] is not None
                                        or all(space.format_sizes(shape) in known for shape, _ in self.shapes))

    def run(self, folder, options):
        """Compiles the candidate and predicts its times; returns the values for its row."""
        error, spilled, times = (self.row.get(key) for key in _MADE)
        if "error" not in self.row:
            # A killed tilec leaves no file: it writes the file in one step.
            output = ["--ptx-only"] * options.ptx_only + ["-o", str(folder / self.row["file"])]
            text, error = self._run(["--refuse-hazards", "--report", *output], options.timeout)
            spilled = report.read_spilled(text)
        times = dict(times or {})
        for shape, numbers in [] if error else self.shapes:
            if space.format_sizes(shape) not in times:
                sizes = ",".join(f"{name}={value}" for name, value in numbers.items())
                text, _ = self._run(["--configuration=default", f"--explain={sizes}"], options.timeout)
                times[space.format_sizes(shape)] = report.read_time(text)
        return dict(zip(_MADE, (error, spilled, times)))

    def _run(self, arguments, timeout):
        return _run(self.tilec, self.path, [*self.arguments, *arguments], timeout)


def _find_shapes(tuning, group, row, signature):
    """Returns (shape, values of sizes and of parameters of type int) for each shape of the classes of a candidate."""
    counts = {name: value for name, value in tuning["arguments"].items()
              if signature.parameters[name]["type"] == "int"}
    return [(shape, {**counts, **shape}) for one in group["classes"] if row["name"] in one["candidates"]
            for shape in one["shapes"]]


def load_tunings(path, tune_file, folder):
    """Returns the Source, and the Tunings of `tune_file` or of kernel.tune.toml in the folder of the source.

    tilec writes the signatures of the source to `folder`."""
    source = sources.load(path, cache=Cache(folder, read_only=False), tuned=False)
    return source, space.load(tune_file or tuned.path_beside(path, "tune"), source.signatures)


def compile_all(path, options):
    """Makes the plan and its packages. Returns whether each class has a candidate to measure.

    `options` are those of the command line."""
    folder = pathlib.Path(options.out)
    source, tunings = load_tunings(path, options.tune, folder)
    tilec = compiler.require()
    table = plan.make(pathlib.Path(path), tunings)
    plan.drop_unwanted(table, options.only)
    known = _read_known(folder)
    wanted = []
    for tuning in table["tunings"]:
        for group in tuning["groups"]:
            for row in group["candidates"]:
                arguments = _arguments(group["kernel"], group["given"], row["choose"])
                inputs = [*arguments, *["--ptx-only"] * options.ptx_only]
                row["file"] = f"{group['kernel']}-{source.hash(tilec.identity, *inputs)}.tpk"
                row.update(known.get(row["file"], {}))
                shapes = _find_shapes(tuning, group, row, source.signatures[group["kernel"]])
                job = _Job(tilec, path, arguments, row, shapes)
                if not job.is_done():
                    wanted.append(job)
    if not options.ptx_only and any("error" not in job.row for job in wanted):
        _require_ptxas(tilec)
    with Progress(len(wanted), "compiled") as progress, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(job.run, folder, options): job.row for job in wanted}
        try:
            for done in concurrent.futures.as_completed(waiting):
                waiting[done].update(done.result())
                progress.advance(waiting[done]["name"])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            # The next run reuses finished rows; unfinished rows have no "error" yet.
            plan.write(folder, table)
    return _summarize(plan.Plan(folder), options.spilled)


def _read_known(folder):
    """Returns the results of an earlier run by the names of packages, which hash all inputs."""
    if not (folder / plan.FILE).exists():
        return {}
    rows = (row for tuning in plan.Plan(folder).tunings for group in tuning["groups"] for row in group["candidates"])
    return {row["file"]: {key: row[key] for key in _MADE if key in row} for row in rows
            if "error" in row and (row["error"] or (folder / row["file"]).exists())}


def _summarize(made, spilled):
    rows = [row for tuning in made.tunings for group in tuning["groups"] for row in group["candidates"]]
    # Without the location.
    refused = collections.Counter(row["error"].split("error: ", 1)[-1] for row in rows if row["error"])
    for reason, count in refused.most_common(_MOST_REASONS):
        print(f"refused: {count} for: {reason}")
    if len(refused) > _MOST_REASONS:
        print(f"refused: {len(refused) - _MOST_REASONS} reasons more in {made.folder / plan.FILE}")
    spilling = [row for row in rows if not row["error"] and row["spilled"]]
    if spilling:
        print(f"spilling: {len(spilling)}, {'measured last' if spilled else 'not measured'}: "
              + ", ".join(f"{row['name']} ({row['spilled']} bytes)" for row in spilling))
    complete = True
    for target in made.targets():
        found = target.candidates(spilled)
        complete &= bool(found)
        best = next((row["name"] for row in found if row["choose"]), "none")
        print(f"{target.name}: {len(found)} candidates, {len(target.shapes)} shapes; ranked first: {best}")
    print(f"{len(rows)} candidates, {sum(refused.values())} refused, {len(spilling)} spilling; "
          f"{made.folder / plan.FILE}")
    return complete
