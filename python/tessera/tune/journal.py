# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The journal of a folder of packages: a line for all that was measured, in the order in which it was."""

import json
import os
import pathlib

from .. import json_file
from ..errors import TuningError

FILE = "journal.jsonl"


def _key(file, shape):
    return file, tuple(sorted(shape.items()))


class Journal:
    """Lines of earlier runs, and those of this one. Lines of packages that were compiled anew since have other
    names of files, and are left alone."""

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
        # Who is killed leaves half a line, which is as if it had not been written.
        self._whole = text.rfind(b"\n") + 1
        for number, line in enumerate(text[:self._whole].splitlines(), 1):
            try:
                self._take(json_file.parse(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise TuningError(f"{self.path}:{number}: no line of a journal; delete it") from None

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
            # After half a line of one who was killed.
            file.truncate(self._whole)
            file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            self._whole = file.tell()

    def require_device(self, name):
        """Times of two devices do not compare."""
        if self.device is None:
            self.add({"device": name})
        elif self.device != name:
            raise TuningError(f"{self.path} is of {self.device}, and this is {name}; name another file by --journal")

    def find(self, file, shape):
        """The line of a package at a shape, or None."""
        return self._results.get(_key(file, shape))

    def find_finals(self, files, shape):
        """The line of packages that were timed in turn at a shape, or None."""
        return self._finals.get((tuple(files), _key("", shape)))
