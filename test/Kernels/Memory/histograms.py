# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of histograms.tile, and those that gpu/experiments measures, on all devices without a GPU, and
compares their results with NumPy's.

    histograms.py SOURCE EXPERIMENT FOLDER
"""

import sys

import numpy as np

import atomics


def count(bins, weights, start):
    """Returns `start` with the weights of valid bins added."""
    counts, inside = start.copy(), (bins >= 0) & (bins < len(start))
    np.add.at(counts, bins[inside], weights[inside])
    return counts


def counted(data):
    bins, start = data.integers(-3, 140, 500).astype(np.int32), data.integers(-9, 10, 100).astype(np.int32)
    return dict(bin=bins, counts=start), dict(counts=count(bins, np.ones(500, np.int32), start))


def persistent(data):
    bins, weight = data.integers(0, 256, 3000).astype(np.int32), data.integers(0, 2**32, 3000).astype(np.uint32)
    bins[:500] = 255
    start = np.zeros(256, np.uint32)
    return dict(bin=bins, weight=weight, counts=start), dict(counts=count(bins, weight, start))


def extremes(data):
    return atomics.combined(data, keys=17)


def planes(data):
    row, bins = data.integers(-1, 4, (5, 100)).astype(np.int32), data.integers(-1, 42, (5, 100)).astype(np.int32)
    counts = np.zeros((3, 40), np.int32)
    for p in range(5):
        for r, k in zip(row[p], bins[p], strict=True):
            if 0 <= r < 3 and 0 <= k < 40:
                counts[r, k] += 1
            if p > 0 and p % 4 < 3 and 0 <= k < 40:
                counts[p % 4, k] += 2
    return dict(row=row, bin=bins, counts=np.zeros((3, 40), np.int32)), dict(counts=counts)


def multiplied(data):
    a, b = data.integers(-1, 2, (100, 128)).astype(np.float32), data.integers(-1, 2, (70, 128)).astype(np.float32)
    bins, start = np.ravel(a @ b.T).astype(np.int32) + 32, np.zeros(64, np.int32)
    return dict(a=a, b=b, counts=start), dict(counts=count(bins, np.ones(len(bins), np.int32), start))


def histogram(data):
    x = data.uniform(-2, 6, 3000).astype(np.float32)
    x[:9] = [-1, 3, np.nan, np.inf, -np.inf, np.nextafter(np.float32(3), np.float32(4)), -1.0000001, 2.9999998, 0]
    places = (x + np.float32(1)) * np.float32(8)
    bins = np.minimum(places[(places >= 0) & (places <= 32)].astype(np.int32), 31)
    counts = np.zeros(32, np.int32)
    return dict(x=x, low=-1.0, scale=8.0, counts=counts), dict(counts=count(bins, np.ones(len(bins), np.int32), counts))


def persistent_histogram(data):
    return histogram(data)


def chunked_histogram(data):
    return histogram(data)


def main():
    source, experiment, folder = sys.argv[1:]
    atomics.run_cases((counted, persistent, extremes, planes, multiplied), source, folder)
    atomics.run_cases((histogram, persistent_histogram), experiment, folder, "-DK=32", "-DBN=512")
    atomics.run_cases((chunked_histogram,), experiment, folder, "-DK=32", "-DBN=128", "-DTILES=5")


if __name__ == "__main__":
    main()
