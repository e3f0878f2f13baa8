# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks candidates before they are measured, by the time that tilec predicts."""

import math

from .space import format_sizes


def predicted(candidate, shapes):
    """Returns the geometric mean of the predicted microseconds over shapes; None if one of them has no prediction."""
    times = [candidate.get("predicted", {}).get(format_sizes(shape)) for shape in shapes]
    if not all(times):
        return None
    return math.exp(sum(math.log(time) for time in times) / len(times))


def key(candidate, shapes):
    """Orders candidates: by time, then those without a prediction, then those that spill registers."""
    time = predicted(candidate, shapes)
    return candidate["spilled"], time is None, time or 0
