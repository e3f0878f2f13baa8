"""Float64 reference of grouped_matmul: one product per expert."""

import numpy as np


def inputs(case, rng):
    first = np.cumsum([0, *case.counts]).astype(np.int32)
    count = case.X if case.GATHER else first[-1]
    given = {
        "x": rng.standard_normal((count, case.K)),
        "w": rng.standard_normal((len(case.counts), case.K, case.N)),
        "first": first,
        "longest": max(case.counts),
    }
    # Unsorted rows, some of them twice.
    return {**given, "rows": rng.integers(0, case.X, first[-1]).astype(np.int32)} if case.GATHER else given


def launches(case):
    further = " WARPGROUPS STAGES" if hasattr(case, "WARPGROUPS") else ""
    rows = "rows " if case.GATHER else ""
    return [("grouped_matmul", f"T BM BN BK GATHER{further}", f"x w {rows}first longest", "y")]


def reference(case, given):
    x = given["x"][given["rows"]] if case.GATHER else given["x"]
    parts = np.split(x, given["first"][1:-1])
    return {"y": np.concatenate([part @ w for part, w in zip(parts, given["w"])])}
