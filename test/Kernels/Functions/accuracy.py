# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the errors of functions against float64, in units in the last place: accuracy.py SCRATCH COUNT DEVICE...

All inputs of f16 and bf16, and COUNT random ones of f32; for functions of two elements COUNT random pairs. Half of the
random inputs have random bits, which include NaN, infinities and denormal numbers. Pairs of special values are added.
"""

import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))
import tile_run  # noqa: E402

SOURCE = tile_run.Source(FOLDER / "Inputs" / "accuracy.tile", sys.argv[1])
# NaN and overflow are among the inputs and the results.
np.seterr(all="ignore")
OF_ONE = {"acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh,
          "expm1": np.expm1, "log1p": np.log1p, "round": np.rint, "sin": np.sin, "sinh": np.sinh, "tan": np.tan,
          "trunc": np.trunc}
OF_TWO = {"atan2": np.arctan2, "copysign": np.copysign, "fmod": np.fmod, "pow": np.power}
EXACT = ("round", "trunc", "copysign", "fmod")
# The bits of the significand, the least exponent of the last place, the largest number.
FORMATS = {"f32": (24, -149, float(np.finfo(np.float32).max)), "f16": (11, -24, 65504.0),
           "bf16": (8, -133, float.fromhex("0x1.fep127"))}
BOUND = 0.501
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 65504.0,
           3.4028234e38, -3.4028234e38, 8388609.0, 16777216.0, 1.0000001, 0.99999994, 2.0**40, 2.0**63, 2.0**86, 2.0**109,
           np.pi, np.pi / 2, 6.2831855, 5e8]


def measure(dtype, got, exact):
    """Returns the largest error, in units in the last place of the exact result, and its position."""
    precision, least, largest = FORMATS[dtype]
    exponent = np.floor(np.log2(np.where(exact == 0, 1.0, np.abs(exact))))
    unit = 2.0 ** np.maximum(exponent - (precision - 1), least)
    error = np.abs(got - exact) / unit
    # Above the largest number by half a unit, results round to infinity.
    overflows = np.abs(exact) >= largest + 2.0 ** (np.floor(np.log2(largest)) - precision)
    is_same = np.isnan(exact) & np.isnan(got) | (got == exact) & (np.signbit(got) == np.signbit(exact))
    is_same |= overflows & np.isinf(got) & (np.signbit(got) == np.signbit(exact))
    error = np.where(is_same, 0.0, error)
    error = np.where(~is_same & (~np.isfinite(got) | ~np.isfinite(exact)), np.inf, error)
    # The sign of zero.
    error = np.where((got == 0) & (np.signbit(got) != np.signbit(exact)) & ~np.isnan(exact), np.inf, error)
    worst = int(np.argmax(error))
    return error[worst], worst


def widen(numbers, dtype):
    """Returns the numbers of bits of a 16-bit type, or of f32, as float64."""
    if dtype == "bf16":
        return (numbers.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    # NumPy may widen f16 without the processor, which leaves NaN signaling: pow(NaN, 0) is then NaN, not 1.
    return numbers.view(np.float16 if dtype == "f16" else np.float32).astype(np.float64) * 1.0


def run(device, kernel, dtype, arguments, results):
    types = [f"-DT={dtype}"] if dtype else []
    return [found.astype(np.float64) for found in SOURCE.run(device, kernel, results, *types, **arguments)]


def draw(rng, count):
    """Returns random bits of f32."""
    bits = rng.integers(0, 2**32, count, dtype=np.uint32)
    near = np.concatenate([rng.uniform(-1, 1, count // 6), rng.uniform(-12, 12, count // 6),
                           rng.uniform(-1e6, 1e6, count // 6)]).astype(np.float32)
    bits[: near.size] = near.view(np.uint32)
    return bits


def check(device, dtype, functions, got, inputs):
    """Prints functions whose errors exceed the bound; returns the largest error."""
    largest = 0.0
    for row, (name, function) in zip(got, functions.items(), strict=True):
        exact = function(*inputs)
        error, worst = measure(dtype, row, exact)
        if not error <= (0 if name in EXACT and dtype == "f32" else BOUND):
            print(f"{device} {dtype} {name} of {[x[worst] for x in inputs]}: {row[worst]}, expected {exact[worst]}, "
                  f"error {error}")
        largest = max(largest, error)
    return largest


def check_scalars(device, rng):
    """Checks functions of scalars, and of the elements of a reduction."""
    x = rng.uniform(-9, 9, (40, 64)).astype(np.float32)
    a, b = -1.5e13, 3.25
    y, z = run(device, "scalars", None, {"x": x, "a": a, "b": b}, ["y", "z"])
    a = float(np.float32(a))
    expected = [np.sin(a), np.fmod(a, b), np.power(b, b), -1.0, np.arctan2(a, 1.0)]
    if not np.allclose(y, np.array(expected)[:, None], rtol=1e-7, atol=0):
        print(f"{device}: scalars are {y[:, 0]}, expected {expected}")
    longest = np.array([max(row, key=lambda t: np.sin(float(t))) for row in x])
    if not np.array_equal(z, longest):
        print(f"{device}: the elements with the largest sines are {z}, expected {longest}")


def main():
    count, devices = int(sys.argv[2]), sys.argv[3:]
    rng = np.random.default_rng(43)
    special = np.array(SPECIAL, np.float32)
    first, second = (t.ravel() for t in np.meshgrid(special, special))
    x = np.concatenate([draw(rng, count), first.view(np.uint32)])
    z = np.concatenate([rng.permutation(draw(rng, count)), second.view(np.uint32)])
    # Powers of positive numbers, and of negative ones to integers.
    quarter = count // 4
    x[-first.size - quarter : -first.size] &= 0x7FFFFFFF
    whole = rng.integers(-40, 41, quarter).astype(np.float32)
    z[-first.size - 2 * quarter : -first.size - quarter] = whole.view(np.uint32)
    for device in devices:
        largest = 0.0
        check_scalars(device, rng)
        for dtype in FORMATS:
            if dtype == "f32":
                bits, pair = x, [x, z]
            else:
                bits = np.arange(65536, dtype=np.uint16)
                if dtype == "f16":
                    pair = [t.view(np.float32).astype(np.float16).view(np.uint16) for t in (x, z)]
                else:
                    pair = [(t >> 16).astype(np.uint16) for t in (x, z)]
                pair[0][: count // 2], pair[1][: count // 2] = rng.integers(0, 65536, (2, count // 2), np.uint16)

            def carry(numbers):
                # A file has no bf16: these are f32.
                return {"f32": lambda t: t.view(np.float32), "f16": lambda t: t.view(np.float16),
                        "bf16": lambda t: (t.astype(np.uint32) << 16).view(np.float32)}[dtype](numbers)

            got, = run(device, "of_one", dtype, {"x": carry(bits)}, ["y"])
            largest = max(largest, check(device, dtype, OF_ONE, got, [widen(bits, dtype)]))
            got, = run(device, "of_two", dtype, {"x": carry(pair[0]), "z": carry(pair[1])}, ["y"])
            largest = max(largest, check(device, dtype, OF_TWO, got, [widen(t, dtype) for t in pair]))
            kind, sign = run(device, "kinds", dtype, {"x": carry(bits)}, ["kind", "y"])
            exact = widen(bits, dtype)
            expected = np.isnan(exact) * 1 + np.isinf(exact) * 2 + np.isfinite(exact) * 4
            if not np.array_equal(kind, expected):
                print(f"{device} {dtype}: kinds differ")
            signs = np.where(exact == 0, exact, np.sign(exact))
            if measure(dtype, sign, signs)[0] != 0:
                print(f"{device} {dtype}: signs differ")
        print(f"{device}: the largest error is {largest:.4f}")


main()
