# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a kernel of 100 000 parameters.

Usage: many_parameters.py SIZE, with `{}` for the number of the parameter
"""

import sys

tensors = ", ".join(f"x{i}: f32[{sys.argv[1].format(i)}]" for i in range(100000))
size = sys.argv[1].format(7)
print(f"kernel k({tensors}, out y: f32[{size}]) grid (n in tiles({size}, 64)) {{ y[n] = x7[n]; }}")
