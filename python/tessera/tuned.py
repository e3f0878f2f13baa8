# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuned choices: which compile-time parameters a kernel takes for which shapes, as `tile-tune choose` writes
them. lib/Tools/compile/TunedChoices.cpp reads the same files for tilec."""

import pathlib
import typing

from .toml_file import Table, read

# What a choice may set beside compile-time parameters: options of tilec that change no results.
OPTIONS = ("--fetch-stages", "--raster-group")
_BOUNDS = ("min", "max", "multiple")


def path_beside(source, kind="tuned"):
    """kernel.tuned.toml beside kernel.tile."""
    return pathlib.Path(source).with_suffix(f".{kind}.toml")


class Bounds:
    """The shapes that a class holds: {"M": {"max": 128}} is those of at most 128 rows."""

    def __init__(self, rows, place):
        self.rows = rows
        for size, bounds in rows.items():
            table = Table(bounds, f"{place}: sizes: {size}")
            for key in _BOUNDS:
                if table.take(key, int, 1) < 1:
                    raise table.error(f"expected '{key}' to be positive, got {bounds[key]}")
            table.finish()

    def hold(self, sizes):
        """Whether a shape is one of the class; a size that is not known fits no bounds."""
        return all(
            size in sizes
            and bounds.get("min", 0) <= sizes[size]
            and sizes[size] <= bounds.get("max", sizes[size])
            and sizes[size] % bounds.get("multiple", 1) == 0
            for size, bounds in self.rows.items())


def spell(value):
    """A compile-time value as `tilec -D` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Winner(typing.NamedTuple):
    """A row of the file."""

    kernel: str
    given: dict
    bounds: Bounds
    choose: dict


class Winners:
    """The rows of a file of winners, in their order."""

    def __init__(self, path):
        self.path = pathlib.Path(path).absolute()
        # Of the file as it was read.
        self.identity = str(self.path), self.path.stat().st_mtime_ns if self.path.exists() else 0
        table = Table(read(path), str(path))
        table.take("device", str, "")
        self.rows = [self._read(row) for row in table.tables("winner")]
        table.finish()

    def _read(self, row):
        kernel = row.take("kernel", str)
        row.take("class", str, "")
        winner = Winner(kernel, self._spell(row, "given"), Bounds(row.take("sizes", dict, {}), row.place),
                        self._spell(row, "choose"))
        row.finish()
        for name in winner.choose:
            if name.startswith("-") and name not in OPTIONS:
                raise row.error(f"'choose' has '{name}'; of tilec's options it may have {' and '.join(OPTIONS)}")
        return winner

    @staticmethod
    def _spell(row, key):
        table = Table(row.take(key, dict, {}), f"{row.place}: {key}")
        values = {name: spell(table.take(name, (bool, int, float, str))) for name in table.names()}
        table.finish()
        return values

    def choose(self, kernel, values, defaults, sizes):
        """What the first row that fits a call adds to the compile-time values that it gives: texts by name,
        nothing if no row fits. `defaults` has the plain ones of those that are not given."""
        known = {**defaults, **values}
        for row in self.rows:
            if (row.kernel == kernel and row.bounds.hold(sizes)
                    and all(known.get(name) == value for name, value in row.given.items())):
                return {} if row.choose.keys() & values.keys() else dict(row.choose)
        return {}


def find_winners(source, tuned):
    """The Winners that a .tile file is loaded with, or None: those of a file, or None for the one beside the source,
    if it is there, or False."""
    if tuned is False:
        return None
    path = path_beside(source) if tuned is None else pathlib.Path(tuned)
    return Winners(path) if tuned is not None or path.exists() else None
