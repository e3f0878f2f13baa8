# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch, or None if it is not installed: shapes can be listed and compiled without torch."""

try:
    import torch
except ImportError:
    torch = None
