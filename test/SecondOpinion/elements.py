# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types: representation, rounding and conversion of their values.

Floats of f64 are stored as float64. Narrower floats are stored as float32, which can represent all of their values.
Integers and booleans are stored in NumPy's own types.
"""

import numpy as np

FLOATS = ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2")
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
            "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
ELEMENTS = (*FLOATS, *INTEGERS, "bool")
# Significant bits, the exponent of the smallest step, and the largest finite value.
F8 = {"f8e4m3": (4, -9, 448.0), "f8e5m2": (3, -16, 57344.0)}
PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8e4m3": 4, "f8e5m2": 3}
LARGEST = {"f64": np.inf, "f32": 2.0**128, "f16": 65504.0, "bf16": 2.0**127, "f8e4m3": 448.0, "f8e5m2": 57344.0}
SMALLEST = {"f64": 2.0**-1074, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133, "f8e4m3": 2.0**-9,
            "f8e5m2": 2.0**-16}


def carrier(dtype):
    """Returns NumPy's type for elements of a type."""
    if dtype == "f64":
        return np.float64
    return np.float32 if dtype in FLOATS else np.bool_ if dtype == "bool" else INTEGERS[dtype]


def round_by_steps(x, bits, smallest):
    """Rounds float64 numbers to `bits` significant bits, to nearest even, with the smallest step 2^smallest."""
    exponent = np.frexp(x)[1]
    step = np.maximum(exponent - bits, smallest)
    rounded = np.ldexp(np.rint(np.ldexp(x, -step)), step)
    return np.where(np.isfinite(x), rounded, x)


def round_bf16(x):
    """Rounds float64 numbers to bf16, which has the range of f32."""
    rounded = round_by_steps(np.asarray(x, np.float64), 8, -133)
    return np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, x), rounded).astype(np.float32)


def bf16_of_f32(x):
    """Rounds float32 numbers to bf16 by their bits."""
    bits = x.view(np.uint32)
    rounded = ((bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(x), x, rounded)


def round_float(dtype, x, saturates=False):
    """Rounds float64 numbers to the nearest of a float type, in its carrier.

    Numbers beyond the range become infinite, or NaN in a type without infinity; or they saturate in an f8.
    """
    if dtype in ("f64", "f32"):
        return x.astype(carrier(dtype))
    if dtype == "f16":
        return x.astype(np.float16).astype(np.float32)
    if dtype == "bf16":
        short = x.astype(np.float32)
        return bf16_of_f32(short) if (short == x).all() else round_bf16(x)
    bits, smallest, largest = F8[dtype]
    rounded = round_by_steps(x, bits, smallest)
    if saturates:
        rounded = np.clip(rounded, -largest, largest)
    elif dtype == "f8e5m2":
        rounded = np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded)
    else:
        rounded = np.where(np.abs(rounded) > largest, np.nan, rounded)
    return rounded.astype(np.float32)


def wrap(number, bits=64):
    """Returns a Python integer as two's complement of `bits` bits."""
    half = 1 << (bits - 1)
    return number if -half <= number < half else ((number + half) & ((1 << bits) - 1)) - half


def integers_of_floats(dtype, x):
    """Truncates toward zero; numbers beyond the range saturate, and NaN becomes 0."""
    kind = INTEGERS[dtype]
    limits = np.iinfo(kind)
    x = np.trunc(np.asarray(x, np.float64))
    is_high, is_low = x >= float(limits.max), x <= float(limits.min)
    small = np.where(is_high | is_low | np.isnan(x), 0.0, x).astype(kind)
    # Limits of other types would make a scalar of u64 a float.
    return np.where(is_high, kind(limits.max), np.where(is_low, kind(limits.min), small))


def floats_of_integers(dtype, x):
    """Rounds once, including integers that float64 cannot represent."""
    if dtype in ("f64", "f32"):
        return x.astype(carrier(dtype))
    if x.dtype.itemsize == 8:
        # The lowest bits only matter as zero or not zero.
        kind = x.dtype.type
        sticky = (x >> kind(10)) | ((x & kind(1023)) != 0).astype(kind)
        is_large = np.abs(x.astype(np.float64)) >= 2.0**53
        return round_float(dtype, np.where(is_large, sticky.astype(np.float64) * 1024.0, x.astype(np.float64)), True)
    return round_float(dtype, x.astype(np.float64), True)


def convert(x, source, target):
    """Converts elements of one type to another."""
    if source == target:
        return x
    if target == "bool":
        raise ValueError("nothing becomes a bool")
    if source == "bool":
        return x.astype(carrier(target))
    if source in FLOATS:
        return round_float(target, x.astype(np.float64), True) if target in FLOATS else integers_of_floats(target, x)
    return floats_of_integers(target, x) if target in FLOATS else x.astype(INTEGERS[target])
