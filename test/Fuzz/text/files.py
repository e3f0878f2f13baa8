# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves functions of a program to other files, which it uses. The meaning stays."""

import re
import zlib

FN = re.compile(r"^fn (\w+)\((?:[^\n]*\}\n|.*?^\}\n)", re.M | re.S)
LIBRARY = re.compile(r'^use "(std/[^"]*)" \((.*)\);\n', re.M)
# Functions of a file call those before them, and are in the files before it.
PATHS = ("parts/first.tile", "second.tile")


def spread(text):
    """Returns the texts of the files of a program by path. Half of the programs with functions have several."""
    seed = zlib.crc32(text.encode())
    fns = list(FN.finditer(text))
    if not fns or seed % 2:
        return {"kernel.tile": text}
    names = [fn[1] for fn in fns]
    cut = seed // 2 % (len(fns) + 1)
    library = LIBRARY.findall(text)
    rest = LIBRARY.sub("", FN.sub("", text))
    first, second = ("".join(fn[0] for fn in part) for part in (fns[:cut], fns[cut:]))
    uses = [(PATHS[0], names[:cut]), (PATHS[1], names[cut:]), *((path, words.split(", ")) for path, words in library)]
    return {PATHS[0]: use(uses[2:], first), PATHS[1]: use(uses[:1] + uses[2:], second), "kernel.tile": use(uses, rest)}


def use(uses, text):
    """Returns a text after the `use` of the functions that it calls."""
    lines = []
    for path, names in uses:
        called = [name for name in names if re.search(rf"\b{name}\b", text)]
        lines += [f'use "{path}" ({", ".join(called)});\n'] * bool(called)
    return "".join(lines) + text
