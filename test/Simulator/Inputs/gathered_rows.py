"""Writes x, at, w and y = x[at] w to PREFIX.x.npy and so on; out-of-bounds rows of x are zero."""

import sys

import numpy as np

random = np.random.default_rng()
x = random.integers(-3, 4, (37, 64)).astype("f4")
at = random.integers(-1, 38, 301).astype("i4")
w = random.integers(-3, 4, (64, 16)).astype("f4")
isThere = (at >= 0) & (at < len(x))
y = np.where(isThere[:, None], x[np.where(isThere, at, 0)] @ w, 0)
for name, array in {"x": x, "at": at, "w": w, "y": y.astype("f4")}.items():
    np.save(f"{sys.argv[1]}.{name}.npy", array)
