#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures kernels of the examples on the processor, in the interpreter, and as operations of torch and NumPy.

    speed.py ROOT [--interpreter] [--peers PYTHON] [--repeat N] [EXAMPLE...]

Prints a table of seconds. `cpu` is the fastest of N launches by `tile-run --device cpu --time`, without compilation;
`compile` is the least time of a compilation. The interpreter runs once, and only with --interpreter. --peers names a
Python with torch and NumPy; an operation runs N times, on as many threads as there are processors. Torch computes in
the type of the kernel, NumPy in f32. An expression of torch for gradients contains the forward pass.
"""

import argparse
import dataclasses
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np


@dataclasses.dataclass(frozen=True)
class Case:
    example: str
    kernel: str
    defines: str
    # The shapes of random arguments of type T, and other arguments: words of --arg, or rows of integers.
    shapes: dict
    others: dict
    # Expressions of torch and of NumPy over the arguments.
    torch: str
    numpy: str = ""

    @property
    def title(self):
        sizes = " ".join("x".join(map(str, shape)) for shape in dict.fromkeys(self.shapes.values()))
        return f"{self.kernel} {self.defines.replace('-D ', '')} {sizes}"


SQUARE = (2048, 2048)
HEADS = (1, 8, 2048, 128)
ROWS = (1, 2048, 8, 128)
TOKENS = (2048, 8, 128)
GRADIENTS = ("torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention("
             "*(t := [x.requires_grad_() for x in (q, k, v)])), t, do)")
CASES = [
    Case("01-vector-add", "vector_add", "-D T=f32", {"x": (1 << 24,), "y": (1 << 24,)}, {}, "x + y"),
    Case("02-softmax", "softmax", "-D T=f32", {"x": (4096, 4096)}, {}, "torch.softmax(x, 1)"),
    Case("03-matmul", "matmul_nn", "-D T=f32", {"a": SQUARE, "b": SQUARE}, {}, "a @ b", "a @ b"),
    Case("03-matmul", "matmul_nt", "-D T=bf16", {"a": SQUARE, "b": SQUARE}, {}, "a @ b.T"),
    Case("04-split-k-matmul", "split_k_partial_nn", "-D T=bf16", {"a": (256, 8192), "b": (8192, 256)}, {"S": "8"}, "a @ b"),
    Case("05-layer-norm", "layer_norm", "-D T=f32", {"x": (4096, 4096), "gain": (4096,), "bias": (4096,)},
         {"eps": "1e-5"}, "torch.nn.functional.layer_norm(x, (4096,), gain, bias, 1e-5)"),
    Case("06-lola", "lola", "-D T=f16", {"x": (2048, 1024), "w": (1024, 1024), "wsum": (1024,), "bias": (1024,)},
         {"eps": "1e-5"}, ""),
    Case("07-flash-attention", "flash_fwd", "-D T=f32", {"q": HEADS, "k": HEADS, "v": HEADS}, {"scale": "0.088"},
         "torch.nn.functional.scaled_dot_product_attention(q, k, v)"),
    Case("07-flash-attention", "flash_fwd", "-D T=bf16 -D CAUSAL=true", {"q": HEADS, "k": HEADS, "v": HEADS},
         {"scale": "0.088"}, "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"),
    Case("08-gated-attention", "gated_attention", "-D T=bf16", {"q": ROWS, "k": ROWS, "v": ROWS},
         {"c": "zeros(1, 8, 2048)", "scale": "0.088"}, ""),
    Case("09-linear-logp", "linear_logp", "-D T=bf16", {"h": (512, 1024), "w": (8192, 1024)},
         {"target": "randint(0, 8192, 512)", "first": "0", "words": "8192", "S": "4"},
         "torch.log_softmax((h @ w.T).float(), 1)"),
    Case("10-varlen-attention", "varlen_fwd", "-D T=bf16", {"q": TOKENS, "k": TOKENS, "v": TOKENS},
         {"list": [(0, 2048, start, 0, 2048) for start in range(0, 2048, 128)], "tile": "zeros(128)",
          "scale": "0.088"},
         "torch.nn.functional.scaled_dot_product_attention(*(x.transpose(0, 1)[None] for x in (q, k, v)))"),
    Case("11-attention-backward", "attention_bwd", "-D T=bf16", {"q": HEADS, "k": HEADS, "v": HEADS, "do": HEADS},
         {"shift": "full(8, 1, 8, 2048)", "delta": "zeros(1, 8, 2048)", "sums": "zeros(1, 8, 32, 64, 128)",
          "scale": "0.088"}, GRADIENTS),
    Case("12-varlen-backward", "varlen_bwd", "-D T=bf16", {"q": TOKENS, "k": TOKENS, "v": TOKENS, "do": TOKENS},
         {"shift": "full(8, 8, 2112)", "delta": "zeros(8, 2112)", "cu_q": [0, 2048], "cu_k": [0, 2048],
          "max_k": "2048", "scale": "0.088", "sums": "zeros(8, 33, 64, 128)", "dk": "zeros(2048, 8, 128)",
          "dv": "zeros(2048, 8, 128)"}, ""),
    Case("13-decoding", "decode", "-D T=bf16", {"q": (4, 16, 128), "k": (4, 4096, 2, 128), "v": (4, 4096, 2, 128)},
         {"lengths": "full(4096, 4)", "M": "1", "S": "4", "scale": "0.088"},
         "torch.nn.functional.scaled_dot_product_attention("
         "q.view(4, 2, 8, 128), k.transpose(1, 2), v.transpose(1, 2))"),
    Case("14-scaled-matmul", "scaled_matmul", "-D T=bf16", {"a": (1024, 1024), "b": (1024, 1024)},
         {"sa": "ones(8, 1024)", "sb": "ones(8, 8)"}, ""),
    Case("15-grouped-matmul", "grouped_matmul", "-D T=bf16 -D GATHER=false",
         {"x": (2048, 1024), "w": (8, 1024, 1024)}, {"first": list(range(0, 2049, 256)), "longest": "256"},
         "torch.bmm(x.view(8, 256, 1024), w)"),
]

# A script that prints the seconds of an expression.
PEER = """
import time, {module}
given = {{name: {make} for name, shape in {shapes}.items()}}
best = float("inf")
for _ in range({repeat}):
    start = time.perf_counter()
    eval({expression!r}, {{"{module}": {module}, **given}})
    best = min(best, time.perf_counter() - start)
