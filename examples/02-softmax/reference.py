"""Float64 reference of softmax."""

import numpy as np


def inputs(case, rng):
    x = case.spread * rng.standard_normal((case.M, case.N))
    # Masked scores, as in attention masks: the first `masked` of each row.
    x[:, : case.masked] = -np.inf
    return {"x": x}


def launches(case):
    return [("softmax", "T BM BN", "x", "y")]


def reference(case, given):
    e = np.exp(given["x"] - given["x"].max(axis=1, keepdims=True))
    return {"y": e / e.sum(axis=1, keepdims=True)}
