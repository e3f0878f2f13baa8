#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures plain calls of Python with configurations by predicted time, with the defaults, and of torch.

    choice_calls.py --fill CACHE        here: compiles the kernels of all calls, without a GPU
    choice_calls.py CACHE               there: a machine with a GPU and torch, without a compiler

Times are in microseconds: medians of bursts of 20, in alternation. Results are compared with torch in f32.
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


BURST = 20


def rows(count, length):
    return {"M": count, "N": length}


def product(m, n, k):
    return {"M": m, "N": n, "K": k}


def attention(batch, tokens, heads, head, causal):
    return {"B": batch, "M": tokens, "N": tokens, "H": heads, "HK": heads, "D": head, "CAUSAL": causal}


CALLS = [
    *(("02-softmax", "softmax", rows(*shape)) for shape in ((131072, 256), (262144, 128), (65536, 768), (8192, 8192))),
    *(("05-layer-norm", "layer_norm", rows(*shape)) for shape in ((131072, 256), (65536, 768), (8192, 8192))),
    *(("03-matmul", "matmul_nt", product(*shape))
      for shape in ((16, 4096, 4096), (64, 8192, 8192), (200, 4096, 4096), (1024, 1024, 1024), (3000, 3000, 3000))),
    *(("07-flash-attention", "flash_fwd", attention(*shape))
      for shape in ((4, 4096, 16, 256, False), (4, 4096, 16, 256, True), (4, 4096, 16, 96, False),
                    (16, 1024, 16, 64, True), (4, 4096, 16, 128, False))),
]


def open_kernel(example, kernel, folder, configuration, read_only):
    import tessera

    cache = tessera.Cache(folder, read_only=read_only)
    return tessera.load(ROOT / "examples" / example / "kernel.tile", cache=cache, configuration=configuration)[kernel]


def fill(folder):
    for example, kernel, values in CALLS:
        for configuration in ("predicted", "default"):
            start = time.perf_counter()
            path = open_kernel(example, kernel, folder, configuration, False).compile(T="bf16", **values)
            print(f"{time.perf_counter() - start:6.1f} s  {pathlib.Path(path).name}  {kernel} {values} {configuration}",
                  flush=True)


def make_call(torch, kernel, values):
    """Returns the arguments, keyword arguments, the call of torch, and its result in f32."""
    functional = torch.nn.functional

    def normal(*shape):
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    if kernel in ("softmax", "layer_norm"):
        x = normal(values["M"], values["N"])
        if kernel == "softmax":
            return (x,), {}, lambda: torch.softmax(x, -1), torch.softmax(x.float(), -1)
        w, b = normal(values["N"]), normal(values["N"])
        return ((x, w, b, 1e-5), {}, lambda: functional.layer_norm(x, x.shape[-1:], w, b),
                functional.layer_norm(x.float(), x.shape[-1:], w.float(), b.float()))
    if kernel == "matmul_nt":
        a, b = normal(values["M"], values["K"]), normal(values["N"], values["K"])
        return (a, b), {}, lambda: a @ b.T, a.float() @ b.float().T
    shape = values["B"], values["H"], values["M"], values["D"]
    q, k, v = normal(*shape), normal(*shape), normal(*shape)
    causal = values["CAUSAL"]

    def attend(*tensors):
        return functional.scaled_dot_product_attention(*tensors, is_causal=causal)

    expected = attend(*(tensor[:1, :1].float() for tensor in (q, k, v)))
    return (q, k, v), {"scale": 1 / math.sqrt(values["D"]), "CAUSAL": causal}, lambda: attend(q, k, v), expected


def measure(folder, rounds):
    os.environ["TESSERA_CACHE_READ_ONLY"] = "1"
    import torch
    from tessera.tune import timing

    print(torch.cuda.get_device_name())
    for example, kernel, values in CALLS:
        arguments, named, peer, expected = make_call(torch, kernel, values)
        calls = {"torch": peer}
        for configuration in ("predicted", "default"):
            chosen = open_kernel(example, kernel, folder, configuration, True)
            calls[configuration] = lambda chosen=chosen: chosen(*arguments, **named)
        times = {name: [] for name in calls}
        errors = []
        for name in ("predicted", "default"):
            result = calls[name]()
            result = (result[0] if isinstance(result, tuple) else result).float()
            result = result[tuple(slice(extent) for extent in expected.shape)]
            errors.append(float((result - expected).norm() / expected.norm()))
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(timing.burst(call, BURST) * 1e3)
        took = {name: statistics.median(all_times) for name, all_times in times.items()}
        text = " ".join(f"{name}={value}" for name, value in values.items())
        print(f"{kernel} {text}: predicted {took['predicted']:.1f}, default {took['default']:.1f}, "
              f"torch {took['torch']:.1f}; default / predicted {took['default'] / took['predicted']:.2f}, "
              f"torch / predicted {took['torch'] / took['predicted']:.2f}; errors {errors[0]:.1e} {errors[1]:.1e}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measure calls with configurations by predicted time.")
    parser.add_argument("cache", metavar="CACHE", help="the folder of the cache")
    parser.add_argument("--fill", action="store_true", help="compile the kernels of all calls instead")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="bursts of each call")
    options = parser.parse_args()
    if options.fill:
        fill(options.cache)
    else:
        measure(options.cache, options.rounds)


if __name__ == "__main__":
    main()