print(best)
"""
DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}


def launch(options, case, device, scratch):
    """Returns the seconds of the launch, and those of the compilation or None."""
    command = [options.tile_run, str(options.root / "examples" / case.example / "kernel.tile"), "--kernel", case.kernel,
               *case.defines.split(), "--device", device, "--time"]
    for name, shape in case.shapes.items():
        command += ["--arg", f"{name}=randn({', '.join(map(str, shape))})"]
    for name, value in case.others.items():
        if isinstance(value, list):
            np.save(f"{scratch}/{name}.npy", np.array(value, np.int32))
            value = f"@{scratch}/{name}.npy"
        command += ["--arg", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "remark" in done.stderr:
        sys.exit(done.stderr)
    seconds, compiled = re.search(r"time: ([\d.]+) s, \d+ programs(?:, compiled in ([\d.]+) s)?", done.stdout).groups()
    return float(seconds), compiled and float(compiled)


def measure_peer(options, case, module):
    expression = getattr(case, module)
    if not options.peers or not expression:
        return None
    dtype = DTYPES[re.search(r"T=(\w+)", case.defines)[1]]
    make = {"torch": f"torch.randn(shape).to(torch.{dtype})",
            "numpy": f"numpy.random.default_rng(0).standard_normal(shape, numpy.{dtype})"}[module]
    script = PEER.format(module=module, make=make, shapes=case.shapes, repeat=options.repeat, expression=expression)
    return float(subprocess.run([options.peers, "-c", script], capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("examples", nargs="*")
    parser.add_argument("--interpreter", action="store_true")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    options.tile_run = shutil.which("tile-run")
    print(f"{os.cpu_count()} processors, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
    row = "{:<62} {:>8} {:>8} {:>12} {:>8} {:>8}"
    print(row.format("kernel", "cpu", "compile", "interpreter", "torch", "numpy"))
    for case in CASES:
        if options.examples and not any(word in case.example for word in options.examples):
            continue
        with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
            runs = [launch(options, case, "cpu", scratch) for _ in range(options.repeat)]
            interpreted = launch(options, case, "interpreter", scratch)[0] if options.interpreter else None
        times = [min(run[0] for run in runs), min(run[1] for run in runs), interpreted,
                 measure_peer(options, case, "torch"), measure_peer(options, case, "numpy")]
        print(row.format(case.title, *("" if value is None else f"{value:.3f}" for value in times)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
