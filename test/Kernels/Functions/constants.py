# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions of tiles that are constant, which a compiler folds, with NumPy: constants.py SCRATCH DEVICE...

Special values of each function of one element, and all pairs of them for each function and operator of two.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import tile_run  # noqa: E402

SCRATCH = pathlib.Path(sys.argv[1])
np.seterr(all="ignore")
OF_ONE = {"abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "cbrt": np.cbrt, "ceil": np.ceil,
          "cos": np.cos, "cosh": np.cosh, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor,
          "log": np.log, "log1p": np.log1p, "log2": np.log2, "round": np.rint, "rsqrt": lambda x: 1 / np.sqrt(x),
          "sign": np.sign, "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
          "trunc": np.trunc}  # fmt: skip
OF_TWO = {"atan2({}, {})": np.arctan2, "copysign({}, {})": np.copysign, "fmod({}, {})": np.fmod, "pow({}, {})": np.power,
          "max({}, {})": np.maximum, "min({}, {})": np.minimum, "{} + {}": np.add, "{} - {}": np.subtract,
          "{} * {}": np.multiply, "{} / {}": np.divide}  # fmt: skip
VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.0, 3.0, 1e-3, 1e4, -3e4, np.inf, -np.inf, np.nan]
NAMES = [f"v{place}" for place in range(len(VALUES))]
TOLERANCES = {"f32": 2e-6, "f16": 2e-3}


def source(calls, dtype):
    lines = [f"  let {name} = full({dtype}[4], {value});" for name, value in zip(NAMES, VALUES)]
    lines += [f"  y[{place}, :] = ({call}) as f32;" for place, call in enumerate(calls)]
    return f"kernel k(out y: f32[{len(calls)}, 4]) {{\n" + "\n".join(lines) + "\n}\n"


def check(device, dtype, calls, expected):
    """Prints a line for each call whose result differs."""
    path = SCRATCH / "constants.tile"
    path.write_text(source(calls, dtype))
    (got,) = tile_run.Source(path, SCRATCH).run(device, "k", ["y"])
    largest = 65504 if dtype == "f16" else np.inf
    for call, found, exact in zip(calls, got[:, 0], expected):
        exact = np.copysign(np.inf, exact) if abs(exact) > largest else exact
        is_same = np.isnan(exact) and np.isnan(found) or found == exact and np.signbit(found) == np.signbit(exact)
        if not is_same and not abs(found - exact) <= TOLERANCES[dtype] * abs(exact) + (dtype == "f16") * 6e-8:
            names = ", ".join(f"{name} = {value}" for name, value in zip(NAMES, VALUES) if name in call)
            print(f"{device}: {call} of {dtype} is {found} and not {exact}; {names}")


def main():
    for dtype in ("f32", "f16"):
        values = np.array(VALUES, dict(f32=np.float32, f16=np.float16)[dtype]).astype(float)
        calls, expected = [], []
        for name, function in OF_ONE.items():
            calls += [f"{name}({x})" for x in NAMES]
            expected += list(function(values))
        for form, function in OF_TWO.items():
            calls += [form.format(x, y) for x in NAMES for y in NAMES]
            expected += [float(function(x, y)) for x in values for y in values]
        for device in sys.argv[2:]:
            for start in range(0, len(calls), 500):
                check(device, dtype, calls[start : start + 500], expected[start : start + 500])
    print(f"{len(calls)} calls compared")


main()
