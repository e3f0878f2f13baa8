# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits a `.tile` file into tokens."""

import collections
import re

from .problems import NotUnderstood

Token = collections.namedtuple("Token", "kind text line")

WORDS = re.compile(
    r"(?P<space>[ \t\r\n]+|//[^\n]*)"
    r"|(?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"
    r"|(?P<int>0x[0-9a-fA-F]+|\d+)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<sign>\.\.|==|!=|<=|>=|<<|>>|&&|\|\||\+=|-=|\*=|/=|[-+*/%@<>=!&|^~(){}\[\],;:.])"
)


def tokenize(text):
    """Returns the tokens of a text, the last of kind "end"."""
    tokens, place, line = [], 0, 1
    while place < len(text):
        match = WORDS.match(text, place)
        if not match:
            raise NotUnderstood(f"cannot read {text[place]!r}", line)
        word = match.group()
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup, word, line))
        line += word.count("\n")
        place = match.end()
    tokens.append(Token("end", "", line))
    return tokens
