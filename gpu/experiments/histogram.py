#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures histograms of f32 elements against torch.histc.

    histogram.py --compile FOLDER     machine with tilec: packages for all choices of tiles
    histogram.py FOLDER               machine with a GPU and torch
    histogram.py --list               the shapes and choices

Each row is a number of elements and of bins, and the elements: uniform ones, or equal ones. It has the times of
torch.histc and of the fastest choice, their ratio, and the bandwidth of reading the elements. Launches are captured in
graphs, as in computed_operands.py; they include setting the counts to zero. Counts are compared with those of
torch.bincount. The exit status is 1 if a count is wrong.
"""

import sys

import computed_operands

KERNEL = computed_operands.ROOT / "gpu" / "experiments" / "histogram.tile"
# (elements, bins)
SHAPES = [(2**26, 256), (2**26, 4096), (2**24, 256), (2**24, 4096), (2**20, 256)]
TILES = [{"BN": 4096, "WARPGROUPS": 1}, {"BN": 8192, "WARPGROUPS": 2}, {"BN": 16384, "WARPGROUPS": 2}]
CHUNKS = [{"BN": 2048, "TILES": 16, "WARPGROUPS": 1}, {"BN": 4096, "TILES": 16, "WARPGROUPS": 2},
          {"BN": 4096, "TILES": 32, "WARPGROUPS": 1}]
CHOICES = [*(("histogram", tiles) for tiles in TILES), *(("persistent_histogram", tiles) for tiles in TILES),
           *(("chunked_histogram", chunks) for chunks in CHUNKS)]


def name(kernel, bins, choice):
    return computed_operands.name(kernel, {"K": bins, **choice})


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for bins in sorted({bins for _, bins in SHAPES}):
        for kernel, choice in CHOICES:
            computed_operands.compile_choice(KERNEL, kernel, {"K": bins, **choice},
                                             folder / f"{name(kernel, bins, choice)}.tpk")


def measure_shape(packages, x, bins):
    """Returns the graphs' times in microseconds, and the names of wrong results."""
    import torch
    expected = torch.bincount((x * bins).int().clamp(max=bins - 1), minlength=bins)
    graphs = {"torch.histc": computed_operands.capture(lambda: torch.histc(x, bins, 0.0, 1.0))}
    wrong = []
    for key, (kernel, package) in packages.items():
        counts = torch.zeros(bins, device="cuda", dtype=torch.int32)
        launch = package.kernel(kernel).prepare(x=x, low=0.0, scale=float(bins), counts=counts)

        def call(launch=launch, counts=counts):
            counts.zero_()
            launch(torch.cuda.current_stream().cuda_stream)

        graphs[key] = computed_operands.capture(call)
        if not torch.equal(counts.long(), expected):
            wrong.append(f"{key}: {(counts.long() - expected).abs().sum().item()} of {x.numel()} elements")
    return computed_operands.measure(graphs), wrong


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed = False
    with torch.cuda.stream(torch.cuda.Stream()):
        for elements, bins in SHAPES:
            keys = {name(kernel, bins, choice): kernel for kernel, choice in CHOICES}
            packages = {key: (kernel, tessera.Package(str(folder / f"{key}.tpk"))) for key, kernel in keys.items()}
            for kind, x in (("uniform", torch.rand(elements, device="cuda")),
                            ("equal", torch.full((elements,), 0.5, device="cuda"))):
                times, wrong = measure_shape(packages, x, bins)
                for line in wrong:
                    print(f"WRONG {line}")
                failed = failed or bool(wrong)
                best = min(packages, key=times.get)
                print(f"{elements} {kind} elements, {bins} bins: torch.histc {times['torch.histc']:.1f}, "
                      f"here {times[best]:.1f} us, ratio {times['torch.histc'] / times[best]:.3f}, "
                      f"{4e-3 * elements / times[best]:.0f} GB/s, {best}", flush=True)
                print("  " + ", ".join(f"{key} {value:.1f}" for key, value in times.items()), flush=True)
    return 1 if failed else 0


def list_all():
    for elements, bins in SHAPES:
        print(f"{elements} elements, {bins} bins")
    for kernel, choice in CHOICES:
        print(" ", computed_operands.name(kernel, choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure histograms.", list_all, compile_all, run_all))
