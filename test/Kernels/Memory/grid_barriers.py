# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of grid-barriers.tile on all devices without a GPU and compares their results with NumPy's.

    grid_barriers.py SOURCE FOLDER [OPTION]...
"""

import sys

import numpy as np

from atomics import run_cases


def numbers(data, *shape):
    return data.integers(-9, 10, shape).astype(np.float32)


def centred(data):
    x = numbers(data, 128 * 3)
    return dict(x=x, sums=np.zeros(12, np.float32)), dict(y=(x - x.sum() / np.float32(x.size)).astype(np.float32))


def smoothed(data):
    x = numbers(data, 101)
    expected = x
    for _ in range(3):
        padded = np.pad(expected, 1)
        expected = padded[:-2] + padded[1:-1] + padded[2:]
    return dict(steps=3, x=x, y=np.zeros_like(x)), dict(x=expected)


def halved(data):
    x = np.abs(numbers(data, 333)) + 1
    x[7] = 1000
    expected, rounds = x, 1
    while (expected > 3).any():
        expected, rounds = expected / 2, rounds + 1
    return (dict(limit=3.0, x=x, above=np.zeros(65, np.int32), rounds=np.zeros(1, np.int32)),
            dict(x=expected, rounds=np.array([rounds])))


def split_product(data):
    a, b = numbers(data, 100, 200), numbers(data, 200, 90)
    return dict(a=a, b=b, parts=np.zeros((2, 100, 90), np.float32)), dict(c=a @ b)


def ranked(data):
    key = data.integers(0, 16, 250).astype(np.int32)
    counts = np.bincount(key, minlength=16)
    return (dict(key=key, counts=np.zeros(16, np.int32), first=np.zeros(16, np.int32)),
            dict(y=(np.cumsum(counts) - counts)[key]))


if __name__ == "__main__":
    run_cases((centred, smoothed, halved, split_product, ranked), *sys.argv[1:])
