#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures softmax of short rows by programs of 1, 2, 4 and 8 warps, next to torch and a copy.

    few_warps.py --compile FOLDER     machine with tilec: the packages
    few_warps.py FOLDER               machine with a GPU and torch
    few_warps.py --list               the shapes and the choices

Each program has a block of whole rows. Launches are captured in graphs, as in computed_operands.py. Results are compared
with torch in f32. The exit status is 1 if a result is wrong.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "few_warps.tile"
SHAPES = [(8192, 128), (262144, 128), (65536, 256), (32768, 512), (16384, 1024), (64, 1024)]
# Elements of a block for each warp.
LEAST, MOST = 128, 2048
BAR = 4e-3


def choices(columns):
    return [(warps, rows) for warps in (1, 2, 4, 8) for rows in (1, 2, 4, 8, 16, 32)
            if LEAST <= rows * columns // warps <= MOST]


def name(warps, rows):
    return f"{rows} rows by {warps}"


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for columns in sorted({columns for _, columns in SHAPES}):
        for warps, rows in choices(columns):
            computed_operands.compile_choice(SOURCE, "softmax", {"BM": rows, "BN": columns, "WARPS": warps},
                                             folder / f"{columns}-{warps}-{rows}.tpk")


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    wrong = 0
    with torch.cuda.stream(torch.cuda.Stream()):
        for rows, columns in SHAPES:
            x = torch.randn(rows, columns, device="cuda").bfloat16()
            expected = torch.softmax(x.float(), dim=1)
            copied = torch.empty_like(x)
            graphs = {"torch": computed_operands.capture(lambda: torch.softmax(x, dim=1)),
                      "copy": computed_operands.capture(lambda: copied.copy_(x))}
            for choice in choices(columns):
                package = tessera.Package(str(folder / f"{columns}-{choice[0]}-{choice[1]}.tpk"))
                y = torch.zeros_like(x)
                launch = package.kernel("softmax").prepare(x=x, y=y)
                graphs[choice] = computed_operands.capture(
                    lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                if not (y.float() - expected).abs().max() < BAR:
                    print(f"WRONG {name(*choice)} {rows}x{columns}")
                    wrong += 1
            times = computed_operands.measure(graphs)
            peers = ", ".join(f"{peer} {times.pop(peer):.2f}" for peer in ("torch", "copy"))
            best = {warps: min((c for c in times if c[0] == warps), key=times.get)
                    for warps in sorted({warps for warps, _ in times})}
            print(f"{rows}x{columns}: {peers}, " + ", ".join(f"{name(*c)} {times[c]:.2f}" for c in best.values()) + " us",
                  flush=True)
    return 1 if wrong else 0


def list_all():
    for rows, columns in SHAPES:
        print(f"{rows}x{columns}:", ", ".join(name(*choice) for choice in choices(columns)))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure programs of few warps.", list_all, compile_all, run_all))
