"""Checks the trace that tilec --explain --timeline writes for a product of 4096x4096x4096.

Usage: timeline.py TRACE EXPLANATION"""

import collections
import json
import pathlib
import re
import sys

TENSOR_CORES = "tensor cores"


def main():
    events = json.loads(pathlib.Path(sys.argv[1]).read_text())["traceEvents"]
    explanation = pathlib.Path(sys.argv[2]).read_text()
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = [event for event in events if event["ph"] == "X"]
    print("rows:", ", ".join(sorted(set(names.values()))))

    for event in slices:
        assert event["name"] and event["dur"] > 0 and "kernel.tile:" in event["args"]["place"], event
    print("every slice has a name, a line of kernel.tile and a time")

    rows = collections.defaultdict(list)
    for event in slices:
        rows[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for times in rows.values():
        times.sort()
        assert all(end <= begin for (_, end), (begin, _) in zip(times, times[1:])), times
    print("slices of an agent do not overlap")

    # In each iteration both warpgroups issue a group. A persistent CTA computes four tiles.
    begins = sorted(event["ts"] for event in slices if names[event["tid"]] == TENSOR_CORES)
    period = int(re.search(r"(\d+) cycles each", explanation)[1])
    middle = begins[len(begins) // 4:-len(begins) // 4]
    mean = 2 * (middle[-1] - middle[0]) / (len(middle) - 1)
    assert len(begins) == 4 * 128 and abs(mean - period) <= 0.02 * period, (len(begins), mean, period)
    print("128 MMAs for each of 4 tiles, and the period of the explanation between them")

    waits = {event["args"].get("waits for") for event in slices if names[event["tid"]].startswith("math")}
    print("math waits for:", ", ".join(sorted(waits & {"MMAs", "an mbarrier"})))


main()
