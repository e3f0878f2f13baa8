# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences: conversions from and to padded torch tensors, and errors that kernels found in their bounds."""

from __future__ import annotations

import importlib
import itertools
import sys
import typing

from .errors import ArgumentError
from .support.numbers import integer

if typing.TYPE_CHECKING:
    import torch

# The rules of check_cu_seqlens in examples/10-varlen-attention.
_RULES = {
    1: "'{name}' does not begin with 0",
    2: "sequence {sequence} of '{name}' ends before it begins",
    3: "sequence {sequence} of '{name}' ends beyond the rows of its tensor",
    4: "sequence {sequence} of '{name}' is longer than the grid was laid out for",
}


def require_sequences(bad: typing.Any, name: str = "cu_seqlens") -> None:
    """Raises an ArgumentError if check_cu_seqlens found an error in an array of bounds.

    `bad` is the result of check_cu_seqlens: two integers in any indexable object. Reading a tensor of the device
    waits for all launched work, so call this function where the results are read.
    """
    rule, sequence = int(bad[0]), int(bad[1])
    if rule:
        raise ArgumentError(_RULES[rule].format(name=name, sequence=sequence))


def _find_torch():
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError:
        raise ModuleNotFoundError("packed sequences need torch: pip install torch", name="torch") from None


def require_tensor(value, function):
    """Raises a TypeError if an argument of `function` is not a torch tensor. Does not import torch."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        raise TypeError(f"{function} takes a torch tensor, got {type(value).__name__}")


def unpad(padded: torch.Tensor, lengths: typing.Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the first lengths[b] rows of each padded[b], concatenated, and the bounds of the sequences as i32.

    `padded` is a torch tensor [B, L, ...]. Lengths in a device tensor make the host wait. Gradients are padded with
    zeros."""
    torch = _find_torch()
    require_tensor(padded, "unpad")
    lengths = [integer(length, f"the length of sequence {b}") for b, length in enumerate(
        lengths.tolist() if isinstance(lengths, torch.Tensor) else lengths)]
    if len(lengths) != padded.shape[0]:
        raise ArgumentError(f"expected {padded.shape[0]} lengths (dimension 0), got {len(lengths)}")
    most = padded.shape[1]
    for b, length in enumerate(lengths):
        if not 0 <= length <= most:
            raise ArgumentError(f"the length of sequence {b} is {length}, expected 0 to {most}")
    rows = torch.cat([torch.arange(b * most, b * most + length) for b, length in enumerate(lengths)]
                     or [torch.arange(0)])
    bounds = torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32)
    packed = padded.flatten(0, 1).index_select(0, rows.to(padded.device, non_blocking=True))
    return packed, bounds.to(padded.device, non_blocking=True)


def pad(packed: torch.Tensor, bounds: torch.Tensor, longest: int) -> torch.Tensor:
    """Returns the sequences of `packed` [T, ...] as [B, longest, ...], with zeros after their ends.

    Rows outside all sequences and rows beyond `longest` are dropped. The host does not wait. Gradients are packed."""
    torch = _find_torch()
    require_tensor(packed, "pad")
    require_tensor(bounds, "pad")
    count = bounds.shape[0] - 1
    rows = torch.arange(packed.shape[0], device=packed.device, dtype=bounds.dtype)
    sequence = torch.bucketize(rows, bounds[1:], right=True)
    place = rows - bounds[sequence]
    # Dropped rows go to one extra row after all others.
    nowhere = count * longest
    target = torch.where((sequence < count) & (place < longest), sequence * longest + place, nowhere)
    made = packed.new_zeros((nowhere + 1, *packed.shape[1:])).index_copy(0, target, packed)
    return made[:-1].unflatten(0, (count, longest))
