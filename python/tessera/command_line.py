# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel: `tessera`, tilec, tile-run and the others."""

import os
import pathlib
import sys


def _find(name):
    """The program of a wheel, which goes by the name it is called; in a checkout the tool of the build."""
    here = pathlib.Path(__file__).resolve().parent
    program = here / "bin" / "tessera"
    return program if program.exists() else here.parents[1] / "build" / "bin" / name


def main():
    """Becomes the tool by whose name it was called, with its arguments."""
    name = pathlib.Path(sys.argv[0]).name
    program = _find(name)
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: error: cannot run {program}: {error.strerror}; './tessera build' makes "
                 "the tools of a checkout")
