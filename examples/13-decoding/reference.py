"""Float64 reference of decode and decode_merge: one softmax per sequence and head."""

import numpy as np


def inputs(case, rng):
    """Makes the inputs. Unused keys are NaN, and unused table entries point to no page."""
    lengths = np.array(case.lengths, np.int32)
    shape = (case.H, case.D)
    given = {
        "q": rng.standard_normal((len(lengths), case.M * case.G * case.H, case.D)),
        "lengths": lengths,
        "M": case.M,
        "S": case.S,
        "scale": case.scale,
    }
    if not case.PAGE:
        unused = np.arange(case.L) >= lengths[:, None]
        for name in "kv":
            given[name] = rng.standard_normal((len(lengths), case.L, *shape))
            given[name][unused] = np.nan
        return given
    needed = -(-lengths // case.PAGE)
    table = np.full((len(lengths), max(needed, default=0) + 1), -1, np.int32)
    pages = rng.permutation(needed.sum() + 2)
    caches = np.full((2, len(pages), case.PAGE, *shape), np.nan)
    for b, length in enumerate(lengths):
        own, pages = pages[: needed[b]], pages[needed[b] :]
        table[b, : needed[b]] = own
        for i, page in enumerate(own):
            keys = min(length - i * case.PAGE, case.PAGE)
            caches[:, page, :keys] = rng.standard_normal((2, keys, *shape))
    return {**given, "table": table, "k": caches[0], "v": caches[1]}


def launches(case):
    table = "table " if case.PAGE else ""
    return [
        ("decode", "T D G BM BN PAGE CAUSAL", f"q k v lengths {table}M S scale", "part part_lse"),
        ("decode_merge", "T D BR", "part part_lse", "o lse"),
    ]


def reference(case, given):
    o = np.zeros(given["q"].shape)
    lse = np.full(o.shape[:2], -np.inf)
    for b, length in enumerate(case.lengths):
        if case.PAGE:
            pages = given["table"][b][: -(-length // case.PAGE)]
            k, v = (given[name][pages].reshape(-1, case.H, case.D)[:length] for name in "kv")
        else:
            k, v = given["k"][b, :length], given["v"][b, :length]
        for i, h, g in np.ndindex(case.M, case.H, case.G):
            row = (i * case.H + h) * case.G + g
            seen = max(length - case.M + i + 1, 0) if case.CAUSAL else length
            if seen == 0:
                continue
            e = np.exp(given["scale"] * k[:seen, h] @ given["q"][b, row])
            o[b, row] = e @ v[:seen, h] / e.sum()
            lse[b, row] = np.log(e.sum())
    return {"o": o, "lse": lse}
