# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the files of the repository that are pages of the documentation."""

import pathlib

PATTERNS = ("*.md", "docs/**/*.md", "examples/**/*.md", "dialects/**/*.md", "gpu/RESULTS.md")


def find_pages(root: pathlib.Path) -> list:
    """Returns the pages, as paths below the repository, in a fixed order."""
    return sorted({page.relative_to(root) for pattern in PATTERNS for page in root.glob(pattern)})
