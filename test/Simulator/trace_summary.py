"""Prints the contents of a trace of the simulator, row by row."""

import collections
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
processes = [event["args"]["name"] for event in events if event["name"] == "process_name"]
print(f"{', '.join(processes)}: {', '.join(names[row] for row in sorted(names))}")

slices = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        slices[event["tid"]].append(event)

ops = collections.defaultdict(collections.Counter)
for row, own in slices.items():
    ops[names[row]].update(event["name"] for event in own)
for name, counter in ops.items():
    text = ", ".join(f"{count} {op}" for op, count in counter.items())
    print(f"{name}: {text}")

end = max(event["ts"] + event["dur"] for own in slices.values() for event in own)
overlaps = 0
for row, own in slices.items():
    own.sort(key=lambda event: event["ts"])
    overlaps += sum(a["ts"] + a["dur"] > b["ts"] for a, b in zip(own, own[1:]))
    last = own[-1]
    if last["ts"] + last["dur"] == end and "waits for" in last["args"]:
        print(f"{names[row]} ends waiting for {last['args']['waits for']}")
print(f"{overlaps or 'no'} two slices of a row overlap")
