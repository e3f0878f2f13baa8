# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a kernel.tune.toml: kernels, values to choose from, conditions, and classes of shapes."""

import dataclasses
import itertools
import re

from ..errors import TuningError
from ..support.toml_file import Table, read
from ..tuned import OPTIONS, Bounds, spell
from .conditions import Expression

DEFAULTS = "defaults"
_VALUE = (bool, int, float, str)
_FILLINGS = re.compile(r"randn|zeros|ones|randint\((-?\d+), *(-?\d+)\)")
# A larger space takes too long to measure; it lacks a condition.
_MOST_CANDIDATES = 5000


@dataclasses.dataclass(frozen=True)
class ShapeClass:
    """Shapes that share a winner."""

    name: str
    bounds: Bounds
    # Sizes by name, of each measured shape
    shapes: tuple


class Tuning:
    """One [[tune]] of the file: `kernels` that are tuned in the same way, but separately."""

    def __init__(self, table, signatures):
        self._table = table
        table.permit("kernels", "given", "space", "arguments", "tolerance", "class", "where", "work")
        self.kernels = table.take("kernels", list)
        if not self.kernels:
            raise table.error("'kernels' is empty")
        for kernel in self.kernels:
            if kernel not in signatures:
                raise table.error(f"there is no kernel '{kernel}'; the file has {', '.join(signatures)}")
        # Names are checked against all kernels; the compiler checks the rest.
        self._signatures = [signatures[kernel] for kernel in self.kernels]
        given = Table(table.take("given", dict, {}), f"{table.place}: given")
        self.given = combine({name: self._values(given, name) for name in given.names()})
        self.spaces = [self._read_space(row) for row in table.tables("space")]
        if not self.spaces:
            raise table.error("'space' is missing: there is nothing to choose from")
        self.arguments = self._read_arguments(table.take("arguments", dict, {}))
        self.tolerance = float(table.take("tolerance", (float, int)))
        if self.tolerance < 0:
            raise table.error(f"expected 'tolerance' to be at least 0, got {self.tolerance}")
        self.classes = self._read_classes()
        self.where = [self._read_expression(text, "where") for text in table.take("where", list, [])]
        work = table.take("work", str, "")
        self.work = self._read_expression(work, "work") if work else None

    def _values(self, table, name):
        """Returns the values of a parameter, which may be a single one."""
        for signature in self._signatures:
            if name not in signature.compile_time and name not in OPTIONS:
                raise table.error(f"kernel '{signature.name}' has no compile-time parameter '{name}'; it has "
                                  f"{', '.join(signature.compile_time)}")
        values = table.take(name, (*_VALUE, list))
        values = values if isinstance(values, list) else [values]
        for value in values:
            if not isinstance(value, _VALUE):
                raise table.error(f"expected '{name}' to have numbers, true, false or types, got {value!r}")
        if not values:
            raise table.error(f"'{name}' has no values")
        return values

    def _read_space(self, table):
        space = {name: self._values(table, name) for name in table.names()}
        for name in space:
            if any(name in given for given in self.given):
                raise table.error(f"'{name}' is given by callers and cannot be chosen")
        return space

    def _read_arguments(self, rows):
        for name, value in rows.items():
            fail = self._table.error
            for signature in self._signatures:
                if name not in signature.parameters:
                    raise fail(f"'arguments' has '{name}', which is not a parameter of kernel '{signature.name}'")
                is_tensor = "dims" in signature.parameters[name]
                if is_tensor and not (isinstance(value, str) and _FILLINGS.fullmatch(value)):
                    raise fail(f"expected the argument '{name}' to be 'randn', 'zeros', 'ones' or "
                               f"'randint(LO, HI)', got {value!r}")
                if not is_tensor and not isinstance(value, (bool, int, float)):
                    raise fail(f"expected the argument '{name}' to be a number, got {value!r}")
        return rows

    def _read_classes(self):
        classes = []
        for row in self._table.tables("class"):
            row.permit("name", "sizes", "shapes")
            found = ShapeClass(row.take("name", str), Bounds(row.take("sizes", dict, {}), row.place),
                               tuple(row.take("shapes", list)))
            if not found.shapes:
                raise row.error("'shapes' is empty")
            if any(found.name == other.name for other in classes):
                raise row.error(f"there is another class '{found.name}'")
            classes.append(found)
            for shape in found.shapes:
                self._check_shape(row, shape, classes)
        if not classes:
            raise self._table.error("'class' is missing: there are no shapes to measure")
        return classes

    def _check_shape(self, row, shape, classes):
        text = format_sizes(shape) if isinstance(shape, dict) else repr(shape)
        if not isinstance(shape, dict) or any(type(n) is not int or n < 1 for n in shape.values()):
            raise row.error(f"expected a shape to be sizes by name, such as {{ M = 64 }}, got {text}")
        for signature in self._signatures:
            wanted = set(signature.sizes)
            if wanted != set(shape):
                raise row.error(f"the shape {text} is not of the sizes of kernel '{signature.name}', which are "
                                f"{', '.join(sorted(wanted))}")
        first = next((one for one in classes if one.bounds.hold(shape)), None)
        if first is not classes[-1]:
            where = f"is one of the class '{first.name}', which comes before" if first else "is not within its 'sizes'"
            raise row.error(f"the shape {text} {where}")

    def _read_expression(self, text, what):
        if not isinstance(text, str):
            raise self._table.error(f"expected '{what}' to have strings, got {text!r}")

        def fail(message):
            return self._table.error(f"{what}: {message}")

        expression = Expression(text, fail)
        values = {name for given in self.given for name in given} | {name for space in self.spaces for name in space}
        values |= set(self.classes[0].shapes[0])
        for name in sorted(expression.names - values):
            raise fail(f"'{text}' has '{name}', which is in neither 'given', 'space' nor the shapes")
        return expression

    def defaults(self, kernel):
        """Returns the constant defaults of a kernel, as texts."""
        return next(signature.defaults for signature in self._signatures if signature.name == kernel)

    def candidates(self, kernel, given):
        """Returns the choices for values of `given` as dicts, the defaults of the kernel first."""
        defaults = self.defaults(kernel)
        found = {DEFAULTS: {}}
        for space in self.spaces:
            for choice in combine(space):
                if all(defaults.get(name) == spell(value) for name, value in choice.items()):
                    continue
                if all(condition.evaluate({**given, **choice}) for condition in self.where
                       if condition.names <= given.keys() | choice.keys()):
                    found.setdefault(format_choice(choice), choice)
                    if len(found) > _MOST_CANDIDATES:
                        raise self._table.error(f"there are more than {_MOST_CANDIDATES} candidates; 'where' can "
                                                "have conditions on them")
        return list(found.values())

    def suits(self, given, choice, shapes):
        """Whether a candidate meets the conditions on sizes at all of the shapes."""
        return not choice or all(
            condition.evaluate({**given, **choice, **shape}) for condition in self.where for shape in shapes
            if condition.names <= given.keys() | choice.keys() | shape.keys())


def combine(lists):
    """Returns all combinations of one value of each list, by name."""
    return [dict(zip(lists, values)) for values in itertools.product(*lists.values())]


def format_choice(choice):
    return " ".join(f"{name}={spell(value)}" for name, value in choice.items()) or DEFAULTS


def format_sizes(shape):
    return " ".join(f"{name}={value}" for name, value in shape.items())


def load(path, signatures):
    """Returns the Tunings of a file; `signatures` has those of the kernels of the .tile file."""
    table = Table(read(path), str(path))
    tunings = [Tuning(row, signatures) for row in table.tables("tune")]
    table.finish()
    if not tunings:
        raise TuningError(f"{path}: 'tune' is missing: there is no kernel to tune")
    return tunings
