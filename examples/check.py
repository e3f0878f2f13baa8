#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the example kernels and compares their results with float64 references.

Each example folder has kernel.tile, cases.toml and reference.py. cases.toml has sizes and compile-time parameters:
first the defaults, then a table of cases. reference.py defines:

- inputs(case, rng): the arguments by name: float arrays and scalars, integers
- launches(case): the kernels in order, each as (kernel, compile-time parameters, bindings read, bindings written), in
words
- reference(case, given): the expected arrays by name. They are computed in float64 from the arguments, which are
rounded to the types of the kernel's parameters.
- ALWAYS_F32 (optional): names of inputs that are f32 for every T
- bars(case) (optional): other bars than those below, by the name of a result. A bar has the relative RMS error, and
the largest error in units of the last place of the largest expected value.

A compile-time parameter is a word: `T` has the value of the case, and `LAST=true` a value of its own. A binding is a
word for a parameter that a kernel reads or writes:

- `h`: the array of the same name
- `w=weight`: another array
- `w=weight[16:32]`: a part of another array, along its first dimension
- `first=16`: a number

An array that is written in part is one of the inputs; its other parts keep their values. A kernel writes its results
to .npy files, which the next kernel of the case reads.
"""

import argparse
import dataclasses
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import types
import zlib

import numpy as np

from rounding import round_to, unit_of

EXAMPLES = pathlib.Path(__file__).resolve().parent

# The largest relative root-mean-square error that passes, by the type of the data.
BARS = {"f32": 1e-5, "bf16": 5e-3, "f16": 5e-3, "f8e4m3": 4e-2, "f8e5m2": 8e-2}


class Failure(Exception):
    """A case failed to run or has a wrong result."""


def find_tool(name, build):
    """Returns the path of a tool: in the given build folder, on PATH, or in ./build."""
    if build:
        found = shutil.which(name, path=pathlib.Path(build, "bin"))
    else:
        found = shutil.which(name) or shutil.which(name, path=EXAMPLES.parent / "build" / "bin")
    if not found:
        sys.exit(f"error: no {name}; name the build folder with --build, or put it on PATH")
    return os.path.abspath(found)


def load_example(folder):
    """Returns the module reference.py of an example."""
    spec = importlib.util.spec_from_file_location(folder.name, folder / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def select_types(dtypes, number, selection):
    """Returns the types of a case: all, one by the number of the case, or all except that one."""
    if selection == "all":
        return dtypes
    chosen = number % len(dtypes)
    return [dtype for index, dtype in enumerate(dtypes) if (index == chosen) == (selection == "one")]


def load_cases(folder, selection="all"):
    """Returns all cases of an example, one for each dtype of a selection (select_types)."""
    table = tomllib.loads((folder / "cases.toml").read_text())
    cases = table.pop("cases")
    for number, (name, values) in enumerate(cases.items()):
        values = {**table, **values}
        for dtype in select_types(values.pop("dtypes"), number, selection):
            yield types.SimpleNamespace(name=name, T=dtype, **values)


def prepare(module, case, seed):
    """Returns the arguments of a case, rounded to the types of the kernel's parameters."""
    words = f"{module.__name__}/{case.name}/{case.T}".encode()
    rng = np.random.default_rng([seed, zlib.crc32(words)])
    given = module.inputs(case, rng)
    always_f32 = getattr(module, "ALWAYS_F32", set())
    for name, value in given.items():
        if isinstance(value, float):
            given[name] = float(np.float32(value))
        else:
            given[name] = round_to(value, "f32" if name in always_f32 else case.T)
    return given


