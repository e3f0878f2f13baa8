# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs packed attention on sequences next to others that hold infinities and no numbers.

    packed_neighbours.py ROOT FOLDER

The last block of a sequence contains rows of the next one. A product of zero and infinity is no number, so results are
right only if these rows do not reach any sum. They are compared with NumPy in float64.
"""

import pathlib
import sys

import numpy as np

from tile_run import Source

LENGTHS = (70, 50, 129, 1, 200)
# Their queries, keys and values are not finite.
WRONG = (1, 3)
D = 64
# BM, BN, CAUSAL and PERSISTENT: one warpgroup, and three in ping-pong that draw programs.
CONFIGURATIONS = ((64, 64, False, False), (192, 64, False, True), (128, 32, True, True))
TOLERANCE = 1e-2


def round_to_bf16(x):
    words = np.asarray(x, np.float32).view(np.uint32)
    words = words + 0x7FFF + (words >> 16 & 1)
    return (words & 0xFFFF0000).view(np.float32)


def attend(q, k, v, causal):
    scores = q @ k.T / 8
    if causal:
        scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p @ v / p.sum(axis=1, keepdims=True)


def main():
    root, folder = (pathlib.Path(name) for name in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    source = Source(root / "examples/10-varlen-attention/kernel.tile", folder)
    generator = np.random.default_rng(5)
    starts = np.cumsum([0, *LENGTHS])
    parts = [slice(*pair) for pair in zip(starts, starts[1:])]
    tensors = {name: round_to_bf16(generator.standard_normal((starts[-1], 1, D))) for name in "qkv"}
    for number in WRONG:
        tensors["q"][parts[number]] = tensors["k"][parts[number]] = np.nan
        tensors["v"][parts[number]] = np.inf
    for bm, bn, causal, persistent in CONFIGURATIONS:
        tiles = [[start, length, first, start, length] for start, length in zip(starts, LENGTHS)
                 for first in range(0, length, bm)]
        values = {"BM": bm, "BN": bn, "DK": D, "DV": D, "CAUSAL": causal, "PERSISTENT": persistent}
        options = [f"-D{name}={str(value).lower()}" for name, value in values.items()]
        for device in ("sim", "ptx"):
            o, _ = source.run(device, "varlen_fwd", ("o", "lse"), *options, scale=0.125, **tensors,
                              list=np.array(tiles, np.int32), tile=np.zeros(bm, np.int8))
            finite = {name: array[:, 0].astype(np.float64) for name, array in tensors.items()}
            error = max(np.abs(o[part, 0] - attend(*(finite[name][part] for name in "qkv"), causal)).max()
                        for number, part in enumerate(parts) if number not in WRONG)
            print(f"{device} {bm}x{bn}: {'right' if error < TOLERANCE else f'an error of {error}'}")


if __name__ == "__main__":
    main()
