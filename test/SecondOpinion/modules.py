# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a text and the files that it uses."""

import os
import pathlib

from .parser import parse
from .problems import NotUnderstood

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "std"


def read(text, folder):
    """Returns the tree of a text in a folder, whose functions know the functions that they may call."""
    return Reader().complete(parse(text), pathlib.Path(folder), None)


class Reader:
    """Reads each file once. A file that is still open has no tree."""

    def __init__(self):
        self.files = {}

    def file(self, path, line):
        if path not in self.files:
            self.files[path] = None
            try:
                self.files[path] = self.complete(parse(path.read_text()), path.parent, path)
            except OSError as problem:
                raise NotUnderstood(f"cannot read {path}: {problem}", line) from None
        if self.files[path] is None:
            raise NotUnderstood(f"{path} uses itself", line)
        return self.files[path]

    def complete(self, file, folder, path):
        file.visible.update(file.fns)
        for use in file.uses:
            is_library = use.path.startswith("std/")
            place = LIBRARY / use.path[4:] if is_library else folder / use.path
            used = self.file(pathlib.Path(os.path.abspath(place)), use.line)
            for name in use.names:
                if name not in used.fns:
                    raise NotUnderstood(f"{use.path} has no fn {name}", use.line)
                if name in file.visible or name in file.kernels:
                    raise NotUnderstood(f"{name} has two meanings", use.line)
                file.visible[name] = used.fns[name]
        for fn in file.fns.values():
            fn.visible = file.visible
        return file
