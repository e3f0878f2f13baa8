"""Float64 reference of varlen_fwd: one softmax per sequence.

Cases with bounds to check, `cu`, are those of check_cu_seqlens. With query heads packed into a tile, q, o and lse
are tensors of one head."""

import numpy as np


def inputs(case, rng):
    if case.cu:
        return {"cu": np.array(case.cu, np.int32), "rows": case.rows, "longest": case.longest}
    q = rng.standard_normal((case.cu_q[-1], case.HQ, case.DK))
    return {
        **({"q": q} if count_packed(case) == 1 else {"packed_q": q.reshape(-1, 1, case.DK)}),
        "k": rng.standard_normal((case.cu_k[-1], case.H, case.DK)),
        "v": rng.standard_normal((case.cu_k[-1], case.H, case.DV)),
        "cu_q": np.array(case.cu_q, np.int32),
        "cu_k": np.array(case.cu_k, np.int32),
        "scale": case.DK**-0.5,
    }


def count_packed(case):
    """Returns the number of query heads in a tile."""
    return getattr(case, "PACK", 1)


def count_queries(case):
    """Returns the number of queries in a tile."""
    return case.BM // count_packed(case)


def launches(case):
    if case.cu:
        return [("check_cu_seqlens", "BB", "cu rows longest", "bad")]
    further = "".join(f" {name}" for name in ("PACK", "PERSISTENT") if hasattr(case, name))
    q = "q" if count_packed(case) == 1 else f"q=packed_q queries={case.cu_q[-1]}"
    return [("varlen_tiles", f"BM={count_queries(case)}", f"cu_q cu_k N={count_entries(case)}", "list tile"),
            ("varlen_fwd", f"T DK DV CAUSAL BOTTOM_RIGHT BM BN{further}", f"{q} k v list tile scale", "o lse")]


def count_entries(case):
    """Returns the maximum number of tiles that a host can compute without reading the bounds."""
    count, longest = len(case.cu_q) - 1, max(np.diff(case.cu_q), default=0)
    queries = count_queries(case)
    return int(min(case.cu_q[-1] // queries + count, count * -(-longest // queries)))


def list_tiles(cu_q, cu_k, BM, N):
    """Returns the tiles of all sequences by descending number of keys, then entries without rows."""
    entries = []
    for b in np.argsort(-np.diff(cu_k), kind="stable"):
        rows, keys = cu_q[b + 1] - cu_q[b], cu_k[b + 1] - cu_k[b]
        entries += [(cu_q[b], rows, start, cu_k[b], keys) for start in reversed(range(0, rows, BM))]
    empty = [(cu_q[-1], 0, start, cu_k[-1], 0) for start in reversed(range(0, BM * (N - len(entries)), BM))]
    return np.array(entries + empty, np.int32).reshape(N, 5)


def first_wrong(cu, rows, longest):
    """Returns the first broken rule, and its sequence."""
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
    q = given["q"] if count_packed(case) == 1 else given["packed_q"].reshape(-1, case.HQ, case.DK)
    o = np.zeros((case.cu_q[-1], case.HQ, case.DV))
    lse = np.full((case.cu_q[-1], case.HQ), -np.inf)
    for b, h in np.ndindex(len(case.cu_q) - 1, case.HQ):
        rows = slice(case.cu_q[b], case.cu_q[b + 1])
        keys = slice(case.cu_k[b], case.cu_k[b + 1])
        if keys.start == keys.stop:
            continue
        kv = h * case.H // case.HQ
        s = given["scale"] * q[rows, h] @ given["k"][keys, kv].T
        e = np.exp(s)
        if case.CAUSAL:
            lag = s.shape[1] - s.shape[0] if case.BOTTOM_RIGHT else 0
            e *= np.tri(*s.shape, lag)
        total = e.sum(axis=1)
        sees = total > 0
        o[rows, h] = e @ given["v"][keys, kv] / np.where(sees, total, 1)[:, None]
        lse[rows, h] = np.where(sees, np.log(np.where(sees, total, 1)), -np.inf)
    if count_packed(case) > 1:
        o, lse = o.reshape(-1, 1, case.DV), lse.reshape(-1, 1)
    entries = list_tiles(case.cu_q, case.cu_k, count_queries(case), count_entries(case))
    return {"o": o, "lse": lse, "list": entries, "tile": np.zeros(count_queries(case), np.int8)}
