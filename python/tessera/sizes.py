# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions over named sizes, in the grammar of include/tessera/Runtime/SizeExpression.h."""

import re

from .errors import ArgumentError
from .support import numbers

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|[-+*()])")
_BINDING = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:([-+])\s*(\d+)\s*)?$")


def evaluate(text, sizes, rounds=True):
    """Returns the value of an expression; `sizes` has the values of the names.

    Without `rounds`, a ceildiv is not rounded up."""
    tokens = _TOKEN.findall(text)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def factor():
        token = take()
        if token == "-":
            return -factor()
        if token == "(":
            value = total()
            take()
            return value
        if token.isdigit():
            return int(token)
        if token not in sizes:
            place = "" if token == text else f" in '{text}'"
            raise ArgumentError(f"size '{token}'{place} is bound by no argument; pass {token}= with its value")
        return sizes[token]

    def term():
        value = factor()
        while peek() in ("*", "floordiv", "ceildiv", "mod"):
            operator, right = take(), factor()
            if operator != "*" and right < 1:
                raise ArgumentError(f"'{text}' divides by {right}")
            value = {"*": lambda: value * right, "floordiv": lambda: value // right,
                     "ceildiv": lambda: -(-value // right) if rounds else value / right,
                     "mod": lambda: value % right}[operator]()
        return value

    def total():
        value = term()
        while peek() in ("+", "-"):
            value += term() if take() == "+" else -term()
        return value

    return total()


def _size(name, value):
    """Returns the size that a scalar gives. Symbols of torch have __index__ and stay symbols."""
    if numbers.is_boolean(value):
        return int(value)
    if not hasattr(value, "__index__"):
        raise ArgumentError(f"expected '{name}' to be int, got a {type(value).__name__}")
    return numbers.integer(value, f"the size '{name}'", bits=32) if isinstance(value, int) else value


def bind(parameters, names, values, given):
    """Returns the sizes that the values and the caller bind.

    `values` has, by parameter, numbers and the shapes of tensors; a missing one binds nothing."""
    sizes = dict(given)
    for parameter in parameters:
        value = values.get(parameter["name"])
        if value is None:
            continue
        if parameter["kind"] == "scalar":
            if parameter["name"] in names:
                sizes.setdefault(parameter["name"], _size(parameter["name"], value))
            continue
        for text, extent in zip(parameter["dims"], value):
            match = _BINDING.match(text)
            if match and match[1] in names:
                offset = int((match[2] or "+") + (match[3] or "0"))
                sizes.setdefault(match[1], extent - offset)
    return sizes


def shapes(metadata, values, given):
    """Returns the shapes of the tensors that `values` lacks, by name; the arguments are those of bind."""
    bound = bind(metadata["parameters"], metadata["sizes"], values, given)
    return {
        parameter["name"]: tuple(evaluate(dim, bound) for dim in parameter["dims"])
        for parameter in metadata["parameters"]
        if parameter["kind"] == "tensor" and parameter["name"] not in values
    }
