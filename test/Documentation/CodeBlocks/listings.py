"""Compares what a page shows of an output with the output.

The lines of a listing stand in the output in this order, up to the numbers of values. `…` on a line of
its own leaves lines out, within a line what stands there; elsewhere lines are neighbours.
"""

import re


def normalize(line):
    line = re.sub(r"%\w+(:\d+|#\d+)?", "%", line.strip())
    return re.sub(r"\s+", " ", line)


def matches(shown, line):
    parts = [re.escape(part) for part in normalize(shown).split("…")]
    return re.fullmatch(".*".join(parts), normalize(line)) is not None


def find_mismatch(shown, output):
    """The first line of a listing that the output lacks, or None."""
    place, neighbour = 0, False
    for line in shown:
        if line.strip() == "…":
            neighbour = False
            continue
        candidates = range(place, place + 1 if neighbour else len(output))
        found = next((i for i in candidates if i < len(output) and matches(line, output[i])), None)
        if found is None:
            return line
        place, neighbour = found + 1, True
    return None
