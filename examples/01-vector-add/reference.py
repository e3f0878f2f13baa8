"""Float64 reference of vector_add."""


def inputs(case, rng):
    return {"x": rng.standard_normal(case.N), "y": rng.standard_normal(case.N)}


def launches(case):
    return [("vector_add", "T BN", "x y", "z")]


def reference(case, given):
    return {"z": given["x"] + given["y"]}
