#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a tier of the tests with lit and compares the CPU seconds of each suite with its budget.

    run_suite.py BUILD [--quick | --all | --part K/N] [--seed N] [--record] [--list]

A test with a line `ROTATES: the reason` belongs to the rotating tests. The default tier has all tests without such a
line. `--quick` omits the tests that take long according to test/.lit_test_times.txt. `--part` runs the K-th of N parts
of the rotating tests. `--all` runs everything. A suite is a folder of test/.

The budgets (budgets.toml) are CPU seconds of the default tier. The workers of lit measure the speed of the machine by
a loop between tests (measured.py). A suite fails if it exceeds its budget by more than 30 %. GoogleTest binaries run
briefly and have no budget. --record writes the times and, after the default tier, the budgets.

--quick fails if a test, whose time is not recorded yet, takes longer than the tier allows.

The last line counts the tests; a suite or a test above its limit counts as a failed test.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
ROTATES = re.compile(r"^\W*ROTATES: (.+)$", re.MULTILINE)
SUFFIXES = (".mlir", ".test", ".tile")
# CPU seconds above which --quick omits a test, and CPU seconds of a test without a recorded time.
LONG, UNKNOWN = 2.0, 1.0
# A suite fails above its budget plus this share of it, plus these seconds.
SHARE, SLACK = 0.3, 3.0
# Codes of lit.
PASSED, SKIPPED = ("PASS", "FLAKYPASS", "XFAIL"), ("UNSUPPORTED", "EXCLUDED", "SKIPPED")


def read_times(file=TESTS / ".lit_test_times.txt"):
    """Returns the recorded CPU seconds by the path of a test."""
    pairs = (line.split(maxsplit=1) for line in file.read_text().splitlines())
    return {path: abs(float(seconds)) for seconds, path in pairs}


def read_budgets(file=HERE / "budgets.toml"):
    return tomllib.loads(file.read_text())


def find_rotating(tests=TESTS):
    """Returns the reasons of the rotating tests by path."""
    reasons = {}
    for path in sorted(tests.rglob("*")):
        if path.suffix in SUFFIXES and (found := ROTATES.search(path.read_text())):
            reasons[str(path.relative_to(tests))] = found[1]
    return reasons


def divide(names, times, count):
    """Returns parts of about equal time: assigns the longest remaining test to the shortest part."""
    parts = [[0.0, []] for _ in range(count)]
    for name in sorted(names, key=lambda name: (-times.get(name, UNKNOWN), name)):
        part = min(parts, key=lambda part: part[0])
        part[0] += times.get(name, UNKNOWN)
        part[1].append(name)
    return [names for _, names in parts]


