# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses the winner of each class of shapes from the journal, and writes the file of winners."""

import math
import os
import pathlib

from ..errors import TuningError
from ..support.toml_file import format_key, format_value
from .space import DEFAULTS

_HEAD = """\
# Written by 'tile-tune choose': compile-time parameters by kernel and class of shapes. The first row that fits a
# call applies, see docs/tuning.md. The file may be edited; the next 'choose' overwrites it.
"""


def _times(target, journal):
    """Returns {candidate's name: [milliseconds at each shape]} of the candidates that were right at all shapes."""
    found = {}
    for row in target.candidates(spilled=True):
        lines = [journal.find(row["file"], shape) for shape in target.shapes]
        if all(line and line["status"] == "ok" for line in lines):
            found[row["name"]] = [line["ms"] for line in lines]
    return found


def _compare(times):
    """Returns the names, best first, and for each the geometric mean of its times relative to the best ones."""
    best = [min(column) for column in zip(*times.values())]
    means = {name: math.exp(sum(math.log(ms / least) for ms, least in zip(row, best)) / len(row))
             for name, row in times.items()}
    # Ties keep the order of the candidates.
    return sorted(means, key=means.get), means


def finalists(target, journal, count):
    """Returns the rows of the best candidates of a class, and of the defaults."""
    times = _times(target, journal)
    if not times:
        return []
    order, _ = _compare(times)
    wanted = {*order[:count], *({DEFAULTS} & times.keys())}
    return [row for row in target.candidates(spilled=True) if row["name"] in wanted]


def _final_times(target, journal, count):
    """Returns the times of the finalists, measured in turn; None if one was not measured or failed."""
    rows = finalists(target, journal, count)
    found = {row["name"]: [] for row in rows}
    for shape in target.shapes:
        line = journal.find_finals([row["file"] for row in rows], shape)
        if not line or any(row["file"] not in line["times"] for row in rows):
            return None
        for row in rows:
            found[row["name"]].append(line["times"][row["file"]]["ms"])
    return found


def choose(target, journal, count, margin):
    """Returns the winner's row and its speedup over the defaults (or None); None if no candidate was right at all
    shapes."""
    times = _final_times(target, journal, count) or _times(target, journal)
    if not times:
        return None
    order, means = _compare(times)
    name = order[0]
    if DEFAULTS in means and means[DEFAULTS] <= means[name] * (1 + margin):
        name = DEFAULTS
    row = next(row for row in target.group["candidates"] if row["name"] == name)
    return row, means[DEFAULTS] / means[name] if DEFAULTS in means else None


def _format_row(target, row, ratio):
    note = f"   # {ratio:.2f} times as fast as the defaults" if ratio and row["choose"] else ""
    values = {"kernel": target.group["kernel"], "class": target.row["name"], "given": target.group["given"],
              "sizes": target.row["sizes"], "choose": row["choose"]}
    lines = [f"{format_key(key)} = {format_value(value)}" for key, value in values.items()]
    return "\n".join(["[[winner]]", *lines]) + note + "\n"


def write(path, device, chosen):
    """Writes the file; `chosen` has the (target, row, ratio) of each class."""
    parts = [_HEAD, f"device = {format_value(device)}\n"]
    parts += ["\n" + _format_row(*one) for one in chosen]
    path = pathlib.Path(path)
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text("".join(parts))
        os.replace(temporary, path)
    except OSError as error:
        raise TuningError(f"cannot write '{path}': {error.strerror}") from None


def failures(targets, journal, spilled):
    """Returns a line for each candidate that failed, sorted by status."""
    found = {}
    for target in targets:
        for row in target.candidates(spilled):
            for shape in target.shapes:
                line = journal.find(row["file"], shape)
                if line and line["status"] not in ("ok", "lost"):
                    found.setdefault((line["status"], target.group["kernel"], row["name"]), line["error"])
    return [f"{status}: {kernel} {name}: {error}" for (status, kernel, name), error in sorted(found.items())]
