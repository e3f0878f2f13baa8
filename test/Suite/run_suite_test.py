"""Tests the parts of the rotating tests, and the comparison of CPU seconds with budgets.

Usage: run_suite_test.py
"""

import pathlib
import tempfile

import run_suite

REFERENCE = 0.01


def make_results(slowness, **seconds):
    """Returns results of lit on a machine slower than the reference machine, with ten tests in each suite."""
    return [{"name": f"Tessera :: {suite}/{number}.test", "code": "PASS", "elapsed": 100.0,
             "metrics": {"cpu": spent * slowness / 10, "calibration": REFERENCE * slowness}}
            for suite, spent in seconds.items() for number in range(10)]


def find_above(slowness, budgets, **seconds):
    spent, measured = run_suite.measure(make_results(slowness, **seconds), REFERENCE)
    return [message.split(":")[0] for message in run_suite.compare(spent, measured, budgets)]


def test_budgets():
    budgets = {"Dialect": 50, "Emulator": 200}
    for slowness in (0.5, 1, 3):
        assert find_above(slowness, budgets, Dialect=50, Emulator=200) == []
        assert find_above(slowness, budgets, Dialect=60, Emulator=240) == []
        assert find_above(slowness, budgets, Dialect=100, Emulator=200) == ["Dialect"]
        assert find_above(slowness, budgets, Dialect=50, Emulator=400) == ["Emulator"]
    assert find_above(1, budgets, Dialect=50, New=1) == ["New"]
    spent, slowness = run_suite.measure(make_results(3, Dialect=50, Emulator=100), REFERENCE)
    assert run_suite.find_generous(spent, slowness, budgets) == ["Emulator"]


def test_long_tests_of_the_quick_tier():
    for slowness in (0.5, 1, 3):
        tests = make_results(slowness, Dialect=20, Emulator=60)
        assert [message.split(":")[0] for message in run_suite.find_long(tests, slowness)] == \
            [f"Emulator/{number}.test" for number in range(10)]


def test_unit_tests_have_no_budget():
    tests = [{"name": "Tessera-Unit :: ./ArrayTests/1", "code": "PASS", "elapsed": 100.0}]
    assert run_suite.measure(tests, REFERENCE) == ({}, 1.0)


def test_parts():
    rotating, times = run_suite.find_rotating(), run_suite.read_times()
    assert len(rotating) > 20
    for count in (1, 3, 10):
        parts = run_suite.divide(rotating, times, count)
        assert sorted(name for part in parts for name in part) == sorted(rotating)
    seconds = [sum(times.get(name, run_suite.UNKNOWN) for name in part) for part in parts]
    longest = max(times.get(name, run_suite.UNKNOWN) for name in rotating)
    assert max(seconds) <= max(longest, 1.3 * sum(seconds) / 10), seconds


def test_files():
    missing = [name for name in run_suite.read_times() if not (run_suite.TESTS / name).exists()]
    assert not missing, f"no tests, but times: {missing}"


def test_records():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "times.txt")
        file.write_text("9.0 Suite/run-suite.test\n5.0 Suite/no-such.test\n")
        run_suite.record(make_results(2, Suite=30), 2.0, file)
        assert file.read_text() == "9.0 Suite/run-suite.test\n", file.read_text()
        budgets = pathlib.Path(folder, "budgets.toml")
        budgets.write_text("calibration = 0.01\n\n[before]\nGPU = 4\n\n[budgets]\nDialect = 1\n")
        run_suite.record_budgets({"Fuzz": 11.0, "Dialect": 8.2}, 2.0, budgets)
        table = run_suite.read_budgets(budgets)
        assert table == {"calibration": 0.01, "before": {"GPU": 4}, "budgets": {"Dialect": 5, "Fuzz": 6}}


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
