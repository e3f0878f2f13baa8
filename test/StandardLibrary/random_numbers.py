"""Compares the random numbers of the standard library with a reference in NumPy, bit by bit, on a device.

    random_numbers.py NUMBERS.tile SCRATCH DEVICE...

The generator is that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011), with the known answers of
the authors. The conversion to floats is that of `tl.rand`.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Kernels"))
import tile_run  # noqa: E402

run = tile_run.Source(*sys.argv[1:3]).run
U32 = np.uint64(0xFFFFFFFF)
# Counter, key and block.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
     [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]  # fmt: skip


def philox(counter, key):
    """Returns the blocks for rows of counters and keys."""
    c = [np.asarray(word, np.uint64) for word in counter]
    k = [np.asarray(word, np.uint64) for word in key]
    for _ in range(10):
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [right >> np.uint64(32) ^ c[1] ^ k[0], right & U32, left >> np.uint64(32) ^ c[3] ^ k[1], left & U32]
        k = [k[0] + np.uint64(0x9E3779B9) & U32, k[1] + np.uint64(0xBB67AE85) & U32]
    return np.stack(c).astype(np.uint32)


def of_offsets(seed, offsets):
    offsets = np.asarray(offsets).astype(np.uint32)
    zero = np.zeros_like(offsets)
    key = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)
    return philox([offsets, zero, zero, zero], key)


def to_uniform(words):
    signed = np.asarray(words, np.uint32).view(np.int32)
    return np.where(signed < 0, -(signed + 1), signed).astype(np.float32) * np.float32(4.6566127342e-10)


def expect(what, found, expected):
    expected = np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape or found.tobytes() != expected.tobytes():
        sys.exit(f"{what}: got {found}, expected {expected}")


def check_blocks(device, rng):
    counter, key, block = (np.array(rows, np.uint32).T.copy() for rows in zip(*KNOWN))
    expect("the reference", philox(counter, key), block)
    expect("known blocks", *run(device, "blocks", ["y"], c=counter, k=key), block)
    counter, key = (rng.integers(0, 2**32, (rows, 37), np.uint32) for rows in (4, 2))
    expect("blocks", *run(device, "blocks", ["y"], c=counter, k=key), philox(counter, key))


def check_numbers(device, rng):
    for seed, first, count in ((0, 0, 65), (-1, -3, 5), (2**40 + 5, 2**31 - 20, 70), (int(rng.integers(2**63)), 9, 64)):
        expected = of_offsets(seed, np.arange(first, first + count))
        y, third, u, one = run(device, "numbers", ["y", "third", "u", "one"], seed=seed, first=first,
                               y=f"({count})", third=f"({count})", u=f"({count})")
        expect("random_bits", y, expected[0])
        expect("random_word", third, expected[3])
        expect("uniform", u, to_uniform(expected[0]))
        expect("scalars", one, np.array([expected[0, 0], of_offsets(7, [5])[0, 0]]))
    bits = np.array([0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3FFFFFFF], np.uint32)
    [u] = run(device, "floats", ["u"], x=bits)
    expect("to_uniform", u, to_uniform(bits))
    if not (0 <= u.min() and u.max() < 1):
        sys.exit(f"numbers outside of [0, 1): {u}")


def check_normal(device, rng):
    words = of_offsets(123, np.arange(4096))
    u, v = (to_uniform(word).astype(float) for word in words[:2])
    expected = np.sqrt(-2 * np.log(np.maximum(u, 1e-7))) * np.cos(2 * np.pi * v)
    [y] = run(device, "normals", ["y"], seed=123, y="(4096)")
    error = np.abs(y - expected).max()
    if not error < 1e-5:
        sys.exit(f"normal: an error of {error}")
    # Mean, variance and fourth moment within four standard deviations.
    for power, moment, deviation in ((1, 0, 1), (2, 1, 2**0.5), (4, 3, 96**0.5)):
        if abs((y.astype(float) ** power).mean() - moment) > 4 * deviation / 64:
            sys.exit(f"normal: a moment of {(y**power).mean()}, expected {moment}")


def check_dropout(device, rng):
    x, dy = (rng.standard_normal((19, 70)).astype(np.float32) for _ in range(2))
    for p in (0.0, 0.3, 0.9):
        p = np.float32(p)
        kept = to_uniform(of_offsets(11, np.arange(x.size))[0]).reshape(x.shape) >= p
        if abs(kept.mean() - (1 - p)) > 4 * np.sqrt(p * (1 - p) / x.size):
            sys.exit(f"{kept.mean()} of the elements are kept with p = {p}")
        scale = np.float32(1) / (np.float32(1) - p)
        y, dx = run(device, "dropped", ["y", "dx"], x=x, dy=dy, p=repr(float(p)), seed=11)
        expect("dropout", y, np.where(kept, x * scale, np.float32(0)))
        expect("its gradient", dx, np.where(kept, dy * scale, np.float32(0)))


def check_rounding(device, rng):
    special = np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1, 1 + 2**-7, -3.0, 3.4e38, -3.4e38, 1e-40], np.float32)
    x = np.concatenate([special, np.full(400, 1 + 0.25 * 2**-7, np.float32), rng.standard_normal(100).astype(np.float32)])
    [y] = run(device, "rounded", ["y"], x=x, seed=5)
    sum_ = x.view(np.uint32) + (of_offsets(5, np.arange(x.size))[0] & np.uint32(0xFFFF)) & np.uint32(0xFFFF0000)
    expected = np.where(np.isfinite(x), sum_.view(np.float32), x)
    if not np.isnan(y[2]):
        sys.exit(f"NaN is rounded to {y[2]}")
    y[2] = expected[2] = 0
    expect("round_to_bf16", y, expected)
    up = (y[len(special):][:400] > 1).mean()
    if abs(up - 0.25) > 4 * np.sqrt(0.25 * 0.75 / 400):
        sys.exit(f"{up} of the numbers are rounded up, expected 0.25")


def main():
    for device in sys.argv[3:]:
        rng = np.random.default_rng(1)
        for check in (check_blocks, check_numbers, check_normal, check_dropout, check_rounding):
            check(device, rng)
        print(f"{device}: right")


if __name__ == "__main__":
    main()
