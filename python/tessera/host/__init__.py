# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on arrays of the host: the compiler runs in this process, without a GPU and without other programs."""
