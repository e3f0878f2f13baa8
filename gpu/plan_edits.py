# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of kernels whose plans were edited by rule, for measurements of what the planner does not choose."""

import re
import subprocess
import tempfile


def substitute(text, substitutions):
    """`text` after each of (pattern, replacement), of which each is to match."""
    for pattern, replacement in substitutions:
        text, count = re.subn(pattern, replacement, text)
        if count == 0:
            raise ValueError(f"the plan has nothing that matches {pattern!r}")
    return text


def compile_edited(source, kernel, choice, substitutions, output):
    """Makes the package of a kernel with the values of `choice` for its parameters, after edits of its plan."""
    words = ["tilec", source, f"--kernel={kernel}", *(f"-D{key}={value}" for key, value in choice.items())]
    plan = subprocess.run([*words, "--emit=plan", "-o", "-"], check=True, capture_output=True, text=True).stdout
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as edited:
        edited.write(substitute(plan, substitutions))
        edited.flush()
        subprocess.run(["tilec", edited.name, "-o", output], check=True)