def spell(value):
    """Returns a value as the command line of tile-run takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclasses.dataclass(frozen=True)
class Binding:
    """The value of a parameter of a kernel in a launch."""

    parameter: str
    # The name of an array or scalar of the case, or a number
    value: str | int
    # The rows of the array, or None for all
    rows: slice | None = None


BINDING = re.compile(r"(\w+)(?:=(?:(-?\d+)|(\w+)(?:\[(\d+):(\d+)\])?))?")


def read_bindings(words):
    """Yields the bindings of a launch from words such as `h w=weight[16:32] first=16`."""
    for word in words.split():
        match = BINDING.fullmatch(word)
        if not match:
            raise ValueError(f"'{word}' is not a binding")
        parameter, number, name, low, high = match.groups()
        rows = slice(int(low), int(high)) if low else None
        yield Binding(parameter, int(number) if number else name or parameter, rows)


def read_parameters(case, words):
    """Returns {name: value} of compile-time parameters from words such as `T BM LAST=true`."""
    pairs = (word.partition("=") for word in words.split())
    return {name: json.loads(value) if equals else getattr(case, name)
            for name, equals, value in pairs}


def write_argument(folder, name, value):
    """Writes an array; returns its value for --arg."""
    if np.ndim(value) == 0:
        return spell(value)
    path = folder / f"{name}.npy"
    np.save(path, value.astype(np.float32) if value.dtype.kind == "f" else value)
    return f"@{path}"


def get_argument(folder, values, binding):
    """Returns the value of --arg for a binding: the case's own argument, or a file with its rows."""
    if isinstance(binding.value, int):
        return str(binding.value)
    argument = values[binding.value]
    if binding.rows is None:
        return argument
    path = folder / f"{binding.parameter}-rows.npy"
    np.save(path, np.load(argument.removeprefix("@"))[binding.rows])
    return f"@{path}"


def run_tool(options, command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"no result after {options.timeout} s: {shlex.join(command)}")


class Compiled:
    """Caches compiled kernels: each kernel is compiled once per set of compile-time parameters, not in each launch.

    The emulator runs the PTX of a package, and the simulator the IR after the phase of --phase.
    """

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.tilec = find_tool("tilec", options.build)
        words = shlex.split(options.options)
        phase = words[words.index("--phase") + 1] if "--phase" in words else "fence"
        self.suffix, self.how = {"ptx": (".tpk", ["--ptx-only", "--line-tables"]),
                                 "sim": (".mlir", [f"--emit={phase}"])}[options.device]
        self.files = {}

    def find(self, source, kernel, defines):
        """Returns the compiled kernel; None if the compiler rejects it."""
        key = (source, kernel, *defines)
        if key not in self.files:
            path = self.folder / f"{len(self.files)}{self.suffix}"
            done = run_tool(self.options, [self.tilec, str(source), "--kernel", kernel, *defines, *self.how,
                                           "-o", str(path)])
            self.files[key] = path if done.returncode == 0 else None
        return self.files[key]


def launch(options, source, kernel, defines, arguments):
    """Launches a kernel. If a compiled kernel fails, launches it again from its source, for the message."""
    compiled = options.compiled and options.compiled.find(source, kernel, defines)
    for file, constants in ((compiled, []), (source, defines)):
        if not file:
            continue
        command = [options.tile_run, str(file), "--kernel", kernel, "--device", options.device,
                   *shlex.split(options.options), *constants, *arguments]
        if options.passes:
            command += ["--pass-pipeline", options.passes]
        if options.verbose:
            print("  " + shlex.join(command))
        done = run_tool(options, command)
        if done.returncode == 0 and (file is compiled or not compiled):
            return
    what = f"exit status {done.returncode}" if done.returncode else f"only '{compiled}' fails, not"
    raise Failure(f"{what}: {shlex.join(command)}\n{done.stderr}")


def run_case(options, source, module, case, given, folder):
    """Launches the kernels of a case; returns the seconds taken."""
    values = {name: write_argument(folder, name, value) for name, value in given.items()}
    start = time.perf_counter()
    for kernel, parameters, reads, writes in module.launches(case):
        defines = [word for name, value in read_parameters(case, parameters).items()
                   for word in ("-D", f"{name}={spell(value)}")]
        arguments = []
        for binding in read_bindings(reads):
            arguments += ["--arg", f"{binding.parameter}={get_argument(folder, values, binding)}"]
        parts = []
        for binding in read_bindings(writes):
            path = folder / f"{binding.value}.npy"
            if binding.rows is not None:
                parts.append((path, binding.rows, folder / f"{binding.parameter}-written.npy"))
                path = parts[-1][-1]
            else:
                values[binding.value] = f"@{path}"
            arguments += ["--save", f"{binding.parameter}={path}"]
        launch(options, source, kernel, defines, arguments)
        for path, rows, part in parts:
            whole = np.load(path)
            whole[rows] = np.load(part)
            np.save(path, whole)
    return time.perf_counter() - start


