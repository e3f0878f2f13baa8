# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuned choices: the compile-time parameters of kernels by class of shapes, as `tile-tune choose` writes them.

lib/Tools/compile/tuning/TunedChoices.cpp reads the same files for tilec."""

import pathlib
import typing

from .support.toml_file import Table, read

# Options of tilec that a choice may set as well; they do not change results.
OPTIONS = ("--fetch-stages", "--raster-group")
_BOUNDS = ("min", "max", "multiple")


def path_beside(source, kind="tuned"):
    """Returns the path kernel.tuned.toml for kernel.tile."""
    return pathlib.Path(source).with_suffix(f".{kind}.toml")


class Bounds:
    """The shapes of a class: {"M": {"max": 128}} holds shapes of at most 128 rows."""

    def __init__(self, rows, place):
        self.rows = rows
        for size, bounds in rows.items():
            table = Table(bounds, f"{place}: sizes: {size}")
            for key in _BOUNDS:
                if table.take(key, int, 1) < 1:
                    raise table.error(f"expected '{key}' to be positive, got {bounds[key]}")
            table.finish()

    def hold(self, sizes):
        """Whether a shape belongs to the class; an unknown size fits no bounds."""
        return all(
            size in sizes
            and bounds.get("min", 0) <= sizes[size]
            and sizes[size] <= bounds.get("max", sizes[size])
            and sizes[size] % bounds.get("multiple", 1) == 0
            for size, bounds in self.rows.items())


def spell(value):
    """Returns a compile-time value as `tilec -D` takes it."""
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
        # Identifies the file as it was read.
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
        """Returns the compile-time values that the first matching row adds to a call: texts by name.

        Returns {} if no row matches. `defaults` has the constant defaults."""
        known = {**defaults, **values}
        for row in self.rows:
            if (row.kernel == kernel and row.bounds.hold(sizes)
                    and all(known.get(name) == value for name, value in row.given.items())):
                return {} if row.choose.keys() & values.keys() else dict(row.choose)
        return {}


def find_winners(source, tuned):
    """Returns the Winners of a .tile file, or None.

    `tuned` names a file. None is the file in the folder of the source, if it exists; False is no file."""
    if tuned is False:
        return None
    path = path_beside(source) if tuned is None else pathlib.Path(tuned)
    return Winners(path) if tuned is not None or path.exists() else None
