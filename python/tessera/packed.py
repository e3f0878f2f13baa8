# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences: from padded tensors of torch and back, and what kernels found about their bounds."""

import itertools

from .errors import ArgumentError
from .numbers import integer

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


def unpad(padded, lengths):
    """The first lengths[b] rows of each padded[b], one sequence after the other, and the bounds of the
    sequences, i32. `padded` is a tensor of torch [B, L, ...]; lengths in a tensor of the device are waited
    for. Gradients come back padded, with zeros."""
    import torch
    lengths = [integer(length, f"the length of sequence {b}") for b, length in enumerate(
        lengths.tolist() if isinstance(lengths, torch.Tensor) else lengths)]
    if len(lengths) != padded.shape[0]:
        raise ArgumentError(f"expected {padded.shape[0]} lengths, as dimension 0 says, got {len(lengths)}")
    most = padded.shape[1]
    for b, length in enumerate(lengths):
        if not 0 <= length <= most:
            raise ArgumentError(f"the length of sequence {b} is {length}, expected 0 to {most}")
    rows = torch.cat([torch.arange(b * most, b * most + length) for b, length in enumerate(lengths)]
                     or [torch.arange(0)])
    bounds = torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32)
    packed = padded.flatten(0, 1).index_select(0, rows.to(padded.device, non_blocking=True))
    return packed, bounds.to(padded.device, non_blocking=True)


def pad(packed, bounds, longest):
    """The sequences of `packed` [T, ...] as [B, longest, ...], with zeros after their ends. Rows that are no
    sequence's or beyond `longest` are left out. Nothing is waited for; gradients come back packed."""
    import torch
    count = bounds.shape[0] - 1
    rows = torch.arange(packed.shape[0], device=packed.device, dtype=bounds.dtype)
    sequence = torch.bucketize(rows, bounds[1:], right=True)
    place = rows - bounds[sequence]
    # Rows that are left out share one more, after all others.
    nowhere = count * longest
    target = torch.where((sequence < count) & (place < longest), sequence * longest + place, nowhere)
    made = packed.new_zeros((nowhere + 1, *packed.shape[1:])).index_copy(0, target, packed)
    return made[:-1].unflatten(0, (count, longest))
