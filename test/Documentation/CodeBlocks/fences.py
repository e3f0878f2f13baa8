"""Reads the code blocks of a page, with the marks that state how each block is checked.

A mark is an HTML comment on its own line above the block, which readers of the page do not see:

  <!-- file: add.tile -->      the block is also a file of this name, for the blocks after it
  <!-- needs: ptxas -->        the block is executed if the tool is found; names as in code_blocks.py
  <!-- sketch: why -->         the block is not executed, for this reason
"""

import dataclasses
import re

FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)$")
MARK = re.compile(r"^ *<!-- *([\w-]+)(?:: *(.*?))? *-->$")


@dataclasses.dataclass
class Block:
    line: int
    kind: str
    text: str
    marks: dict
    # Offsets in the page: of the line of the fence, and of the end.
    start: int = 0
    end: int = 0


def read_blocks(page: str) -> list:
    """Returns the fenced blocks of a page, in order. An unclosed block ends with the page."""
    blocks, marks, current, offset = [], {}, None, 0
    for number, line in enumerate(page.splitlines(keepends=True), 1):
        bare = line.rstrip("\n")
        fence = FENCE.match(bare)
        if current:
            if fence and not fence[3].strip() and len(fence[2]) >= len(ticks):
                current.end = offset + len(line)
                blocks.append(current)
                current = None
            else:
                current.text += line[indent:] if line[:indent].isspace() or not indent else line
        elif fence:
            indent, ticks = len(fence[1]), fence[2]
            current = Block(number, fence[3].strip(), "", marks, offset)
            marks = {}
        elif mark := MARK.match(bare):
            marks = {**marks, mark[1]: mark[2] or ""}
        elif bare.strip():
            marks = {}
        offset += len(line)
    if current:
        current.end = offset
        blocks.append(current)
    return blocks
