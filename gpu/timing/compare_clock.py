#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times that `tilec --explain` predicts with measured times: compare_clock.py [--family REGEX]

Reads the newest times of all configurations in gpu/results (bench.py measures each of them once). For each family it
prints the error of the prediction (predicted / measured - 1) and Kendall's tau over the configurations of a shape. The
regret is the time of the configuration with the shortest prediction, relative to the fastest one. Needs no GPU.
"""

import argparse
import collections
import concurrent.futures
import glob
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "gpu"))

import compile as compiler  # noqa: E402
import families  # noqa: E402
import tables  # noqa: E402

# Kernels that do nothing for the numbers that bench.py draws: a branch on data, which the clock takes to be taken.
IDLE = {"linear_logp_restore"}
# Measurements of one configuration differ by less than this between runs.
NOISE = 0.03


def read_times():
    """Returns {shape: {configuration: milliseconds}}; newer files replace older ones."""
    times = {}
    for path in sorted(glob.glob(str(ROOT / "gpu/results/*-burst-*.json"))):
        for row in json.loads(pathlib.Path(path).read_text())["rows"]:
            times.setdefault(row["shape"], {}).update(row.get("first") or {})
    return times


def get_sizes(shape, case={}, bindings=()):
    """Returns the sizes of a launch by name: of the case and the shape, and the integers among its arguments."""
    # Some shapes compute their numbers of heads.
    heads = {name: getattr(shape, name, None) for name in ("H", "HK")}
    known = {**heads, **case, **vars(shape)}
    sizes = {name: value for name, value in known.items() if type(value) is int and value >= 0}
    if "S" in vars(shape):
        sizes.update({"M": shape.S, "N": shape.S})
    sizes.setdefault("HK", sizes.get("H", 1))
    for binding in bindings:
        if isinstance(binding.value, int):
            sizes[binding.parameter] = binding.value
        elif binding.parameter in ("w", "dw") and binding.rows:
            # A part of the vocabulary.
            sizes["V"] = binding.rows.stop - binding.rows.start
    # The whole vocabulary if it is 0.
    sizes["words"] = sizes.get("words") or sizes.get("V", 1)
    return sizes


def predict(tilec, unit, sizes):
    """Returns the predicted microseconds of a unit, and why there are none."""
    command = compiler.command_for(tilec, unit, "-", "fence")
    command += ["--configuration=default", "--explain=" + ",".join(f"{name}={size}" for name, size in sizes.items())]
    done = subprocess.run(command, capture_output=True, text=True)
    # The variant that runs has a suffix.
    if found := re.search(rf"kernel '{unit.kernel}\w*': ([\d.]+) us predicted", done.stderr):
        return float(found[1]), ""
    return None, f"{unit.kernel}: {tables.first_error(done.stderr).split('error: ')[-1]}"


def tau(pairs):
    """Kendall's tau of (predicted, measured), without pairs that measurements do not tell apart."""
    agree = disagree = 0
    for (p, m), (q, n) in itertools.combinations(pairs, 2):
        if abs(m - n) <= NOISE * min(m, n):
            continue
        agree += (p - q) * (m - n) > 0
        disagree += (p - q) * (m - n) < 0
    return (agree - disagree) / (agree + disagree) if agree + disagree else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tilec to use")
    parser.add_argument("--family", default=".*", metavar="REGEX", help="only shapes that match")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true", help="print each configuration")
    options = parser.parse_args()
    tilec = tables.examples.find_tool("tilec", options.build)
    times = read_times()
    jobs = [(shape, configuration, times[shape.id][configuration.name])
            for shape in families.load_shapes() if shape.id in times and re.search(options.family, shape.id)
            for configuration in tables.find_configurations(shape) if configuration.name in times[shape.id]]

    def run(job):
        shape, configuration, _ = job
        steps = [step for step in configuration.steps(shape) if step.unit.kernel not in IDLE]
        if any(step.unit.is_ir for step in steps):
            return None, "IR"
        case = {} if configuration.kernel else vars(configuration.case(shape))
        parts = [predict(tilec, step.unit, get_sizes(shape, case, (*step.reads, *step.writes))) for step in steps]
        reasons = [reason for _, reason in parts if reason]
        return (None, reasons[0]) if reasons else (sum(time for time, _ in parts), "")

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        predicted = list(pool.map(run, jobs))
    shapes = collections.defaultdict(list)
    missing = collections.Counter()
    for (shape, configuration, milliseconds), (microseconds, reason) in zip(jobs, predicted):
        if microseconds is None:
            missing[shape.family, reason] += 1
            continue
        shapes[shape.family, shape.id].append((microseconds / 1e3, milliseconds, configuration.name))
    by_family = collections.defaultdict(list)
    for (family, name), rows in shapes.items():
        best = min(m for _, m, _ in rows)
        chosen = min(rows)[1]
        by_family[family].append((rows, tau([row[:2] for row in rows]), chosen / best - 1))
        if options.verbose:
            print(f"{name}  tau {by_family[family][-1][1]}  regret {100 * (chosen / best - 1):.1f} %")
            for p, m, configuration in sorted(rows, key=lambda row: row[1]):
                print(f"  {configuration:<36} measured {1e3 * m:9.1f} us  predicted {1e3 * p:9.1f} us  "
                      f"{100 * (p / m - 1):+6.1f} %")
    print(f"{'family':<28} shapes  configurations  median error  worst error  mean tau  regret: median, worst, <= 3 %")
    for family, found in by_family.items():
        errors = [p / m - 1 for rows, _, _ in found for p, m, _ in rows]
        taus = [value for _, value, _ in found if value is not None]
        regrets = [regret for _, _, regret in found]
        print(f"{family:<28} {len(found):6}  {len(errors):14}  {100 * statistics.median(map(abs, errors)):10.1f} %  "
              f"{100 * max(errors, key=abs):+9.1f} %  {statistics.mean(taus) if taus else float('nan'):8.2f}  "
              f"{100 * statistics.median(regrets):.1f} %, {100 * max(regrets):.1f} %, "
              f"{100 * sum(r <= 0.03 for r in regrets) / len(regrets):.0f} %")
    for (family, reason), count in missing.items():
        print(f"no prediction for {count} of {family}: {reason}")


if __name__ == "__main__":
    main()
