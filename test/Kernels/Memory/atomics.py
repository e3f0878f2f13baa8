# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of atomics.tile on all devices without a GPU and compares their results with NumPy's.

    atomics.py SOURCE FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

DEVICES = ("interpreter", "cpu", "sim", "ptx")


def combined(data, keys=7):
    rows = 500
    key, x = data.integers(-1, keys + 1, rows).astype(np.int32), data.integers(-(2**31), 2**31, rows).astype(np.int32)
    u, w = data.integers(0, 2**32, rows).astype(np.uint32), data.integers(-(2**62), 2**62, rows)
    start = dict(most=np.full(keys, -5, np.int32), least=np.full(keys, 3, np.int64),
                 high=np.full(keys, 2**31, np.uint32), low=np.full(keys, 2**31, np.uint32),
                 all=np.full(keys, -1, np.int32), some=np.zeros(keys, np.int32), odd=np.full(keys, 5, np.int64))
    expected = {name: values.copy() for name, values in start.items()}
    inside = (key >= 0) & (key < keys)
    for name, function, values in (("most", np.maximum, x), ("least", np.minimum, w), ("high", np.maximum, u),
                                   ("low", np.minimum, u), ("all", np.bitwise_and, x), ("some", np.bitwise_or, x),
                                   ("odd", np.bitwise_xor, w)):
        function.at(expected[name], key[inside], values[inside])
    return dict(key=key, x=x, u=u, w=w, **start), expected


def before(data):
    x, y, z = (data.integers(-9, 10, (37, 100)).astype(np.float32) for _ in range(3))
    return dict(x=x, y=y, z=z), dict(y=x, old=y, z=z + x, sum=z + x)


def small(data):
    x, y = (data.integers(-9, 10, 29).astype(np.int32) for _ in range(2))
    expected = np.where(data.random(29) < 0.5, y, y + 1).astype(np.int32)
    more = np.stack([y + 1, 4 * y + 6, y * x], 1)
    return dict(x=x, expected=expected, y=y), dict(y=np.where(expected == y, x, y), old=y, more=more)


def tickets(data):
    x = data.permutation(12).astype(np.int32)
    seen = np.zeros(12, np.int32)
    seen[3] = 7
    zeros = np.zeros(12, np.int32)
    return (dict(x=x, counter=np.array([5, 0]), y=zeros, seen=zeros),
            dict(counter=np.array([5, 12]), y=lambda y: sorted(y) == list(range(12)), seen=seen))


def collected(data):
    x = data.standard_normal(300).astype(np.float32)
    found = np.flatnonzero(x > 0)
    return (dict(x=x, count=np.zeros(1, np.int32), found=np.full(300, -1, np.int32)),
            dict(count=np.array([len(found)]),
                 found=lambda f: sorted(f[: len(found)]) == list(found) and (f[len(found) :] == -1).all()))


def chained(data):
    x, z = (data.integers(-9, 10, 45).astype(np.float32) for _ in range(2))
    order = data.permutation(64)[:45].astype(np.int32)
    y = np.zeros(64, np.int32)
    y[order] = 1
    return dict(x=x, next=order, y=np.zeros(64, np.int32), z=z), dict(next=order + 100, y=y, z=z + x, old=z)


def run_cases(cases, source, folder, *options):
    """Runs the kernel of each case, and prints whether its results are right. Arguments are arrays and numbers."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases:
        arrays, expected = case(np.random.default_rng(0))
        given = []
        for name, values in arrays.items():
            if isinstance(values, np.ndarray):
                np.save(folder / f"{name}.npy", values)
            given.append(f"--arg={name}={values if np.isscalar(values) else folder / f'{name}.npy'}")
        wrong = []
        for device in DEVICES:
            run = subprocess.run(
                ["tile-run", source, f"--kernel={case.__name__}", f"--device={device}", *options, *given,
                 *(f"--save={name}={folder}/{name}.result.npy" for name in expected)], capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{case.__name__} on {device}: {run.stderr}")
            for name, values in expected.items():
                result = np.load(folder / f"{name}.result.npy")
                if not (values(result) if callable(values) else np.array_equal(result, values)):
                    wrong.append(f"{device} {name}")
        print(f"{case.__name__}: {'wrong: ' + ', '.join(wrong) if wrong else 'right'}")


if __name__ == "__main__":
    run_cases((combined, before, small, tickets, collected, chained), sys.argv[1], sys.argv[2])
