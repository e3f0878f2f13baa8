#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the frequency of the chip during products with different tiles, which the power limits.

    product_clocks.py --compile FOLDER     machine with tilec: the packages
    product_clocks.py FOLDER               machine with a GPU and torch
    product_clocks.py --list               the shapes and the choices

A product is repeated for a second, while nvidia-smi prints the frequency of the multiprocessors and the power. A row has
the time of a launch, medians of frequency and power, and the cycles of a launch, with the time relative to that of the
first choice. Cycles compare the schedules of the choices, and frequencies their power.
"""

import statistics
import subprocess
import sys
import time

import computed_operands

SOURCE = computed_operands.ROOT / "examples" / "03-matmul" / "kernel.tile"
SHAPES = [(8192, 8192, 8192), (4096, 4096, 16384), (8192, 8192, 2048)]
CHOICES = [
    {"BM": 128, "BN": 256, "STAGES": 4}, {"BM": 256, "BN": 128, "STAGES": 4}, {"BM": 128, "BN": 128, "STAGES": 4},
    {"BM": 64, "BN": 256, "WARPGROUPS": 1, "STAGES": 4, "TURNS": "false"},
    {"BM": 128, "BN": 192, "WARPGROUPS": 1, "STAGES": 5, "TURNS": "true"},
    {"BM": 128, "BN": 128, "WARPGROUPS": 1, "STAGES": 6, "TURNS": "true"},
    {"BM": 64, "BN": 256, "WARPGROUPS": 1, "STAGES": 5, "TURNS": "true"},
]  # fmt: skip
SECONDS, PERIOD_MS, REPEATS = 1.0, 20, 10


def name(choice):
    return "-".join(f"{key}{value}" for key, value in choice.items())


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for choice in CHOICES:
        computed_operands.compile_choice(SOURCE, "matmul_nt", choice, folder / f"{name(choice)}.tpk")


def sample(graph):
    """Returns the microseconds of a launch, the frequency in MHz and the power in W."""
    import torch

    meter = subprocess.Popen(["nvidia-smi", "--query-gpu=clocks.sm,power.draw.instant", "--format=csv,noheader,nounits",
                              f"--loop-ms={PERIOD_MS}"], stdout=subprocess.PIPE, text=True)  # fmt: skip
    start, launches = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        graph.replay()
        torch.cuda.synchronize()
        launches += REPEATS
    seconds = time.perf_counter() - start
    meter.terminate()
    rows = [tuple(map(float, line.split(","))) for line in meter.stdout if line.count(",") == 1]
    # The first third has a frequency that the limit does not reduce yet.
    clocks, watts = zip(*rows[len(rows) // 3:])
    return seconds / launches * 1e6, statistics.median(clocks), statistics.median(watts)


def run_all(folder):
    import tessera
    import torch

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    with torch.cuda.stream(torch.cuda.Stream()):
        for m, n, k in SHAPES:
            a, b = (torch.randn(rows, k, device="cuda").bfloat16() for rows in (m, n))
            expected, first = a @ b.T, None
            for choice in CHOICES:
                package = tessera.Package(str(folder / f"{name(choice)}.tpk"))
                c = torch.zeros(m, n, device="cuda", dtype=torch.bfloat16)
                launch = package.kernel("matmul_nt").prepare(a=a, b=b, c=c)
                graph, _ = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                if not torch.allclose(c.float(), expected.float(), rtol=2e-2, atol=1.0):
                    print(f"WRONG {name(choice)} {m}x{n}x{k}")
                    return 1
                us, clock, watts = sample(graph)
                first = first or us
                print(f"{m}x{n}x{k} {name(choice)}: {us:.1f} us, {clock:.0f} MHz, {watts:.0f} W, "
                      f"{us * clock / 1000:.1f} kcycles, {us / first:.3f}", flush=True)
    return 0


def list_all():
    for shape in SHAPES:
        print("x".join(map(str, shape)))
    for choice in CHOICES:
        print(" ", name(choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure frequencies during products.", list_all, compile_all, run_all))