def find_bars(module, case, name, expected):
    """Returns the largest relative RMS error and the largest absolute error that pass for a result.

    The latter is `atol` of the case, or a multiple of the unit in the last place of the largest expected element."""
    relative, units = getattr(module, "bars", lambda case: {})(case).get(name, (BARS[case.T], math.inf))
    finite = np.abs(expected[np.isfinite(expected)])
    largest = finite.max() if finite.size else 0.0
    most = min(units * unit_of(largest, case.T), getattr(case, "atol", math.inf))
    return relative, most


def judge(module, case, name, expected, actual):
    """Returns the relative RMS error, the largest absolute error, and a complaint or an empty text."""
    relative, absolute = compare(name, expected, actual)
    bar, most = find_bars(module, case, name, np.asarray(expected, np.float64))
    if not relative <= bar:
        return relative, absolute, f"{name}: relative RMS error {relative:.2e} exceeds {bar:.0e}"
    if not absolute <= most:
        return relative, absolute, f"{name}: an error of {absolute:.2e} exceeds {most:.2e}"
    return relative, absolute, ""


def compare(name, expected, actual):
    """Returns the relative RMS error and the largest absolute error of one result."""
    expected = np.asarray(expected)
    if actual.shape != expected.shape:
        raise Failure(f"{name} has the shape {actual.shape}, expected {expected.shape}")
    if expected.dtype.kind in "iu":
        if not np.array_equal(actual, expected):
            raise Failure(f"{name}: {np.count_nonzero(actual != expected)} integers differ")
        return 0.0, 0.0
    actual = actual.astype(np.float64)
    finite = np.isfinite(expected)
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        raise Failure(f"{name}: differs where the reference is NaN or infinite")
    actual, expected = actual[finite], expected[finite]
    if not np.isfinite(actual).all():
        bad = np.count_nonzero(~np.isfinite(actual))
        raise Failure(f"{name}: {bad} of {actual.size} elements are NaN or infinite")
    if actual.size == 0:
        return 0.0, 0.0
    error = np.abs(actual - expected)
    size = np.sqrt(np.mean(expected**2))
    # Against an expected zero every error counts in full.
    relative = np.sqrt(np.mean(error**2)) / (size if size > 0 else 1.0)
    return relative, error.max()


def check_case(options, source, module, case, folder):
    """Runs one case; returns (relative RMS error, largest absolute error, seconds, complaint)."""
    given = prepare(module, case, options.seed)
    expected = module.reference(case, given)
    seconds, worst, largest, complaints = 0.0, 0.0, 0.0, []
    try:
        seconds = run_case(options, source, module, case, given, folder)
    except Failure as failure:
        return np.nan, np.nan, seconds, str(failure)
    for name, array in expected.items():
        try:
            relative, absolute, complaint = judge(
                module, case, name, array, np.load(folder / f"{name}.npy"))
        except Failure as failure:
            complaints.append(str(failure))
            continue
        worst, largest = max(worst, relative), max(largest, absolute)
        complaints += [complaint] if complaint else []
    return worst, largest, seconds, "\n".join(complaints)


def indent(text):
    return "".join(f"    {line}\n" for line in text.splitlines()).rstrip()


