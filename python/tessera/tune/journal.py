# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The journal of a folder of packages: one line per measurement, in chronological order."""

import json
import os
import pathlib

from ..support import json_file
from ..errors import TuningError

FILE = "journal.jsonl"


def _key(file, shape):
    return file, tuple(sorted(shape.items()))


class Journal:
    """Lines of earlier runs and of this one.

    A package that was compiled anew has a new file name, so lines of its old name have no effect."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.device = None
        self._results, self._finals = {}, {}
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            text = b""
        except OSError as error:
            raise TuningError(f"cannot read {self.path}: {error.strerror}") from None
        # A killed process leaves an incomplete last line, which is ignored.
        self._whole = text.rfind(b"\n") + 1
        for number, line in enumerate(text[:self._whole].splitlines(), 1):
            try:
                self._take(json_file.parse(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise TuningError(f"{self.path}:{number}: not a line of a journal; delete it") from None

    def _take(self, row):
        if "device" in row:
            self.device = row["device"]
        elif "finals" in row:
            self._finals[tuple(row["finals"]), _key("", row["shape"])] = row
        else:
            self._results[_key(row["file"], row["shape"])] = row

    def add(self, row):
        self._take(row)
        with open(self.path, "ab") as file:
            # Drops the incomplete last line of a killed process.
            file.truncate(self._whole)
            file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            self._whole = file.tell()

    def require_device(self, name):
        """Checks that the journal is of this device: times of two devices do not compare."""
        if self.device is None:
            self.add({"device": name})
        elif self.device != name:
            raise TuningError(f"{self.path} has times of {self.device}, but this device is {name}; name another file "
                              "with --journal")

    def find(self, file, shape):
        """Returns the line of a package at a shape, or None."""
        return self._results.get(_key(file, shape))

    def find_finals(self, files, shape):
        """Returns the line of packages that were timed in turn at a shape, or None."""
        return self._finals.get((tuple(files), _key("", shape)))
