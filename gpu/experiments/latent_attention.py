#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures decoding with latent keys of 512 + 64 columns for 16 and 32 heads, next to a copy of as many bytes.

    latent_attention.py --compile FOLDER     machine with tilec: packages for all choices of tiles
    latent_attention.py FOLDER               machine with a GPU and torch
    latent_attention.py --list               the shapes and choices

Each row is a choice with its time and the ratio of the time of the copy to it. One program reads all keys of a
sequence. Results are compared with f64; the exit status is 1 if one is wrong.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "latent_attention.tile"
# Sequences, heads, keys.
SHAPES = [(132, 16, 4096), (132, 16, 8192), (132, 32, 8192)]
# Tiles of 64 rows have 48 or 32 rows without a head.
CHOICES = [{"BM": rows, "W": warpgroups} for rows in (16, 32) for warpgroups in (1, 2)] + [{"BM": 64, "W": 2}]
# The largest relative root-mean-square error of bf16.
BAR = 5e-3


def name(choice):
    return computed_operands.name("latent", choice)


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for choice in CHOICES:
        computed_operands.compile_choice(SOURCE, "latent", choice, folder / f"{name(choice)}.tpk")


def make_problem(batch, heads, keys):
    """Returns the arguments, and the expected result in f64."""
    import torch

    def randn(*sizes):
        return torch.randn(*sizes, device="cuda").bfloat16()

    given = {"q": randn(batch, heads, 512), "rotated_q": randn(batch, heads, 64), "latent": randn(batch, keys, 512),
             "rotated": randn(batch, keys, 64)}
    scale, expected = 576 ** -0.5, []
    for q, turned, latent, rotated in zip(*(given[key].double() for key in given)):
        expected.append(torch.softmax(scale * (q @ latent.T + turned @ rotated.T), 1) @ latent)
    return {**given, "scale": scale}, torch.stack(expected)


def run_all(folder):
    import tessera
    import torch

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    wrong = 0
    with torch.cuda.stream(torch.cuda.Stream()):
        for batch, heads, keys in SHAPES:
            given, expected = make_problem(batch, heads, keys)
            # A copy reads half of its bytes and writes the other half.
            half = given["latent"].new_empty(batch * keys * 288)
            target = torch.empty_like(half)
            graphs = {"copy": computed_operands.capture(lambda: target.copy_(half))}
            for choice in CHOICES:
                o = torch.zeros(batch, heads, 512, device="cuda")
                lse = torch.zeros(batch, heads, device="cuda")
                launch = tessera.Package(str(folder / f"{name(choice)}.tpk")).kernel("latent").prepare(
                    o=o, lse=lse, **given)
                graphs[name(choice)] = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                error = ((o.double() - expected).norm() / expected.norm()).item()
                if not error < BAR:
                    print(f"WRONG {name(choice)} {batch}x{heads}x{keys}: error {error:.1e}")
                    wrong += 1
            times = computed_operands.measure(graphs)
            for key, time in times.items():
                print(f"{batch}x{heads}x{keys} {key}: {time:.1f} us, {batch * keys * 1152 / time / 1e3:.0f} GB/s, "
                      f"ratio {times['copy'] / time:.3f}", flush=True)
    return 1 if wrong else 0


def list_all():
    for shape in SHAPES:
        print("x".join(map(str, shape)), *(name(choice) for choice in CHOICES))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure latent attention.", list_all, compile_all, run_all))
