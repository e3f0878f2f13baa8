# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of everything: CMake and the wheel read this line."""

__version__ = "0.1.0"
