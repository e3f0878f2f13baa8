#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cross entropy of rows of bf16 logits against torch and torch.compile.

    cross_entropy.py --compile FOLDER     machine with tilec: packages for all choices of tiles
    cross_entropy.py FOLDER               machine with a GPU and torch
    cross_entropy.py --list               the shapes and choices

Each row is a shape with the times of both peers and of the fastest choice, and its ratio to the faster peer. The row
also has the bandwidth of reading the logits, and that of a copy, which counts reads and writes. Launches are
captured in graphs, as in computed_operands.py. Losses are compared with f64. The exit status is 1 if a loss is
wrong.
"""

import sys

import computed_operands

KERNEL = computed_operands.ROOT / "gpu" / "experiments" / "cross_entropy.tile"
# (rows, words); the first three have unaligned rows.
SHAPES = [(4096, 50257), (8192, 4097), (4096, 12289), (8192, 8192), (4096, 32000)]
CHOICES = [{"BN": 1024}, {"BN": 2048}, {"BN": 4096}, {"BN": 8192, "WARPGROUPS": 2}]
# The largest relative root-mean-square error of a loss, which is f32.
BAR = 1e-5


def name(choice):
    return "-".join(["cross_entropy", *(f"{key}{value}" for key, value in choice.items())])


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for choice in CHOICES:
        computed_operands.compile_choice(KERNEL, "cross_entropy", choice, folder / f"{name(choice)}.tpk")


def measure_shape(packages, rows, words):
    """Returns the graphs' times in microseconds, and the names of wrong results."""
    import torch

    def peer(x, target):
        return torch.nn.functional.cross_entropy(x, target, reduction="none")

    x = torch.randn(rows, words, device="cuda").bfloat16()
    target = torch.randint(words, (rows,), device="cuda")
    expected = torch.cat([peer(part.double(), target[i * 512:(i + 1) * 512]) for i, part in enumerate(x.split(512))])
    compiled, copied = torch.compile(peer), torch.empty_like(x)
    graphs = {"copy": computed_operands.capture(lambda: copied.copy_(x)),
              "torch": computed_operands.capture(lambda: peer(x, target)),
              "torch.compile": computed_operands.capture(lambda: compiled(x, target))}
    wrong = []
    for key, package in packages.items():
        loss = torch.full((rows,), float("nan"), device="cuda")
        launch = package.kernel("cross_entropy").prepare(x=x, target=target.int(), loss=loss)
        graphs[key] = computed_operands.capture(lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
        error = ((loss.double() - expected).norm() / expected.norm()).item()
        if not error < BAR:
            wrong.append(f"{key} {rows}x{words}: error {error:.1e}")
    return computed_operands.measure(graphs), wrong


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    packages = {name(choice): tessera.Package(str(folder / f"{name(choice)}.tpk")) for choice in CHOICES}
    failed = False
    with torch.cuda.stream(torch.cuda.Stream()):
        for rows, words in SHAPES:
            times, wrong = measure_shape(packages, rows, words)
            for line in wrong:
                print(f"WRONG {line}")
            failed = failed or bool(wrong)
            size = 2 * rows * words / 1e3
            best = min(packages, key=times.get)
            peers = {key: times[key] for key in ("torch", "torch.compile")}
            print(f"{rows}x{words}: " + ", ".join(f"{key} {value:.1f}" for key, value in peers.items()) +
                  f", here {times[best]:.1f} us, ratio {min(peers.values()) / times[best]:.3f}, "
                  f"{size / times[best]:.0f} GB/s of {2 * size / times['copy']:.0f}, {best}", flush=True)
    return 1 if failed else 0


def list_all():
    for rows, words in SHAPES:
        print(f"{rows}x{words}")
    for choice in CHOICES:
        print(" ", name(choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure cross entropies.", list_all, compile_all, run_all))
