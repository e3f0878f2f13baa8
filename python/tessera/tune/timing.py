# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two ways of timing work on the GPU.

A GPU that multiplies matrices for more than about 45 ms reaches its power limit and lowers its clock by up to a
quarter. A time is therefore meaningful only together with the way of timing:

- burst: rest, warm up, then launches back to back for about 10 ms, at full clocks
- sustained: all variants in turn without a rest, in random order, at the reduced clock

Both return milliseconds per launch from two events around the launches. This hides the host's launch overhead if the
work takes longer. Work shorter than SHORT_MS is captured in graphs of REPEATS launches, so the host limits no
variant.
"""

import random
import statistics
import time

import torch

IDLE_S = 0.12
WARM_UPS = 3
BUSY_MS = 10.0
ROUNDS = 3
SUSTAINED_ROUNDS = 7
HEAT_S = 1.0
SHORT_MS = 0.05
REPEATS = 20


def _launch(work, count):
    """Returns milliseconds per call of `count` calls back to back."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(count):
        work()
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) / count


def count_for(work):
    """Returns the number of calls that take about BUSY_MS; also warms up."""
    _launch(work, 1)
    return min(5000, int(BUSY_MS / max(_launch(work, 3), 1e-4)) + 1)


def burst(work, count):
    """Returns the milliseconds of one of `count` calls after a rest.

    At most as many calls warm up, so that the burst of a long one ends before the clock drops."""
    torch.cuda.synchronize()
    time.sleep(IDLE_S)
    for _ in range(min(WARM_UPS, count)):
        work()
    return _launch(work, count)


def measure_bursts(variants, rounds=ROUNDS):
    """Returns {name: [milliseconds]} of {name: work}, timed in turn so that drift affects all variants alike."""
    counts = {name: count_for(work) for name, work in variants.items()}
    samples = {name: [] for name in variants}
    for _ in range(rounds):
        for name, work in variants.items():
            samples[name].append(burst(work, counts[name]))
    return samples


def measure_sustained(variants, rounds=SUSTAINED_ROUNDS):
    counts = {name: count_for(work) for name, work in variants.items()}
    # Until the clock has dropped.
    name, work = next(iter(variants.items()))
    end = time.monotonic() + HEAT_S
    while time.monotonic() < end:
        _launch(work, counts[name])
    samples = {name: [] for name in variants}
    for _ in range(rounds):
        for name in random.sample(list(variants), len(variants)):
            samples[name].append(_launch(variants[name], counts[name]))
    return samples


def _capture(work):
    """Captures REPEATS calls as one graph, on the caller's stream, which must not be torch's default stream."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream(),
                          capture_error_mode="thread_local"):
        for _ in range(REPEATS):
            work()
    graph.replay()
    torch.cuda.synchronize()
    return graph.replay


def capture_short(variants):
    """Returns ({name: work}, {name: calls in one work}): the variants, or their graphs if any of them is short.

    Work that cannot be captured stays unchanged."""
    if not variants or min(_quick(work) for work in variants.values()) >= SHORT_MS:
        return variants, {}
    works, repeats = dict(variants), {}
    for name, work in variants.items():
        try:
            works[name] = _capture(work)
        except RuntimeError:
            torch.cuda.synchronize()
            continue
        repeats[name] = REPEATS
    return works, repeats


def _quick(work):
    """Returns a rough time per call in milliseconds."""
    _launch(work, 2)
    return _launch(work, 5)


def summarize(samples):
    """Returns the median, and the range of the samples relative to it."""
    median = statistics.median(samples)
    return {"ms": median, "spread": (max(samples) - min(samples)) / median, "samples": samples}
