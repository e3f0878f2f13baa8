"""Float64 reference of LoLA: layer norm, linear layer and activation in sequence."""

import math

import numpy as np


def inputs(case, rng):
    # Means of either sign; the first elements may be far from them.
    mean = case.mean * rng.choice([-1.0, 1.0], (case.M, 1))
    x = mean + rng.standard_normal((case.M, case.K))
    x[:, :1] += case.outlier
    given = {
        "x": x,
        "w": rng.standard_normal((case.K, case.N)) / np.sqrt(case.K),
        "bias": rng.standard_normal(case.N),
        "eps": 1e-5,
    }
    if case.AFFINE:
        given["gamma"] = rng.uniform(0.5, 1.5, case.K) * rng.choice([-1.0, 1.0], case.K)
        given["beta"] = rng.standard_normal(case.K)
    return given


def launches(case):
    affine = " gamma beta" if case.AFFINE else ""
    folded = "w=folded" if case.AFFINE else "w"
    prepare = ("lola_prepare", "T AFFINE BN=64 BK" if case.BN > 64 else "T AFFINE BN BK", "w bias" + affine,
               "folded wsum shift" if case.AFFINE else "wsum shift")
    if case.apart:
        return [
            prepare,
            ("lola_rows", "T", "x eps", "mean rstd"),
            ("lola_given", "T ACT BM BN BK WARPGROUPS STAGES", f"x {folded} mean rstd wsum bias=shift", "y"),
        ]
    wsum, kernel = ("", "lola_online") if case.online else (" wsum", "lola")
    return [prepare, (kernel, "T ACT BM BN BK", f"x {folded}{wsum} bias=shift eps", "y")]


def bars(case):
    """The errors that rounding of W' and of the result permits, for cases without large cancellation."""
    if case.mean > 30 or case.outlier > 0 or case.M * case.N < 2 or case.T == "f32":
        return {}
    return {"y": {"f16": (5e-4, 2), "bf16": (4e-3, 2)}[case.T]}


def activate(z, kind):
    if kind == 0:
        return z
    if kind == 1:
        return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    if kind == 2:
        return 0.5 * z * (1 + np.vectorize(math.erf, otypes=[float])(z / np.sqrt(2)))
    return z / (1 + np.exp(-z))


def reference(case, given):
    x = given["x"]
    mean = x.mean(axis=1, keepdims=True)
    sigma = np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True) + given["eps"])
    normed = (x - mean) / sigma
    if case.AFFINE:
        normed = normed * given["gamma"] + given["beta"]
    return {"y": activate(normed @ given["w"] + given["bias"], case.ACT)}
