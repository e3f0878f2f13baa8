"""Float64 reference of both ways to split K: the product, stored or added to C."""


def inputs(case, rng):
    a, b = case.form
    given = {
        "a": rng.standard_normal((case.M, case.K) if a == "n" else (case.K, case.M)),
        "b": rng.standard_normal((case.K, case.N) if b == "n" else (case.N, case.K)),
        "S": case.S,
    }
    if not case.ordered:
        given["c"] = rng.standard_normal((case.M, case.N))
    return given


ALWAYS_F32 = {"c"}


def launches(case):
    if not case.ordered:
        return [("split_k_matmul", "T BM BN BK", "a b S c", "c")]
    return [
        (f"split_k_partial_{case.form}", "T BM BN BK", "a b S", "part"),
        ("split_k_sum", "T BS BR BC", "part", "c"),
    ]


def reference(case, given):
    a = given["a"] if case.form[0] == "n" else given["a"].T
    b = given["b"] if case.form[1] == "n" else given["b"].T
    return {"c": a @ b + given.get("c", 0.0)}
