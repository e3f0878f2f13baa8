#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures i8 products against torch._int_mm, and compares them bit for bit.

    integer_products.py [--list]

Compiles integer_products.tile for each choice of tiles from Python, on a machine with a GPU, torch and the compiler
(or its wheel). Each row is a shape with the microseconds of torch, those of the fastest choice, and their ratio; a
ratio above 1 is faster than torch. The time is the median of rounds; the L2 cache is overwritten before each round.
The exit status is 1 if a result is wrong. --list prints the shapes and choices.
"""

import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

# (M, N, K); torch requires more than 16 rows.
SHAPES = [(8192, 8192, 8192), (4096, 4096, 4096), (4096, 16384, 4096), (1024, 4096, 4096), (64, 8192, 8192),
          (24, 8192, 8192), (4000, 5000, 3008)]
CHOICES = [{"BM": 128, "BN": 256, "WARPGROUPS": 2}, {"BM": 128, "BN": 128, "WARPGROUPS": 2},
           {"BM": 256, "BN": 128, "WARPGROUPS": 2}, {"BM": 64, "BN": 128, "WARPGROUPS": 1},
           {"BM": 64, "BN": 256, "WARPGROUPS": 1}, {"BM": 32, "BN": 64, "WARPGROUPS": 1},
           {"BM": 32, "BN": 128, "WARPGROUPS": 2}]
ROUNDS = 30


def measure(call, cache):
    """Returns the microseconds of one call on the device."""
    import torch
    times = []
    for _ in range(ROUNDS):
        cache.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description="Measure i8 products against torch._int_mm.")
    parser.add_argument("--list", action="store_true", help="print shapes and choices, and stop")
    if parser.parse_args().list:
        print(*(f"{m}x{n}x{k}" for m, n, k in SHAPES))
        for choice in CHOICES:
            print(*(f"{name}={value}" for name, value in choice.items()))
        return 0
    import tessera
    import torch
    kernel = tessera.load(ROOT / "gpu" / "experiments" / "integer_products.tile")["integer_product"]
    cache = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    wrong = 0
    for m, n, k in SHAPES:
        a, b = (torch.randint(-128, 128, (rows, k), dtype=torch.int8, device="cuda") for rows in (m, n))
        expected = torch._int_mm(a, b.T)
        peer = measure(lambda: torch._int_mm(a, b.T), cache)
        best = None
        for choice in CHOICES:
            if not torch.equal(kernel(a, b, **choice), expected):
                print(f"WRONG {m}x{n}x{k} {choice}")
                wrong += 1
                continue
            time = measure(lambda: kernel(a, b, **choice), cache)
            best = min(best or (time, choice), (time, choice), key=lambda pair: pair[0])
        if best:
            print(f"{m}x{n}x{k}: torch {peer:.1f}, here {best[0]:.1f} us, ratio {peer / best[0]:.2f}, {best[1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
