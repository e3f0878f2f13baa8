#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs in the interpreter, in the simulator and as PTX, asks for a second opinion, and compares the
results.

    fuzz_programs.py [--kind text|kernel] --seed N --count K [--jobs J] [--findings FOLDER] [--time-limit SECONDS]

Program i depends only on N + i. test/SecondOpinion evaluates its text, and the interpreter runs it. It is compiled up
to a random phase and simulated in a random order. It is also compiled to PTX and emulated, and compiled for the
processor. A finding is a diagnostic, a crash, a hang, a kernel that is not compiled for the processor, or a wrong
result. A result is wrong if it differs by more than two correct evaluations can (see
values.py, and for text bounds.py). With --gpu, each program also runs on the GPU of the CUDA driver; this needs ptxas.

The program of a finding is reduced as long as it fails in the same way. It is written to a new folder with the
arguments, the IR of the phase and a script that runs it again. With --phase only that level runs (`ptx`: as PTX; `cpu`:
on the processor).
Programs that the compiler rejects because they do not fit the machine are counted. The exit status is 1 if there are
findings.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from text import files
from text import kernels as text_kernels
from text import programs as text_programs
from trees import analysis, programs, random_programs, reduction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import SecondOpinion

PHASES = ["sm", "persist", "plan", "specialize", "multicta", "pipeline", "overlap", "expand", "allocate", "fence"]
# Newer phases replace a neighbour in one of two programs (odd numbers), or in one of four, so that the other programs
# keep their phase.
LATER_PHASES = {"sm": "order", "overlap": "draw", "expand": "privatize"}
LATEST_TILE_PHASES = {"fold-exp2": "lazy-rescale", "pad-extents": "narrow-positions"}
LATEST_PHASES = {**LATEST_TILE_PHASES, "plan": "schedule", "pipeline": "advance", "privatize": "skip"}
# Phases after which the interpreter runs the program again.
TILE_PHASES = ["fold-exp2", "peel-masks", "pad-extents", "defer-reductions", "contract"]
# After all phases: the PTX, which is executed as text.
PTX = "ptx"
# Before all phases: the kernel compiled for the processor.
CPU = "cpu"
# With --gpu: machine code on a GPU.
CUDA = "cuda"
ALL_PHASES = [*TILE_PHASES, *PHASES, *LATER_PHASES.values(), *LATEST_PHASES.values(), PTX, CPU]
# Kinds of findings of a device.
KINDS = {"ptx": "PTX ", "cpu": "CPU ", CUDA: "GPU "}
ORDERS = ["program", "late", "early", "random", "random"]

# Diagnostics that a legal program may get.
NO_REGISTERS = r"cannot hold `.*` in registers; use (a smaller tile|extents)"
REFUSALS = [r"needs \d+ bytes of shared memory", NO_REGISTERS,
            # Known at compile time, in a place that no program of the grid comes to.
            r"the index -?\d+ is outside of dimension"]


@dataclasses.dataclass
class Finding:
    """A failure of a program. Findings with the same kind and text, up to numbers, are equal."""

    kind: str
    text: str

    @property
    def signature(self):
        return self.kind, re.sub(r"\d+|'[^']*'", "#", self.text)


