# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second opinion on the meaning of a kernel: an evaluator of `.tile` text on NumPy arrays.

It is written only from docs/language.md and shares nothing with the compiler. A front end that misreads a program
therefore disagrees with an independent reader.
"""

from . import bounds
from .evaluator import evaluate
from .problems import Illegal, NotUnderstood, Undecided

__all__ = ["bounds", "evaluate", "Illegal", "NotUnderstood", "Undecided"]
