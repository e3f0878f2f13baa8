# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds which compile-time parameters are the fastest for which shapes: docs/tuning.md. A program, `tile-tune` or
`python -m tessera.tune`; of its modules, `workers` and `timing` are for other programs that measure, too."""
