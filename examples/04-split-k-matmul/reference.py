"""Float64 reference of split_k_matmul: the product added to what C holds."""


def inputs(case, rng):
    return {
        "a": rng.standard_normal((case.M, case.K)),
        "b": rng.standard_normal((case.K, case.N)),
        "S": case.S,
        "c": rng.standard_normal((case.M, case.N)),
    }


ALWAYS_F32 = {"c"}


def launches(case):
    return [("split_k_matmul", "T BM BN BK", "a b S c", "c")]


def reference(case, given):
    return {"c": given["c"] + given["a"] @ given["b"]}
