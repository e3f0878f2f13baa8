# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces a program as long as it fails in the same way."""

import copy
import itertools
import re

from .programs import Barrier, If, Let, Load, Loop, Store, blocks, drop_unused, used_names, write
from .analysis import Analysis
from .values import Invalid


def prune(program):
    """Drops unused parts; sizes that no tensor has become parameters."""
    while drop_unused(program.body, used_names(program.body)):
        pass
    drop_functions(program)
    # The kernel comes after the functions, which use none of its names.
    words = set(re.findall(r"\w+", write(program, Analysis(program).texts).split("\n{\n")[-1]))
    program.parameters = [p for p in program.parameters if p.name in words]
    grid = {word for axis in program.grid for word in (axis.size, axis.tile)}
    dims = {dim for p in program.parameters for dim in p.dims}
    program.tiles = {name: value for name, value in program.tiles.items() if name in words | grid | dims}
    program.sizes = {name: value for name, value in program.sizes.items() if name in words | grid | dims}
    program.counts = [name for name in program.sizes if name not in dims]


def drop_functions(program):
    """Drops functions that are not called, and unused results of others."""
    called = {s.args[0] for body in bodies(program.body) for s in body if isinstance(s, Let) and s.op == "call"}
    program.functions = [function for function in program.functions if function.name in called]
    for function in program.functions:
        while drop_unused(function.body, {*used_names(function.body), function.result}):
            pass


def bodies(body):
    """Yields all lists of statements, inner ones first."""
    for statement in body:
        for inner in blocks(statement):
            yield from bodies(inner)
    yield body


def all_bodies(program):
    """Returns all lists of statements of the kernel and of functions."""
    return [*bodies(program.body), *(function.body for function in program.functions)]


def replace_name(program, old, new):
    for function in program.functions:
        function.result = new if function.result == old else function.result
    for body in all_bodies(program):
        for statement in body:
            if isinstance(statement, Let):
                statement.args = [new if arg == old else arg for arg in statement.args]
            elif isinstance(statement, Store) and statement.value == old:
                statement.value = new
            elif isinstance(statement, If) and statement.condition == old:
                statement.condition = new


def inline(program, place, number):
    """Replaces a call by the body of its function."""
    body = all_bodies(program)[place]
    call = body[number]
    function = next(f for f in program.functions if f.name == call.args[0])
    names = dict(zip(function.parameters, call.args[1:]))
    names.update({s.name: f"{call.name}_{s.name}" for s in function.body})

    def renamed(arg):
        return names.get(arg, arg) if isinstance(arg, str) else arg

    body[number:number + 1] = [Let(names[s.name], s.op, list(map(renamed, s.args))) for s in function.body]
    replace_name(program, call.name, renamed(function.result))


def overwrites(program):
    """Whether two stores write to the same place: only after a barrier is the later one certain to win."""
    places = [(s.parameter, tuple(s.indices)) for body in bodies(program.body) for s in body if isinstance(s, Store)]
    return len(set(places)) < len(places)


def without_statements(program):
    """Yields changes that remove one statement; uses of its value use an operand instead."""
    places = list(enumerate(all_bodies(program)))
    # The last statement of the outermost body first, and stores before all others.
    places = sorted(((place, number, body) for place, body in places for number in range(len(body))),
                    key=lambda entry: (not isinstance(entry[2][entry[1]], (Store, Loop, If)), -entry[0], -entry[1]))
    for place, number, body in places:
        statement = body[number]
        if isinstance(statement, Barrier) and overwrites(program):
            continue

        def drop(candidate):
            inner = all_bodies(candidate)[place]
            return inner.pop(number)

        yield drop
        if isinstance(statement, Let):
            for arg in statement.args:
                if isinstance(arg, str):
                    yield lambda c, arg=arg: replace_name(c, drop(c).name, arg)
            if statement.op == "call":
                yield lambda c: inline(c, place, number)
        elif isinstance(statement, Loop):
            def unroll(candidate):
                inner = all_bodies(candidate)[place]
                inner[number:number + 1] = inner[number].body

            def whole(candidate):
                loop = all_bodies(candidate)[place][number]
                loop.part = loop.limit = loop.start = ""
                loop.step = 1

            yield unroll
            yield whole
        elif isinstance(statement, If):
            for branch in range(2):
                def taken(candidate, branch=branch):
                    inner = all_bodies(candidate)[place]
                    inner[number:number + 1] = blocks(inner[number])[branch]

                yield taken
        elif isinstance(statement, Store) and statement.is_called:
            yield lambda c: setattr(all_bodies(c)[place][number], "is_called", False)
        elif isinstance(statement, Load):
            def plain(candidate):
                load = all_bodies(candidate)[place][number]
                load.fill = ""
                load.indices = [index.split(" ")[-1] for index in load.indices]

            if statement.fill or any(" " in index for index in statement.indices):
                yield plain


def without_schedule(program):
    if program.keeps_bases:
        yield lambda c: setattr(c, "keeps_bases", False)
    for name, value in program.schedule.items():
        yield lambda c, name=name: c.schedule.pop(name)
        if name != "registers" and isinstance(value, int) and value is not True:
            for smaller in range(1, value):
                yield lambda c, name=name, smaller=smaller: c.schedule.update({name: smaller})


def without_axes(program):
    """Yields changes that remove an axis of integers from the grid, and its dimension from tensors."""
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
    """Returns the smallest program that is found in the given number of tries; `fails` tells whether a program still
    fails."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for step in STEPS:
            number = 0
            # Continues at the same step: earlier steps mostly fail again, and the next round repeats them.
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
