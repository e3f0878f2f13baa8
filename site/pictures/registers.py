# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture of the registers that hold the product `q @ k.T`, drawn from the layout that tile-layout prints."""

import re
import subprocess

from drawing import Drawing

COMMAND = ("tile-layout", "wgmma-acc", "128x128", "2")


def read_layout(command):
    """Returns {axis: [(count, (row, column))]} of a layout: the digits of each axis of places, the fastest first."""
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.search(r"^layout: .*?= (.*)$", printed, re.M)[1]
    return {axis: [(int(count), (int(row), int(column)))
                   for count, row, column in re.findall(r"(\d+)\*\((\d+),(\d+)\)", digits)]
            for axis, digits in re.findall(r"(\w+)\[(.*?)\]", text)}


def place_of(layout, **places):
    """Returns the element (row, column) at a place. The strides of this layout have no common bits."""
    row = column = 0
    for axis, number in places.items():
        for count, (down, across) in layout[axis]:
            row, column, number = row + number % count * down, column + number % count * across, number // count
    return row, column


def size_of(layout, axis):
    size = 1
    for count, _ in layout[axis]:
        size *= count
    return size


def draw_product_registers() -> Drawing:
    layout = read_layout(COMMAND)
    registers, lanes, warps = (size_of(layout, axis) for axis in ("register", "lane", "warp"))
    holders = {place_of(layout, register=r, lane=lane, warp=warp): (r, lane, warp)
               for r in range(registers) for lane in range(lanes) for warp in range(warps)}
    rows, columns = (max(place[axis] for place in holders) + 1 for axis in (0, 1))
    if len(holders) != rows * columns:
        raise ValueError("an element has two places")
    picture = Drawing(850, 452, f"The {rows}x{columns} scores q @ k.T in the registers of {warps} warps: a row lies in "
                      "four neighbouring lanes of one warp")
    left, top, scale = 16, 66, 2.3
    picture.text(left, 24, f"s = q @ k.T: f32[{rows}, {columns}]", "b")
    picture.text(left, 44, f"{warps} warps, 2 warpgroups", "s")
    high = rows // warps
    for warp in range(warps):
        if any(holders[row, column][2] != warp for row in range(warp * high, (warp + 1) * high)
               for column in range(columns)):
            raise ValueError("a warp does not hold consecutive rows")
        picture.box(left, top + warp * high * scale, columns * scale, high * scale,
                    "blue" if warp < warps // 2 else "green",
                    f"warp {warp}: rows {warp * high} to {warp * high + high - 1}", round=0)
    # The corner of warp 0.
    wide, x0, cell, tall = 16, 364, 29, 21
    right = left + columns * scale
    picture.line((right, top), (x0 - 6, top), dashed=True)
    picture.line((right, top + high * scale), (x0 - 6, top + high * tall), dashed=True)
    picture.text(x0, 24, f"warp 0: rows 0 to {high - 1}, columns 0 to {wide - 1} of {columns}", "b")
    picture.text(x0, 44, "lane: the two registers that hold two columns of a row", "s")
    pairs = [(row, column) for row in range(high) for column in range(0, wide, 2)]
    # The marked ones last, so that their borders stay visible.
    for row, column in sorted(pairs, key=lambda pair: holders[pair][1] == 0):
        (first, lane, _), (second, other, _) = holders[row, column], holders[row, column + 1]
        if lane != other:
            raise ValueError("a lane does not hold pairs of columns")
        picture.box(x0 + column * cell, top + row * tall, 2 * cell, tall, "orange" if lane == 0 else "blue",
                    f"{lane}: r{first} r{second}", text="t", round=0)
    mine = sorted(place for place, (_, lane, warp) in holders.items() if lane == 0 and warp == 0)
    held = sorted({row for row, _ in mine})
    per_row = sorted({holders[0, column][1] for column in range(columns)})
    y = top + high * tall + 22
    first = [column for row, column in mine if row == held[0]][:6]
    picture.text(x0, y, f"Lane 0 holds {registers} elements: rows {held[0]} and {held[1]},", "s")
    picture.text(x0, y + 16, f"columns {', '.join(map(str, first))} and so on.", "s")
    lines = (f"Row 0 lies in lanes {per_row[0]} to {per_row[-1]} of a warp. A",
             "reduction along the row first combines the", "registers of each lane, then the lanes, in",
             "two shuffles.")
    for number, words in enumerate(lines):
        picture.text(left, top + rows * scale + 26 + 16 * number, words, "s", limit=(4, x0))
    return picture
