# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second opinion on what a kernel means: an evaluator of `.tile` text on NumPy arrays.

It is written from docs/language.md alone and shares nothing with the compiler, so that a front end that
reads a program wrongly meets one that reads it for itself.
"""

from . import bounds
from .evaluator import evaluate
from .problems import Illegal, NotUnderstood, Undecided

__all__ = ["bounds", "evaluate", "Illegal", "NotUnderstood", "Undecided"]
