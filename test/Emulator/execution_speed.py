#!/usr/bin/env python3
"""Compares the time in which two builds execute the kernels of the examples, without compilation.

    execution_speed.py ROOT BEFORE AFTER FOLDER [--device ptx,sim] [--rounds N] [--example NAME]

BEFORE and AFTER are build folders. The build BEFORE compiles the kernels once and keeps the code, the
arguments and the results in FOLDER. Then both builds launch each kernel in four interleavings, and alternate. For
each example the script prints the user seconds of each build in its fastest round, and checks that the results are
bitwise equal.
"""

import argparse
import importlib.util
import pathlib
import pickle
import resource
import subprocess
import sys
import types

# A case of cases.toml, with tiles that execute longer.
CASES = {
    "03-matmul": [("nn-default-tiles", "bf16", {}), ("nt-primes", "f32", {"M": 150, "N": 120, "K": 100}),
                  ("nn-default-tiles", "bf16", {"BM": 128, "BN": 128, "K": 200})],
    "06-lola": [("multiples-online", "f16", {"M": 128, "N": 128, "K": 128, "BM": 128, "BN": 128, "BK": 64}),
                ("primes", "f32", {}), ("primes-apart", "bf16", {})],
    "07-flash-attention": [("demo", "bf16", {}), ("grouped", "f32", {}), ("pairs-causal", "f16", {})],
    "08-gated-attention": [("window-of-tiles", "bf16", {}), ("sink", "f32", {}), ("grouped", "f16", {})],
    "11-attention-backward": [("default-tiles", "bf16", {}), ("turns-grouped", "f16", {}), ("primes", "f32", {})],
    "12-varlen-backward": [("grouped", "bf16", {}), ("bottom-right", "f32", {})],
    "13-decoding": [("gpu-tiles", "bf16", {}), ("gpu-tiles-16-pages", "bf16", {}), ("pages", "f32", {})],
}
# The last phase of the sm level, which the simulator executes without any compilation.
PHASE = "fence"


def load_checks(root):
    """Returns examples/check.py as a module."""
    sys.path.append(str(root / "examples"))
    spec = importlib.util.spec_from_file_location("example_checks", root / "examples" / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record_launches(checks, root, build, example, name, dtype, changes, place):
    """Returns the launches of a case, as options of tile-run, with their arguments in `place`."""
    folder = root / "examples" / example
    module = checks.load_example(folder)
    case = next(case for case in checks.load_cases(folder) if (case.name, case.T) == (name, dtype))
    vars(case).update(changes)
    commands = []
    genuine = subprocess.run

    def run(command, **words):
        commands.append(command)
        return genuine(command, **words)

    chosen = types.SimpleNamespace(tile_run=str(build / "bin" / "tile-run"), device="interpreter", options="",
                                   passes=None, verbose=False, timeout=600, compiled=None)
    checks.subprocess.run = run
    try:
        checks.run_case(chosen, folder / "kernel.tile", module, case, checks.prepare(module, case, 1), place)
    finally:
        checks.subprocess.run = genuine
    return commands


def compile_launch(build, command, place, number):
    """Compiles the kernel of a launch; returns the command line of the launch by device."""
    source, kernel = command[1], command[3]
    words = command[6:]
    parameters = [word for i, word in enumerate(words) if word == "-D" or words[i - 1] == "-D"]
    # A later launch may overwrite the arguments of an earlier one, so each launch has copies.
    arguments = []
    for i, word in enumerate(words):
        if i and words[i - 1] == "--arg":
            name, _, value = word.partition("=")
            if value.startswith("@"):
                copy = place / f"{number}-{name}.npy"
                copy.write_bytes(pathlib.Path(value[1:]).read_bytes())
                value = f"@{copy}"
            arguments += ["--arg", f"{name}={value}"]
    results = [word.partition("=")[0] for i, word in enumerate(words) if i and words[i - 1] == "--save"]
    compiler = [str(build / "bin" / "tilec"), source, "--kernel", kernel, *parameters]
    package, phases = place / f"{number}.tpk", place / f"{number}-phases"
    subprocess.run([*compiler, "--ptx-only", "-o", str(package)], check=True, capture_output=True)
    subprocess.run([*compiler, f"--save-phases={phases}", "--emit=ptx", "-o", str(place / f"{number}.ptx")],
                   check=True, capture_output=True)
    module = next(path for path in sorted(phases.iterdir()) if f"-{PHASE}" in path.name)
    return {
        "ptx": ["tile-launch", str(package), "--device", "ptx", *arguments],
        "sim": ["tile-run", str(module), "--device", "sim", *arguments],
    }, results, f"{place}/{number}"


def time_launch(build, words, results, stem):
    """Launches a kernel; returns the user seconds and the bytes of the results."""
    command = [str(build / "bin" / words[0]), *words[1:], "--order", "program,late,early,random"]
    paths = [pathlib.Path(f"{stem}-{name}-result.npy") for name in results]
    for name, path in zip(results, paths):
        command += ["--save", f"{name}={path}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return seconds, [path.read_bytes() for path in paths]


def main():
    parser = argparse.ArgumentParser()
    for name in ("root", "before", "after", "folder"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--example", action="append", default=[])
    parser.add_argument("--device", default="ptx,sim")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    checks = load_checks(options.root)
    differ = False
    print(f"{'example':<24}{'device':<8}{'launches':>9}{'before s':>10}{'after s':>10}{'ratio':>7}  bits", flush=True)
    totals = {}
    for example, cases in CASES.items():
        if options.example and not any(word in example for word in options.example):
            continue
        launches = []
        for number, (name, dtype, changes) in enumerate(cases):
            place = options.folder / example / str(number)
            kept = place / "launches.pickle"
            if not kept.exists():
                place.mkdir(parents=True, exist_ok=True)
                commands = record_launches(checks, options.root, options.before, example, name, dtype, changes, place)
                compiled = [compile_launch(options.before, command, place, i) for i, command in enumerate(commands)]
                kept.write_bytes(pickle.dumps(compiled))
            launches += pickle.loads(kept.read_bytes())
        for device in options.device.split(","):
            sums, same = [0.0, 0.0], True
            for words, results, stem in launches:
                times = [[], []]
                for _ in range(options.rounds):
                    outputs = []
                    for i, build in enumerate((options.before, options.after)):
                        seconds, output = time_launch(build, words[device], results, stem)
                        times[i].append(seconds)
                        outputs.append(output)
                    same &= outputs[0] == outputs[1]
                sums = [total + min(each) for total, each in zip(sums, times)]
            differ |= not same
            totals[device] = [a + b for a, b in zip(totals.get(device, (0, 0)), sums)]
            print(f"{example:<24}{device:<8}{len(launches):>9}{sums[0]:>10.2f}{sums[1]:>10.2f}"
                  f"{sums[0] / sums[1]:>7.2f}  {'same' if same else 'DIFFER'}", flush=True)
    for device, sums in totals.items():
        print(f"{'all':<24}{device:<8}{'':>9}{sums[0]:>10.2f}{sums[1]:>10.2f}{sums[0] / sums[1]:>7.2f}")
    return differ


if __name__ == "__main__":
    sys.exit(main())
