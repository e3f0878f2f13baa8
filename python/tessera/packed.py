# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels found on the device about the bounds of packed sequences, as errors."""

from .errors import ArgumentError

# By the rules of check_cu_seqlens in examples/10-varlen-attention.
_RULES = {
    1: "'{name}' does not begin with 0",
    2: "sequence {sequence} of '{name}' ends before it begins",
    3: "sequence {sequence} of '{name}' ends beyond the rows of its tensor",
    4: "sequence {sequence} of '{name}' is longer than the grid was laid out for",
}


def require_sequences(bad, name="cu_seqlens"):
    """Raises an ArgumentError if check_cu_seqlens has found that an array of bounds is wrong.

    `bad` is what it wrote, two integers in whatever can be indexed. Reading a tensor of the device waits
    for what has been launched: call this where the results are waited for.
    """
    rule, sequence = int(bad[0]), int(bad[1])
    if rule:
        raise ArgumentError(_RULES[rule].format(name=name, sequence=sequence))
