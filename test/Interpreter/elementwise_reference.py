"""Runs elementwise operations through tile-run and compares them with NumPy.

Usage: elementwise_reference.py FOLDER

One kernel per element type computes every operation of the type. Arithmetic must agree in every bit, functions to
one unit in the last place.
"""

import pathlib
import subprocess
import sys

import numpy as np

N = 4096
FLOATS = {"f32": np.float32, "f16": np.float16}
INTEGERS = {"i8": np.int8, "i32": np.int32, "i64": np.int64}


def rounded(function):
    """Returns the function computed in f64 and rounded once."""
    return lambda x, *rest: function(*(v.astype(np.float64) for v in (x, *rest))).astype(x.dtype)


def minimum_number(x, y):
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.minimum(x, y)))


def round_half_away(x):
    wide = x.astype(np.float64)
    return np.copysign(np.floor(np.abs(wide) + 0.5), wide).astype(x.dtype)


erf = np.vectorize(__import__("math").erf)

# Name: (number of operands, reference).
EXACT = {
    "arith.addf": (2, lambda x, y: x + y),
    "arith.subf": (2, lambda x, y: x - y),
    "arith.mulf": (2, lambda x, y: x * y),
    "arith.divf": (2, lambda x, y: x / y),
    "arith.negf": (1, lambda x: -x),
    "arith.maximumf": (2, np.maximum),
    "arith.minimumf": (2, np.minimum),
    "arith.maxnumf": (2, lambda x, y: -minimum_number(-x, -y)),
    "arith.minnumf": (2, minimum_number),
    "arith.remf": (2, np.fmod),
    "math.absf": (1, np.abs),
    "math.ceil": (1, np.ceil),
    "math.floor": (1, np.floor),
    "math.trunc": (1, np.trunc),
    "math.round": (1, round_half_away),
    "math.roundeven": (1, np.rint),
    "math.copysign": (2, np.copysign),
    "math.sqrt": (1, np.sqrt),
}
CLOSE = {
    "math.exp": (1, rounded(np.exp)),
    "math.exp2": (1, rounded(np.exp2)),
    "math.expm1": (1, rounded(np.expm1)),
    "math.log": (1, rounded(np.log)),
    "math.log2": (1, rounded(np.log2)),
    "math.log10": (1, rounded(np.log10)),
    "math.log1p": (1, rounded(np.log1p)),
    "math.rsqrt": (1, rounded(lambda x: 1 / np.sqrt(x))),
    "math.cbrt": (1, rounded(np.cbrt)),
    "math.sin": (1, rounded(np.sin)),
    "math.cos": (1, rounded(np.cos)),
    "math.tan": (1, rounded(np.tan)),
    "math.sinh": (1, rounded(np.sinh)),
    "math.cosh": (1, rounded(np.cosh)),
    "math.tanh": (1, rounded(np.tanh)),
    "math.asin": (1, rounded(np.arcsin)),
    "math.acos": (1, rounded(np.arccos)),
    "math.atan": (1, rounded(np.arctan)),
    "math.asinh": (1, rounded(np.arcsinh)),
    "math.acosh": (1, rounded(np.arccosh)),
    "math.atanh": (1, rounded(np.arctanh)),
    "math.atan2": (2, rounded(np.arctan2)),
    "math.powf": (2, rounded(np.power)),
    "math.erf": (1, rounded(erf)),
    "math.erfc": (1, rounded(np.vectorize(__import__("math").erfc))),
    "math.fma": (3, rounded(lambda x, y, z: x * y + z)),
}
TESTS = {"math.isnan": np.isnan, "math.isinf": np.isinf, "math.isfinite": np.isfinite}
INTEGER = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.floordivsi": np.floor_divide,
    "arith.remsi": np.fmod,
}
PREDICATES = {
    "cmpf oeq": lambda x, y: x == y,
    "cmpf ogt": lambda x, y: x > y,
    "cmpf oge": lambda x, y: x >= y,
    "cmpf olt": lambda x, y: x < y,
    "cmpf ole": lambda x, y: x <= y,
    "cmpf one": lambda x, y: (x < y) | (x > y),
    "cmpf ord": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "cmpf ueq": lambda x, y: ~((x < y) | (x > y)),
    "cmpf ugt": lambda x, y: ~(x <= y),
    "cmpf uge": lambda x, y: ~(x < y),
    "cmpf ult": lambda x, y: ~(x >= y),
    "cmpf ule": lambda x, y: ~(x > y),
    "cmpf une": lambda x, y: x != y,
    "cmpf uno": lambda x, y: np.isnan(x) | np.isnan(y),
}


