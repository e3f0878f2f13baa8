# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of locks.tile on all devices without a GPU and compares their results with NumPy's.

    locks.py SOURCE FOLDER [OPTION]...
"""

import sys

import numpy as np

from atomics import run_cases


def locked(data):
    x = data.integers(-9, 10, (61, 128)).astype(np.float32)
    start, lock = data.integers(-9, 10, 128).astype(np.float32), np.zeros(1, np.int32)
    return dict(x=x, lock=lock, total=start), dict(total=start + x.sum(0), lock=lock)


def exchanged(data):
    x = data.integers(-9, 10, (61, 150)).astype(np.float32)
    start, lock = np.zeros(150, np.float32), np.zeros(3, np.int64)
    return dict(x=x, lock=lock, total=start), dict(total=x.sum(0), lock=lock)


def last(data):
    x = data.integers(-9, 10, (61, 128)).astype(np.float32)
    return (dict(x=x, parts=np.zeros((8, 128), np.float32), done=np.zeros(1, np.int32)),
            dict(total=x.sum(0), done=np.array([8])))


def last_of_sums(data):
    x = data.integers(-9, 10, (64, 128)).astype(np.float32)
    return (dict(x=x, sums=np.zeros(128, np.float32), done=np.zeros(1, np.int32)),
            dict(mean=x.sum(0) / np.float32(64), done=np.array([8])))


def forms(data):
    x = data.integers(-9, 10, 700).astype(np.float32)
    start = {name: np.zeros(700, dtype) for name, dtype in dict(
        a=np.float32, b=np.float16, c=np.float32, d=np.int32, e=np.int64, f=np.uint32, g=np.uint64).items()}
    return dict(x=x, **start), dict(a=2 * x, b=2 * x, c=2 * x, d=np.full(700, 4), e=np.full(700, 5), f=np.full(700, 6),
                                    g=np.full(700, 9))


if __name__ == "__main__":
    run_cases((locked, exchanged, last, last_of_sums, forms), *sys.argv[1:])
