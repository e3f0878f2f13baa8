# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs few-rows-uses.tile with many numbers of rows in the simulator and the emulator, against the interpreter.

    few_rows_uses.py FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).with_name("few-rows-uses.tile")
N = 70
# Rows and columns of a tile: repeated rows, and products that are transposed partly or completely.
TILES = [(1, 32), (2, 32), (4, 48), (8, 32), (16, 32), (32, 32), (8, 64), (16, 64), (24, 64), (48, 64)]
# Rows, columns, length and warpgroups, if the warpgroups share columns.
SHARED = [(64, 128, 128, 2), (64, 192, 192, 3), (64, 64, 32, 2)]
REPEATED = [2, 8, 16, 32]


def run(folder, kernel, device, choices, arguments, results):
    """Returns the results by name, or prints the error and returns nothing."""
    command = ["tile-run", SOURCE, "--kernel", kernel, "--device", device]
    for name, value in choices.items():
        command += ["-D", f"{name}={value}"]
    for name, value in {**arguments, **{name: f"({shape})" for name, shape in results.items()}}.items():
        command += ["--arg", f"{name}={value}"]
    for name in {**results, **{name: "" for name in arguments if name.startswith("sums")}}:
        command += ["--save", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "is not done" in done.stderr:
        print(f"FAILED {kernel} {choices} on {device}: {done.stderr}")
        return None
    return {path.stem: np.load(path).astype(np.float64) for path in folder.glob("*.npy")}


def compare(folder, kernel, choices, arguments, results):
    expected = run(folder, kernel, "interpreter", choices, arguments, results)
    failed = expected is None
    for device in ("sim", "ptx"):
        got = None if failed else run(folder, kernel, device, choices, arguments, results)
        for name in got or ():
            # Weights are rounded to the type of the product: some differ by half a unit in the last place of bf16.
            error = np.max(np.abs(got[name] - expected[name])) / np.max(np.abs(expected[name]))
            if not error < 2e-3:
                print(f"WRONG {kernel} {choices} on {device}: {name} by {error:.1e}")
                failed = True
        failed |= got is None
    return failed


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for rows, columns, length, warpgroups in [(rows, columns, 32, 1) for rows, columns in TILES] + SHARED:
        m = 2 * rows + 1
        arguments = {"a": f"randn({m},{length})", "b": f"randn({length},{N})", "w": f"randn({N},{length})",
                     "sums_of_rows": f"zeros({m})", "sums_of_columns": f"zeros({N})"}
        results = {"c": f"{m},{N}", "scan": f"{m},{N}", "most": f"{m}", "back": f"{m},{length}", "turned": f"{N},{m}"}
        choices = {"BM": rows, "BN": columns, "D": length, "W": warpgroups}
        failed += compare(folder, "uses", choices, arguments, results)
    for rows, columns in [(rows, 32) for rows in REPEATED] + [(64, 128)]:
        arguments = {"a": "randn(200,64)", "b": f"randn(64,{N})", "r": f"randn({rows},64)"}
        failed += compare(folder, "mixed", {"BR": rows, "BN": columns}, arguments, {"c": f"200,{N}"})
    print(f"{len(TILES) + len(SHARED) + len(REPEATED) + 1} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
