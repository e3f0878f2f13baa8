"""Float64 reference of flash_fwd: the full score matrix, one softmax."""

import numpy as np


def inputs(case, rng):
    return {
        "q": case.deviation * rng.standard_normal((case.B, case.H, case.M, case.D)),
        "k": case.deviation * rng.standard_normal((case.B, case.HK, case.N, case.D)),
        "v": case.deviation * rng.standard_normal((case.B, case.HK, case.N, case.D)),
        "scale": case.scale,
    }


def launches(case):
    # Most cases use the kernel's defaults.
    further = "".join(f" {name}" for name in ("P", "DYNAMIC", "CLUSTER") if hasattr(case, name))
    return [("flash_fwd", "T D BM BN CAUSAL PERSISTENT" + further, "q k v scale", "o lse")]


def reference(case, given):
    group = case.H // case.HK
    k = np.repeat(given["k"], group, axis=1)
    v = np.repeat(given["v"], group, axis=1)
    s = given["scale"] * given["q"] @ k.swapaxes(2, 3)
    if case.CAUSAL:
        hidden = np.arange(case.N)[None, :] > np.arange(case.M)[:, None] + case.N - case.M
        s = np.where(hidden, -np.inf, s)
    e = np.exp(s)
    total = e.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = np.log(total[..., 0])
    return {"o": e @ v / np.where(total == 0, 1, total), "lse": lse}
