# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random operands of f32, and their product without the 13 low bits that TF32 lacks, into a folder."""

import pathlib
import sys

import numpy as np


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((rows, 72), np.float32) for rows in (140, 150))
    short = [(t.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64) for t in (a, b)]
    arrays = {"a": a, "b": b, "bt": np.ascontiguousarray(b.T), "c": (short[0] @ short[1].T).astype(np.float32)}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


if __name__ == "__main__":
    main()
