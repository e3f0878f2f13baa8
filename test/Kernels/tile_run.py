# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of one source on NumPy arrays, by the tool tile-run."""

import pathlib
import subprocess

import numpy as np


class Source:
    """A source, and a folder for the arrays of its runs."""

    def __init__(self, path, scratch):
        self._path, self._scratch = path, pathlib.Path(scratch)

    def run(self, device, kernel, results, *options, **given):
        """Returns the tensors `results` of the kernel for the arrays, numbers and specifications of `given`."""
        words = []
        for name, value in given.items():
            if isinstance(value, np.ndarray):
                np.save(self._scratch / f"{name}-given.npy", value)
                value = f"@{self._scratch / name}-given.npy"
            words.append(f"--arg={name}={value}")
        words += [f"--save={name}={self._scratch / name}.npy" for name in results]
        subprocess.run(["tile-run", self._path, f"--kernel={kernel}", f"--device={device}", *options, *words],
                       check=True, stdout=subprocess.DEVNULL, timeout=600)
        return [np.load(self._scratch / f"{name}.npy") for name in results]
