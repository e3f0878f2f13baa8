# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optional packages of peers: docs/gpu.md lists them and tells how to copy them."""

import importlib
import os
import pathlib
import sys

from .device import torch

MODULES = {
    "FlashAttention-3": "fa3_fwd_interface",
    "FlashAttention-4": "flash_attn.cute.interface",
    "fla": "fla.ops.gated_delta_rule",
    "fla of KDA": "fla.ops.kda",
    "FlashKDA": "flash_kda",
    "Liger": "liger_kernel.ops.fused_linear_cross_entropy",
    "Triton": "families.triton_kernels",
}

_loaded = {}


class AbsentError(Exception):
    """A package cannot be imported; has its name and the reason."""


def add_folder(folder):
    """Adds a folder of unpacked packages to the search path."""
    folder = pathlib.Path(folder).resolve()
    sys.path[:0] = [str(folder), str(folder / "nvidia_cutlass_dsl" / "dsl_packages")]
    # The target of FlashAttention-4.
    os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")


def load(package):
    if package not in _loaded:
        try:
            _loaded[package] = importlib.import_module(MODULES[package])
        except Exception as error:  # An import may raise anything.
            _loaded[package] = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(_loaded[package], str):
        raise AbsentError(package, _loaded[package])
    return _loaded[package]


def compiled(function):
    """Compiles with torch.compile for this shape alone: sizes are constants, as in our kernels."""
    torch._dynamo.config.recompile_limit = 64
    return torch.compile(function, dynamic=False)
