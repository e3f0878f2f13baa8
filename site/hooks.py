# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers our lexers with Pygments; MkDocs loads this file."""

import pathlib
import sys

from pygments.lexers._mapping import LEXERS

sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import tile_lexer  # noqa: E402

for lexer in (tile_lexer.TileLexer, tile_lexer.MlirLexer):
    LEXERS[lexer.__name__] = (lexer.__module__, lexer.name, tuple(lexer.aliases), tuple(lexer.filenames), ())
