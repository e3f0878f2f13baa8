# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns comments of sources into Markdown, for the references of the interfaces."""

import re
import textwrap

# Code, or a name with an underscore that is not in quotes.
NAME = re.compile(r"""`[^`]*`|(?<![\w"])[A-Za-z]\w*_\w+(?:\.\w+)?""")
SIGN = re.compile(r"([*_<\[\]{}])")


class ApiError(Exception):
    """A public name cannot be described."""


def fence(lines, language):
    """Returns indented lines as a block of code."""
    return ["```" + language, *textwrap.dedent("\n".join(lines)).strip("\n").splitlines(), "```"] if lines else []


def escape(text, language):
    """Returns a comment as Markdown. Indented lines become blocks of code. Words in backticks and names with an
    underscore are code, and other signs are text."""
    lines, code = [], []
    for line in text.splitlines():
        if line.startswith("    ") or (code and not line):
            code.append(line)
            continue
        lines += fence(code, language) + [""] * bool(code)
        code = []
        line = NAME.sub(lambda match: f"`{match[0].strip('`')}`", line)
        parts = re.split(r"(`[^`]*`)", line)
        lines.append("".join(part if part.startswith("`") else SIGN.sub(r"\\\1", part) for part in parts))
    return "\n".join(lines + fence(code, language))
