# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs varlen_tiles on sequences of awkward lengths and compares the list with that of the example's reference.

    packed_tiles.py ROOT SCRATCH DEVICE
"""

import importlib.util
import pathlib
import subprocess
import sys

import numpy as np

root, scratch, device = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
example = root / "examples/10-varlen-attention"
spec = importlib.util.spec_from_file_location("reference", example / "reference.py")
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)
rng = np.random.default_rng(39)

# Queries and keys of each sequence, and rows of a tile.
CASES = {
    "no sequence": ([], [], 16),
    "one empty sequence": ([0], [0], 16),
    "one sequence": ([33], [33], 16),
    "one sequence of many tiles": ([300 * 16 + 1], [300 * 16 + 1], 16),
    "equal sequences": ([40] * 5, [40] * 5, 16),
    "whole tiles": ([16, 48, 32], [16, 48, 32], 16),
    "ties among empty sequences": ([0, 7, 0, 64, 0, 7, 64], [0, 7, 0, 64, 0, 7, 64], 16),
    "no keys": ([5, 40, 17], [0, 0, 3], 16),
    "no queries": ([0, 40, 0], [9, 8, 7], 16),
    "513 sequences": (lengths := rng.integers(0, 65, 513), lengths, 64),
    "513 equal sequences": ([64] * 513, [64] * 513, 64),
    "513 sequences with other keys": (lengths, rng.integers(0, 5, 513), 32),
}


def run(queries, keys, rows, entries):
    bounds = [np.cumsum([0, *lengths]).astype(np.int32) for lengths in (queries, keys)]
    words = []
    for name, array in zip(("cu_q", "cu_k"), bounds):
        np.save(scratch / f"{name}.npy", array)
        words += ["--arg", f"{name}=@{scratch / name}.npy"]
    subprocess.run(["tile-run", example / "kernel.tile", "--kernel", "varlen_tiles", "--device", device,
                    "-D", f"BM={rows}", *words, "--arg", f"N={entries}", "--save", f"list={scratch / 'list.npy'}"],
                   check=True, stdout=subprocess.DEVNULL)
    expected = reference.list_tiles(*bounds, rows, entries)
    return np.array_equal(np.load(scratch / "list.npy"), expected)


scratch.mkdir(parents=True, exist_ok=True)
for name, (queries, keys, rows) in CASES.items():
    tiles = sum(-(-int(count) // rows) for count in queries)
    # As many entries as tiles, and more.
    results = [run(queries, keys, rows, tiles + more) for more in (0, 1, 131)]
    print(f"{name}: {'right' if all(results) else f'wrong {results}'}")
