"""Float64 reference of gated attention, straight from the definition of the score.

The decay between key j and query i is summed from the gates themselves, by a masked product,
and not by differences of a cumulative sum.
"""

import numpy as np

ALWAYS_F32 = {"g"}


def inputs(case, rng):
    g = rng.standard_normal((case.B, case.L, case.HQ))
    return {
        "q": rng.standard_normal((case.B, case.L, case.HQ, case.DK)),
        "k": rng.standard_normal((case.B, case.L, case.H, case.DK)),
        "v": rng.standard_normal((case.B, case.L, case.H, case.DV)),
        # A decay by default; gates of both signs must work too.
        "g": g if case.both_signs else -np.logaddexp(0, g),
        "scale": case.scale,
    }


def launches(case):
    return [
        ("gate_cumsum", "BL BH", "g", "c"),
        ("gated_attention", "T DK DV BM BN", "q k v c scale", "o lse"),
    ]


def reference(case, given):
    q, k, v, g = (given[name] for name in "qkvg")
    i, j, t = np.ogrid[: case.L, : case.L, : case.L]
    between = ((j < t) & (t <= i)).astype(np.float64)
    o = np.empty((case.B, case.L, case.HQ, case.DV))
    lse = np.empty((case.B, case.L, case.HQ))
    for b, h in np.ndindex(case.B, case.HQ):
        kv = h * case.H // case.HQ
        s = given["scale"] * q[b, :, h] @ k[b, :, kv].T + between @ g[b, :, h]
        s = np.where(np.tri(case.L, dtype=bool), s, -np.inf)
        p = np.exp(s - s.max(axis=1, keepdims=True))
        o[b, :, h] = p / p.sum(axis=1, keepdims=True) @ v[b, :, kv]
        lse[b, :, h] = np.log(p.sum(axis=1)) + s.max(axis=1)
    return {"o": o, "lse": lse, "c": np.cumsum(g, axis=1)}
