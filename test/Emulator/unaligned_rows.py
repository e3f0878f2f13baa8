# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves rows with arbitrary starts in memory, and compares the executed PTX with the interpreter, bit by bit.

Tiles have one row, several rows that share a warp, or several warps. The pitch of tensors is a multiple of 16 bytes,
of some elements, or of nothing. Positions begin before the first column and end beyond the last one. Invalid
elements read as 7 or true, so that shifts of elements that are not loaded are noticed as well.
"""

import itertools
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
KERNEL = """kernel move<T: type, BM: int, BN: int, FROM: int, TO: int>(x: T[M, N], ACCESS y: T[M, P])
  grid (m in tiles(M, BM), n in tiles(P, BN)) { y[m, TO + n] = load(x[m, FROM + n], fill = FILL); }
"""
# Element types, how arrays of them are written, and the fill value of invalid elements.
TYPES = {"f32": (np.float32, "7.0"), "bf16": (np.float32, "7.0"), "f8e4m3": (np.float32, "7.0"), "i8": (np.int8, "7"),
         "bool": (bool, "true")}
TILES = [(1, 1024), (4, 512), (16, 64), (2, 32)]
# Rows that end within a vector, which belongs to the first lane of a warp or to a later one.
SHAPES = [(3, 520, 520), (5, 531, 541), (2, 1031, 1030), (4, 35, 44)]
OFFSETS = [(0, 0), (3, 1), (-5, 2), (1, -9)]
# Rows within a vector that begins before them and ends after them; their pitch is or is not a multiple of 16 bytes.
SHORT = [((4, 1, 6), -2), ((3, 2, 9), -1), ((2, 16, 32), -8), ((5, 3, 8), -3)]


def run(device, source, arguments):
    out = FOLDER / f"{device}.npy"
    command = ["tile-run", "--device", device, str(source), *arguments, "--save", f"y={out}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return np.load(out)


def choose_moves():
    """Yields the type, the shape of the tile, the access, the shape of the tensors, and the start of each move."""
    for number, (T, tile) in enumerate(itertools.product(TYPES, TILES)):
        # Over all types and tiles every shape occurs with every offset; each iteration has one of each. `inout` tensors
        # are stored by elements.
        for step, access in enumerate(["out", "inout"]):
            offsets = OFFSETS[(number // len(SHAPES) + 2 * step) % len(OFFSETS)]
            yield T, tile, access, SHAPES[(number + step) % len(SHAPES)], offsets
    for T, (shape, FROM) in itertools.product(TYPES, SHORT):
        yield T, TILES[3], "out", shape, (FROM, 0)


def main():
    generator = np.random.default_rng()
    moved = 0
    for T, (BM, BN), access, (M, N, P), (FROM, TO) in choose_moves():
        dtype, fill = TYPES[T]
        x = generator.integers(-8, 8, (M, N)).astype(dtype)
        source = FOLDER / "move.tile"
        source.write_text(KERNEL.replace("FILL", fill).replace("ACCESS", access))
        np.save(FOLDER / "x.npy", x)
        np.save(FOLDER / "y.npy", np.full((M, P), 5, dtype))
        values = {"T": T, "BM": BM, "BN": BN, "FROM": FROM, "TO": TO}
        arguments = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
        arguments += ["--arg", f"x=@{FOLDER / 'x.npy'}"]
        arguments += ["--arg", f"y=({M},{P})" if access == "out" else f"y=@{FOLDER / 'y.npy'}"]
        expected, result = (run(device, source, arguments) for device in ("interpreter", "ptx"))
        if not np.array_equal(expected, result, equal_nan=dtype == np.float32):
            print(f"WRONG {access} {T} {BM}x{BN} of {M}x{N} to {M}x{P}, from {FROM} to {TO}: "
                  f"{(expected != result).sum()} elements")
        moved += 1
    print(f"{moved} moves")


main()
