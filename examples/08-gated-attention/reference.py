"""Float64 reference of gated attention and its gradients, directly from the definition of the score.

The decay between key j and query i is summed from the gates by a masked product, not by differences of a cumulative
sum. The gradient of a gate is the sum over all pairs of key and query with the gate in between.
"""

import numpy as np

ALWAYS_F32 = {"g", "sink"}


def count_rows(case):
    return case.cu[-1] if case.VARLEN else case.L


def inputs(case, rng):
    L = count_rows(case)
    g = rng.standard_normal((case.B, L, case.HQ))
    given = {
        "q": rng.standard_normal((case.B, L, case.HQ, case.DK)),
        "k": rng.standard_normal((case.B, L, case.H, case.DK)),
        "v": rng.standard_normal((case.B, L, case.H, case.DV)),
        "do": rng.standard_normal((case.B, L, case.HQ, case.DV)),
        "scale": case.scale,
    }
    if case.GATED:
        # A decay by default, to a half in about four steps; gates of both signs must work as well.
        given["g"] = g if case.both_signs else -np.logaddexp(0, g) / 4
        given["g"][:, :1] += case.first_gate
    if case.SINK:
        given["sink"] = rng.standard_normal(case.HQ)
    if case.VARLEN:
        given["cu"] = np.array(case.cu, np.int32)
        given["longest"] = max(np.diff(case.cu))
    if case.poisoned:
        # The values of a sequence must not affect its neighbours.
        for name in ("q", "k", "v", "do"):
            given[name][:, case.cu[1] : case.cu[2]] = np.nan
    return given


def launches(case):
    tiles, options = "T DK DV BM BN", " GATED WINDOW VARLEN"
    gate = " c" if case.GATED else ""
    sink = " sink" if case.SINK else ""
    packed = " cu longest" if case.VARLEN else ""
    packed_sums = " cu" if case.VARLEN else ""
    if case.GATED:
        yield "gate_cumsum", "BL BH VARLEN", "g" + packed_sums, "c"
    yield ("gated_attention", tiles + options + " SINK", "q k v scale" + gate + sink + packed, "o lse")
    if case.GATED:
        yield "gated_attention_rows", "T DV GATED", "o do lse c", "odo base"
    else:
        yield "gated_attention_rows", "T DV GATED", "o do", "odo"
    base = " base c" if case.GATED else " base=lse"
    weight = " sink lse" if case.SINK else ""
    yield ("gated_attention_dq", tiles + options + " SINK", "q k v do odo scale" + base + weight + packed,
           "dq delta")
    tiles = f"T DK DV BM={case.KV_BM} BN={case.KV_BN}"
    sums = " dc" if case.GATED else ""
    if case.SPLIT:
        yield ("gated_attention_dkv", tiles + options + " VALUES=false",
               "q k v do delta scale" + base + packed, "dk" + sums)
        yield ("gated_attention_dkv", tiles + options + " KEYS=false",
               "q k do scale" + base + packed, "dv")
    else:
        yield ("gated_attention_dkv", tiles + options, "q k v do delta scale" + base + packed,
               "dk dv" + sums)
    if case.GATED:
        weight += " delta" if case.SINK else ""
        yield "gate_gradient", "BL BH SINK VARLEN", "dc" + weight + packed_sums, "dg"
    if case.SINK:
        yield "sink_gradient", "", "sink lse delta", "dsink"


def sequences(case):
    """Returns the batch and the rows of each sequence."""
    if case.VARLEN:
        return [(0, slice(*ends)) for ends in zip(case.cu, case.cu[1:])]
    return [(b, slice(0, case.L)) for b in range(case.B)]


def attend(case, given, b, rows, h):
    """Returns the results of one head of one sequence, including its gradients."""
    q, do = (given[name][b, rows, h] for name in ("q", "do"))
    k, v = (given[name][b, rows, h * case.H // case.HQ] for name in "kv")
    i, j, t = np.ogrid[: len(q), : len(q), : len(q)]
    between = (j < t) & (t <= i)
    s = given["scale"] * q @ k.T
    if case.GATED:
        s = s + between.astype(np.float64) @ given["g"][b, rows, h]
    s = np.where((j <= i) & ((case.WINDOW == 0) | (i - j < case.WINDOW)), s[:, :, None], -np.inf)[:, :, 0]
    sink = given["sink"][h] if case.SINK else -np.inf
    top = np.maximum(s.max(axis=1, keepdims=True), sink)
    total = np.exp(s - top).sum(axis=1, keepdims=True) + np.exp(sink - top)
    p = np.exp(s - top) / total
    dp = do @ v.T
    delta = (p * dp).sum(axis=1, keepdims=True)
    ds = p * (dp - delta)
    lse = top + np.log(total)
    return {"o": p @ v, "lse": lse[:, 0], "dq": given["scale"] * ds @ k, "dk": given["scale"] * ds.T @ q,
            "dv": p.T @ do, "dg": np.einsum("ij,ijt->t", ds, between),
            "dsink": -(np.exp(sink - lse) * delta).sum()}


def reference(case, given):
    expected = {"o": np.zeros_like(given["do"]), "dq": np.zeros_like(given["q"]),
                "dk": np.zeros_like(given["k"]), "dv": np.zeros_like(given["v"]),
                "lse": np.zeros((case.B, case.HQ, count_rows(case)))}
    if case.GATED:
        expected |= {"c": np.zeros((case.B, case.HQ, count_rows(case))), "dg": np.zeros_like(given["g"])}
    if case.SINK:
        expected["dsink"] = np.zeros(case.HQ)
    for b, rows in sequences(case):
        for h in range(case.HQ if rows.start < rows.stop else 0):
            found = attend(case, given, b, rows, h)
            for name in ("o", "dq"):
                expected[name][b, rows, h] = found[name]
            for name in ("dk", "dv"):
                expected[name][b, rows, h * case.H // case.HQ] += found[name]
            expected["lse"][b, h, rows] = found["lse"]
            if case.GATED:
                expected["c"][b, h, rows] = np.cumsum(given["g"][b, rows, h])
                expected["dg"][b, rows, h] = found["dg"]
            if case.SINK:
                expected["dsink"][h] += found["dsink"]
    return expected