class Runner:
    """Runs one program in one way, in its own folder."""

    def __init__(self, options, number):
        self.options = options
        self.number = number
        # Compile-time parameters, as words of a command.
        self.defines = []
        choice = random.Random(f"run {number}")
        self.phase = choice.choice(options.phase or PHASES)
        if not options.phase and number % 2:
            self.phase = LATER_PHASES.get(self.phase, self.phase)
        self.order = options.order or choice.choice(ORDERS)
        self.simulator_seed = choice.randrange(1 << 30)
        # The IR of the phase is printed and parsed again before it runs.
        self.through_text = choice.random() < 0.25 or options.plant is not None
        # Programs with odd numbers run in more ways.
        kind = choice.random() if number % 2 and not options.plant else 1.0
        self.is_tile_phase = kind < 0.08 and not options.phase
        if self.is_tile_phase:
            self.phase, self.through_text = choice.choice(TILE_PHASES), True
        if not options.phase and number % 4 == 3:
            self.phase = LATEST_PHASES.get(self.phase, self.phase)
        elif self.phase in TILE_PHASES or self.phase in LATEST_TILE_PHASES.values():
            self.is_tile_phase = self.through_text = True
        self.has_seeds = 0.08 <= kind < 0.2
        self.verifies = 0.2 <= kind < 0.23
        self.is_exhaustive = 0.23 <= kind < 0.27 and not options.order
        self.multiprocessors = choice.randint(1, 3) if number % 2 else 2
        if self.phase in (PTX, CPU):
            self.through_text = False
        # The devices that run the program: the interpreter, the simulator (or the interpreter again), the emulator, the
        # processor.
        self.devices = ["interpreter", self.phase if self.phase in (PTX, CPU) else "sim"]
        if not options.phase and not options.plant and not options.without_ptx:
            self.devices = ["interpreter", "sim", "ptx"]
        if not options.phase and not options.plant:
            self.devices.append("cpu")
        if options.gpu:
            self.devices.append(CUDA)

    def emit(self, folder):
        """Writes the IR of the phase to a file, without the first line that --plant matches; returns a finding if that
        fails.

        Returns None for both if no line matches."""
        emitted = folder / f"{self.phase}.mlir"
        finding, output = self.execute([str(self.options.tilec), str(folder / "kernel.tile"), *self.defines,
                                        f"--emit={self.phase}", "-o", str(emitted)])
        if finding or not self.options.plant:
            return emitted, finding, output
        lines = emitted.read_text().splitlines(keepends=True)
        places = [number for number, line in enumerate(lines) if re.search(self.options.plant, line)]
        if not places:
            return None, None, output
        del lines[places[0]]
        # The IR must not run later passes.
        emitted.write_text(re.sub(r'(, )?tile\.phase = "\w+"', "", "".join(lines)))
        return emitted, None, output

    def command(self, device):
        """Returns the command of the interpreter, or of the execution to compare with it."""
        if device == "interpreter" or device == "sim" and self.is_tile_phase:
            return [str(self.options.tile_run), "--device=interpreter"]
        if device in ("cpu", CUDA):
            return [str(self.options.tile_run), f"--device={device}"]
        command = [str(self.options.tile_run), f"--device={device}", f"--multiprocessors={self.multiprocessors}"]
        command += [] if self.options.plant or device == "ptx" else [f"--phase={self.phase}"]
        if self.is_exhaustive:
            return [*command, "--order=exhaustive", "--max-runs=20"]
        if self.has_seeds:
            return [*command, "--seeds=3"]
        seed = [f"--sim-seed={self.simulator_seed}"] if "random" in self.order else []
        return [*command, f"--order={self.order}", *seed]

    def verify_command(self, program, folder, words):
        """Returns the command that runs the program after every pass."""
        command = [str(self.options.tilec), str(folder / "kernel.tile"), "--verify-passes", "--emit=fence",
                   "-o", "/dev/null"]
        extents = {**program.sizes, **program.tiles}
        words = ["--verify-arg" if word == "--arg" else word for word in words]
        for parameter in program.parameters:
            if parameter.access == "out" and not any(word.startswith(f"{parameter.name}=") for word in words):
                shape = ", ".join(str(extents.get(dim, dim)) for dim in parameter.dims)
                words += ["--verify-arg", f"{parameter.name}=({shape})"]
        return [*command, *words]

    # Differences between programs that are trees and programs that are text.

    @staticmethod
    def refusals(program):
        """Returns the diagnostics that the program may get."""
        return REFUSALS

    @staticmethod
    def write(program):
        return programs.write(program, analysis.Analysis(program).texts)

    @staticmethod
    def results(program):
        return [p.name for p in program.parameters if p.access != "in"]

    def tolerances(self, program):
        return {name: 2 * value.error + 1e-30 for name, value in analysis.Analysis(program).outputs.items()}

    def opinion(self, program):
        return SecondOpinion.evaluate(self.write(program), self.arguments)[0]

    def reduce(self, program, fails, most):
        return reduction.reduce(program, fails, most)

    def prepare(self, program, folder):
        """Writes the source and the arguments; returns the words of the arguments."""
        (folder / "kernel.tile").write_text(self.write(program))
        generator = np.random.default_rng(self.number)
        words = []
        # The same arguments for the second opinion.
        self.arguments = {name: program.sizes[name] for name in program.counts}
        extents = {**program.sizes, **program.tiles}
        for parameter in program.parameters:
            shape = tuple(extents[dim] if dim in extents else int(dim) for dim in parameter.dims)
            if parameter.access == "out":
                if not all(dim in program.tiles or self.is_bound(program, dim) for dim in parameter.dims):
                    words += ["--arg", f"{parameter.name}=({', '.join(map(str, shape))})"]
                    self.arguments[parameter.name] = shape
                continue
            value = programs.fill(parameter, shape, generator)
            self.arguments[parameter.name] = value
            if not parameter.dims:
                words += ["--arg", f"{parameter.name}={str(value).lower()}"]
                continue
            np.save(folder / f"{parameter.name}.npy", value)
            words += ["--arg", f"{parameter.name}={folder}/{parameter.name}.npy"]
        for name in program.counts:
            words += ["--arg", f"{name}={program.sizes[name]}"]
        return words

    def is_bound(self, program, dim):
        return dim in program.counts or any(
            parameter.access != "out" and dim in parameter.dims for parameter in program.parameters)

    def execute(self, command):
        """Returns the finding of a run, or None, and its output."""
        # A busy machine is no reason for a finding, so the limit is CPU time. Waiting for nothing takes none.
        most = self.options.timeout
        hang = Finding("hang", f"no result after {most} s"), ""
        try:
            # A function between fork and exec could wait for a lock that a thread of NumPy's library holds.
            limited = ["sh", "-c", f'ulimit -S -t {most} && ulimit -H -t {most + 5} && exec "$@"', "sh", *command]
            done = subprocess.run(limited, capture_output=True, text=True, timeout=20 * most)
        except subprocess.TimeoutExpired:
            return hang
        if done.returncode == -signal.SIGXCPU:
            return hang
        if done.returncode not in (0, 1):
            words = done.stderr.strip().splitlines()[-1:] if done.returncode == 2 else []
            return Finding("crash", " ".join([f"exit status {done.returncode}", *words])), done.stderr
        if done.returncode == 1:
            error = re.search(r"error: (.*)", done.stderr)
            return Finding("error", error.group(1) if error else "exit status 1 without an error"), done.stderr
        return None, done.stderr

    def run(self, program, folder):
        """Returns the finding of a program, or None; raises `Refused` if the program does not fit the machine."""
        tolerances = self.tolerances(program)
        words = self.prepare(program, folder)
        results = self.results(program)
        for device in self.devices:
            finding, source = None, folder / "kernel.tile"
            if device == "sim" and self.through_text:
                source, finding, self.output = self.emit(folder)
                if source is None:
                    return None
            if device == CUDA:
                package = folder / "kernel.tpk"
                finding, self.output = self.execute([str(self.options.tilec), str(source), *self.defines, "-o",
                                                     str(package)])
                source = package
            if not finding:
                saves = [word for name in results for word in ("--save", f"{name}={folder}/{device}-{name}.npy")]
                defines = self.defines if source.suffix == ".tile" else []
                finding, self.output = self.execute([*self.command(device), str(source), *defines, *words, *saves])
            if finding and device == "interpreter":
                return dataclasses.replace(finding, kind=f"interpreter {finding.kind}")
            if (not finding and device == "cpu" and "runs in the interpreter" in self.output
                    and not re.search(r"'tile\.(asm|print)'", self.output)):
                finding = Finding("fallback", re.search("remark: (.*)", self.output).group(1))
            if finding:
                finding = dataclasses.replace(finding, kind=KINDS.get(device, "") + finding.kind)
            if finding and any(re.search(refusal, finding.text) for refusal in self.refusals(program)):
                raise Refused(finding.text)
            if finding:
                return finding
            if device == "interpreter" and (finding := self.ask(program, folder, tolerances)):
                return finding
        for device in self.devices[1:]:
            kind = KINDS.get(device, "") + "mismatch"
            for name in results:
                expected, got = (np.load(folder / f"{one}-{name}.npy") for one in ("interpreter", device))
                if finding := self.compare(program, kind, name, expected, got, tolerances.get(name, 0.0)):
                    return finding
        # The results must be the same after each pass.
        if self.verifies and all(np.all(tolerance <= 1e-30) for tolerance in tolerances.values()):
            finding, self.output = self.execute(self.verify_command(program, folder, words))
            # After a phase of the tile level, no other run compiles the program for the machine.
            if finding and any(re.search(refusal, finding.text) for refusal in self.refusals(program)):
                raise Refused(finding.text)
            return finding and dataclasses.replace(finding, kind=f"verify-passes {finding.kind}")
        return None

    def ask(self, program, folder, tolerances):
        """Compares the interpreter with the second opinion, which parses the text itself."""
        if self.options.without_opinion:
            return None
        try:
            opinion = self.opinion(program)
        except SecondOpinion.Undecided:
            # The intervals of a tree bound errors more tightly.
            return None
        except (SecondOpinion.NotUnderstood, SecondOpinion.Illegal) as problem:
            self.output = f"{problem}\n"
            return Finding("second opinion error", str(problem))
        for name, expected in opinion.items():
            got = np.load(folder / f"interpreter-{name}.npy")
            if finding := self.compare(program, "second opinion mismatch", name, expected, got,
                                       tolerances.get(name, 0.0)):
                return finding
        return None

    def compare(self, program, kind, name, expected, got, tolerance):
        same = expected == got
        expected, got = expected.astype(np.float64), got.astype(np.float64)
        same |= np.isnan(expected) & np.isnan(got)
        with np.errstate(invalid="ignore"):
            distance = np.where(same, 0.0, np.abs(expected - got))
        # The tolerance is one number, or an array with one number for each element.
        tolerance = np.broadcast_to(tolerance, distance.shape)
        # Where no bound is known, a finite number may become infinite. It may become NaN only if the program has a
        # type that has NaN in place of infinity.
        overflows = np.isnan(got) if "f8e4m3" in self.write(program) else False
        same |= np.isinf(tolerance) & (~np.isfinite(expected) | overflows)
        wrong = ~(same | (distance <= tolerance) & (tolerance > 0))
        if not wrong.any():
            return None
        place = np.unravel_index(np.argmax(wrong), wrong.shape)
        self.output = (f"{int(wrong.sum())} of {wrong.size} elements of {name} differ by more than "
                       f"{tolerance[place]:.3g}; the first at {tuple(map(int, place))}: {got[place]} and not "
                       f"{expected[place]}\n")
        return Finding(kind, "")


