"""Float64 reference of varlen_fwd: each sequence by itself, one softmax. Cases with bounds to check,
`cu`, are those of check_cu_seqlens."""

import numpy as np


def inputs(case, rng):
    if case.cu:
        return {"cu": np.array(case.cu, np.int32), "rows": case.rows, "longest": case.longest}
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
    if case.cu:
        return [("check_cu_seqlens", "BB", "cu rows longest", "bad")]
    return [("varlen_fwd", "T DK DV BM BN CAUSAL BOTTOM_RIGHT", "q k v cu_q cu_k max_q scale", "o lse")]


def first_wrong(cu, rows, longest):
    """The rule that is broken first, and the sequence."""
    if cu[0] != 0:
        return 1, 0
    for b, (begin, end) in enumerate(zip(cu, cu[1:])):
        if end < begin:
            return 2, b
        if end > rows:
            return 3, b
        if end - begin > longest:
            return 4, b
    return 0, 0


def reference(case, given):
    if case.cu:
        return {"bad": np.array(first_wrong(case.cu, case.rows, case.longest), np.int32)}
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
