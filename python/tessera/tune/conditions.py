# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions and numbers over parameters and sizes: a subset of Python's expressions, parsed by Python."""

import ast
import operator

_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
               ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_COMPARISONS = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
                ast.Gt: operator.gt, ast.GtE: operator.ge}
_UNARY = {ast.USub: operator.neg, ast.Not: operator.not_}


class Expression:
    """An expression over names. `fail` makes the exception for a message."""

    def __init__(self, text, fail):
        self.text, self._fail = text, fail
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._error("is not an expression") from None
        self.names = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        self._check(self._tree)

    def _error(self, message):
        return self._fail(f"'{self.text}' {message}")

    def _check(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) not in (int, bool, str):
                raise self._error(f"has {node.value!r}; there are integers, strings, True and False")
            if isinstance(node, (ast.BinOp, ast.UnaryOp)):
                known = type(node.op) in {**_ARITHMETIC, **_UNARY}
            elif isinstance(node, ast.Compare):
                known = all(type(op) in _COMPARISONS for op in node.ops)
            else:
                known = isinstance(node, (ast.BoolOp, ast.Constant, ast.Name, ast.boolop, ast.operator,
                                          ast.unaryop, ast.cmpop, ast.expr_context))
            if not known:
                raise self._error("has more than names, integers, + - * // %, comparisons, and, or, not")

    def evaluate(self, values):
        """Returns the value; `values` has the values of all names."""
        try:
            return self._evaluate(self._tree, values)
        except ZeroDivisionError:
            raise self._error("divides by zero") from None
        except TypeError:
            raise self._error("mixes types that cannot be compared or added") from None

    def _evaluate(self, node, values):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.UnaryOp):
            return _UNARY[type(node.op)](self._evaluate(node.operand, values))
        if isinstance(node, ast.BinOp):
            return _ARITHMETIC[type(node.op)](self._evaluate(node.left, values), self._evaluate(node.right, values))
        if isinstance(node, ast.BoolOp):
            # Evaluation stops at the operand that decides; later operands may divide by zero.
            combine = all if isinstance(node.op, ast.And) else any
            return combine(self._evaluate(value, values) for value in node.values)
        left = self._evaluate(node.left, values)
        for op, right in zip(node.ops, node.comparators):
            right = self._evaluate(right, values)
            if not _COMPARISONS[type(op)](left, right):
                return False
            left = right
        return True
