#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the choices of tile-tune for a kernel of the examples with configurations.toml, by the times of the tuner's
own journal.

Prints a row for each measured shape: the winner of its class, and the fastest committed configuration that is among
the candidates. Configurations with several launches per result are not candidates. --configurations names
configurations that are not candidates for another reason. The exit status is 1 if a winner reaches less than --bar
of the speed of the fastest configuration.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tables  # noqa: E402

sys.path.append(str(tables.ROOT / "python"))
from tessera import TesseraError, tuned  # noqa: E402
from tessera.tune import choosing, journal, plan, running, space  # noqa: E402


def complete(group, values):
    """Returns all compile-time values and options of tilec, as texts."""
    return {**group["defaults"], **{name: tuned.spell(value) for name, value in values.items()}}


def committed(example, group):
    """Returns {name: values} of the single-launch configurations for a kernel and its given values."""
    found = {}
    for one in tables.load_configurations():
        if one.example != example or one.kernel != group["kernel"]:
            continue
        options = dict(option.split("=", 1) for option in one.options)
        values = complete(group, {**dict(one.choices), **options})
        if all(values.get(name) == tuned.spell(value) for name, value in group["given"].items()):
            found[one.name] = values
    return found


def time_of(lines, target, shape, rows, row):
    """Returns the time of a candidate: from the finals if all `rows` took part, otherwise alone."""
    files = [one["file"] for one in choosing.finalists(target, lines, running.FINALISTS)]
    finals = lines.find_finals(files, shape)
    if finals and all(one["file"] in finals["times"] for one in rows):
        return finals["times"][row["file"]]["ms"]
    found = lines.find(row["file"], shape)
    return found["ms"] if found and found["status"] == "ok" else None


def compare(target, lines, example, margin):
    """Yields the results of each shape of a class.

    A result is (shape, winner, best configuration, times of both, configurations that are not candidates)."""
    winner = choosing.choose(target, lines, running.FINALISTS, margin)
    rows = {row["name"]: (row, complete(target.group, {**target.group["given"], **row["choose"]}))
            for row in target.candidates(spilled=True)}
    wanted = {name: next((row for row, own in rows.values() if own == values), None)
              for name, values in committed(example, target.group).items()}
    for shape in target.shapes:
        times = {}
        for name, row in wanted.items():
            pair = [row, winner[0]] if winner else [row]
            ms = time_of(lines, target, shape, pair, row) if row else None
            if ms is not None:
                times[name] = (ms, time_of(lines, target, shape, pair, winner[0]) if winner else None)
        best = min(times, key=lambda name: times[name][0], default=None)
        yield shape, winner and winner[0]["name"], best, times.get(best), [n for n, row in wanted.items() if not row]


def main():
    parser = argparse.ArgumentParser(description="Compare winners of tile-tune with the committed configurations.")
    parser.add_argument("folder", metavar="DIR", help="the folder that 'tile-tune compile' wrote for an example")
    parser.add_argument("--journal", metavar="FILE", help="the file of measurements (default: journal.jsonl in DIR)")
    parser.add_argument("--margin", type=float, default=0.01, help="the margin of 'tile-tune choose'")
    parser.add_argument("--bar", type=float, default=0.99,
                        help="the required speed of a winner relative to the fastest configuration (0.99)")
    parser.add_argument("--configurations", action="store_true", help="name configurations that are not candidates")
    options = parser.parse_args()
    try:
        made = plan.Plan(options.folder)
        lines = journal.Journal(options.journal or pathlib.Path(options.folder, journal.FILE))
        targets = made.targets()
    except TesseraError as error:
        sys.exit(f"error: {error}")
    example = pathlib.Path(made.table["source"]).resolve().parent.name
    slower = without = count = 0
    for target in targets:
        for shape, winner, best, times, absent in compare(target, lines, example, options.margin):
            count += 1
            name = f"{target.group['kernel']} {space.format_sizes({**target.group['given'], **shape})}"
            if winner is None or times is None:
                without += 1
                print(f"{name}: {'no winner' if winner is None else 'no configuration was measured'}")
                continue
            ratio = times[0] / times[1]
            slower += ratio < options.bar
            print(f"{name}: {winner} {times[1]:.4f} ms; {best} {times[0]:.4f} ms; {ratio:.3f}")
            if options.configurations and absent:
                print(f"    not candidates: {', '.join(absent)}")
    print(f"{count} shapes, {slower} slower than {options.bar} of the committed configurations, {without} without")
    return 1 if slower or without or not count else 0


if __name__ == "__main__":
    sys.exit(main())
