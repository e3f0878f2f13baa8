"""Float64 reference of layer_norm."""

import numpy as np


def inputs(case, rng):
    return {
        "x": case.mean + rng.standard_normal((case.M, case.N)),
        "gain": rng.standard_normal(case.N),
        "bias": rng.standard_normal(case.N),
        "eps": 1e-5,
    }


def launches(case):
    return [("layer_norm", "T BM BN", "x gain bias eps", "y mean rstd")]


def reference(case, given):
    x = given["x"]
    rstd = 1 / np.sqrt(x.var(axis=1) + given["eps"])
    y = (x - x.mean(axis=1)[:, None]) * rstd[:, None] * given["gain"] + given["bias"]
    return {"y": y, "mean": x.mean(axis=1), "rstd": rstd}
