# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers our lexers with Pygments, and links each page to its source for editing. MkDocs loads this file."""

import pathlib
import sys

from pygments.lexers._mapping import LEXERS

ROOT = pathlib.Path(__file__).resolve().parents[1]

sys.path.append(str(ROOT / "site"))

import tile_lexer  # noqa: E402

for lexer in (tile_lexer.TileLexer, tile_lexer.MlirLexer):
    LEXERS[lexer.__name__] = (lexer.__module__, lexer.name, tuple(lexer.aliases), tuple(lexer.filenames), ())


def on_page_context(context, page, config, nav):
    """Removes the link for editing from generated pages; a page that shows a file links to the file."""
    path = page.file.src_uri
    if path.startswith("sources/"):
        path = path[len("sources/"):-len(".md")]
    is_source = (ROOT / path).is_file()
    page.edit_url = f"{config.repo_url.rstrip('/')}/{config.edit_uri}{path}" if config.repo_url and is_source else None
    return context
