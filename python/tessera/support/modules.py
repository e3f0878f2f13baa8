# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that a source uses, which are read together with it.

A key of the cache includes their texts. The compiler reports errors in a `use`, so a file that cannot be read is no
error here.
"""

from __future__ import annotations

import os
import pathlib
import re
import typing

_BLANK = re.compile(rb"\s+|//[^\n]*")
_STRING = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_NAMES = re.compile(rb"\((?:[^)/]|//[^\n]*\n)*\)")


class File(typing.NamedTuple):
    """A file that a source uses. `path` is relative to the same folder as the path of the source. `text` is None if the
    file cannot be read."""

    path: str
    text: bytes | None


def _skip(text, place):
    while blank := _BLANK.match(text, place):
        place = blank.end()
    return place


def find_uses(text: bytes) -> list[str]:
    """Returns the paths of `use "path" (names);` at the top of a source."""
    paths = []
    place = _skip(text, 3 if text.startswith(b"\xef\xbb\xbf") else 0)
    while text.startswith(b"use", place):
        path = _STRING.match(text, _skip(text, place + 3))
        names = path and _NAMES.match(text, _skip(text, path.end()))
        if not names:
            break
        paths.append(re.sub(rb"\\(.)", rb"\1", path[1]).decode(errors="replace"))
        place = _skip(text, names.end())
        place = _skip(text, place + text.startswith(b";", place))
    return paths


def read(source: str | os.PathLike[str], text: bytes) -> tuple[File, ...]:
    """Returns the files that a source uses, and those that these use, each once."""
    main, found, pending = os.path.normpath(source), {}, [(os.path.dirname(source), text)]
    while pending:
        folder, text = pending.pop()
        for path in find_uses(text):
            if path.startswith("std/") or os.path.isabs(path):
                continue
            path = os.path.normpath(os.path.join(folder, path))
            # The compiler allows fewer files.
            if path in found or path == main or len(found) >= 1000:
                continue
            found[path] = File(path, _read(path))
            pending.append((os.path.dirname(path), found[path].text or b""))
    return tuple(found[path] for path in sorted(found))


def _read(path):
    try:
        # A pipe would block.
        return pathlib.Path(path).read_bytes() if os.path.isfile(path) else None
    except OSError:
        return None
