# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of kernels whose plans were edited by rule, for measurements of what the planner does not choose."""

import pathlib
import re
import subprocess
import tempfile

import computed_operands


def substitute(text, substitutions):
    """`text` after each of (pattern, replacement), of which each is to match."""
    for pattern, replacement in substitutions:
        text, count = re.subn(pattern, replacement, text)
        if count == 0:
            raise ValueError(f"nothing matches {pattern!r}")
    return text


def compile_edited(source, kernel, choice, substitutions, output):
    """Makes the package of a kernel with the values of `choice` for its parameters, after edits of its plan."""
    with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
        computed_operands.compile_choice(source, kernel, choice, file.name, "--emit=plan")
        plan = pathlib.Path(file.name)
        plan.write_text(substitute(plan.read_text(), substitutions))
        subprocess.run(["tilec", plan, "-o", output], check=True)
