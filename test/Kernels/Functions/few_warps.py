# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels without products of 1, 2, 4, 8 and 16 warps on all devices, and compares with NumPy.

    few_warps.py SOURCE FOLDER [--devices interpreter,cpu,sim,ptx] [--warps 1,2,4,8,16]

The sizes are 1, primes and others that no tile divides.
"""

import argparse
import pathlib
import sys

import devices
import numpy as np


def is_same(found, expected):
    if expected.dtype.kind != "f":
        return found == expected
    return np.isclose(found, expected, rtol=2e-5, atol=2e-5 * max(1.0, np.abs(expected).max()))


def normalize(x, gain):
    centered = x - x.mean(1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5) * gain


def make_cases(data):
    """Yields kernels with their arguments and results."""
    normal = lambda *shape: data.standard_normal(shape).astype(np.float32)  # noqa: E731
    for size in 1, 97, 1000:
        x = normal(size)
        yield "scaled", {"x": x}, {"y": x * 2 + 1}
    for rows, columns in (1, 1), (7, 97), (5, 128):
        x = normal(rows, columns)
        e = np.exp(x - x.max(1, keepdims=True))
        yield "softmax", {"x": x}, {"y": e / e.sum(1, keepdims=True)}
        gain = normal(columns)
        yield "layer_norm", {"x": x, "gain": gain}, {"y": normalize(x, gain)}
        yield "sums", {"x": x}, {"along": x.cumsum(1, dtype=np.float64), "across": x.sum(0, dtype=np.float64)}
        yield "turned", {"x": x}, {"y": np.ascontiguousarray(x.T)}
        yield "mixed", {"x": x}, {"y": x + x.max(1, keepdims=True) - x.min(0, keepdims=True)}
    for rows, columns in (1, 64), (3, 64):
        x = data.integers(-50, 50, (rows, columns)).astype(np.int32)
        order = np.argsort(x, 1, kind="stable").astype(np.int32)
        yield "sorted_rows", {"x": x}, {"y": np.take_along_axis(x, order, 1), "order": order}
    for size in 1, 211:
        table, position = normal(53), data.integers(0, 53, size).astype(np.int32)
        yield "gathered", {"table": table, "position": position}, {"y": table[position]}
        counts = np.bincount(position, minlength=53).astype(np.int32)
        yield "counted", {"position": position, "y": np.zeros(53, np.int32)}, {"y": counts}
    for size in 1, 7, 997:
        x = normal(size)
        yield "combined", {"x": x}, {"y": np.array([x.mean(dtype=np.float64), x.var(dtype=np.float64)])}
    a, b = normal(19, 23), normal(23, 37)
    yield "multiplied", {"a": a, "b": b}, {"y": a @ b}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    parser.add_argument("--warps", default="1,2,4,8,16")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    text = options.source.read_text()
    for kernel, arguments, expected in make_cases(np.random.default_rng(43)):
        expected = {name: array.astype(np.float32) if array.dtype.kind == "f" else array for name, array in expected.items()}
        for warps in options.warps.split(","):
            for device in options.devices.split(","):
                runs += 1
                words = ["--kernel", kernel, "-D", f"W={warps}"]
                for problem in devices.check(text, device, arguments, expected, options.folder, words, is_same):
                    failures += 1
                    print(f"{kernel} {warps} warps {device}: {problem}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
