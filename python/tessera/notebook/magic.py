# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cell magic %%tile, which compiles a cell and defines its kernels."""

import argparse
import difflib
import shlex

from .. import sources
from ..errors import TesseraError
from ..host import devices

_HELP = """%%tile [--device NAME] [--file NAME] [OPTION=VALUE...]

Compiles the kernels of the cell and defines a variable for each of them, by its name. The options are those of
tessera.load: %%tile --device sim order=random seed=3"""

# The arguments of tessera.compile that a text can give.
_OPTIONS = [name for name in devices.ARGUMENTS if name not in ("cache", "device", "tuned")]


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        stop = "" if message.endswith("?") else ";"
        raise ValueError(f"%%tile: {message}{stop} usage: {_HELP.splitlines()[0]}")


def _parse(line):
    parser = _Parser(prog="%%tile", add_help=False)
    parser.add_argument("--device")
    parser.add_argument("--file")
    parser.add_argument("options", nargs="*")
    found = parser.parse_args(shlex.split(line))
    options = {}
    for option in found.options:
        name, equals, value = option.partition("=")
        if not equals:
            parser.error(f"expected OPTION=VALUE, got '{option}'")
        if name in ("device", "file"):
            parser.error(f"write --{name} {value} instead of {option}")
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            parser.error(f"there is no option '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        options[name] = value.split() if name == "options" else value
    return found, options


def define(shell, line, cell):
    """Compiles a cell and defines its kernels in the shell."""
    found, options = _parse(line)
    file = found.file or f"cell-{shell.execution_count}.tile"
    source = sources.compile(cell, file=file, device=found.device, **options)
    shell.push({name: source[name] for name in source})


def register(shell):
    """Registers the magic in an IPython shell."""
    def tile(line, cell):
        try:
            define(shell, line, cell)
        except (TesseraError, ValueError) as error:
            # The place of the error is in the cell; the frames of this package would only hide it.
            raise error.with_traceback(None) from None

    tile.__doc__ = _HELP
    shell.register_magic_function(tile, "cell", "tile")
