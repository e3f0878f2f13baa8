# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of gpu/experiments/rearranged.tile in the emulator: experiments.py ROOT FOLDER"""

import pathlib
import sys

import devices
import numpy as np


def main():
    root, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    text = (root / "gpu/experiments/rearranged.tile").read_text()
    data = np.random.default_rng(1)
    x = data.integers(-50, 50, (5, 128)).astype(np.float32)
    down, up = np.argsort(-x, 1, kind="stable").astype(np.int32), np.argsort(x, 1, kind="stable").astype(np.int32)
    # Turns by a quarter are exact.
    turned = data.integers(-9, 9, (1, 3, 128)).astype(np.float32)
    cosine = data.integers(0, 2, (3, 64)).astype(np.float32)
    even, odd, sine = turned[..., ::2], turned[..., 1::2], 1 - cosine
    rotated = np.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).reshape(turned.shape)
    cases = [
        ("rotate", {"x": turned, "cosine": cosine, "sine": sine}, {"y": rotated}, ()),
        ("sort_rows", {"x": x}, {"y": np.sort(x, 1)}, ("-DD=128",)),
        ("order_rows", {"x": x}, {"y": up}, ("-DD=128",)),
        ("top_rows", {"x": x}, {"y": np.take_along_axis(x, down, 1)[:, :8], "at": down[:, :8]}, ("-DD=128",)),
    ]
    failures = 0
    for kernel, arguments, expected, options in cases:
        # NumPy has no bf16.
        source = text.replace("bf16", "f32") if kernel == "rotate" else text
        for problem in devices.check(source, "ptx", arguments, expected, folder, (f"--kernel={kernel}", *options)):
            failures += 1
            print(f"{kernel}: {problem}")
    print(f"{len(cases)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