def make_kernel(element, operations):
    """Returns a kernel; operations are (text before the operands, operands, type before the colon, result)."""
    tensor = f"tensor<{N}x{element}>"
    parameters = [f"%{name}: !tile.global<[{N}] x {element}>" for name in "xyz"]
    body = []
    for i, (op, operands, result) in enumerate(operations):
        out = f"!tile.global<[{N}] x {result}, out>"
        parameters.append(f"%r{i}: {out}")
        arguments = ", ".join(["%a", "%b", "%c"][:operands])
        body.append(f"  %v{i} = {op} {arguments} : {tensor}")
        body.append(f"  tile.store %v{i} to %r{i}[%r] : tensor<{N}x{result}>, {out}, !tile.range<{N}>")
    loads = [
        f"  %{v} = tile.load %{g}[%r] : !tile.global<[{N}] x {element}>, !tile.range<{N}> -> {tensor}"
        for v, g in zip("abc", "xyz")
    ]
    return "\n".join(
        [f"tile.kernel @k({', '.join(parameters)}) grid() {{"]
        + ["  %c0 = arith.constant 0 : index", f"  %cn = arith.constant {N} : index"]
        + [f"  %r = tile.range %c0 to %cn : !tile.range<{N}>"]
        + loads
        + body
        + ["}\n"]
    )


def run(folder, element, inputs, operations):
    (folder / f"{element}.mlir").write_text(make_kernel(element, operations))
    command = ["tile-run", folder / f"{element}.mlir"]
    for name, value in zip("xyz", inputs):
        np.save(folder / f"{name}.npy", value)
        command += ["--arg", f"{name}=@{folder}/{name}.npy"]
    for i in range(len(operations)):
        command += ["--save", f"r{i}={folder}/r{i}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(folder / f"r{i}.npy") for i in range(len(operations))]


def float_inputs(dtype, rng):
    special = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -2.5, np.inf, -np.inf, np.nan], np.float64)
    tiny = np.finfo(dtype).smallest_subnormal
    special = np.concatenate([special, [tiny, -tiny, np.finfo(dtype).max, np.finfo(dtype).tiny]])
    values = np.concatenate([np.repeat(special, len(special)), rng.standard_normal(N) * 8])[:N]
    others = np.concatenate([np.tile(special, len(special)), rng.standard_normal(N) * 3])[:N]
    return [v.astype(dtype) for v in (values, others, rng.standard_normal(N))]


def distance(actual, expected, dtype):
    """Returns the number of representable values in between."""
    integer = {2: np.int16, 4: np.int32}[np.dtype(dtype).itemsize]

    def order(v):
        bits = v.astype(dtype).view(integer).astype(np.int64)
        return np.where(bits < 0, np.int64(np.iinfo(integer).min) - bits, bits)

    both_nan = np.isnan(actual) & np.isnan(expected)
    one_nan = np.isnan(actual) ^ np.isnan(expected)
    d = np.abs(order(actual) - order(expected))
    return np.where(both_nan, 0, np.where(one_nan, 1 << 40, d))


def main():
    folder = pathlib.Path(sys.argv[1])
    rng = np.random.default_rng(5)
    failures = checked = 0

    def check(what, bad):
        nonlocal failures, checked
        checked += 1
        if bad.any():
            failures += 1
            print(f"{what}: {bad.sum()} of {N} elements differ, first at {np.argmax(bad)}")

    for element, dtype in FLOATS.items():
        inputs = float_inputs(dtype, rng)
        table = {**EXACT, **CLOSE}
        operations = [(op, count, element) for op, (count, _) in table.items()]
        operations += [(op, 1, "i1") for op in TESTS]
        operations += [(f"arith.{p},", 2, "i1") for p in PREDICATES]
        results = run(folder, element, inputs, operations)
        for (op, count, _), result in zip(operations, results):
            if op in TESTS:
                check(f"{op} {element}", result != TESTS[op](inputs[0]))
            elif op.endswith(","):
                check(f"{op} {element}", result != PREDICATES[op[6:-1]](*inputs[:2]))
            else:
                expected = table[op][1](*inputs[:count])
                limit = 0 if op in EXACT else 1
                check(f"{op} {element}", distance(result, expected, dtype) > limit)

    for element, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        inputs = [rng.integers(info.min, info.max, N, dtype, endpoint=True) for _ in range(3)]
        inputs[1][inputs[1] == 0] = 1
        inputs[1][inputs[1] == -1] = 2
        operations = [(op, 2, element) for op in INTEGER] + [("math.absi", 1, element)]
        results = run(folder, element, inputs, operations)
        for (op, _, _), result in zip(operations, results):
            expected = INTEGER[op](*inputs[:2]) if op in INTEGER else np.abs(inputs[0])
            check(f"{op} {element}", result != expected)

    print(f"{checked} operations, {failures} wrong")
    return 1 if failures or checked < 100 else 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main())