def check_examples(options):
    """Runs the selected cases and prints one line for each; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        if options.device in ("ptx", "sim") and not options.passes:
            options.compiled = Compiled(options, folder)
        return check_selected(options)


def check_selected(options):
    row = "{:<21} {:<25} {:<7} {:>9} {:>9} {:>7}  {}"
    print(f"seed {options.seed} (repeat with --seed {options.seed})")
    print(row.format("example", "case", "dtype", "rel RMS", "max abs", "time s", ""))
    passed = failed = 0
    for folder in sorted(EXAMPLES.glob("[0-9]*-*")):
        if options.example and not any(word in folder.name for word in options.example):
            continue
        module = load_example(folder)
        for case in load_cases(folder, options.types):
            if options.case and options.case not in case.name:
                continue
            if options.dtype and options.dtype != case.T:
                continue
            with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
                place = pathlib.Path(scratch)
                if options.keep:
                    place = pathlib.Path(options.keep, folder.name, f"{case.name}-{case.T}")
                    place.mkdir(parents=True, exist_ok=True)
                rms, absolute, seconds, complaint = check_case(
                    options, folder / "kernel.tile", module, case, place)
            print(row.format(folder.name, case.name, case.T, f"{rms:.1e}", f"{absolute:.1e}",
                             f"{seconds:.2f}", "FAIL" if complaint else "ok"), flush=True)
            if complaint:
                print(indent(complaint), flush=True)
            passed += not complaint
            failed += bool(complaint)
    if passed + failed == 0:
        print("no case matches; see --help", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def demonstrate(options):
    """Runs flash attention from source to numbers, and prints where its IR is; returns the exit status."""
    folder = EXAMPLES / "07-flash-attention"
    source = folder / "kernel.tile"
    module = load_example(folder)
    case = next(case for case in load_cases(folder) if case.name == "demo")
    below_build = pathlib.Path(options.build, "demo") if options.build else None
    place = pathlib.Path(options.keep or below_build or tempfile.mkdtemp(prefix="tessera-"))
    phases = place / "phases"
    phases.mkdir(parents=True, exist_ok=True)
    shown = source.relative_to(EXAMPLES.parent)
    print(f"{shown}: {case.T}, causal, {case.H} query heads over {case.HK} key heads of {case.D}, "
          f"{case.M} queries, {case.N} keys, on this CPU")
    options.device, options.passes = "interpreter", None
    failed = False
    for device, words in (("interpreter", "the source, in the reference interpreter"),
                          ("sim", "the compiled kernel, on a simulated multiprocessor")):
        options.device = device
        rms, absolute, seconds, complaint = check_case(options, source, module, case, place)
        failed |= bool(complaint)
        print(f"  {words}: {seconds:.2f} s\n    error against float64: {rms:.1e} relative RMS, "
              f"{absolute:.1e} at most: {'FAIL' if complaint else 'ok'}")
        if complaint:
            print(indent(complaint))
    kernel, parameters = module.launches(case)[0][:2]
    chosen = [word for name, value in read_parameters(case, parameters).items()
              for word in ("-D", f"{name}={spell(value)}")]
    tilec = find_tool("tilec", options.build)
    page = place / "attention.html"
    command = [tilec, str(source), *chosen, f"--save-phases={phases}", f"--html={page}", "--emit=ptx", "-o",
               str(place / "kernel.ptx")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(indent(f"exit status {done.returncode}: {shlex.join(command)}\n{done.stderr}"))
        return 1
    print(f"the IR after each phase, in {phases} (tilec and tile-run read these files):")
    for path in sorted(phases.iterdir()):
        print(f"  {path.name:<26}{len(path.read_text().splitlines()):>6} lines")
    print(f"  {'../kernel.ptx':<26}{len((place / 'kernel.ptx').read_text().splitlines()):>6} lines")
    path = os.path.relpath(pathlib.Path(tilec).parent)
    print(f"""next steps, from this folder:
  export PATH=$PWD/{path}:$PATH
  tile-run {shown} -D BM=64 --device sim --order late \\
    --arg 'q=randn(1,2,70,128)' --arg 'k=randn(1,1,90,128)' --arg 'v=randn(1,1,90,128)' --arg scale=0.1
  tilec {shown} --emit=overlap -o -       # the work of each role, and its order
  tilec {shown} -o attention.tpk --report # for a GPU; needs ptxas
source, IR of each phase, PTX and schedule on one page: open {page} in a browser
the tutorial, six kernels from vector addition to attention: docs/tutorial/README.md""")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description="Run the example kernels and compare them with float64 references.")
    parser.add_argument("example", nargs="*", help="examples to run, by a part of the folder's name")
    parser.add_argument("--case", help="only cases whose name contains this")
    parser.add_argument("--dtype", choices=BARS, help="only cases of this type")
    parser.add_argument("--types", choices=("all", "one", "remaining"), default="all",
                        help="the types of a case: all, one by the number of the case, or all except that one")
    parser.add_argument("--seed", type=int, help="repeat a run (default: a fresh seed)")
    parser.add_argument("--device", default="interpreter", help="passed to tile-run (default: interpreter)")
    parser.add_argument("--options", default="", metavar="TEXT",
                        help="further options for tile-run, as one word: '--order late'")
    parser.add_argument("--passes", metavar="PIPELINE",
                        help="passes to run first, as in tile-opt; tile-pipeline runs all of them")
    parser.add_argument("--keep", metavar="DIR", help="keep the .npy files in DIR")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one launch")
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tools to use")
    parser.add_argument("--demo", action="store_true",
                        help="run flash attention, show its error and the IR of each phase")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each command")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "little")
    options.tile_run, options.compiled = find_tool("tile-run", options.build), None
    sys.exit(demonstrate(options) if options.demo else check_examples(options))


if __name__ == "__main__":
    main()
