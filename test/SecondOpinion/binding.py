# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binds the compile-time parameters, the sizes and the parameters of a kernel to values."""

import numpy as np

from . import elements, syntax
from .expressions import TYPES
from .problems import NotUnderstood
from .values import ABSENT, Int, Range, Tensor, Tile, Type, scalar


def bind(evaluator, kernel, arguments, defines):
    """Fills the evaluator's names."""
    names = evaluator.names
    for constant in kernel.constants:
        names[constant.name] = constant_value(evaluator, constant, defines)
    parameters = existing(evaluator, kernel)
    declared = {parameter.name for parameter in parameters}
    tensors = [p for p in parameters if type(p.type) is syntax.Index]
    # Scalars first: an `int` may be a size.
    for parameter in parameters:
        if type(parameter.type) is not syntax.Index:
            names[parameter.name] = scalar_value(evaluator, parameter, arguments)
    shapes = {}
    for parameter in tensors:
        given = arguments.get(parameter.name)
        if given is not None:
            shapes[parameter.name] = given if type(given) is tuple else np.shape(given)
            bind_sizes(evaluator, declared, parameter, shapes[parameter.name])
    for parameter in tensors:
        names[parameter.name] = make_tensor(evaluator, parameter, arguments.get(parameter.name), shapes)
    # The name of an absent parameter may be a size.
    for parameter in kernel.parameters:
        names.setdefault(parameter.name, ABSENT)


def existing(evaluator, kernel):
    """Returns the parameters of the kernel whose conditions hold."""
    parameters = []
    for parameter in kernel.parameters:
        holds = parameter.condition is None or evaluator.evaluate(parameter.condition)
        if type(holds) is not bool:
            raise NotUnderstood(f"the condition of `{parameter.name}` is not known", parameter.line)
        if holds:
            parameters.append(parameter)
    return parameters


def constant_value(evaluator, constant, defines):
    kind = constant.type.name
    if constant.name in defines:
        value = defines[constant.name]
        value = TYPES[value] if type(value) is str else value
    elif constant.default is not None:
        value = evaluator.evaluate(constant.default)
    else:
        raise NotUnderstood(f"no value for `{constant.name}`", constant.line)
    if kind == "float" and type(value) is int:
        value = float(value)
    expected = {"int": int, "float": float, "bool": bool, "type": Type}.get(kind)
    if type(value) is not expected:
        raise NotUnderstood(f"`{constant.name}` is not of kind {kind}", constant.line)
    return value


def scalar_value(evaluator, parameter, arguments):
    if parameter.name not in arguments:
        raise NotUnderstood(f"no argument for `{parameter.name}`", parameter.line)
    dtype = evaluator.type(parameter.type)
    value = arguments[parameter.name]
    if dtype == "int":
        return Int(int(value))
    if dtype in elements.FLOATS:
        return Tile(dtype, elements.round_float(dtype, np.asarray(value, np.float64)))
    return scalar(dtype, value)


def name_and_constant(names, dim):
    """Returns the name of a dimension and the added constant; (None, 0) for other dimensions."""
    if type(dim) is syntax.Name:
        return dim.name, 0
    if type(dim) is not syntax.Binary or dim.operator not in "+-":
        return None, 0
    dims = [(dim.left, dim.right, 1 if dim.operator == "+" else -1)]
    if dim.operator == "+":
        dims.append((dim.right, dim.left, 1))
    for name, other, sign in dims:
        number = other.value if type(other) is syntax.Number else names.get(other.name) if type(other) is syntax.Name else None
        if type(name) is syntax.Name and type(number) is int:
            return name.name, sign * number
    return None, 0


def chosen(evaluator, dim):
    """Returns the dimension that a condition chooses."""
    while type(dim) is syntax.Choice:
        dim = dim.value if evaluator.evaluate(dim.condition) else dim.other_value
    return dim


def bind_sizes(evaluator, declared, parameter, shape):
    """Binds the sizes in a shape."""
    names = evaluator.names
    dims = [chosen(evaluator, dim) for dim in parameter.type.indices]
    if len(dims) != len(shape):
        raise NotUnderstood(f"`{parameter.name}` has {len(dims)} dimensions", parameter.line)
    for dim, extent in zip(dims, shape):
        name, constant = name_and_constant(names, dim)
        if name is not None and name not in names and name not in declared:
            names[name] = Int(extent - constant)


def make_tensor(evaluator, parameter, given, shapes):
    dtype = evaluator.type(parameter.type.base)
    extents = [evaluator.evaluate(dim) for dim in parameter.type.indices]
    shape = tuple(e if type(e) is int else e.value for e in extents)
    if shapes.get(parameter.name, shape) != shape:
        raise NotUnderstood(f"`{parameter.name}` has the shape {shapes[parameter.name]}, not {shape}", parameter.line)
    if parameter.access == "out":
        carrier = elements.carrier(dtype)
        # Unwritten elements are NaN, or have all bits set.
        data = np.full(shape, np.nan, carrier) if dtype in elements.FLOATS else ~np.zeros(shape, carrier)
    elif given is None or type(given) is tuple:
        raise NotUnderstood(f"no argument for `{parameter.name}`", parameter.line)
    elif dtype in elements.FLOATS:
        # A copy, as it may be written.
        data = elements.round_float(dtype, np.array(given, np.float64))
    else:
        data = np.array(given, elements.carrier(dtype))
    return Tensor(parameter.name, dtype, data, parameter.access, [type(e) is int for e in extents])


def points(evaluator, axis):
    """Returns the values of an axis of the grid."""
    size = evaluator.int(axis.size)
    if axis.extent is None:
        return [Int(number) for number in range(size)]
    extent = evaluator.known_int(axis.extent)
    return [Range(start, size, extent) for start in range(0, size, extent)]
