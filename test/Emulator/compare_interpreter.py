"""Compares the results of the examples' PTX with those of the interpreter.

    compare_interpreter.py ROOT [EXAMPLE...] [--order ORDER,...]

Each case runs in the interpreter and in the emulator, with the same arguments. Both must agree within the bar of
examples/check.py for the type. Prints how many cases agree to the bit. The others differ by approximate functions,
by the order of sums, or by results that one kernel passes to the next.
"""

import argparse
import importlib.util
import pathlib
import shutil
import sys
import tempfile
import types

import numpy as np


def load_checks(root):
    """Loads examples/check.py as a module."""
    sys.path.append(str(root / "examples"))
    spec = importlib.util.spec_from_file_location("example_checks", root / "examples" / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(checks, folder, module, case, given, device, words):
    """Returns the results of a case by name."""
    chosen = types.SimpleNamespace(tile_run=shutil.which("tile-run"), device=device, options=words,
                                   passes=None, verbose=False, timeout=600)
    with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
        place = pathlib.Path(scratch)
        checks.run_case(chosen, folder / "kernel.tile", module, case, given, place)
        return {name: np.load(place / f"{name}.npy") for name in module.reference(case, given)}


def compare(checks, expected, actual):
    """Returns whether all bits are equal, and the relative RMS error of all results together.

    An output that should be 0 is measured relative to the others."""
    same = all(np.array_equal(array, actual[name], equal_nan=array.dtype.kind == "f")
               for name, array in expected.items())

    def flatten(arrays):
        return np.concatenate([arrays[name].ravel().astype(np.float64) for name in expected])

    return same, float(checks.compare("the results", flatten(expected), flatten(actual))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("examples", nargs="*")
    parser.add_argument("--order", default="program,late,early,random")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checks = load_checks(options.root)
    wrong = 0
    print(f"{'example':<24}{'cases':>6}{'same bits':>11}{'largest rel RMS':>17}")
    for folder in sorted((options.root / "examples").glob("[0-9]*-*")):
        if options.examples and not any(word in folder.name for word in options.examples):
            continue
        module = checks.load_example(folder)
        cases = same = 0
        largest = 0.0
        for case in checks.load_cases(folder):
            given = checks.prepare(module, case, options.seed)
            expected = run(checks, folder, module, case, given, "interpreter", "")
            actual = run(checks, folder, module, case, given, "ptx", f"--order {options.order}")
            is_same, worst = compare(checks, expected, actual)
            cases, same, largest = cases + 1, same + is_same, max(largest, worst)
            if worst > checks.BARS[case.T]:
                print(f"{folder.name} {case.name} {case.T}: the results differ by {worst:.1e}")
                wrong += 1
        print(f"{folder.name:<24}{cases:>6}{same:>11}{largest:>17.1e}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
