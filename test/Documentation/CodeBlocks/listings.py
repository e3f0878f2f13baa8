"""Compares a listing of a page with the output of a command.

The lines of a listing occur in the output in this order, up to the numbers of values. `…` on its own line omits
lines; within a line it omits text. Other lines of a listing are adjacent in the output.
"""

import re


def normalize(line):
    line = re.sub(r"%\w+(:\d+|#\d+)?", "%", line.strip())
    return re.sub(r"\s+", " ", line)


def matches(shown, line):
    parts = [re.escape(part) for part in normalize(shown).split("…")]
    return re.fullmatch(".*".join(parts), normalize(line)) is not None


def find_mismatch(shown, output):
    """Returns the first line of a listing that the output lacks, or None."""
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
