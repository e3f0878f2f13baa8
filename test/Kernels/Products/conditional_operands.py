# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs conditional-operands.tile on all devices, and compares with float64: conditional_operands.py SOURCE SCRATCH"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import tile_run  # noqa: E402

ROWS, COLUMNS = 70, 130


def scale_blocks(a, block):
    """Doubles every second block of columns."""
    return np.where(np.arange(a.shape[1]) // block % 2 == 0, 2.0, 1.0) * a


def main():
    scratch = pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    source = tile_run.Source(sys.argv[1], scratch)
    rng = np.random.default_rng(1)
    runs = failures = 0
    for k in (0, 1, 40, 260):
        a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((ROWS, k), (k, COLUMNS)))
        left = scale_blocks(a, 128) + 1
        steps = [left[:, i:i + 128] @ b[i:i + 128] * -((i - k) // 128) for i in range(0, k, 128)]
        expected = {"scaled": scale_blocks(a, 32) @ b, "sums": sum(steps, np.zeros((ROWS, COLUMNS)))}
        for kernel, right in expected.items():
            for device in ("interpreter", "cpu", "sim", "ptx"):
                runs += 1
                (found,) = source.run(device, kernel, ["c"], a=a, b=b)
                if not np.array_equal(found, right):
                    failures += 1
                    print(f"{kernel}, {device}, K = {k}: wrong by {np.abs(found - right).max()}")
    print(f"{runs} runs, {failures} failures")


if __name__ == "__main__":
    main()
