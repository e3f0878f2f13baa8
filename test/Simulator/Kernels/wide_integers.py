"""Runs kernels with numbers around the limits of 32 and 64 bits in the interpreter and in the simulator, and compares
the results.

The simulator runs after every phase that changes such numbers. Usage: wide_integers.py KERNELS
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NUMBERS = (0, 1, -1, -100, 1000, 2**31 - 1, -(2**31), 2**31 - 2**24, 2**30)
# The first and the last of 64 bits wrap around in every sum.
WIDE = (*NUMBERS, 2**63 - 1, -(2**63), 2**31, 2**32, -(2**31) - 1, 2**32 + 3, -(2**32) + 2, 2**40, -(2**40))


def cases():
    """Yields (kernel, arguments, results)."""
    for c in NUMBERS:
        for n, m in ((10, 9), (100, 50)):
            yield "shifted", {"x": f"randn({n})", "y": f"zeros({n})", "c": [c], "z": f"({m})"}, "z y"
        for d in NUMBERS:
            yield "shifted_twice", {"x": "randn(40)", "c": [c], "d": d, "z": "(40)", "s": "(40)"}, "z s"
    for c, d, e in zip(NUMBERS[1:], reversed(NUMBERS[1:]), WIDE):
        yield "arithmetic", {"c": c, "d": d, "e": e}, "z w v"
    yield "arithmetic", {"c": 100000, "d": 100000, "e": 5}, "z w v"
    for i in WIDE:
        yield "element", {"x": "randn(10)", "i": np.array([i], np.int64)}, "z"
        yield "between", {"x": "randn(20)", "low": i, "high": 12}, "z v i e"
        yield "between", {"x": "randn(20)", "low": 3, "high": i}, "z v i e"
        if abs(i) < 2**62:
            yield "between", {"x": "randn(20)", "low": i, "high": i + 5}, "z v i e"
            yield "loops", {"low": i - 7, "high": i + 11, "q": 3}, "z"
    for w, q in itertools.product((1, 17, 2**31 - 1, -(2**31), -5), (0, 3, -(2**31), 2**31 - 1)):
        yield "window", {"x": "ones(33,40)", "w": w, "q": q}, "y z"
    yield "mean", {"x": "ones(70,90)", "y": "zeros(1)"}, "y"


def main():
    source = sys.argv[1]
    runs = failures = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
        folder = pathlib.Path(scratch)
        for number, (kernel, arguments, results) in enumerate(cases()):
            command = ["tile-run", source, "--kernel", kernel, "--seed", str(number)]
            for name, value in arguments.items():
                if isinstance(value, (list, np.ndarray)):
                    np.save(folder / f"{name}.npy", np.array(value, getattr(value, "dtype", np.int32)))
                    value = f"@{folder / name}.npy"
                command += ["--arg", f"{name}={value}"]
            saves = [f"--save={name}={folder / name}-{kernel}.npy" for name in results.split()]
            expects = [f"--expect={name}=@{folder / name}-{kernel}.npy" for name in results.split()]
            phases = ("fence", "sm") if number % 3 == 0 else ("fence",)
            for options in ([*saves], *([f"--phase={phase}", "--device=sim", *expects] for phase in phases)):
                runs += 1
                done = subprocess.run(command + options, capture_output=True, text=True, timeout=60)
                if done.returncode:
                    failures += 1
                    print(" ".join(command + options), done.stdout, done.stderr, sep="\n")
    print(f"{runs} runs, {failures} failures")
    return 1 if failures or runs < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
