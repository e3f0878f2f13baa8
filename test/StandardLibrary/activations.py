"""Compares the activations of the standard library with float64: activations.py ACTIVATIONS.tile SCRATCH DEVICE..."""

import math
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Kernels"))
import tile_run  # noqa: E402

run = tile_run.Source(*sys.argv[1:3]).run
erf = np.vectorize(math.erf)


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


def reference(x):
    tanh = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return np.stack([np.maximum(x, 0), np.where(x > 0, x, x / 8), x * sigmoid(x), x * (1 + erf(x / math.sqrt(2))) / 2,
                     x * (1 + tanh) / 2])


def main():
    x = np.linspace(-9, 9, 601, dtype=np.float32)
    expected = reference(x.astype(float))
    for device in sys.argv[3:]:
        # Relative to x: far from 0 the values of some activations are differences.
        for dtype, bar in (("f32", 4e-7), ("f16", 2e-3), ("bf16", 2e-2)):
            [y] = run(device, "activations", ["y"], f"-DT={dtype}", x=x)
            worst = np.abs(y.astype(float) - expected).max(axis=1) / 9
            if not (worst < bar).all():
                sys.exit(f"{device}, {dtype}: errors of {worst}")
        [scalars] = run(device, "scalars", ["y"], x=-0.5)
        if not np.allclose(scalars, [0, -0.5 * sigmoid(-0.5), -0.5], rtol=1e-6):
            sys.exit(f"{device}: scalars {scalars}")
        print(f"{device}: right")


if __name__ == "__main__":
    main()
