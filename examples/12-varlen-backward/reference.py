"""Float64 reference of the gradients of packed attention, one sequence and head at a time.

The derivative of the softmax follows its definition, ds = p (dp - Σ p dp). It uses neither the results of the
forward pass nor the identity for delta of the kernels.
"""

import numpy as np

from rounding import round_to

ALWAYS_F32 = {"lse", "dk", "dv"}


def sequences(case):
    """Yields the rows and keys of each sequence, and the mask of visible keys."""
    for b in range(len(case.cu_q) - 1):
        rows, keys = slice(*case.cu_q[b : b + 2]), slice(*case.cu_k[b : b + 2])
        queries, count = rows.stop - rows.start, keys.stop - keys.start
        lag = count - queries if case.BOTTOM_RIGHT else 0
        yield rows, keys, np.tri(queries, count, lag if case.CAUSAL else count, dtype=bool)


def softmax(s, sees):
    """Returns probabilities and log-sum-exp of rows; rows without visible keys have 0 and -inf."""
    top = np.max(s, axis=1, initial=-np.inf, where=sees)
    top = np.where(np.isfinite(top), top, 0)
    e = np.where(sees, np.exp(np.where(sees, s - top[:, None], 0)), 0)
    total = e.sum(axis=1)
    exists = total > 0
    total = np.where(exists, total, 1)
    return e / total[:, None], np.where(exists, np.log(total) + top, -np.inf)


def find_owners(cu, tokens, size):
    """The sequence of each block of `size` rows; len(cu) - 1 for blocks after those of the last sequence."""
    count = len(cu) - 1
    firsts = [bound // size + b for b, bound in enumerate(cu)]
    return np.searchsorted(firsts[1:], np.arange(tokens // size + count), side="right").astype(np.int32)


def inputs(case, rng):
    if case.B:
        # So many sequences of 0, 1 and 2 tokens.
        case.cu_q = case.cu_k = [b * b // 900 for b in range(case.B + 1)]
    queries, keys = case.cu_q[-1], case.cu_k[-1]
    shapes = {
        "q": (queries, case.HQ, case.DK),
        "k": (keys, case.H, case.DK),
        "v": (keys, case.H, case.DV),
        "do": (queries, case.HQ, case.DV),
    }
    given = {name: round_to(rng.standard_normal(shape), case.T) for name, shape in shapes.items()}
    scale = case.DK**-0.5
    # The results of the forward pass.
    o = np.zeros(shapes["do"])
    lse = np.full((queries, case.HQ), -np.inf)
    for rows, others, sees in sequences(case):
        for h in range(case.HQ):
            kv = h * case.H // case.HQ
            p, lse[rows, h] = softmax(scale * given["q"][rows, h] @ given["k"][others, kv].T, sees)
            o[rows, h] = p @ given["v"][others, kv]
    return {
        **given,
        "o": o,
        "lse": lse,
        "cu_q": np.array(case.cu_q, np.int32),
        "cu_k": np.array(case.cu_k, np.int32),
        "max_q": max(np.diff(case.cu_q), default=0),
        "max_k": max(np.diff(case.cu_k), default=0),
        "scale": scale,
        "TQ": queries,
        # Initial values for the variant that adds to them.
        "dk": np.zeros(shapes["k"]),
        "dv": np.zeros(shapes["v"]),
    }


def launches(case):
    case.SPLIT, case.SUMS = case.variant in ("split", "ordered"), case.variant != "ordered"
    case.GROUPED = case.variant == "grouped"
    masks = "CAUSAL BOTTOM_RIGHT"
    given = "q k v do shift delta cu_q cu_k scale"
    added = (" sums" if case.SUMS else "") + (" dk dv" if case.variant == "atomic" else "")
    whole = "dk_part dv_part" if case.SPLIT else "dk_whole=dk dv_whole=dv" if case.GROUPED else ""
    # Only parameters that differ from the defaults, so that the other variants keep their names.
    chosen = " GROUPED" if case.GROUPED else ""
    chosen += " LATE" if case.LATE else ""
    chosen += " EXCHANGE" if case.EXCHANGE else ""
    steps = [
        ("varlen_delta", "T DK DV BM SUMS", "o do lse cu_q scale",
         "delta shift" + (" owner sums" if case.SUMS else "")),
        ("varlen_bwd", f"T DK DV BM BN {masks} SPLIT SUMS{chosen}", f"{given} max_k{added}", f"{added} {whole}"),
    ]
    if case.SPLIT:
        steps.append(("varlen_bwd_sum", "T DK DV", "dk_part dv_part", "dk dv"))
    if case.SUMS:
        steps.append(("varlen_bwd_round", "T DK BM", "sums cu_q owner TQ", "dq"))
    else:
        steps.append(("varlen_bwd_dq", f"T DK DV BQ BK BM {masks}", f"{given} max_q", "dq"))
    return steps


def reference(case, given):
    q, k, v, do = (given[name] for name in ("q", "k", "v", "do"))
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for rows, keys, sees in sequences(case):
        for h in range(case.HQ):
            kv = h * case.H // case.HQ
            p, _ = softmax(given["scale"] * q[rows, h] @ k[keys, kv].T, sees)
            dp = do[rows, h] @ v[keys, kv].T
            ds = given["scale"] * p * (dp - np.sum(p * dp, axis=1, keepdims=True))
            dq[rows, h] = ds @ k[keys, kv]
            dk[keys, kv] += ds.T @ q[rows, h]
            dv[keys, kv] += p.T @ do[rows, h]
    gradients = {"dq": dq, "dk": dk, "dv": dv}
    return gradients | ({"owner": find_owners(case.cu_q, len(q), case.BM)} if case.variant != "ordered" else {})
