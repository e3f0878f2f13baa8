# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture of the architecture: the levels of the compiler, and the libraries and engines of each."""

from drawing import Drawing

# Level, its meaning, the library that makes it, the engine that executes it.
LEVELS = [
    ("kernel.tile", "mathematics on tiles", None, "NumPy (test/SecondOpinion)"),
    ("tile dialect", "what is computed", "Frontend", "Interpreter"),
    ("sm dialect", "which role does it, and when", "Conversion/TileToSM", "Simulator"),
    ("llvm + nvvm", "one thread", "Conversion/SMToNVVM", None),
    ("PTX", "virtual machine code", "Target", "Emulator"),
    ("package", "machine code and its launch", "Target, ptxas", "Runtime, a GPU"),
]
PASSES = {1: "Dialect/Tile/Transforms", 2: "Dialect/SM/Transforms"}
WIDTH, ROW, TOP, HEIGHT = 860, 84, 58, 46
LEVEL, ENGINE = (280, 250), (600, 240)


def draw_architecture() -> Drawing:
    picture = Drawing(WIDTH, TOP + ROW * len(LEVELS) - 20, "The levels of the compiler, with the library that makes "
                      "each level and the engine that executes it")
    middle, left = LEVEL[0] + LEVEL[1] / 2, LEVEL[0]
    picture.text(135, 32, "libraries (lib/)", "b", "middle")
    picture.text(middle, 32, "levels", "b", "middle")
    picture.text(ENGINE[0] + ENGINE[1] / 2, 32, "executed by", "b", "middle")
    for number, (name, meaning, library, engine) in enumerate(LEVELS):
        y = TOP + number * ROW
        picture.box(left, y, LEVEL[1], HEIGHT, "plain", name, meaning)
        if library:
            picture.line((middle, y - ROW + HEIGHT), (middle, y - 1), arrow=True)
            picture.text(left - 20, y - 14, library, "m", "end")
        if number in PASSES:
            picture.line((left, y + 12), (left - 14, y + 12), (left - 14, y + 34), (left - 1, y + 34), arrow=True)
            picture.text(left - 20, y + 27, PASSES[number], "m", "end")
        if engine:
            picture.box(ENGINE[0], y, ENGINE[1], HEIGHT, "blue", engine)
            picture.line((left + LEVEL[1], y + 23), (ENGINE[0] - 1, y + 23), arrow=True)
    return picture
