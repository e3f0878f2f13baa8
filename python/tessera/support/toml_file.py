# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOML files, with errors that name the file and the table."""

from ..errors import TuningError


def read(path):
    """Returns the contents of the file as a dict."""
    try:
        import tomllib
    except ImportError:
        try:
            import tomli as tomllib
        except ImportError:
            raise TuningError(f"{path}: reading it requires Python 3.11 or the package tomli") from None
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise TuningError(f"cannot read '{path}': {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise TuningError(f"{path}: {error}") from None


_KINDS = {dict: "a table", list: "a list", str: "a string", bool: "a truth value", int: "an integer",
          float: "a number"}


class Table:
    """A table whose keys are taken one by one; `finish` rejects keys that were not taken."""

    def __init__(self, rows, place):
        self.place = place
        if not isinstance(rows, dict):
            raise self.error(f"expected a table, got {rows!r}")
        self._rows, self._asked = rows, []

    def error(self, message):
        return TuningError(f"{self.place}: {message}")

    def take(self, key, kind, default=None):
        """Returns the value of a key, which must have the type `kind`, or one of several types.

        A key without a default is required."""
        self._asked.append(key)
        value = self._rows.get(key, default)
        if value is None:
            raise self.error(f"'{key}' is missing")
        # Booleans are integers in Python, but not in TOML.
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            expected = " or ".join(_KINDS[one] for one in kinds)
            raise self.error(f"expected '{key}' to be {expected}, got {value!r}")
        return value

    def permit(self, *keys):
        """Rejects unknown keys before a misspelled one is missed."""
        for key in self._rows:
            if key not in keys:
                raise self.error(f"unknown key '{key}'; there is {', '.join(keys)}")

    def tables(self, key):
        """Returns the Table of each row of an array of tables."""
        return [Table(row, f"{self.place}: {key} {number}") for number, row in enumerate(self.take(key, list, []), 1)]

    def names(self):
        return list(self._rows)

    def finish(self):
        for key in self._rows:
            if key not in self._asked:
                raise self.error(f"unknown key '{key}'; there is {', '.join(self._asked)}")


def format_value(value):
    """Returns a value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(format_value, value))}]"
    if isinstance(value, dict):
        rows = ", ".join(f"{format_key(key)} = {format_value(item)}" for key, item in value.items())
        return f"{{ {rows} }}" if rows else "{}"
    return f'"{"".join(map(_escape, str(value)))}"'


def _escape(character):
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def format_key(key):
    return key if key.isascii() and key.replace("-", "").replace("_", "").isalnum() else format_value(key)
