# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares softmax of the standard library with float64: softmax.py SOFTMAX.tile SCRATCH DEVICE..."""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Kernels"))
import tile_run  # noqa: E402

run = tile_run.Source(*sys.argv[1:3]).run


def reference(x, keep):
    """Returns the weights and the logarithms of their sums."""
    s = np.where(keep, x.astype(float), -np.inf)
    largest = np.maximum(s.max(1, keepdims=True), -1e30)
    p = np.exp(s - largest)
    den = p.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(den > 0, p / den, 0), (largest + np.log(den))[:, 0]


def check(device, what, got, expected):
    if not np.allclose(got, expected, rtol=3e-6, atol=1e-7):
        sys.exit(f"{device}: {what} differs by {np.nanmax(np.abs(got - expected))}")


def main():
    data = np.random.default_rng(0)
    for device in sys.argv[3:]:
        x, keep = data.standard_normal((21, 50)).astype(np.float32) * 30, data.random((21, 50)) < 0.7
        keep[4] = False
        check(device, "rows", *run(device, "rows", ["y"], x=x, keep=keep), reference(x, keep)[0])
        x = data.standard_normal((13, 77)).astype(np.float32) * 30
        y, lse = run(device, "online", ["y", "lse"], x=x)
        weights, logs = reference(x, True)
        # An error of the logarithm is relative to its magnitude, and changes all weights of a row.
        if not np.allclose(y, weights, rtol=3e-5, atol=1e-7):
            sys.exit(f"{device}: weights differ")
        check(device, "logarithms", lse, logs)
        x = data.standard_normal((9, 64)).astype(np.float32)
        x[2], x[3, 5:] = -np.inf, -np.inf
        check(device, "merged logarithms", *run(device, "merged", ["lse"], x=x), reference(x, True)[1])
        print(f"{device}: right")


if __name__ == "__main__":
    main()