def parse_part(text):
    """Returns the pair K, N of `K/N`."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"expected K/N with 1 <= K <= N, got '{text}'")
    return int(found[1]), int(found[2])


def select(options, rotating, times):
    """Returns the arguments that name the tests for lit."""
    folder = options.build / "test"
    everything = [str(folder), str(options.build / "unittests")]
    if options.all:
        return everything
    if options.part:
        number, count = options.part
        return [str(folder / name) for name in divide(rotating, times, count)[number - 1]]
    left_out = set(rotating)
    if options.quick:
        left_out |= {name for name, seconds in times.items() if seconds > LONG}
    names = "|".join(map(re.escape, sorted(left_out)))
    return [f"--filter-out=^Tessera :: ({names})$", *everything]


def suite_of(name):
    """Returns the suite of a test from its name in lit."""
    kind, path = name.split(" :: ", 1)
    return "UnitTests" if kind.startswith("Tessera-Unit") else path.split("/")[0]


def measure(tests, reference):
    """Returns the CPU seconds by suite, and the time of this machine for one second of the reference machine."""
    seconds = collections.Counter()
    loops = []
    for test in tests:
        metrics = test.get("metrics", {})
        if "cpu" in metrics:
            seconds[suite_of(test["name"])] += metrics["cpu"]
        loops += [metrics["calibration"]] if "calibration" in metrics else []
    return seconds, sum(loops) / len(loops) / reference if loops else 1.0


def compare(seconds, slowness, budgets):
    """Yields a message for each suite above its budget."""
    for suite, spent in sorted(seconds.items()):
        spent /= slowness
        if suite not in budgets:
            yield f"{suite}: {spent:.0f} CPU s, and no budget in test/Suite/budgets.toml"
        elif spent > budgets[suite] * (1 + SHARE) + SLACK:
            yield f"{suite}: {spent:.0f} CPU s, and a budget of {budgets[suite]}"


def find_generous(seconds, slowness, budgets):
    """Returns the suites so far below their budgets that the budgets would hide growth."""
    return [suite for suite, budget in budgets.items()
            if seconds[suite] / slowness < budget * (1 - SHARE) - SLACK]


def find_long(tests, slowness):
    """Yields a message for each test that takes too long for the quick tier."""
    for test in tests:
        spent = test.get("metrics", {}).get("cpu", 0) / slowness
        if spent > LONG + SLACK:
            yield f"{test['name'].split(' :: ', 1)[1]}: {spent:.0f} CPU s in the quick tier; --record removes it there"


def print_table(seconds, slowness, columns):
    """Prints CPU seconds of each suite on the reference machine, and further columns, by their names and suites."""
    columns = {"CPU s": {suite: spent / slowness for suite, spent in seconds.items()}, **columns}
    row = "{:<16}" + "{:>10}" * len(columns)
    print(row.format("suite", *columns))
    for suite in sorted(seconds):
        print(row.format(suite, *(f"{column.get(suite, 0):.0f}" for column in columns.values())))
    print(row.format("all", *(f"{sum(column.get(suite, 0) for suite in seconds):.0f}" for column in columns.values())))
    print(f"this machine takes {slowness:.2f} s for a second of the reference machine; its time is divided by that")


def record(tests, slowness, file=TESTS / ".lit_test_times.txt"):
    """Replaces the recorded times of these tests; omits times of a second or less."""
    times = read_times(file)
    for test in tests:
        if "cpu" in test.get("metrics", {}):
            times[test["name"].split(" :: ", 1)[1]] = test["metrics"]["cpu"] / slowness
    rows = sorted((-seconds, path) for path, seconds in times.items() if seconds > 1 and (TESTS / path).exists())
    file.write_text("".join(f"{-seconds:.1f} {path}\n" for seconds, path in rows))


def record_budgets(seconds, slowness, file=HERE / "budgets.toml"):
    head, _, tail = file.read_text().partition("[budgets]\n")
    rows = "".join(f"{suite} = {math.ceil(spent / slowness)}\n" for suite, spent in sorted(seconds.items()))
    file.write_text(f"{head}[budgets]\n{rows}" + tail[tail.find("\n["):] * ("\n[" in tail))


def describe(options):
    for name in ("quick", "all", "part"):
        if getattr(options, name):
            return f"--{name}" + (f" {options.part[0]}/{options.part[1]}" if name == "part" else "")
    return ""


def run_lit(options, selection):
    """Returns the results of lit from its JSON report."""
    report = options.build / "test" / "results.json"
    report.unlink(missing_ok=True)
    # Each run begins with the same tests: the longest ones by the recorded times.
    for folder in ("test", "unittests"):
        (options.build / folder / ".lit_test_times.txt").unlink(missing_ok=True)
    command = [sys.executable, options.lit, "-sv", f"--output={report}", f"-Dseed={options.seed}", *selection]
    status = subprocess.run(command).returncode
    if not report.exists():
        sys.exit(f"error: lit ended with status {status} and wrote no results")
    return json.loads(report.read_text())["tests"]


def list_tests(options, rotating, times):
    """Prints the tests of a part, or all rotating tests by folder and reason."""
    if options.part:
        print("\n".join(sorted(divide(rotating, times, options.part[1])[options.part[0] - 1])))
        return
    groups = collections.defaultdict(list)
    for name, reason in rotating.items():
        groups[str(pathlib.PurePath(name).parent), reason].append(name)
    for (folder, reason), names in groups.items():
        print(names[0] if len(names) == 1 else f"{folder} ({len(names)} tests)")
        print(f"  {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    tier = parser.add_mutually_exclusive_group()
    tier.add_argument("--quick", action="store_true", help="only tests that take a moment")
    tier.add_argument("--all", action="store_true", help="all tests")
    tier.add_argument("--part", type=parse_part, metavar="K/N", help="the K-th of N parts of the rotating tests")
    parser.add_argument("--seed", type=int, default=0, help="of the tests that draw fresh programs")
    parser.add_argument("--record", action="store_true", help="write the times and budgets that the next runs expect")
    parser.add_argument("--list", action="store_true",
                        help="print the rotating tests and their reasons; with --part the tests of a part")
    parser.add_argument("--lit", default=shutil.which("lit", path="/usr/lib/llvm-22/bin"))
    options = parser.parse_args()
    options.build = options.build.resolve()
    rotating, times = find_rotating(), read_times()
    if options.list:
        list_tests(options, rotating, times)
        return 0
    table = read_budgets()
    start = time.monotonic()
    tests = run_lit(options, select(options, rotating, times))
    codes = collections.Counter(test["code"] for test in tests)
    passed = sum(codes[code] for code in PASSED)
    failed = sum(codes.values()) - passed - sum(codes[code] for code in SKIPPED)
    seconds, slowness = measure(tests, table["calibration"])
    is_default = not (options.quick or options.part or options.all)
    before = dict(table["before"])
    print_table(seconds, slowness, {"budget": table["budgets"], before.pop("commit"): before} if is_default else {})
    if options.record and not failed:
        record(tests, slowness)
        if is_default:
            record_budgets(seconds, slowness)
            table = read_budgets()
    above = list(find_long(tests, slowness)) if options.quick and not options.record else []
    if is_default:
        above = list(compare(seconds, slowness, table["budgets"]))
        for suite in find_generous(seconds, slowness, table["budgets"]):
            print(f"below its budget: {suite}; --record lowers it")
    for message in above:
        print(f"above the limit: {message}")
    again = f"./tessera test {describe(options)}".rstrip() + (f" --seed {options.seed}" if options.seed else "")
    if failed or above:
        print(f"run it again with: {again}")
    print(f"{again}: {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed + len(above)} failed, {sum(codes[code] for code in SKIPPED)} skipped", flush=True)
    return 1 if failed or above or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
