# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reasons why there is no second opinion."""


class NotUnderstood(Exception):
    """The text is not a program, or has a construct that this evaluator lacks."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class Illegal(Exception):
    """An illegal program, for example with a known index outside of its tensor."""


class Undecided(Exception):
    """A jump (a comparison, a rounding to integers) whose outcome depends on rounding errors."""
