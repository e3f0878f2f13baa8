# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans: by functions of the program, element by element in the order of the axis, and built-in ones."""

import functools
import itertools

import numpy as np

from . import bounds, elements, operations
from .functions import check_axis, summed
from .problems import NotUnderstood, Undecided
from .values import Int, Tile, fix, is_known, known_as


def sources_of(values):
    """Returns tiles of one shape; numbers and scalars are repeated."""
    values = [fix(float(v) if type(v) is float else v) if is_known(v) else v for v in values]
    values = [operations.cast(v, "i32") if type(v) is Int else v for v in values]
    shapes = [v.shape for v in values if type(v) is Tile and v.shape]
    if not shapes or not all(type(v) is Tile for v in values) or len(set(map(len, shapes))) > 1:
        raise NotUnderstood("a reduction of no tile")
    shape = np.broadcast_shapes(*shapes)
    return [Tile(v.dtype, np.broadcast_to(v.data, shape), bounds.shaped(v.error, v.shape, lambda e: np.broadcast_to(e, shape)))
            for v in values]  # fmt: skip


def of_type(value, dtype):
    if is_known(value):
        return Tile(dtype, known_as(value, dtype))
    if type(value) is Int:
        return Tile(dtype, operations.element(value, dtype))
    if type(value) is not Tile or value.dtype != dtype or value.shape:
        raise NotUnderstood(f"{value!r} is combined to {dtype}")
    return value


def combine(values, axis, is_scan, reverse, run):
    """reduce(x, …, axis = n, with = f) and scan; `run` calls the function with scalars."""
    sources = sources_of(values)
    check_axis(sources[0], axis)
    shape = sources[0].shape
    lines = [range(n) if dim != axis else [0] for dim, n in enumerate(shape)]
    data = [np.empty(shape, elements.carrier(s.dtype)) for s in sources]
    errors = [np.zeros(shape) for _ in sources]
    widest = [bounds.of_elements(s.error, shape) for s in sources]
    for line in itertools.product(*lines):
        total = None
        largest = [0.0] * len(sources)
        for n in reversed(range(shape[axis])) if reverse else range(shape[axis]):
            at = (*line[:axis], n, *line[axis + 1:])
            group = [Tile(s.dtype, np.asarray(s.data[at]), float(w[at])) for s, w in zip(sources, widest)]
            if total is not None:
                result = run([*total, *group])
                result = result if type(result) is tuple else (result,)
                if len(result) != len(sources):
                    raise NotUnderstood("a function that combines returns other values")
                group = [of_type(v, s.dtype) for v, s in zip(result, sources)]
            total = group
            for k, value in enumerate(total):
                data[k][at] = value.data
                error = float(np.max(value.error))
                if value.dtype in elements.FLOATS:
                    largest[k] = max(largest[k], bounds.magnitude(value.data))
                    # Other associations round other partial results.
                    error = 2 * error + (shape[axis] * bounds.unit(value.dtype, largest[k]) if error else 0.0)
                errors[k][at] = error
    last = 0 if reverse else shape[axis] - 1
    results = []
    for source, result, error in zip(sources, data, errors):
        if not is_scan:
            result, error = result.take(last, axis), error.take(last, axis)
        if not bounds.IS_BY_ELEMENT.get():
            error = float(error.max(initial=0.0))
        results.append(Tile(source.dtype, np.asarray(result), error))
    return results[0] if len(results) == 1 else tuple(results)


def position(name, value, axis):
    """argmax(x, axis = n) and argmin: the first NaN, else the first extremum."""
    check_axis(value, axis)
    if value.dtype == "bool":
        raise NotUnderstood(f"{name} of truth values")
    if bounds.is_some(value.error):
        raise Undecided("the position of an inexact extremum")
    return Tile("i32", np.asarray((np.argmax if name == "argmax" else np.argmin)(value.data, axis)).astype(np.int32))


def truth_of(name, value, axis):
    check_axis(value, axis)
    if value.dtype != "bool":
        raise NotUnderstood(f"{name} of numbers")
    return Tile("bool", np.asarray((np.any if name == "any" else np.all)(value.data, axis)))


def built_in(operator, is_scan):
    """Returns a built-in reduction or scan by an operator."""
    def compute(value, axis, reverse=False):
        check_axis(value, axis)
        value = summed(value) if operator == "*" else value
        if value.dtype == "bool":
            raise NotUnderstood("a combination of truth values")
        return combine([value], axis, is_scan, reverse, lambda pair: operations.binary(operator, *pair))

    return compute


FUNCTIONS = {
    **{name: (("x", "axis"), 2, functools.partial(position, name)) for name in ("argmax", "argmin")},
    **{name: (("x", "axis"), 2, functools.partial(truth_of, name)) for name in ("any", "all")},
    "prod": (("x", "axis"), 2, built_in("*", False)),
    **{name: (("x", "axis", "reverse"), 2, built_in(operator, True))
       for name, operator in (("cumprod", "*"), ("cummax", "max"), ("cummin", "min"))},
}  # fmt: skip
