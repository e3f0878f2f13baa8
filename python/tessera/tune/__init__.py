# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the fastest compile-time parameters for classes of shapes: docs/tuning.md.

The program is `tile-tune` or `python -m tessera.tune`. Other programs that measure may use the modules `workers` and
`timing`."""
