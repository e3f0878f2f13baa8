# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel: `tessera`, tilec, tile-run and the others."""

import os
import pathlib
import sys

from . import examples


def _find(name):
    """Returns the program to run: the combined program of a wheel, or the tool of the build in a checkout.

    The combined program acts as the tool by whose name it is called."""
    here = pathlib.Path(__file__).resolve().parent
    program = here / "bin" / "tessera"
    return program if program.exists() else here.parents[1] / "build" / "bin" / name


def main():
    """Replaces this process by the tool of the same name, with the same arguments.

    `tessera examples` prints the folder of the examples, which also has a notebook."""
    # `python -m tessera run …` is `tessera run …`.
    name = "tessera" if __name__ == "__main__" else pathlib.Path(sys.argv[0]).name
    if name == "tessera" and sys.argv[1:] == ["examples"]:
        return print(examples)
    program = _find(name)
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: error: cannot run {program}: {error.strerror}; './tessera build' makes "
                 "the tools of a checkout")


if __name__ == "__main__":
    main()