class TextRunner(Runner):
    """Runs a program that is text."""

    @staticmethod
    def refusals(program):
        return [refusal for refusal in REFUSALS if refusal != NO_REGISTERS or not program.fits_registers]

    @staticmethod
    def write(program):
        return program.text

    @staticmethod
    def results(program):
        return list(program.expected)

    def tolerances(self, program):
        return program.tolerances()

    def opinion(self, program):
        return program.expected

    def reduce(self, program, fails, most):
        return text_programs.reduce_text(program, fails, most)

    def prepare(self, program, folder):
        for path, text in files.spread(program.text).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        words, self.defines = [], []
        for name, value in program.defines.items():
            self.defines += ["-D", f"{name}={str(value).lower()}"]
        for name, value in program.arguments.items():
            if not re.search(rf"\b{name}: ", program.text):
                continue
            if isinstance(value, np.ndarray):
                np.save(folder / f"{name}.npy", value)
                value = f"{folder}/{name}.npy"
            elif isinstance(value, tuple):
                value = f"({', '.join(map(str, value))})"
            words += ["--arg", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        return words

    def verify_command(self, program, folder, words):
        command = [str(self.options.tilec), str(folder / "kernel.tile"), *self.defines, "--verify-passes",
                   "--emit=fence", "-o", "/dev/null"]
        return [*command, *("--verify-arg" if word == "--arg" else word for word in words)]


# How often each finding occurred.
KNOWN = collections.Counter()


class Refused(Exception):
    """The program does not fit the machine."""


def write_finding(runner, program, finding, original, folder):
    """Writes a folder with everything that is needed to reproduce a finding."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        runner.run(program, pathlib.Path(scratch)) if finding.kind != "hang" else None
    output = runner.output if finding.kind != "hang" else ""
    words = runner.prepare(program, folder)
    (folder / "original.tile").write_text(runner.write(original))
    results = runner.results(program)
    saves = [word for name in results for word in ("--save", f"{name}=expected-{name}.npy")]
    expects = [word for name in results for word in ("--expect", f"{name}=@expected-{name}.npy")]
    local = [word.replace(f"{folder}/", "") for word in words]
    device = next((name for name, kind in KINDS.items() if finding.kind.startswith(kind)), runner.devices[1])
    is_text = runner.through_text and device == "sim"
    source = f"{runner.phase}.mlir" if is_text else "kernel.tpk" if device == CUDA else "kernel.tile"
    defines = runner.defines if source == "kernel.tile" else []
    lines = ["#!/bin/sh", 'cd "$(dirname "$0")"',
             shlex.join(["tile-run", "--device=interpreter", "kernel.tile", *runner.defines, *local, *saves]),
             *([shlex.join(["tilec", "kernel.tile", *runner.defines, "-o", source])] if device == CUDA else []),
             shlex.join(["tile-run", *runner.command(device)[1:], source, *defines, *local, *expects])]
    if finding.kind == "second opinion mismatch":
        for name, value in runner.opinion(program).items():
            np.save(folder / f"opinion-{name}.npy", value)
        expects = [word for name in results for word in ("--expect", f"{name}=@opinion-{name}.npy")]
        lines[3:] = [shlex.join(["tile-run", "--device=interpreter", "kernel.tile", *runner.defines, *local, *expects])]
    if finding.kind.startswith("verify-passes"):
        lines.append(shlex.join(word.replace(f"{folder}/", "")
                                for word in runner.verify_command(program, folder, words)))
    (folder / "run.sh").write_text("\n".join(lines) + "\n")
    if runner.phase not in (PTX, CPU):
        runner.emit(folder)
    report = (f"program {runner.number}, phase {runner.phase}, order {runner.order}, "
              f"seed {runner.simulator_seed}: {finding.kind}: {finding.text}\n"
              + "".join(output.splitlines(keepends=True)[:12]))
    (folder / "report.txt").write_text(report)
    return report


def make(options, number):
    """Returns program `number` and its runner."""
    if options.kind == "kernel":
        return text_kernels.random_kernel(number), TextRunner(options, number)
    if options.kind == "text":
        return text_programs.random_text(number), TextRunner(options, number)
    return random_programs.random_program(number), Runner(options, number)


def numbers_of(options):
    """Returns the numbers of the programs that the options select."""
    numbers = itertools.count(options.seed, options.step)
    if options.family:
        numbers = (number for number in numbers if text_kernels.family_of(number) == options.family)
    return list(itertools.islice(numbers, options.count))


def fuzz_one(options, number):
    """Runs program `number`; returns its outcome and a report."""
    try:
        program, runner = make(options, number)
    except SecondOpinion.NotUnderstood as problem:
        return "found", f"program {number}: {problem}", Finding("second opinion error", str(problem).splitlines()[0])
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        folder = pathlib.Path(scratch)
        try:
            finding = runner.run(program, folder)
        except Refused as refusal:
            return "refused", re.sub(r"\d+", "#", str(refusal)), None
        if finding is None:
            return "agreed", runner.phase, None

        def fails(candidate):
            try:
                other = runner.run(candidate, folder)
            except Refused:
                return False
            return other is not None and other.signature == finding.signature

        KNOWN[finding.signature] += 1
        if not options.find_only and KNOWN[finding.signature] <= options.examples:
            smaller = runner.reduce(program, fails, options.tries if finding.kind != "hang" else 20)
        else:
            text = finding.text or "".join(runner.output.splitlines()[:1])
            return "found", f"program {number}: {finding.kind}: {text}", finding
        report = write_finding(runner, smaller, finding, program, options.findings / str(number))
    return "found", report, finding


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=["tree", "text", "kernel"], default="tree",
                        help="text: programs with all constructs of the language; kernel: families of text/kernels.py")
    parser.add_argument("--family", choices=text_kernels.FAMILIES, help="run programs of one family of --kind kernel")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--step", type=int, default=1, help="the distance of numbers: odd ones have all constructs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=60, help="seconds of CPU time that one run may take")
    parser.add_argument("--time-limit", type=float, help="start no program after so many seconds")
    parser.add_argument("--tries", type=int, default=300, help="runs that the reduction of a finding may take")
    parser.add_argument("--find-only", action="store_true", help="reduce nothing")
    parser.add_argument("--examples", type=int, default=2, help="how many findings of a kind are reduced")
    parser.add_argument("--phase", choices=ALL_PHASES, action="append",
                        help="may be given several times")
    parser.add_argument("--order", choices=sorted(set(ORDERS)))
    parser.add_argument("--plant", metavar="REGEX", help="remove the first matching line of the phase's IR: "
                        "a defect that must be found")
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("findings"))
    parser.add_argument("--without-opinion", action="store_true", help="do not ask for the second opinion")
    parser.add_argument("--without-ptx", action="store_true", help="do not run the PTX emulator")
    parser.add_argument("--gpu", action="store_true", help="also run the programs on the GPU")
    parser.add_argument("--scratch", help="an existing folder for the files of a run")
    parser.add_argument("--tile-run", default=shutil.which("tile-run"))
    parser.add_argument("--tilec", default=shutil.which("tilec"))
    parser.add_argument("--print", action="store_true", help="print the programs and run nothing")
    options = parser.parse_args()
    if options.print:
        for number in numbers_of(options):
            program, runner = make(options, number)
            print(runner.write(program))
        return 0

    start = time.monotonic()
    outcomes, phases, refusals, kinds = (collections.Counter() for _ in range(4))

    def guarded(number):
        if options.time_limit and time.monotonic() - start > options.time_limit:
            return "left out", "", None
        return fuzz_one(options, number)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for outcome, text, finding in pool.map(guarded, numbers_of(options)):
            outcomes[outcome] += 1
            if outcome == "agreed":
                phases[text] += 1
            elif outcome == "refused":
                refusals[text] += 1
            elif outcome == "found":
                kinds[finding.signature] += 1
                print(text, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()),
          f"in {time.monotonic() - start:.0f} s")
    print("phases:", ", ".join(f"{phase} {phases[phase]}" for phase in ALL_PHASES))
    for text, count in refusals.most_common():
        print(f"refused {count}: {text}")
    for (kind, text), count in kinds.most_common():
        print(f"found {count}: {kind}: {text}")
    return 1 if outcomes["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
