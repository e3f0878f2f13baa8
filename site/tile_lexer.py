# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours `.tile` sources and MLIR on the site.

The patterns of the language are those of the grammar in editors/vscode; a test compares its words with the front
end. This module only maps its scopes to tokens of Pygments.
"""

import functools
import json
import pathlib

from pygments.lexer import RegexLexer, bygroups
from pygments.token import (Comment, Keyword, Name, Number, Operator, Punctuation, String, Text,
                            Whitespace)

__all__ = ["TileLexer", "MlirLexer"]  # Pygments loads these.

GRAMMAR = pathlib.Path(__file__).resolve().parents[1] / "editors/vscode/syntaxes/tile.tmLanguage.json"

# The longest prefix of a scope counts.
SCOPES = {
    "comment.line.documentation": String.Doc,
    "comment": Comment.Single,
    "string": String.Double,
    "constant.numeric": Number,
    "constant.language": Keyword.Constant,
    "storage.type": Keyword.Declaration,
    "storage.modifier": Keyword.Declaration,
    "keyword.control": Keyword,
    "keyword.other.clause": Keyword,
    "keyword.operator": Operator,
    "support.type": Keyword.Type,
    "support.function": Name.Builtin,
    "entity.name.function": Name.Function,
    "variable.other.member": Name.Attribute,
}


def _find_token(scope):
    prefixes = [prefix for prefix in SCOPES if scope.startswith(prefix)]
    if not prefixes:
        raise ValueError(f"{GRAMMAR}: the site has no colour for the scope '{scope}'")
    return SCOPES[max(prefixes, key=len)]


@functools.lru_cache(None)
def _read_rules():
    grammar = json.loads(GRAMMAR.read_text())
    rules = []
    for include in grammar["patterns"]:
        for pattern in grammar["repository"][include["include"].lstrip("#")]["patterns"]:
            if "captures" in pattern:
                first, second = (_find_token(pattern["captures"][n]["name"]) for n in "12")
                # The whitespace between the two gets a group as well.
                regex = pattern["match"].replace("\\s+", "(\\s+)")
                rules.append((regex, bygroups(first, Whitespace, second)))
            else:
                rules.append((pattern["match"], _find_token(pattern["name"])))
    return rules + [(r"[A-Za-z_][A-Za-z0-9_]*", Name), (r"[\[\](){},;:.]", Punctuation), (r"\s+", Whitespace)]


class TileLexer(RegexLexer):
    name = "Tessera"
    aliases = ["tile", "tile-error"]
    filenames = ["*.tile"]
    tokens = {"root": _read_rules()}


class MlirLexer(RegexLexer):
    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]
    tokens = {
        "root": [
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String.Double),
            (r"%[\w$.\-]+(?:#\d+|:\d+)?", Name.Variable),
            (r"@[\w$.\-]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"[#!][\w$.]+", Keyword.Type),
            (r"\b(?:bf16|f\d\w*|[su]?i\d+|index|tensor|memref|vector|none)\b", Keyword.Type),
            (r"\b(?:\d+x)+(?:bf16|f\d\w*|i\d+)\b", Keyword.Type),
            (r"\b[a-z_]\w*(?:\.[a-z_]\w*)+", Keyword),
            (r"-?\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)", Number),
            (r"->|[=<>*+\-/|&?]", Operator),
            (r"[A-Za-z_][\w$]*", Name),
            (r"[\[\](){},;:.]", Punctuation),
            (r"\s+", Whitespace),
            # Listings mark omissions by an ellipsis.
            (r"…", Comment),
            (r".", Text),
        ]
    }
