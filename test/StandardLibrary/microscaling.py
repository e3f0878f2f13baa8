# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the microscaling formats of the standard library with tables: microscaling.py FORMATS.tile SCRATCH DEVICE..."""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Kernels"))
import tile_run  # noqa: E402

run = tile_run.Source(*sys.argv[1:3]).run
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E8M0 = np.append(np.exp2(np.arange(-127.0, 128)), np.nan)


def to_e2m1(x):
    """Returns the codes of the nearest values; of two, that with an even code."""
    distances = np.abs(np.abs(np.clip(x, -6, 6)).astype(float)[..., None] - E2M1)
    least = distances.min(axis=-1, keepdims=True)
    even_first = np.where(distances == least, np.arange(8) % 2, 2).argmin(axis=-1)
    return np.where(np.isnan(x), 7, even_first + 8 * np.signbit(x)).astype(np.uint8)


def to_e8m0(x):
    code = np.searchsorted(E8M0[:-1], np.abs(x).astype(float))
    return np.where(np.isnan(x), 255, np.minimum(code, 254)).astype(np.uint8)


def inputs(data):
    """Returns all values, what lies between and next to them, and floats of all magnitudes."""
    middles = (E2M1[1:] + E2M1[:-1]) / 2
    near = np.concatenate([E2M1, middles, E8M0[:-1], [np.inf, 3.4e38, 1e-45]]).astype(np.float32)
    near = np.concatenate([near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(0))])
    bits = data.integers(0, 2**32, 10000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    return np.concatenate([near, -near, [np.float32(np.nan)], data.uniform(-7, 7, 2000).astype(np.float32), bits])


def main():
    np.seterr(invalid="ignore")
    data = np.random.default_rng(0)
    x, code = inputs(data), np.arange(256, dtype=np.uint8)
    blocks = (data.standard_normal((19, 160)) * 10.0 ** data.integers(-30, 30, (19, 1))).astype(np.float32)
    blocks[3, 32:64] = 0
    scales = to_e8m0((np.abs(blocks.reshape(19, 5, 32)).max(axis=2) / np.float32(6)).astype(np.float32))
    scaled = blocks.reshape(19, 5, 32) / E8M0[scales][:, :, None]
    codes = to_e2m1(scaled).reshape(19, 160)
    values = np.where(codes & 8, -1.0, 1.0) * E2M1[codes & 7] * np.repeat(E8M0[scales], 32, axis=1)
    cases = {
        "codes": (dict(x=x), dict(e2m1=to_e2m1(x), e8m0=to_e8m0(x))),
        "values": (dict(code=code), dict(e2m1=np.where(code & 8, -1.0, 1.0) * E2M1[code & 7], e8m0=E8M0)),
        "rounded": (dict(x=blocks), dict(codes=codes[:, ::2] | codes[:, 1::2] << 4, scales=scales, y=values)),
    }
    for device in sys.argv[3:]:
        for kernel, (arguments, expected) in cases.items():
            found = run(device, kernel, list(expected), **arguments)
            for result, (name, exact) in zip(found, expected.items()):
                if not np.array_equal(result, exact.astype(result.dtype), equal_nan=result.dtype.kind == "f"):
                    bad = np.argwhere(~((result == exact) | (result != result) & (exact != exact)))[0]
                    sys.exit(f"{device}: {kernel}: {name}{bad} is {result[tuple(bad)]}, not {exact[tuple(bad)]}")
        print(f"{device}: right")


if __name__ == "__main__":
    main()
