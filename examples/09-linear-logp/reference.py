"""Float64 reference of linear_logp: all logits, then log_softmax."""

import numpy as np


def inputs(case, rng):
    target = rng.integers(0, case.V, case.N).astype(np.int32)
    target[: len(case.targets)] = case.targets
    return {
        "h": rng.standard_normal((case.N, case.D)),
        "w": rng.standard_normal((case.V, case.D)) / np.sqrt(case.D),
        "bias": rng.standard_normal(case.V),
        "target": target,
        "S": case.S,
        "V": case.V,
    }


def launches(case):
    return [
        ("linear_logp", "T BM BV BK", "h w bias target S", "pmax psum ppick"),
        ("linear_logp_merge", "BM", "pmax psum ppick target V", "logp lse"),
    ]


def reference(case, given):
    z = given["h"] @ given["w"].T + given["bias"]
    lse = np.log(np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1)) + z.max(axis=1)
    t = given["target"]
    exists = (t >= 0) & (t < case.V)
    picked = z[np.arange(case.N), np.where(exists, t, 0)]
    return {"logp": np.where(exists, picked - lse, np.nan), "lse": lse}
