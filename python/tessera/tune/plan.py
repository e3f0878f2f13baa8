# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan.json of a folder of packages: the data for measuring and choosing, without the sources."""

import json
import os
import pathlib
import typing

from ..support import json_file
from ..errors import TuningError
from ..tuned import spell
from . import ranking
from .space import DEFAULTS, format_choice

FILE = "plan.json"
# The form (json_file.check) of the data that measuring and choosing read.
_FORM = {"source": str, "tunings": [{
    "tolerance": (int, float), "arguments": dict,
    "groups": [{
        "kernel": str, "given": dict,
        "candidates": [{"name": str, "choose": dict, "file": str}],
        "classes": [{"name": str, "sizes": dict, "shapes": [dict], "candidates": [str], "work": list}],
    }],
}]}


class Target(typing.NamedTuple):
    """A class of shapes of one kernel with given values, which gets one winner. Its rows are those of the plan."""

    tuning: dict
    group: dict
    row: dict

    @property
    def name(self):
        given = ["=".join((name, spell(value))) for name, value in self.group["given"].items()]
        return ", ".join([" ".join([self.group["kernel"], *given]), self.row["name"]])

    @property
    def shapes(self):
        return self.row["shapes"]

    def candidates(self, spilled=False):
        """Returns the candidates that can be measured: the defaults first, then by rank."""
        found = [row for row in self.group["candidates"]
                 if row["name"] in self.row["candidates"] and row.get("error", "not compiled") is None
                 and (spilled or not row["spilled"] or row["name"] == DEFAULTS)]
        found.sort(key=lambda row: (row["name"] != DEFAULTS, ranking.key(row, self.shapes)))
        return found


class Plan:
    """The output of `compile`: a row for each [[tune]], with a group for each kernel and given values."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.table = json_file.read(self.folder / FILE, _FORM)
            self.tunings = self.table["tunings"]
        except FileNotFoundError:
            raise TuningError(f"{self.folder} has no {FILE}; 'tile-tune compile KERNEL.tile --out {self.folder}' "
                              "makes it") from None
        except (OSError, ValueError) as error:
            raise TuningError(f"cannot read {self.folder / FILE}: {error}") from None

    def targets(self, only=None):
        """Returns the Targets whose names match a regular expression."""
        found = [target for target in _list_targets(self.table) if not only or only.search(target.name)]
        if not found:
            raise TuningError("no class of shapes matches --only")
        return found


def _list_targets(table):
    return [Target(tuning, group, row) for tuning in table["tunings"] for group in tuning["groups"]
            for row in group["classes"]]


def make(source, tunings):
    """Returns the table of a plan before compilation; `tunings` are those of space.load."""
    return {"source": str(source), "tunings": [_describe(tuning) for tuning in tunings]}


def _describe(tuning):
    return {
        "tolerance": tuning.tolerance, "arguments": tuning.arguments,
        "groups": [_describe_group(tuning, kernel, given) for kernel in tuning.kernels for given in tuning.given],
    }


def _describe_group(tuning, kernel, given):
    candidates = tuning.candidates(kernel, given)
    return {
        "kernel": kernel, "given": given, "defaults": tuning.defaults(kernel),
        "candidates": [{"name": format_choice(choice), "choose": choice} for choice in candidates],
        "classes": [
            {"name": one.name, "sizes": one.bounds.rows, "shapes": list(one.shapes),
             "candidates": [format_choice(choice) for choice in candidates
                            if tuning.suits(given, choice, one.shapes)],
             "work": [_work(tuning, kernel, given, shape) for shape in one.shapes]}
            for one in tuning.classes],
    }


def _work(tuning, kernel, given, shape):
    """Returns the operations of a launch, or None if the file does not give them."""
    values = {**given, **shape}
    if tuning.work is None or not tuning.work.names <= values.keys():
        return None
    return tuning.work.evaluate(values)


def write(folder, table):
    """Writes the plan in one step, so an interrupted process keeps the old plan."""
    path = pathlib.Path(folder) / FILE
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(table, indent=1) + "\n")
    os.replace(temporary, path)


def drop_unwanted(table, only=None):
    """Removes the classes that `only` does not match, and candidates that suit no class."""
    for target in _list_targets(table):
        if only and not only.search(target.name):
            target.group["classes"].remove(target.row)
    for tuning in table["tunings"]:
        for group in tuning["groups"]:
            wanted = {name for row in group["classes"] for name in row["candidates"]}
            group["candidates"] = [row for row in group["candidates"] if row["name"] in wanted]
    if not _list_targets(table):
        raise TuningError("no class of shapes matches --only")


def rate(work, ms):
    """Returns TFLOP/s as a text; empty if the work is unknown."""
    value = (work or 0) / ms / 1e9
    return f"{value:.0f} TFLOP/s" if value >= 100 else f"{value:.3g} TFLOP/s" if work else ""
