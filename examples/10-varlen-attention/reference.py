"""Float64 reference of varlen_fwd: each sequence by itself, one softmax."""

import numpy as np


def inputs(case, rng):
    return {
        "q": rng.standard_normal((case.cu_q[-1], case.HQ, case.DK)),
        "k": rng.standard_normal((case.cu_k[-1], case.H, case.DK)),
        "v": rng.standard_normal((case.cu_k[-1], case.H, case.DV)),
        "cu_q": np.array(case.cu_q, np.int32),
        "cu_k": np.array(case.cu_k, np.int32),
        "max_q": max(np.diff(case.cu_q)),
        "scale": case.DK**-0.5,
    }


def launches(case):
    return [("varlen_fwd", "T DK DV BM BN CAUSAL BOTTOM_RIGHT", "q k v cu_q cu_k max_q scale", "o lse")]


def reference(case, given):
    o = np.zeros((case.cu_q[-1], case.HQ, case.DV))
    lse = np.full((case.cu_q[-1], case.HQ), -np.inf)
    for b, h in np.ndindex(len(case.cu_q) - 1, case.HQ):
        rows = slice(case.cu_q[b], case.cu_q[b + 1])
        keys = slice(case.cu_k[b], case.cu_k[b + 1])
        if keys.start == keys.stop:
            continue
        kv = h * case.H // case.HQ
        s = given["scale"] * given["q"][rows, h] @ given["k"][keys, kv].T
        e = np.exp(s)
        if case.CAUSAL:
            lag = s.shape[1] - s.shape[0] if case.BOTTOM_RIGHT else 0
            e *= np.tri(*s.shape, lag)
        total = e.sum(axis=1)
        sees = total > 0
        o[rows, h] = e @ given["v"][keys, kv] / np.where(sees, total, 1)[:, None]
        lse[rows, h] = np.where(sees, np.log(np.where(sees, total, 1)), -np.inf)
    return {"o": o, "lse": lse}
