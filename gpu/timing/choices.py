#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the configurations that `tilec --shape` chooses with measured times: choices.py [--family REGEX]

Reads the newest times of all configurations in gpu/results. A row of the table has one shape of a kernel with values to
choose from. Times are relative to the fastest measured configuration with declared values. The columns `choice` and
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
    row = describe(tilec, unit)
    known = [*row["sizes"], *(p["name"] for p in row["parameters"] if p["type"] == "int" and "dims" not in p)]
    command = [tilec, str(unit.source), "--kernel", unit.kernel, "--emit=configuration", "--shape",
               ",".join(f"{name}={size}" for name, size in sizes.items() if name in known)]
    for name, value in given.items():
        command += ["-D", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def find(configurations, values):
    """Returns the number of the configuration with these values and defaults otherwise, or None.

    The default of a parameter comes before its other values."""
    return next((number for number, row in enumerate(configurations) if values.items() <= row["values"].items()), None)


def compare(tilec, shape, measured):
    """Returns the row of a shape, or None if its kernel declares no values."""
    rows = {}
    for configuration in tables.find_configurations(shape):
        units = configuration.units(shape)
        if configuration.name in measured and configuration.kernel and len(units) == 1 and not units[0].is_ir:
            rows.setdefault(units[0].kernel, []).append((measured[configuration.name], units[0]))
    # The kernel of most configurations; the others compute the same in another way.
    units = max(rows.values(), key=len, default=[])
    if len(units) < 2:
        return None
    compile_time = describe(tilec, units[0][1])["compileTime"]
    choices = {row["name"] for row in compile_time if "values" in row}
    defaults = {row["name"]: row["default"] for row in compile_time}
    parameters = [dict(unit.parameters) for _, unit in units]
    given = {name: value for name, value in parameters[0].items()
             if name not in choices and all(row.get(name) == value for row in parameters)}
    found = choices and ask(tilec, units[0][1], get_sizes(shape), given)
    if not found:
        return None
    configurations, times = found["configurations"], {}
    for (time, unit), row in zip(units, parameters):
        rest = {name: value for name, value in row.items() if name not in choices and name not in given}
        number = find(configurations, {name: row[name] for name in choices if name in row})
        # An option of tilec, or another value of a parameter without a choice, is not declared.
        if number is not None and not unit.options and all(defaults[name] == value for name, value in rest.items()):
            times[number] = time
    if len(times) < 2:
        return None
    choice, best = find(configurations, found["choice"]), min(times.values())
    was_measured = choice in times
    if not was_measured:
        choice = min(times, key=lambda number: configurations[number].get("microseconds", float("inf")))
    return {"choice": times[choice] / best, "measured": was_measured, "default": times.get(0, 0) / best,
            "known": best / min(measured.values()), "count": len(times), "values": found["choice"]}


def summarise(regrets):
    share = sum(regret <= 0.05 for regret in regrets) / len(regrets)
    return (f"median {100 * statistics.median(regrets):.1f} %, worst {100 * max(regrets):.1f} %, "
            f"<= 5 % for {100 * share:.0f} %")


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
