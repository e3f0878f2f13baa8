#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what gates cost gated attention: its forward pass beside the same kernel without them.

    gate_cost.py --compile FOLDER     here: packages with and without gates, by tilec
    gate_cost.py FOLDER               on a machine with a GPU and torch
    gate_cost.py --list               the shapes and choices

Each row is a shape with the time of the fastest choice of either, and their ratio. Launches are captured in graphs,
as in computed_operands.py. Whether results are right, check.py says.
"""

import sys

import computed_operands

KERNEL = computed_operands.ROOT / "examples" / "08-gated-attention" / "kernel.tile"
# Batch, sequence, query heads, key heads, size of a head.
SHAPES = [(4, 4096, 32, 8, 128), (4, 4096, 32, 8, 64)]
CHOICES = [{"BM": 128, "BN": 64}, {"BM": 128, "BN": 128}]


def name(size, gated, choice):
    return "-".join(["gated" if gated else "plain", str(size), *(f"{key}{value}" for key, value in choice.items())])


def variants():
    for size in sorted({shape[-1] for shape in SHAPES}):
        for gated in (True, False):
            for choice in CHOICES:
                yield size, gated, choice


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for size, gated, choice in variants():
        values = {"T": "bf16", "DK": size, "DV": size, "GATED": str(gated).lower(), **choice}
        computed_operands.compile_choice(KERNEL, "gated_attention", values,
                                         folder / f"{name(size, gated, choice)}.tpk")


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    with torch.cuda.stream(torch.cuda.Stream()):
        for batch, length, heads, keys, size in SHAPES:
            q, o = (torch.randn(batch, length, heads, size, device="cuda").bfloat16() for _ in range(2))
            k, v = (torch.randn(batch, length, keys, size, device="cuda").bfloat16() for _ in range(2))
            c = -torch.rand(batch, heads, length, device="cuda").cumsum(-1)
            lse = torch.zeros(batch, heads, length, device="cuda")
            graphs = {}
            for own, gated, choice in variants():
                if own != size:
                    continue
                package = tessera.Package(str(folder / f"{name(size, gated, choice)}.tpk"))
                launch = package.kernel("gated_attention").prepare(
                    q=q, k=k, v=v, scale=size ** -0.5, o=o, lse=lse, **({"c": c} if gated else {}))
                graphs[gated, name(size, gated, choice)] = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
            times = computed_operands.measure(graphs)
            best = [min((time, key[1]) for key, time in times.items() if key[0] == gated) for gated in (True, False)]
            print(f"{batch}x{length} {heads}/{keys} heads of {size}: {best[0][1]} {best[0][0]:.1f} us, "
                  f"{best[1][1]} {best[1][0]:.1f} us, ratio {best[0][0] / best[1][0]:.3f}", flush=True)
    return 0


def list_all():
    for shape in SHAPES:
        print("{}x{} {}/{} heads of {}".format(*shape))
    for size, gated, choice in variants():
        print(" ", name(size, gated, choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure what gates cost gated attention.", list_all, compile_all, run_all))
