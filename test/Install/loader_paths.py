#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks where the loader looks for the libraries of every program and library in folders.

Usage: loader_paths.py FOLDER...

Each element of RUNPATH and RPATH is an absolute path or begins with $ORIGIN, and no needed library is named
by a relative path. The loader resolves an empty or relative element in the current folder, which may
hold other people's files.
"""

import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"\((RPATH|RUNPATH|NEEDED)\).*\[(.*)\]")


def list_files(folder):
    """Returns the ELF files of a folder: programs, shared libraries, objects."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def find_defects(entries):
    """Yields the defects of the dynamic section of a file."""
    for tag, value in entries:
        if tag == "NEEDED":
            if "/" in value and not value.startswith("/"):
                yield f"it needs {value}, relative to the current folder"
            continue
        for element in value.split(":"):
            if not element.startswith(("/", "$ORIGIN", "${ORIGIN}")):
                yield f"{tag} is '{value}', whose element '{element}' is below the current folder"


def main():
    status = count = 0
    for folder in sys.argv[1:]:
        files = list(list_files(folder))
        if not files:
            sys.exit(f"{folder} has no programs and no libraries")
        for path in files:
            text = subprocess.run(["readelf", "-dW", str(path)], check=True, capture_output=True, text=True).stdout
            count += "Dynamic section" in text
            for defect in find_defects(ENTRY.findall(text)):
                print(f"{path}: {defect}")
                status = 1
    print(f"{count} programs and shared libraries")
    return status


if __name__ == "__main__":
    sys.exit(main())
