#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the configurations that `tilec --shape` chooses with measured times: choices.py [--family REGEX]

Reads the newest times of all configurations in gpu/results. A row of the table has one shape whose kernels declare values
to choose from. Times are relative to the fastest measured configuration with declared values. The columns `choice` and
`default` have the times of the chosen configuration and of the defaults. A star marks a choice that was not measured. The
best prediction among the measured configurations replaces it. The column `known` has the time of the fastest declared
configuration, relative to the fastest one of all, such as a split sum. Needs no GPU.
"""

import argparse
import concurrent.futures
import functools
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "gpu"), str(ROOT / "gpu/timing")]

import families  # noqa: E402
import tables  # noqa: E402
from compare_clock import get_sizes, read_times  # noqa: E402


@functools.cache
def describe(tilec, unit):
    """Returns the signature of the kernel of a unit."""
    done = subprocess.run([tilec, str(unit.source), "--emit=signatures"], capture_output=True, check=True)
    return next(row for row in json.loads(done.stdout)["kernels"] if row["name"] == unit.kernel)


def ask(tilec, unit, sizes, given):
    """Returns the output of --emit=configuration for compile-time values, or None after an error."""
    command = [tilec, str(unit.source), "--kernel", unit.kernel, "--emit=configuration", "--shape",
               ",".join(f"{name}={size}" for name, size in sizes.items())]
    for name, value in given.items():
        command += ["-D", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def get_own_sizes(tilec, unit, sizes):
    """Returns those of `sizes` that the kernel of a unit has."""
    row = describe(tilec, unit)
    known = [*row["sizes"], *(p["name"] for p in row["parameters"] if p["type"] == "int" and "dims" not in p)]
    return {name: size for name, size in sizes.items() if name in known}


def find(configurations, values):
    """Returns the number of the configuration with these values and defaults otherwise, or None.

    The default of a parameter comes before its other values."""
    return next((number for number, row in enumerate(configurations) if values.items() <= row["values"].items()), None)


def get_choices(tilec, unit):
    """Returns the parameters of the kernel of a unit that declare values."""
    return {row["name"] for row in describe(tilec, unit)["compileTime"] if "values" in row}


def number_launches(tilec, units, sizes):
    """Returns the choice of a kernel and its configurations, and the number of that of each unit; None without a choice.

    A number is None if the values of a unit are not declared."""
    choices = get_choices(tilec, units[0])
    defaults = {row["name"]: row["default"] for row in describe(tilec, units[0])["compileTime"]}
    parameters = [dict(unit.parameters) for unit in units]
    given = {name: value for name, value in parameters[0].items()
             if name not in choices and all(row.get(name) == value for row in parameters)}
    found = ask(tilec, units[0], sizes, given)
    if not found:
        return None
    numbers = []
    for unit, row in zip(units, parameters):
        rest = {name: value for name, value in row.items() if name not in choices and name not in given}
        # An option of tilec, or another value of a parameter without a choice, is not declared.
        declared = not unit.options and all(defaults[name] == value for name, value in rest.items())
        values = {name: row[name] for name in choices if name in row}
        numbers.append(find(found["configurations"], values) if declared else None)
    return found["choice"], found["configurations"], numbers


def compare(tilec, shape, measured):
    """Returns the row of a shape, or None if none of its kernels declares values."""
    rows = {}
    for configuration in tables.find_configurations(shape):
        steps = configuration.steps(shape)
        if configuration.name not in measured or any(step.unit.is_ir for step in steps):
            continue
        case = {} if configuration.kernel else vars(configuration.case(shape))
        launches = [(step.unit, get_own_sizes(tilec, step.unit, get_sizes(shape, case, (*step.reads, *step.writes))))
                    for step in steps if get_choices(tilec, step.unit)]
        if launches:
            kernels = tuple(step.unit.kernel for step in steps)
            rows.setdefault(kernels, []).append((measured[configuration.name], launches))
    # The kernels of most configurations; the others compute the same in another way.
    rows = max(rows.values(), key=len, default=[])
    columns = list(zip(*(launches for _, launches in rows)))
    if len(rows) < 2 or any(sizes != column[0][1] for column in columns for _, sizes in column):
        return None
    kernels = [number_launches(tilec, [unit for unit, _ in column], column[0][1]) for column in columns]
    if None in kernels:
        return None
    times, predicted = {}, {}
    for (time, _), *numbers in zip(rows, *(numbers for _, _, numbers in kernels)):
        if None not in numbers:
            times[tuple(numbers)] = time
            predicted[tuple(numbers)] = sum(configurations[number].get("microseconds", float("inf"))
                                            for number, (_, configurations, _) in zip(numbers, kernels))
    if len(times) < 2:
        return None
    choice = tuple(find(configurations, chosen) for chosen, configurations, _ in kernels)
    best, was_measured = min(times.values()), choice in times
    if not was_measured:
        choice = min(times, key=predicted.get)
    values = {}
    for chosen, _, _ in kernels:
        for name, value in chosen.items():
            values[name] = value if values.get(name, value) == value else f"{values[name]},{value}"
    return {"choice": times[choice] / best, "measured": was_measured,
            "default": times.get((0,) * len(kernels), 0) / best,
            "known": best / min(measured.values()), "count": len(times), "values": values}


def summarise(regrets):
    shares = [f"<= {limit} % for {100 * sum(r <= limit / 100 for r in regrets) / len(regrets):.0f} %" for limit in (3, 5)]
    return f"median {100 * statistics.median(regrets):.1f} %, worst {100 * max(regrets):.1f} %, {', '.join(shares)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", metavar="DIR", help="the build folder whose tilec to use")
    parser.add_argument("--family", default=".*", metavar="REGEX", help="only shapes that match")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tilec = tables.examples.find_tool("tilec", options.build)
    times = read_times()
    shapes = [shape for shape in families.load_shapes() if shape.id in times and re.search(options.family, shape.id)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        print(f"{'shape':<48} configurations  choice  default  known  chosen values", flush=True)
        regrets, of_defaults = [], []
        for shape, row in zip(shapes, pool.map(lambda shape: compare(tilec, shape, times[shape.id]), shapes)):
            if row is None:
                continue
            regrets.append(row["choice"] - 1)
            if row["default"]:
                of_defaults.append(row["default"] - 1)
            plain = f"{row['default']:7.3f}" if row["default"] else "      -"
            print(f"{shape.id:<48} {row['count']:14}  {row['choice']:6.3f}{' ' if row['measured'] else '*'} {plain}  "
                  f"{row['known']:5.3f}  {' '.join(f'{k}={v}' for k, v in row['values'].items())}", flush=True)
    print(f"{len(regrets)} shapes: regret of choices: {summarise(regrets)}; of defaults: {summarise(of_defaults)}")


if __name__ == "__main__":
    main()
