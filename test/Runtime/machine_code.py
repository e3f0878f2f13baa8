"""Checks that a kernel is compiled to machine code by default. Usage: machine_code.py EXAMPLES"""

import sys

import tessera
import torch

kernel = tessera.load(f"{sys.argv[1]}/07-flash-attention/kernel.tile")["flash_fwd"]
q, k, v = (torch.empty((1, 2, 200, 64), torch.bfloat16) for _ in range(3))
for _ in range(2):
    o, lse = kernel(q, k, v, scale=0.125, CAUSAL=True)
    print(o.shape, o.dtype, lse.shape, lse.dtype)
package = tessera.Package(kernel.compile(T="bf16", D=64, CAUSAL=True))
print("by ptxas", package.metadata["ptxas"])
