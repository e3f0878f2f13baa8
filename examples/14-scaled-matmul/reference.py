"""Float64 reference of scaled_matmul: the operands times their scales, one product."""

import numpy as np
from rounding import round_to

BLOCK = 128
ALWAYS_F32 = {"sa", "sb"}


def inputs(case, rng):
    # Numbers of all magnitudes of f8, which f16 and bf16 represent exactly. Scales differ by a factor of ten and more,
    # so that a wrong scale is noticed, and by at most 150, so that no sum overflows f16.
    def scales(*shape):
        return np.exp(np.clip(rng.standard_normal(shape), -2.5, 2.5)) / 50

    blocks, columns = -(-case.K // BLOCK), -(-case.N // BLOCK)
    return {
        "a": round_to(50 * rng.standard_normal((case.M, case.K)), case.F),
        "sa": scales(blocks, case.M),
        "b": round_to(50 * rng.standard_normal((case.N, case.K)), case.F),
        "sb": scales(columns, blocks),
    }


def launches(case):
    # Most cases use the kernel's defaults.
    further = " WARPGROUPS STAGES" if hasattr(case, "WARPGROUPS") else ""
    return [("scaled_matmul", "T F BM BN" + further, "a sa b sb", "c")]


def reference(case, given):
    scales = np.repeat(given["sa"], BLOCK, axis=0)[: case.K].T
    a = given["a"] * scales
    scales = np.repeat(np.repeat(given["sb"], BLOCK, axis=0), BLOCK, axis=1)
    b = given["b"] * scales[: case.N, : case.K]
    return {"c": a @ b.T}
