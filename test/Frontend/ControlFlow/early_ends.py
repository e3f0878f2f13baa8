"""Runs loops that end early, and compares with NumPy: early_ends.py EARLY.tile SCRATCH DEVICE..."""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Kernels"))
import tile_run  # noqa: E402

run = tile_run.Source(*sys.argv[1:3]).run


def main():
    rng = np.random.default_rng(2)
    x = np.abs(rng.standard_normal((7, 300))).astype(np.float32)
    for row, position in enumerate((0, 63, 64, 299, 150)):
        x[row, position] = -1
    x[4, 200] = -1
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((70, 320), (320, 100)))
    for device in sys.argv[3:]:
        [first] = run(device, "first_negative", ["first"], x=x)
        np.testing.assert_array_equal(first, [0, 63, 64, 299, 150, 300, 300], device)
        for end, tiles in ((0, 0), (1, 1), (64, 1), (129, 3), (1000, 5)):
            for kernel in ("product", "product_while", "product_unbounded"):
                c, count = run(device, kernel, ["c", "count"], a=a, b=b, end=end, count=np.zeros(1, np.int32))
                np.testing.assert_array_equal(c, a[:, :64 * tiles] @ b[:64 * tiles], f"{device}: {kernel}")
                np.testing.assert_array_equal(count, [4 * tiles], f"{device}: {kernel}")
        given = np.arange(50, dtype=np.float32)
        for limit, steps in ((0.0, 0), (1225.0, 1), (1e5, 7), (1e30, 20)):
            y, count = run(device, "doubled", ["x", "steps"], x=given, limit=limit)
            np.testing.assert_array_equal(y, given * 2**steps, device)
            np.testing.assert_array_equal(count, [steps], device)
        for bound, expected in ((0.5, 0), (1000.0, 10), (1024.0, 10), (3e38, 128)):
            [y] = run(device, "exponent", ["y"], x=bound)
            np.testing.assert_array_equal(y, [expected], device)
        start = np.array([1, 2, 3, 7, 27, 6, 97], np.int32)
        [steps] = run(device, "collatz", ["steps"], x=start)
        np.testing.assert_array_equal(steps, [0, 1, 7, 16, 111, 8, 118], device)
        bytes_of, at = rng.integers(-20, 20, (14, 14)).astype(np.int8), rng.integers(0, 14, 12).astype(np.int32)
        gathered = bytes_of[at[:, None], at[::-1]]
        for turns in (0, 1, 4):
            turned = np.ones((12, 12), np.int8)
            for _ in range(turns):
                turned = np.where(gathered > 0, turned.T + 1, np.maximum(turned, gathered))
            [y] = run(device, "turned", ["y"], x=bytes_of, at=at, turns=turns)
            np.testing.assert_array_equal(y, turned, device)
        signs = rng.integers(-1, 2, (64, 64)).astype(np.float32)
        for turns in (0, 1, 3):
            # The sums are exact: the operands of all products are integers of at most 8 bits.
            sums = np.linalg.matrix_power(signs.astype(int), turns).sum(axis=1)
            for kernel in ("multiplied", "added"):
                [y] = run(device, kernel, ["y"], x=signs, turns=turns)
                np.testing.assert_array_equal(y, np.broadcast_to(sums[:, None], y.shape), f"{device}: {kernel}")
        row = np.arange(16, 32, dtype=np.int32)
        [y] = run(device, "selected", ["y"], x=row)
        np.testing.assert_array_equal(y, np.full(16, 31), device)
        for flag in (False, True):
            [y] = run(device, "joined", ["y"], x=row, flag=int(flag))
            np.testing.assert_array_equal(y, np.full(16, 23 if flag else 7), device)
        print(f"{device}: right")


if __name__ == "__main__":
    main()
