# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of floats and fns of the standard library, on the elements of partial tiles."""

import re

import numpy as np

from .scope import SPECIAL_FLOATS, Axis, Kind

# Functions by the types that have them; their arguments are in their domain.
NARROW = ["exp(min({x}, 5.0))", "exp2(min({x}, 5.0))", "log(abs({x}) + 0.5)", "log2(abs({x}) + 1.0)", "sqrt(abs({x}))",
          "rsqrt(abs({x}) + 0.25)", "tanh({x})", "sigmoid({x})", "erf({x})", "sin({x})", "cos({x})", "tan({x})",
          "atan({x})", "asin(min(max({x}, -1.0), 1.0))", "acos(min(max({x}, -1.0), 1.0))",
          "sinh(min(max({x}, -4.0), 4.0))", "cosh(min(max({x}, -4.0), 4.0))", "log1p(abs({x}))", "expm1(min({x}, 4.0))",
          "cbrt({x})", "atan2({x}, {y})", "pow(abs({x}) + 0.5, min(max({y}, -3.0), 3.0))", "fmod({x}, {y})",
          "copysign({x}, {y})", "sign({x})", "round({x} * 1.5)", "trunc({x} * 1.5)", "floor({x} * 0.75)",
          "ceil({x} * 0.75)", "fma({x}, {y}, 0.5)"]  # fmt: skip
DOUBLE = ["exp_f64({x})", "exp2_f64({x})", "log_f64(abs({x}))", "sqrt(abs({x}))", "rsqrt(abs({x}) + 0.25)",
          "round({x} * 1.5)", "trunc({x})", "fma({x}, {y}, 0.5)", "copysign({x}, {y})"]  # fmt: skip
# Fns of tiles of f32; an offset is a tile of i32, a seed is a scalar.
LIBRARY = ["relu({x})", "leaky_relu({x}, 0.125)", "silu({x})", "gelu({x})", "gelu_tanh({x})", "softmax({x}, {valid})",
           "uniform({seed}, {offset})", "normal({seed}, {offset})", "dropout({x}, 0.5, {seed}, {offset})",
           "to_uniform(random_word({seed}, {offset}, 3))", "round_to_bf16({x}, random_bits({seed}, {offset}))",
           "softmax_of_parts({x}, {y})", "online({x}, {y})"]  # fmt: skip
PATHS = {
    "activations": ["relu", "leaky_relu", "silu", "gelu", "gelu_tanh"], "doubles": ["exp_f64", "exp2_f64", "log_f64"],
    "softmax": ["softmax", "softmax_step", "softmax_merge", "log_sum_exp"],
    "random": ["uniform", "normal", "dropout", "to_uniform", "random_word", "random_bits", "round_to_bf16"],
}
# Fns of the program that call several fns of a file.
OWN = {
    "softmax_of_parts": "(x, y) { let mx, den = softmax_merge(x, 1.0, y, 1.0); return log_sum_exp(mx, den); }",
    "online": """(x, y) {
  let mx, den, p, factor = softmax_step(max(x, axis = 1), sum(x * 0.0, axis = 1), y);
  return p * factor[:, _] / (den[:, _] + 1.0) + mx[:, _];
}""",
}


def calls(w):
    """Emits one kernel with a few calls."""
    width = w.pick([8, 16, 32, 12, 64])
    extent = w.pick([e for e in (1, 4, 8, 16, 64) if e * width <= 1024])
    m, rows = w.axis(extent, w.length(extent, 2) if extent > 1 else 2)
    w.context()
    columns = w.size(w.random.randint(max(1, width // 2), width))
    n = w.let_named(f"tile(0, {columns}, {width})")
    axes = (Axis(extent, rows), Axis(width))
    for _ in range(w.random.randint(1, 2)):
        dtype = w.pick(["f32", "f32", "f32", "f16", "bf16", "f64"])
        forms = DOUBLE if dtype == "f64" else NARROW + LIBRARY * (dtype == "f32")
        x, y = (w.let_named(f"{w.given(dtype, [rows, columns], elements(w, dtype))}[{m}, {n}]") for _ in range(2))
        words = {"x": x, "y": y, "valid": f"{n}.valid[_, :]"}
        for form in w.random.sample(forms, 4):
            if "offset" in form:
                words["offset"] = w.let_named(f"{m}.index[:, _] * {columns} + {n}.index[_, :]")
                words["seed"] = w.pick(["5", w.scalar_of("i64", int(w.data.integers(-(2**62), 2**62)))])
            text = form.format(**words)
            w.put(Kind("bf16" if text.startswith("round_to") else dtype, axes), text)
            use_fns(w, text)
    return None


def use_fns(w, text):
    """Declares the fns that a text calls."""
    for name, body in OWN.items():
        if f"{name}(" in text and f"fn {name}{body}" not in w.fns:
            w.fns.append(f"fn {name}{body}")
            use_fns(w, body)
    for path, names in PATHS.items():
        if called := {name for name in names if re.search(rf"\b{name}\(", text)}:
            w.uses.setdefault(f"std/{path}.tile", set()).update(called)


def elements(w, dtype):
    """Returns a function that draws quarters, or numbers at which results change."""
    if w.chance(0.3):
        return lambda shape: w.data.choice(SPECIAL_FLOATS, shape).astype(np.float64 if dtype == "f64" else np.float32)
    return w.small(24, 0.25)
