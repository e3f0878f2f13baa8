#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures products of f32 in TF32 next to cuBLAS in TF32.

    tf32_products.py --compile FOLDER     machine with tilec: packages for all choices of tiles
    tf32_products.py FOLDER               machine with a GPU and torch
    tf32_products.py --list               the kernels, shapes and choices

Each row has the time of torch.mm in TF32, the time of the fastest choice of tiles, and their ratio. A ratio above 1 is
faster than torch. The way `nt` multiplies by b[n, k].T, and the way `nn` by b[k, n]. The way `transposed` transposes b
by a kernel of its own, and then multiplies as `nt`. Launches are captured in graphs, as in computed_operands.py.
Results are compared with products in f64 of operands without the 13 low bits that TF32 lacks. The exit status is 1 if
one is wrong.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "tf32_products.tile"
SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 16384, 4096), (4000, 5000, 3008)]
CHOICES = {
    "product_nt": [{"BM": 128, "BN": 256, "STAGES": 4}, {"BM": 128, "BN": 256, "STAGES": 4, "CLUSTER": 2},
                   {"BM": 128, "BN": 256, "BK": 64, "STAGES": 2}, {"BM": 256, "BN": 128, "STAGES": 4},
                   {"BM": 128, "BN": 192, "STAGES": 5}, {"BM": 128, "BN": 128, "STAGES": 6},
                   {"BM": 128, "BN": 128, "WARPGROUPS": 1, "STAGES": 6},
                   {"BM": 128, "BN": 192, "WARPGROUPS": 1, "STAGES": 5},
                   {"BM": 64, "BN": 256, "WARPGROUPS": 1, "STAGES": 5}],
    "product_nn": [{"BM": 128, "BN": 128}, {"BM": 128, "BN": 256, "STAGES": 3}, {"BM": 128, "BN": 64}],
    "transposed": [{"BM": 64, "BN": 64}],
}  # fmt: skip
# The largest relative root-mean-square error. Operands that are rounded to nearest have about 3e-4.
BAR = 1e-4


def name(kernel, choice):
    return "-".join([kernel, *(f"{key}{value}" for key, value in choice.items())])


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, choices in CHOICES.items():
        for choice in choices:
            computed_operands.compile_choice(SOURCE, kernel, choice, folder / f"{name(kernel, choice)}.tpk")


def load_kernels(folder):
    """Returns {kernel: {name of the choice: kernel of its package}}."""
    import tessera

    return {kernel: {name(kernel, choice): tessera.Package(str(folder / f"{name(kernel, choice)}.tpk")).kernel(kernel)
                     for choice in choices}
            for kernel, choices in CHOICES.items()}  # fmt: skip


def without_low_bits(t):
    import torch

    return (t.view(torch.int32) & -0x2000).view(torch.float32).double()


def measure_shape(kernels, m, n, k):
    """Returns the times of all ways, {way: {name: microseconds}}, and the errors as text."""
    import torch

    a, b = torch.randn(m, k, device="cuda"), torch.randn(n, k, device="cuda")
    across = b.T.contiguous()
    copied = torch.empty_like(b)
    expected = without_low_bits(a) @ without_low_bits(b).T
    calls, wrong = {}, []

    def stream():
        return torch.cuda.current_stream().cuda_stream

    def add(way, key, launches, c):
        def call():
            for launch in launches:
                launch(stream())

        call()
        error = ((c.double() - expected).norm() / expected.norm()).item()
        if not error < BAR:
            wrong.append(f"{way} {key} {m}x{n}x{k}: error {error:.1e}")
        calls[way, key] = call

    calls["nt", "torch.mm"] = lambda: torch.mm(a, b.T)
    calls["nn", "torch.mm"] = calls["transposed", "torch.mm"] = lambda: torch.mm(a, across)
    transpose, = kernels["transposed"].values()
    turn = transpose.prepare(x=across, y=copied)
    for key, kernel in kernels["product_nt"].items():
        c = torch.full((m, n), float("nan"), device="cuda")
        add("nt", key, [kernel.prepare(a=a, b=b, c=c)], c)
        c = torch.full((m, n), float("nan"), device="cuda")
        add("transposed", key, [turn, kernel.prepare(a=a, b=copied, c=c)], c)
    for key, kernel in kernels["product_nn"].items():
        c = torch.full((m, n), float("nan"), device="cuda")
        add("nn", key, [kernel.prepare(a=a, b=across, c=c)], c)
    return computed_operands.measure_ways(calls), wrong


def run_all(folder):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = True
    kernels = load_kernels(folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed = False
    with torch.cuda.stream(torch.cuda.Stream()):
        for m, n, k in SHAPES:
            ways, wrong = measure_shape(kernels, m, n, k)
            for way, times in ways.items():
                peer = times.pop("torch.mm")
                best = min(times, key=times.get)
                print(f"{way} {m}x{n}x{k}: torch.mm {peer:.1f}, here {times[best]:.1f} us, "
                      f"{2 * m * n * k / times[best] / 1e6:.0f} TFLOP/s, ratio {peer / times[best]:.3f}, {best}; "
                      + ", ".join(f"{key} {time:.1f}" for key, time in times.items()), flush=True)
            for text in wrong:
                print("WRONG", text)
                failed = True
    return 1 if failed else 0


def list_all():
    print(*(f"{m}x{n}x{k}" for m, n, k in SHAPES))
    for kernel, choices in CHOICES.items():
        for choice in choices:
            print(" ", name(kernel, choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure products in TF32 against cuBLAS.", list_all, compile_all, run_all))
