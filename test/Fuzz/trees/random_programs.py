# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: a grid and a schedule, some blocks, and a result of each block."""

from random import Random

from .blocks import BlockBuilder
from .builder import FLOATS, TILES
from .constructs import WideBuilder
from .programs import Axis, write
from .reduction import prune
from .values import Invalid

# Of a program that a person can still read.
MOST_PARAMETERS = 14


def make_grid(builder):
    random, program = builder.random, builder.program
    rank = random.choice([1, 2, 2, 2])
    for number in range(rank):
        tile_value = random.choice([64, 64, 128, 192] if number == 0 and builder.chance(0.45) else TILES)
        size, tile, name = "MN"[number], builder.tile(tile_value), "mn"[number]
        program.sizes[size] = 1
        builder.extent(size, tile_value, 2 if rank == 2 else 4)
        program.grid.append(Axis(name, size, tile))
        builder.add_range(name, size, tile)
    if builder.chance(0.25):
        program.grid.append(Axis("b", "B", None))
        program.sizes["B"] = random.choice([1, 2, 3])
    if builder.chance(0.2):
        program.grid.append(Axis("s", "S", None))
        program.sizes["S"] = random.choice([1, 2, 3])
        program.counts.append("S")
    if builder.chance(0.3):
        random.shuffle(program.grid)


def make_schedule(builder):
    random, program = builder.random, builder.program
    schedule = program.schedule
    if builder.chance(0.6):
        schedule["warpgroups"] = random.choice([1, 2, 2, 3])
    if builder.chance(0.6):
        schedule["stages"] = random.choice([1, 2, 2, 3, 4])
    if builder.chance(0.3):
        schedule["persistent"] = True
        # No number is drawn for it, so that program numbers keep their meaning.
        if schedule.get("stages", 3) != 2:
            schedule["dynamic"] = True
    if builder.chance(0.2):
        schedule["pingpong"] = True
    # Two roles of one warpgroup, in ping-pong.
    if schedule.get("persistent") and schedule.get("warpgroups") == 1:
        schedule["pingpong"] = True
    if builder.chance(0.15) and program.grid:
        sizes = [1] * min(3, len(program.grid))
        sizes[random.randrange(len(sizes))] = 2
        schedule["cluster"] = f"({', '.join(map(str, sizes))})" if len(sizes) > 1 else "(2)"
    # Contradictory hints are rejected.
    if not program.grid:
        schedule.pop("persistent", None), schedule.pop("dynamic", None)
    if schedule.get("warpgroups") == 1 and not schedule.get("persistent"):
        schedule.pop("pingpong", None)
    # No number is drawn for it either.
    if schedule.get("stages", 1) > 1 and not schedule.get("pingpong"):
        schedule["mma_order"] = schedule["stages"] - 1


def take_warps(program, analysis, random):
    """Gives some programs without products a number of warps, instead of warpgroups and hints for products."""
    if random.random() >= 0.4 or "@" in write(program, analysis.texts):
        return
    for name in ("warpgroups", "pingpong", "mma_order"):
        program.schedule.pop(name, None)
    program.schedule["warps"] = random.choice([1, 1, 2, 2, 4, 8, 16])


def block(builder):
    """Returns the name of the result of a random block, or None."""
    tiled = builder.tiled()
    row, column = tiled[0], tiled[-1]
    kind = builder.random.random()
    if len(tiled) == 2:
        if builder.chance(0.3):
            row, column = column, row
        if kind < 0.4:
            return builder.product_block(row, column)
        if kind < 0.5:
            return builder.attention_block(row, column)
        if kind < 0.6:
            return builder.gather_block(row, column)
        if kind < 0.75:
            return builder.reduction_block((row, column) if builder.chance(0.5) else (row,))
        return builder.load(builder.pick([*FLOATS, "i32"]), [row, column])
    if kind < 0.25:
        return builder.nested_block(row)
    if kind < 0.5:
        return builder.reduction_block((row,))
    if kind < 0.6:
        depth = builder.tile(builder.pick([8, 16, 40, 64, 100]))
        return builder.load(builder.pick(FLOATS), [row, depth])
    return builder.load(builder.pick([*FLOATS, "i32"]), [row])


def wide_block(builder):
    """Returns the name of the result of a block with any construct, or None."""
    def make():
        return builder.wide_block() or block(builder)

    return builder.enclosed(make) if builder.chance(0.25) else make()


def random_program(number):
    """Returns program `number`, which stores something."""
    random = Random(number)
    # Odd numbers have all constructs; even numbers keep the programs from before there were more constructs.
    is_wide = number % 2 == 1
    while True:
        builder = WideBuilder(random) if is_wide else BlockBuilder(random)
        try:
            make_grid(builder)
            make_schedule(builder)
            if is_wide:
                builder.begin()
            stored = 0
            results = []
            for _ in range(random.choice([1, 1, 2, 3])):
                if name := wide_block(builder) if is_wide else block(builder):
                    results.append(name)
            for name in results:
                result = builder.decorate(name, 4)
                if builder.value(result).dtype == "f32" and builder.chance(0.4):
                    result = builder.let("cast", result, builder.pick(["bf16", "f16"])) or result
                stored += builder.store(result)
            if stored and is_wide:
                # A generator of its own, so that program numbers keep their meaning except for the addition.
                builder.random = Random(f"overwrite {number}")
                if builder.chance(0.35):
                    builder.overwrite()
            if stored and len(builder.program.parameters) <= MOST_PARAMETERS:
                # Half of the odd numbers have more.
                if number % 2 and number // 8 % 2:
                    builder.random = Random(f"more {number}")
                    builder.more()
                prune(builder.program)
                analysis = builder.analyse()
                if is_wide:
                    take_warps(builder.program, analysis, Random(f"warps {number}"))
                return builder.program
        except (Invalid, KeyError):
            continue
