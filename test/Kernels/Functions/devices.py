# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel on a device and compares its results with arrays."""

import subprocess

import numpy as np

TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bool": "bool"}


def type_of(array):
    return TYPES.get(array.dtype.name, array.dtype.name.replace("uint", "u").replace("int", "i"))


def declare(name, array, access=""):
    """Returns a parameter of a kernel for an array."""
    return f"{access} {name}: {type_of(array)}[{', '.join(map(str, array.shape))}]".strip()


def is_same(found, expected):
    return (found == expected) | ((found != found) & (expected != expected))


def check(text, device, arguments, expected, folder, options=(), is_same=is_same, may_fall_back=True):
    """Returns the problems of a kernel whose results must be the same as `expected`.

    Without `may_fall_back`, a kernel that the processor leaves to the interpreter is a problem.
    """
    path = folder / "kernel.tile"
    path.write_text(text)
    command = ["tile-run", str(path), "--device", device, *options]
    for name, array in arguments.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}={array.item() if array.ndim == 0 else f'{folder}/{name}.npy'}"]
    for name in expected:
        command += ["--save", f"{name}={folder}/{name}.npy"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode or "runs-in-interpreter" in result.stderr and not may_fall_back:
        return [result.stderr.strip()[:2000]]
    problems = []
    for name, array in expected.items():
        found = np.load(folder / f"{name}.npy").reshape(array.shape)
        wrong = ~is_same(found, array)
        if wrong.any():
            place = tuple(map(int, np.argwhere(wrong)[0]))
            problems.append(f"{name}: {wrong.sum()} wrong, as {found[place]} and not {array[place]} at {place}")
    return problems
