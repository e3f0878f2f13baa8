# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of tiles over arrays: grids with a ragged edge, the tiles of a product, and blocks of a causal mask."""

from drawing import Drawing


def draw_vector_grid() -> Drawing:
    """The programs of the first step of the tutorial: tiles of 256 over 1000 elements."""
    size, tile, scale = 1000, 256, 0.68
    count = -(-size // tile)
    picture = Drawing(760, 190, f"{count} programs, each with a tile of {tile} positions; the last tile extends past "
                      f"N = {size}")
    left, top = 28, 62
    picture.span(left, 32, size * scale, f"x: f32[N], N = {size}")
    for program in range(count):
        x, end = left + program * tile * scale, min((program + 1) * tile, size)
        valid = (end - program * tile) * scale
        picture.box(x, top, valid, 46, "blue" if program % 2 == 0 else "green", f"program {program}",
                    f"{program * tile} to {end - 1}", round=0)
        if valid < tile * scale:
            picture.box(x + valid, top, tile * scale - valid, 46, "out", round=0, dashed=True)
    past = left + (size + count * tile) / 2 * scale
    picture.line((past, top + 62), (past, top + 49), arrow=True)
    picture.text(744, top + 76, "past N: reads 0, stores nothing", "s", "end")
    picture.text(744, top + 98, f"n.start = {(count - 1) * tile}, n.limit = {size}", "m", "end")
    picture.text(left, top + 98, "grid (n in tiles(N, 256))", "m")
    return picture


def draw_grid() -> Drawing:
    """A grid of two axes over an array whose sizes are no multiples of the tile."""
    (rows, columns), (bm, bn), scale = (300, 700), (128, 256), 0.62
    picture = Drawing(790, 330, f"A grid of tiles of {bm}x{bn} over an array of {rows}x{columns}: the tiles at the "
                      "right and bottom edges are partial")
    left, top = 66, 54
    across, down = -(-columns // bn), -(-rows // bm)
    for i in range(down):
        for j in range(across):
            x, y = left + j * bn * scale, top + i * bm * scale
            width, height = (min(bn, columns - j * bn)) * scale, (min(bm, rows - i * bm)) * scale
            if width < bn * scale or height < bm * scale:
                picture.box(x, y, bn * scale, bm * scale, "out", round=0, dashed=True)
            is_last = (i, j) == (down - 1, across - 1)
            kind = "orange" if is_last else "blue"
            name = str(i + down * j)
            if height > 40:
                picture.box(x, y, width, height, kind, f"program {name}", round=0)
            else:
                picture.box(x, y, width, height, kind, f"program {name}", round=0, text="s")
    picture.span(left, 32, columns * scale, f"N = {columns}")
    picture.line((46, top), (46, top + rows * scale))
    for y in (top, top + rows * scale):
        picture.line((42, y), (50, y))
    picture.text(4, top + rows * scale / 2, "M =", "s")
    picture.text(4, top + rows * scale / 2 + 15, f"{rows}", "s")
    x = left + across * bn * scale + 24
    picture.text(x, top + 14, "c: T[M, N]", "m")
    picture.text(x, top + 34, "grid (m in tiles(M, 128),", "m")
    picture.text(x, top + 52, "      n in tiles(N, 256))".replace("      ", "\u00a0" * 6), "m")
    picture.text(x, top + 92, f"program {down * across - 1}", "b")
    facts = (f"m.start = {(down - 1) * bm}", f"m.limit = {rows}",
             f"n.start = {(across - 1) * bn}", f"n.limit = {columns}")
    for number, words in enumerate(facts):
        picture.text(x, top + 112 + 18 * number, words, "m")
    picture.box(x, top + 188, 26, 15, "out", round=0, dashed=True)
    picture.text(x + 34, top + 200, "reads 0, is not stored", "s")
    picture.text(x, top + 226, "Programs are numbered", "s")
    picture.text(x, top + 241, "along the first axis.", "s")
    return picture


def draw_matmul() -> Drawing:
    """The tiles of a program of a product, and the roles that the compiler gives to its warps."""
    picture = Drawing(860, 300, "One program of C = A B: a producer warp copies tiles of A and B into a ring, two "
                      "warpgroups multiply them and store a tile of C")
    a, b, c = (36, 126), (190, 24), (190, 126)
    steps = 4
    picture.box(*a, 132, 128, "plain", round=0)
    picture.box(*b, 150, 88, "plain", round=0)
    picture.box(*c, 150, 128, "plain", round=0)
    for step in range(steps):
        picture.box(a[0] + step * 33, a[1] + 42, 33, 42, "blue", round=0)
        picture.box(b[0] + 66, b[1] + step * 22, 50, 22, "green", round=0)
    picture.box(c[0] + 66, c[1] + 42, 50, 42, "orange", round=0)
    picture.text(a[0] + 66, a[1] + 30, "a[m, k]", "m", "middle")
    picture.text(b[0] + 6, b[1] + 48, "b[k, n]", "m")
    picture.text(c[0] + 91, c[1] + 104, "c[m, n]", "m", "middle")
    picture.text(a[0] + 66, a[1] + 146, "A: M x K", "s", "middle")
    picture.text(c[0] + 75, c[1] + 146, "C: M x N", "s", "middle")
    picture.text(b[0] - 8, b[1] + 48, "B: K x N", "s", "end")
    picture.line((a[0] + 6, a[1] + 63), (a[0] + 126, a[1] + 63), arrow=True)
    picture.line((b[0] + 91, b[1] + 6), (b[0] + 91, b[1] + 82), arrow=True)
    # The roles.
    x = 392
    picture.box(x, 30, 120, 58, "blue", "producer", "1 thread, TMA")
    picture.box(x, 196, 120, 62, "orange", "consumers", "2 warpgroups")
    picture.line((x + 60, 88), (x + 60, 112), arrow=True)
    ring = (x, 114)
    for slot in range(4):
        picture.box(ring[0] + slot * 30, ring[1], 30, 24, "blue", round=0)
        picture.box(ring[0] + slot * 30, ring[1] + 24, 30, 24, "green", round=0)
    picture.line((x + 60, 164), (x + 60, 192), arrow=True)
    picture.text(x + 134, 136, "ring in shared memory:", "s")
    picture.text(x + 134, 152, "4 slots, each with a tile", "s")
    picture.text(x + 134, 168, "of A and a tile of B", "s")
    picture.text(x + 134, 50, "waits until a slot is free,", "s")
    picture.text(x + 134, 66, "copies the tiles of step k,", "s")
    picture.text(x + 134, 82, "up to 4 steps ahead", "s")
    picture.text(x + 134, 216, "wait for a slot, multiply on", "s")
    picture.text(x + 134, 232, "tensor cores, release the slot;", "s")
    picture.text(x + 134, 248, "then store the tile of C", "s")
    picture.text(x, 286, "The compiler derives roles, ring and barriers from the kernel.", "s")
    return picture


def draw_causal_blocks() -> Drawing:
    """The blocks of a causal kernel: with a mask that is all true, with another mask, and not computed."""
    queries, keys, block, size = 512, 768, 128, 46
    shift = keys - queries
    kinds = {"whole": "green", "masked": "orange", "skipped": "plain"}
    counts = dict.fromkeys(kinds, 0)
    picture = Drawing(760, 270, f"Blocks of {block}x{block} of causal attention with {queries} queries and {keys} keys")
    left, top = 96, 66
    for i in range(queries // block):
        for j in range(keys // block):
            first, last = i * block + shift, (i + 1) * block - 1 + shift
            kind = "whole" if (j + 1) * block - 1 <= first else "masked" if j * block <= last else "skipped"
            counts[kind] += 1
            picture.box(left + j * size, top + i * size, size, size, kinds[kind], round=0)
    scale = size / block
    picture.line((left + shift * scale, top), (left + keys * scale, top + queries * scale))
    picture.span(left, 46, keys * scale, f"N = {keys} keys, n in tiles(last, {block})")
    picture.text(4, top + 70, "M = 512", "s")
    picture.text(4, top + 86, "queries,", "s")
    picture.text(4, top + 102, "m in tiles", "s")
    picture.text(4, top + 118, "(M, 128)", "s")
    x = left + keys * scale + 36
    notes = (("whole", "the mask is all true and skipped"), ("masked", "on the diagonal: the mask applies"),
             ("skipped", "past last: not computed"))
    for number, (kind, words) in enumerate(notes):
        y = top + 8 + number * 34
        picture.box(x, y, 22, 22, kinds[kind], round=0)
        picture.text(x + 32, y + 10, f"{counts[kind]} blocks", "b")
        picture.text(x + 32, y + 25, words, "s")
    picture.text(x, top + 138, "last = min(N, m.end + N - M)", "m")
    picture.text(x, top + 158, "The last query sees the last key, so", "s")
    picture.text(x, top + 174, f"query m sees the keys up to m + {shift}.", "s")
    return picture
