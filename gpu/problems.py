# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports conditions that do not hold."""


def report(problems):
    """Prints the problems, one line each; returns the exit status."""
    for problem in problems:
        print(f"FAIL {problem}")
    return 1 if problems else 0
