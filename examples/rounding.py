# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounds float64 arrays to the element types of the language.

A reference must start from the values that the kernel gets. Inputs are therefore rounded here, to nearest even and
with subnormals, by code independent of the compiler's.
"""

import numpy as np

# type: (bits of precision, exponent of the smallest normal, largest finite, saturates)
FORMATS = {
    "f32": (24, -126, (2 - 2.0**-23) * 2.0**127, False),
    "bf16": (8, -126, (2 - 2.0**-7) * 2.0**127, False),
    "f16": (11, -14, 65504.0, False),
    "f8e4m3": (4, -6, 448.0, True),
    "f8e5m2": (3, -14, 57344.0, True),
}


def unit_of(value, dtype):
    """Returns one unit in the last place of a number of `dtype`."""
    precision, lowest, _, _ = FORMATS[dtype]
    return np.ldexp(1.0, np.maximum(np.frexp(value)[1], lowest + 1) - precision)


def round_to(values, dtype):
    """Returns `values` rounded to `dtype`, as float64; integers are unchanged."""
    values = np.asarray(values)
    if values.dtype.kind in "iub":
        return values
    values = values.astype(np.float64)
    precision, lowest, largest, saturates = FORMATS[dtype]
    _, exponent = np.frexp(values)
    # One unit in the last place is 2^(exponent - precision); subnormals share that of the smallest normal.
    unit = np.maximum(exponent, lowest + 1) - precision
    rounded = np.ldexp(np.rint(np.ldexp(values, -unit)), unit)
    overflow = np.copysign(largest if saturates else np.inf, rounded)
    # Infinities are kept only if the format has them.
    rounded = np.where(np.abs(rounded) > largest, overflow, rounded)
    return np.where(np.isfinite(values) | saturates & np.isinf(values), rounded, values)
