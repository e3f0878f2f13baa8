#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures kernels of the examples on the processor, in the interpreter, and as operations of torch and NumPy.

    speed.py ROOT [--interpreter] [--peers PYTHON] [--repeat N] [EXAMPLE...]

Prints a table of seconds. `cpu` is the fastest of N launches by `tile-run --device cpu --time`, without compilation;
`first` is the time of the whole command, with compilation and random arguments. The interpreter runs once, and only
with --interpreter. --peers names a Python with torch and NumPy; an operation runs N times, on
as many threads as there are processors. Torch computes in the type of the kernel, NumPy in f32.
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
import time


@dataclasses.dataclass(frozen=True)
class Case:
    example: str
    kernel: str
    defines: str
    # The shapes of random arguments, and other arguments.
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
CASES = [
    Case("01-vector-add", "vector_add", "-D T=f32", {"x": (1 << 24,), "y": (1 << 24,)}, {}, "x + y"),
    Case("02-softmax", "softmax", "-D T=f32", {"x": (4096, 4096)}, {}, "torch.softmax(x, 1)"),
    Case("03-matmul", "matmul_nn", "-D T=f32", {"a": SQUARE, "b": SQUARE}, {}, "a @ b", "a @ b"),
    Case("03-matmul", "matmul_nt", "-D T=bf16", {"a": SQUARE, "b": SQUARE}, {}, "a @ b.T"),
    Case("05-layer-norm", "layer_norm", "-D T=f32", {"x": (4096, 4096), "gain": (4096,), "bias": (4096,)},
         {"eps": "1e-5"}, "torch.nn.functional.layer_norm(x, (4096,), gain, bias, 1e-5)"),
    Case("06-lola", "lola", "-D T=f16", {"x": (2048, 1024), "w": (1024, 1024), "wsum": (1024,), "bias": (1024,)},
         {"eps": "1e-5"}, ""),
    Case("07-flash-attention", "flash_fwd", "-D T=f32", {"q": HEADS, "k": HEADS, "v": HEADS}, {"scale": "0.088"},
         "torch.nn.functional.scaled_dot_product_attention(q, k, v)"),
    Case("07-flash-attention", "flash_fwd", "-D T=bf16 -D CAUSAL=true", {"q": HEADS, "k": HEADS, "v": HEADS},
         {"scale": "0.088"}, "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"),
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


def launch(options, case, device):
    """Returns the seconds of the launch and of the whole command."""
    command = [options.tile_run, str(options.root / "examples" / case.example / "kernel.tile"), "--kernel", case.kernel,
               *case.defines.split(), "--device", device, "--time"]
    for name, shape in case.shapes.items():
        command += ["--arg", f"{name}=randn({', '.join(map(str, shape))})"]
    for name, value in case.others.items():
        command += ["--arg", f"{name}={value}"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "remark" in done.stderr:
        sys.exit(done.stderr)
    return float(re.search(r"time: ([\d.]+) s", done.stdout)[1]), time.perf_counter() - start


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
    row = "{:<46} {:>8} {:>8} {:>12} {:>8} {:>8}"
    print(row.format("kernel", "cpu", "first", "interpreter", "torch", "numpy"))
    for case in CASES:
        if options.examples and not any(word in case.example for word in options.examples):
            continue
        runs = [launch(options, case, "cpu") for _ in range(options.repeat)]
        times = [min(run[0] for run in runs), min(run[1] for run in runs),
                 launch(options, case, "interpreter")[0] if options.interpreter else None,
                 measure_peer(options, case, "torch"), measure_peer(options, case, "numpy")]
        print(row.format(case.title, *("" if value is None else f"{value:.3f}" for value in times)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
