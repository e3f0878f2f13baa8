# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of kernels that were edited by rule after a phase, for measurements of what the compiler does not choose."""

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


def compile_edited(source, kernel, choice, substitutions, output, phase="plan"):
    """Makes the package of a kernel with the values of `choice` for its parameters, after edits of its text."""
    with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
        computed_operands.compile_choice(source, kernel, choice, file.name, f"--emit={phase}")
        text = pathlib.Path(file.name)
        text.write_text(substitute(text.read_text(), substitutions))
        subprocess.run(["tilec", text, "-o", output], check=True)
