# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program smaller while it fails the same way."""

import copy
import itertools
import re

from programs import Let, Load, Loop, Store, drop_unused, used_names, write
from values import Analysis, Invalid


def prune(program):
    """Drops what nobody uses; sizes that no tensor has become parameters."""
    while drop_unused(program.body, used_names(program.body)):
        pass
    words = set(re.findall(r"\w+", write(program, Analysis(program).texts).split("{", 1)[1]))
    program.parameters = [p for p in program.parameters if p.name in words]
    grid = {word for axis in program.grid for word in (axis.size, axis.tile)}
    dims = {dim for p in program.parameters for dim in p.dims}
    program.tiles = {name: value for name, value in program.tiles.items() if name in words | grid | dims}
    program.sizes = {name: value for name, value in program.sizes.items() if name in words | grid | dims}
    program.counts = [name for name in program.sizes if name not in dims]


def bodies(body):
    """All lists of statements, inner ones first."""
    for statement in body:
        if isinstance(statement, Loop):
            yield from bodies(statement.body)
    yield body


def replace_name(program, old, new):
    for body in bodies(program.body):
        for statement in body:
            if isinstance(statement, Let):
                statement.args = [new if arg == old else arg for arg in statement.args]
            elif isinstance(statement, Store) and statement.value == old:
                statement.value = new


def without_statements(program):
    """The program without one statement; what used its value uses an operand of it instead."""
    places = list(enumerate(bodies(program.body)))
    # The last statement of the outermost body first, and stores before all.
    places = sorted(((place, number, body) for place, body in places for number in range(len(body))),
                    key=lambda entry: (not isinstance(entry[2][entry[1]], (Store, Loop)), -entry[0], -entry[1]))
    for place, number, body in places:
        statement = body[number]

        def drop(candidate):
            inner = list(bodies(candidate.body))[place]
            return inner.pop(number)

        yield drop
        if isinstance(statement, Let):
            for arg in statement.args:
                if isinstance(arg, str):
                    yield lambda c, arg=arg: replace_name(c, drop(c).name, arg)
        elif isinstance(statement, Loop):
            def unroll(candidate):
                inner = list(bodies(candidate.body))[place]
                inner[number:number + 1] = inner[number].body

            def whole(candidate):
                loop = list(bodies(candidate.body))[place][number]
                loop.part = loop.limit = ""

            yield unroll
            yield whole
        elif isinstance(statement, Load):
            def plain(candidate):
                load = list(bodies(candidate.body))[place][number]
                load.fill = ""
                load.indices = [index.split(" ")[-1] for index in load.indices]

            if statement.fill or any(" " in index for index in statement.indices):
                yield plain


def without_schedule(program):
    for name, value in program.schedule.items():
        yield lambda c, name=name: c.schedule.pop(name)
        if isinstance(value, int) and value is not True:
            for smaller in range(1, value):
                yield lambda c, name=name, smaller=smaller: c.schedule.update({name: smaller})


def without_axes(program):
    """The grid without an axis of integers, of which there is one then."""
    for number, axis in enumerate(program.grid):
        if axis.tile is None:
            def drop(candidate):
                axis = candidate.grid.pop(number)
                for body in bodies(candidate.body):
                    for statement in body:
                        if isinstance(statement, (Load, Store)):
                            for parameter in candidate.parameters:
                                if parameter.name == statement.parameter and axis.name in statement.indices:
                                    place = statement.indices.index(axis.name)
                                    statement.indices.pop(place)
                                    if axis.size in parameter.dims:
                                        parameter.dims.remove(axis.size)
            yield drop


def smaller_numbers(program):
    for table in ("sizes", "tiles"):
        for name, value in getattr(program, table).items():
            for smaller in sorted({0, 1, 8, 16, 32, 64, 128, value // 2, value - 1}):
                if 0 <= smaller < value and (smaller or table == "sizes"):
                    yield lambda c, table=table, name=name, smaller=smaller: getattr(c, table).update({name: smaller})


def simpler_data(program):
    for number, parameter in enumerate(program.parameters):
        if parameter.data not in ("bits", "zeros"):
            yield lambda c, number=number: setattr(c.parameters[number], "data", "bits")


STEPS = (without_statements, without_schedule, without_axes, smaller_numbers, simpler_data)


def reduce(program, fails, most=300):
    """The smallest program that is found in so many tries; `fails` says whether one still fails."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for step in STEPS:
            number = 0
            # Goes on where it was: what failed before mostly fails again, and the next round sees it.
            while change := next(itertools.islice(step(program), number, None), None):
                candidate = copy.deepcopy(program)
                try:
                    change(candidate)
                    prune(candidate)
                    Analysis(candidate)
                except (Invalid, KeyError, IndexError, AttributeError, ValueError):
                    number += 1
                    continue
                if candidate == program:
                    number += 1
                    continue
                tries += 1
                if tries > most:
                    return program
                if fails(candidate):
                    program, changed = candidate, True
                else:
                    number += 1
    return program
