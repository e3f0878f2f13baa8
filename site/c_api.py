# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of the interface for C from the comments of include/tessera-c.

A comment describes the declaration after it. A declaration without a comment belongs to the comment before it.
"""

import re

from api import ApiError, escape

HEAD = """# Interface for C

Generated from the comments of `include/tessera-c`. [Target and runtime](../docs/target.md) explains packages and
launches, [Installing](../docs/installing.md#a-tree-for-c-and-c) how to link the library, and [versions and
stability](../docs/stability.md#the-interface-for-c) which changes to expect.
"""
BANNER = re.compile(r"/\*===-.*?===\*/", re.S)
TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/\s*\n|(?P<macro>#define TESSERA_\w+ \S+)\n|#[^\n]*\n"
                   r"|extern \"C\" \{\n|\}\n|(?P<code>\w(?:[^;{]|\{[^{}]*\})+;)", re.S)
# An enumeration without a name has that of its first constant.
NAME = re.compile(r"^enum\s*\{\s*(\w+)|^typedef[^(;{]*\(\*(\w+)\)|(\w+)\s*\((?!\*)"
                  r"|(?:typedef[^{;]*?(?:\{.*\})?\s*)(\w+);|#define (\w+)", re.S)


def read_banner(text):
    """Returns the description in the banner of a header."""
    lines = [line[3:-2].rstrip() for line in BANNER.search(text)[0].splitlines()]
    # The licence ends at the rule after the title.
    rule = next(number for number, line in enumerate(lines) if number and "==--" in line)
    return "\n".join(f"  {line}" if line.startswith("  ") else line for line in lines[rule + 1:-1]).strip()


def read_comment(text):
    return "\n".join(re.sub(r"^ ?\* ?", "", line).strip() for line in text.strip().splitlines())


def format_code(code):
    """Returns a declaration without the macro of visibility; one parameter per line if it is long."""
    if "{" in code or code.startswith("#"):
        return code.strip()
    code = re.sub(r"\s+", " ", code.replace("TESSERA_EXPORT", "")).strip().replace("( ", "(").replace("* ", "*")
    return code if len(code) <= 90 else code.replace("(", "(\n    ", 1).replace(", ", ",\n    ")


def read_declarations(text):
    """Yields (comment, code) for the declarations of a header; a comment may be None."""
    begin = BANNER.search(text).end()
    comment = None
    for match in TOKEN.finditer(text, begin):
        if match["comment"] is not None:
            comment = read_comment(match["comment"])
        elif match["macro"] and comment:
            yield comment, match["macro"]
            comment = None
        elif match["code"] and match["code"].strip():
            yield comment, match["code"]
            comment = None


def find_name(code):
    match = NAME.search(re.sub(r"/\*.*?\*/", "", code, flags=re.S))
    if not match:
        raise ApiError(f"include/tessera-c has a declaration without a name: {code.strip()}")
    return next(group for group in match.groups() if group)


def describe(header, name):
    text = header.read_text()
    functions, types, handles = [], [], []
    for comment, code in read_declarations(text):
        if not comment and re.fullmatch(r"typedef struct \w+ \w+;", code):
            handles.append(code)
            continue
        is_function = "(" in re.sub(r"/\*.*?\*/", "", code, flags=re.S) and not code.startswith("typedef")
        found = functions if is_function else types
        found.append(f"### {find_name(code)}\n\n```c\n{format_code(code)}\n```\n")
        if comment:
            found.append(f"{escape(comment, 'c')}\n")
    source = f"[Source](../include/tessera-c/{header.name})\n"
    if handles:
        types.append("\n".join(["### Handles\n", "```c", *handles, "```\n"]))
    return [f"## {name}\n", escape(read_banner(text), "c") + "\n", source, *functions, *types]


def write_c_api(root):
    """Returns the page."""
    headers = sorted((root / "include" / "tessera-c").glob("*.h"))
    return "\n".join([HEAD, *(part for header in headers for part in describe(header, header.name))])
