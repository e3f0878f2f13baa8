"""Compares the activations of the standard library with float64: activations.py ACTIVATIONS.tile SCRATCH DEVICE..."""

import math
import pathlib
import subprocess
import sys

import numpy as np

SOURCE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
erf = np.vectorize(math.erf)


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


def reference(x):
    tanh = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return np.stack([np.maximum(x, 0), np.where(x > 0, x, x / 8), x * sigmoid(x), x * (1 + erf(x / math.sqrt(2))) / 2,
                     x * (1 + tanh) / 2])


def run(device, kernel, x, *words):
    subprocess.run(["tile-run", SOURCE, f"--kernel={kernel}", f"--device={device}", f"--arg=x={x}", *words,
                    f"--save=y={SCRATCH / 'y.npy'}"], check=True, stdout=subprocess.DEVNULL)
    return np.load(SCRATCH / "y.npy")


def main():
    x = np.linspace(-9, 9, 601, dtype=np.float32)
    np.save(SCRATCH / "x.npy", x)
    expected = reference(x.astype(float))
    for device in sys.argv[3:]:
        # Relative to x: far from 0 the values of some activations are differences.
        for dtype, bar in (("f32", 4e-7), ("f16", 2e-3), ("bf16", 2e-2)):
            y = run(device, "activations", f"@{SCRATCH / 'x.npy'}", f"-DT={dtype}").astype(float)
            worst = np.abs(y - expected).max(axis=1) / 9
            if not (worst < bar).all():
                sys.exit(f"{device}, {dtype}: errors of {worst}")
        scalars = run(device, "scalars", -0.5)
        if not np.allclose(scalars, [0, -0.5 * sigmoid(-0.5), -0.5], rtol=1e-6):
            sys.exit(f"{device}: scalars {scalars}")
        print(f"{device}: right")


if __name__ == "__main__":
    main()
