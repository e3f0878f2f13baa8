#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures rotated pairs of neighbours next to a copy, and sorted rows next to torch.

    rearranged.py --compile FOLDER     machine with tilec: packages for all shapes
    rearranged.py FOLDER               machine with a GPU and torch
    rearranged.py --list               the shapes

Each row is a shape with the times of the peer and of the fastest choice of tiles, and their ratio. The peer of a
rotation is a copy of the same tensor. Results are compared with torch. The exit status is 1 if one is wrong.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "rearranged.tile"
# Kernel, compile-time values, sizes of the launch.
SHAPES = [("rotate", {"D": 128}, (64, 4096)), ("rotate", {"D": 64}, (128, 8192)), ("sort_rows", {"D": 1024}, (16384,)),
          ("sort_rows", {"D": 256}, (65536,)), ("sort_rows", {"D": 1000}, (16384,)),
          ("order_rows", {"D": 1024}, (16384,)),
          ("top_rows", {"D": 256, "K": 8}, (65536,)), ("top_rows", {"D": 64, "K": 6}, (131072,)),
          ("top_rows", {"D": 4096, "K": 32}, (8192,))]  # fmt: skip
ROWS = (1, 4, 16, 32)


def choices(kernel, values):
    """Returns the tiles of at most 8192 elements."""
    return [{**values, "BM": rows} for rows in ROWS if rows * values["D"] <= 8192]


def name(kernel, choice):
    return "-".join([kernel, *(f"{key}{value}" for key, value in choice.items())])


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, values, _ in SHAPES:
        for choice in choices(kernel, values):
            computed_operands.compile_choice(SOURCE, kernel, choice, folder / f"{name(kernel, choice)}.tpk")


def make(kernel, values, sizes):
    """Returns the inputs, empty results, the peer, and the expected results."""
    import torch

    if kernel == "rotate":
        batch, length = sizes
        x = torch.randn(batch, length, values["D"], device="cuda").bfloat16()
        angle = torch.rand(length, values["D"] // 2, device="cuda") * 6
        pairs = x.float().unflatten(-1, (-1, 2))
        turns = torch.polar(torch.ones_like(angle), angle)
        turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turns).flatten(-2)
        y = torch.empty_like(x)
        return {"x": x, "cosine": angle.cos(), "sine": angle.sin()}, {"y": y}, lambda: y.copy_(x), {"y": turned}
    x = torch.randint(-10000, 10000, (sizes[0], values["D"]), device="cuda").float()
    if kernel == "sort_rows":
        return {"x": x}, {"y": torch.empty_like(x)}, lambda: torch.sort(x, dim=1), {"y": x.sort(dim=1).values}
    down = x.sort(dim=1, descending=kernel == "top_rows", stable=True)
    if kernel == "order_rows":
        y = torch.empty_like(x, dtype=torch.int32)
        return {"x": x}, {"y": y}, lambda: torch.argsort(x, dim=1), {"y": down.indices}
    k = values["K"]
    results = {"y": x.new_empty(sizes[0], k), "at": x.new_empty(sizes[0], k, dtype=torch.int32)}
    expected = {"y": down.values[:, :k], "at": down.indices[:, :k]}
    return {"x": x}, results, lambda: torch.topk(x, k, dim=1), expected


def run_all(folder):
    import tessera
    import torch

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed = False
    with torch.cuda.stream(torch.cuda.Stream()):
        for kernel, values, sizes in SHAPES:
            inputs, results, peer, expected = make(kernel, values, sizes)
            graphs = {"peer": computed_operands.capture(peer)}
            for choice in choices(kernel, values):
                package = tessera.Package(str(folder / f"{name(kernel, choice)}.tpk"))
                launch = package.kernel(kernel).prepare(**inputs, **results)
                for result in results.values():
                    result.zero_()
                graphs[name(kernel, choice)] = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                for key, result in results.items():
                    error = (result.double() - expected[key].double()).abs().max().item()
                    if not error <= (0.05 if kernel == "rotate" else 0.0):
                        failed = True
                        print(f"WRONG {name(kernel, choice)} {key}: error {error:.1e}")
            times = computed_operands.measure(graphs)
            best = min((key for key in times if key != "peer"), key=times.get)
            print(f"{kernel} {'x'.join(map(str, sizes))} {values}: peer {times['peer']:.1f}, "
                  f"here {times[best]:.1f} us, ratio {times['peer'] / times[best]:.3f}, {best}", flush=True)
            del graphs
    return 1 if failed else 0


def list_all():
    for kernel, values, sizes in SHAPES:
        names = ", ".join(name(kernel, choice) for choice in choices(kernel, values))
        print(f"{kernel} {'x'.join(map(str, sizes))}: {names}")


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure rearranged tiles.", list_all, compile_all, run_all))
