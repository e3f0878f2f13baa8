"""Float64 reference of the four matmul kernels."""


def inputs(case, rng):
    a, b = case.form
    return {
        "a": rng.standard_normal((case.M, case.K) if a == "n" else (case.K, case.M)),
        "b": rng.standard_normal((case.K, case.N) if b == "n" else (case.N, case.K)),
    }


def launches(case):
    # Most cases use the kernel's defaults.
    further = " WARPGROUPS STAGES" if hasattr(case, "WARPGROUPS") else ""
    return [(f"matmul_{case.form}", f"T BM BN BK CLUSTER{further}", "a b", "c")]


def reference(case, given):
    a = given["a"] if case.form[0] == "n" else given["a"].T
    b = given["b"] if case.form[1] == "n" else given["b"].T
    return {"c": a @ b}
