# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets of losses over a vocabulary."""

from __future__ import annotations

import typing

from .errors import ArgumentError
from .packed import require_tensor

if typing.TYPE_CHECKING:
    import torch


def require_targets(target: torch.Tensor, words: int, ignore: int = -100) -> None:
    """Raises an ArgumentError if an element of the torch tensor `target` is neither in [0, words) nor `ignore`.

    Waits for the device."""
    require_tensor(target, "require_targets")
    wrong = ((target < 0) | (target >= words)) & (target != ignore)
    if wrong.any():
        at = wrong.nonzero()[0].tolist()
        raise ArgumentError(f"target[{', '.join(map(str, at))}] is {int(target[tuple(at)])}, expected 0 to "
                            f"{words - 1}, or {ignore} to ignore it")
