# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the functions of f64 of the standard library with 80 bits: doubles.py DOUBLES.tile SCRATCH DEVICE...

Prints the largest error of each function in units in the last place.
"""

import pathlib
import subprocess
import sys

import numpy as np

SOURCE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
FUNCTIONS = {"e": np.exp, "p": np.exp2, "l": np.log}


def arguments(data):
    """Returns numbers of all magnitudes, near 0 and 1, at the ends of the ranges, and special ones."""
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 5e-324, 2.2e-308, 1.7e308, 709.7, 709.8, -745.1, -745.2, -708.5,
               1023.99, 1024.0, -1022.5, -1074.9, -1075.1, 0.5, 2.0, 0.7071067811865475, 0.7071067811865476, 1e9, -1e9]
    near_one = 1 + data.standard_normal(2000) * 10.0 ** data.integers(-16, 0, 2000)
    return np.concatenate([special, data.uniform(-750, 750, 4000), data.uniform(-1, 1, 2000), near_one,
                           data.uniform(0, 1, 2000) * 10.0 ** data.integers(-323, 308, 2000)])


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    x = arguments(np.random.default_rng(0))
    np.save(SCRATCH / "x.npy", x)
    for device in sys.argv[3:]:
        subprocess.run(["tile-run", SOURCE, f"--device={device}", f"--arg=x={SCRATCH / 'x.npy'}",
                        *(f"--save={name}={SCRATCH / name}.npy" for name in FUNCTIONS)], check=True, stdout=subprocess.DEVNULL)
        for name, function in FUNCTIONS.items():
            found = np.load(SCRATCH / f"{name}.npy")
            with np.errstate(all="ignore"):
                exact = function(x.astype(np.longdouble))
                nearest = exact.astype(np.float64)
                errors = np.abs(found - exact) / np.spacing(np.maximum(np.abs(nearest), 2.3e-308))
                same = (found == nearest) | (np.isnan(found) & np.isnan(nearest))
            worst = np.where(same, 0, np.where(np.isfinite(errors), errors, np.inf)).max()
            if not worst < 1:
                bad = int(np.where(same, 0, np.where(np.isfinite(errors), errors, np.inf)).argmax())
                sys.exit(f"{device}: {function.__name__} is off by {worst} units at {x[bad]!r}: {found[bad]!r}")
            print(f"{device}: {function.__name__} within {float(worst):.2f} units")


if __name__ == "__main__":
    main()
