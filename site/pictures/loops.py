# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of loops: an online softmax, a peeled mask, and a ring between a producer and its consumers."""

import math

from drawing import Drawing


def draw_online_softmax() -> Drawing:
    """The first loop of softmax over three tiles of four elements, with its numbers."""
    tiles = ([1.0, 2.0, 0.5, 1.5], [3.0, 1.0, 2.0, 0.5], [1.5, 2.5, 1.0, 2.0])
    picture = Drawing(790, 360, "An online softmax over three tiles: the maximum grows in the second tile, and the sum "
                      "is rescaled")
    left, width, bar, base, unit = 150, 196, 38, 182, 36
    most, total = -math.inf, 0.0
    names = ("new", "exp(most - new)", "sum(exp(t - new))", "total")
    for number, name in enumerate(names):
        picture.text(8, 226 + number * 26, name, "m")
    for step, tile in enumerate(tiles):
        x = left + step * (width + 14)
        picture.text(x + width / 2, 22, f"tile {step}: t = x[m, n]", "b", "middle")
        new = max(most, *tile)
        factor = math.exp(most - new)
        part = sum(math.exp(value - new) for value in tile)
        old, total = total, total * factor + part
        for place, value in enumerate(tile):
            kind = "orange" if value == new and new > most else "blue"
            place_x = x + 10 + place * (bar + 8)
            picture.box(place_x, base - value * unit, bar, value * unit, kind, round=0)
            picture.text(place_x + bar / 2, base - value * unit - 6, f"{value:g}", "s", "middle")
        picture.line((x, base - new * unit), (x + width, base - new * unit), dashed=True)
        rows = (f"{new:g}", f"{factor:.3f}", f"{part:.3f}",
                f"{old:.3f} * {factor:.3f} + {part:.3f} = {total:.3f}")
        for number, words in enumerate(rows):
            kind = "m" if number < 3 else "s"
            picture.text(x + width / 2, 226 + number * 26, words, kind, "middle", (x - 6, x + width + 6))
        most = new
    picture.line((left, base), (left + 3 * width + 28, base))
    exact = sum(math.exp(value - most) for tile in tiles for value in tile)
    if abs(exact - total) > 1e-12:
        raise ValueError("the running sum is not the sum")
    picture.text(8, 336, "Dashed: most, the running maximum. "
                 f"After one pass over the row, total = {total:.3f} is the sum of exp(x - {most:g}).", "s")
    return picture


def draw_mask_peeling() -> Drawing:
    """A loop with a mask, and the two loops that replace it."""
    size, tile = 1000, 256
    count, whole = -(-size // tile), size // tile
    picture = Drawing(760, 264, f"A mask is needed only in the last of {count} tiles: the loop is split into one "
                      "without a mask and one with it")
    left, width, height = 40, 160, 44

    def draw_row(top: int, masked) -> None:
        for step in range(count):
            x = left + step * (width + 10)
            words = ("load, mask, add", f"n = {step * tile} to {min(size, (step + 1) * tile) - 1}")
            if not masked(step):
                words = ("load, add", words[1])
            picture.box(x, top, width, height, "orange" if masked(step) else "green", *words)
            if step + 1 < count:
                picture.line((x + width, top + height / 2), (x + width + 9, top + height / 2), arrow=True)

    picture.text(left, 28, f"as written: for n in tiles(N, {tile}), N = {size}", "b")
    draw_row(40, lambda step: True)
    picture.line((380, 96), (380, 130), arrow=True)
    picture.text(396, 118, "tile-peel-masks", "m")
    picture.text(left, 158, "compiled: two loops", "b")
    draw_row(170, lambda step: step >= whole)
    step = width + 10
    picture.span(left, 232, whole * step - 10, f"{whole} whole tiles, below N - {tile - 1} = {size - tile + 1}",
                 below=True)
    picture.span(left + whole * step, 232, width, "the rest, with its mask", below=True)
    return picture


def simulate_ring(slots: int, steps: int, copy: int, work: int):
    """Returns for each step when its copy starts and ends, and when the consumers start and release its slot."""
    times, producer, consumer = [], 0, 0
    for step in range(steps):
        start = max(producer, times[step - slots][3] if step >= slots else 0)
        begin = max(consumer, start + copy)
        times.append((start, start + copy, begin, begin + work))
        producer, consumer = start + 1, begin + work
    return times


def draw_ring() -> Drawing:
    """A ring of four slots between a producer and two warpgroups, and how it fills in time."""
    slots, steps, copy, work = 4, 9, 4, 2
    times = simulate_ring(slots, steps, copy, work)
    picture = Drawing(820, 400, "A ring of four slots between a producer and two consumer warpgroups")
    now = 12.4
    picture.box(16, 62, 150, 76, "blue", "role load", "4 warps, of which one", "thread issues copies")
    ring, size, top = 288, 66, 66
    states = {}
    for step, (start, full, begin, free) in enumerate(times):
        if start <= now:
            states[step % slots] = (step, "filling" if now < full else "full" if now < begin else
                                    "read" if now < free else "free")
    kinds = {"filling": "blue", "full": "green", "read": "orange", "free": "plain"}
    for slot in range(slots):
        step, state = states[slot]
        words = (state,) if state == "free" else (state, f"k = {step}")
        picture.text(ring + slot * size + size / 2, top - 10, f"slot {slot}", "s", "middle")
        picture.box(ring + slot * size, top, size, 64, kinds[state], *words, round=0)
    right = ring + slots * size
    picture.text(ring + slots * size / 2, 26, "the ring at the dashed line", "b", "middle")
    for number in range(2):
        picture.box(654, 48 + number * 56, 150, 46, "orange", f"warpgroup {number}", "of the role math")
    picture.line((166, 82), (ring - 4, 82), arrow=True)
    picture.text(176, 76, "acquire, copy,", "s")
    picture.text(176, 98, "commit", "s")
    picture.line((ring, 124), (170, 124), arrow=True, dashed=True)
    picture.text(176, 140, "released: empty", "s")
    picture.line((right, 82), (650, 72), arrow=True)
    picture.line((right, 94), (650, 122), arrow=True)
    picture.text(right + 8, 68, "wait, MMA", "s")
    picture.line((650, 140), (right + 4, 124), arrow=True, dashed=True)
    picture.text(right + 30, 158, "release", "s")
    # The timeline.
    left, scale, row = 130, 27, 30
    y = 206
    picture.text(16, y - 14, "in time", "b")
    for slot in range(slots):
        picture.text(16, y + slot * row + 18, f"slot {slot}", "s")
    for step, (start, full, begin, free) in enumerate(times):
        line = y + (step % slots) * row
        for low, high, state in ((start, full, "filling"), (full, begin, "full"), (begin, free, "read")):
            if high > low:
                words = (str(step),) if state != "full" else ()
                picture.box(left + low * scale, line, (high - low) * scale, 24, kinds[state], *words, round=0, text="s")
    end = times[-1][3]
    for number, state in enumerate(("filling", "full", "read")):
        x = left + number * 190
        picture.box(x, y + slots * row + 24, 22, 16, kinds[state], round=0)
        words = {"filling": "the copy of step k", "full": "waits for consumers", "read": "both warpgroups read"}[state]
        picture.text(x + 30, y + slots * row + 37, words, "s")
    picture.line((left + now * scale, y - 14), (left + now * scale, y + slots * row + 8), dashed=True)
    picture.text(16, y + slots * row + 66, "The first copies fill all slots. Then the producer waits for a release, "
                 "so copies overlap with MMAs.", "s")
    if left + end * scale > picture.width:
        raise ValueError("the timeline is cut off")
    return picture
