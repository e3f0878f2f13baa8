#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures softmax and layer norm of short rows by programs of 1, 2, 4 and 8 warps, next to torch and a copy.

    few_warps.py --compile FOLDER     machine with tilec: the packages
    few_warps.py FOLDER               machine with a GPU and torch
    few_warps.py --list               the shapes and the choices

Each program has a block of whole rows. Launches are captured in graphs, as in computed_operands.py. Results are compared
with torch in f32. The exit status is 1 if a result is wrong.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "few_warps.tile"
SHAPES = [*(("softmax", *shape) for shape in ((8192, 128), (262144, 128), (65536, 256), (32768, 512), (16384, 1024),
                                              (64, 1024))),
          ("layer_norm", 262144, 128), ("layer_norm", 65536, 256), ("layer_norm", 16384, 1024)]  # fmt: skip
# Elements of a block for each warp.
LEAST, MOST = 128, 2048
# The largest error, relative to results above 1: a little more than half of a unit in the last place.
BAR = 4e-3


def choices(columns):
    return [(warps, rows) for warps in (1, 2, 4, 8) for rows in (1, 2, 4, 8, 16, 32)
            if LEAST <= rows * columns // warps <= MOST]


def name(warps, rows):
    return f"{rows} rows by {warps}"


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, columns in sorted({(kernel, columns) for kernel, _, columns in SHAPES}):
        for warps, rows in choices(columns):
            computed_operands.compile_choice(SOURCE, kernel, {"BM": rows, "BN": columns, "WARPS": warps},
                                             folder / f"{kernel}-{columns}-{warps}-{rows}.tpk")


def make(kernel, x):
    """Returns the arguments next to x and y, and torch's function of x in its type or in f32."""
    import torch

    columns = x.shape[1]
    if kernel == "softmax":
        return {}, lambda x: torch.softmax(x, dim=1)
    gain, bias = (torch.randn(columns, device="cuda").bfloat16() for _ in range(2))
    return {"gain": gain, "bias": bias, "eps": 1e-5}, lambda x: torch.nn.functional.layer_norm(
        x, (columns,), gain.to(x.dtype), bias.to(x.dtype), 1e-5)


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    wrong = 0
    with torch.cuda.stream(torch.cuda.Stream()):
        for kernel, rows, columns in SHAPES:
            x = torch.randn(rows, columns, device="cuda").bfloat16()
            given, peer = make(kernel, x)
            expected = peer(x.float())
            copied = torch.empty_like(x)
            graphs = {"torch": computed_operands.capture(lambda: peer(x)),
                      "copy": computed_operands.capture(lambda: copied.copy_(x))}
            for choice in choices(columns):
                package = tessera.Package(str(folder / f"{kernel}-{columns}-{choice[0]}-{choice[1]}.tpk"))
                y = torch.zeros_like(x)
                launch = package.kernel(kernel).prepare(x=x, y=y, **given)
                graphs[choice] = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                if not ((y.float() - expected).abs() / expected.abs().clamp(min=1)).max() < BAR:
                    print(f"WRONG {kernel} {name(*choice)} {rows}x{columns}")
                    wrong += 1
            times = computed_operands.measure(graphs)
            peers = ", ".join(f"{key} {times.pop(key):.2f}" for key in ("torch", "copy"))
            best = {warps: min((c for c in times if c[0] == warps), key=times.get)
                    for warps in sorted({warps for warps, _ in times})}
            fastest = ", ".join(f"{name(*c)} {times[c]:.2f}" for c in best.values())
            print(f"{kernel} {rows}x{columns}: {peers}, {fastest} us", flush=True)
    return 1 if wrong else 0


def list_all():
    for kernel, rows, columns in SHAPES:
        print(f"{kernel} {rows}x{columns}:", ", ".join(name(*choice) for choice in choices(columns)))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure programs of few warps.", list_all, compile_all, run_all))
