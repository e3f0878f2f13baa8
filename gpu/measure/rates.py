# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speeds and ratios of the rows in a results file of bench.py."""

import math


def list_peers(row):
    """Returns the correct competitors of a row, the fastest first."""
    return row.get("peers", [])


def best_peer(row):
    return next(iter(list_peers(row)), None)


def unit(row):
    return "GB/s" if "bytes" in row else "TFLOP/s"


def rate(row, side):
    """Returns the work per time of a side of a row, in `unit`."""
    return row["bytes"] / side["ms"] / 1e6 if "bytes" in row else row["flops"] / side["ms"] / 1e9


def ratio(row):
    """Returns our speed relative to the fastest competitor, or None."""
    peer = best_peer(row)
    return peer["ms"] / row["ours"]["ms"] if peer and "ours" in row else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
