#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what a residual costs a product: loaded ahead of the loop's end, loaded where it is added, and by torch.

    residual.py --compile FOLDER     here: packages for all choices of tiles, by tilec
    residual.py FOLDER               on a machine with a GPU and torch
    residual.py --list               the shapes and choices

Each row is a shape and a way, with the time of the fastest choice and its ratio to torch.addmm: above 1 it is faster.
"ahead" is what the planner does, "in place" a plan without the channel of the residual, "bare" the product alone, which
has torch.mm beside it. Launches are captured in graphs, as in computed_operands.py. Results are compared with f64; the
exit status is 1 if one is wrong.
"""

import sys

import computed_operands
import plan_edits

KERNEL = computed_operands.ROOT / "gpu" / "residual.tile"
# M, N, K.
SHAPES = [(4096, 4096, 256), (8192, 8192, 512), (4096, 4096, 1024), (4096, 4096, 4096), (4000, 5000, 1000)]
CHOICES = [{}, {"PERSISTENT": "false"}, {"BN": 192, "STAGES": 3}, {"BN": 256, "STAGES": 2}]
# The bare product may have more stages.
BARE = [*CHOICES, {"BN": 192}, {"BN": 256}]
IN_PLACE = [(r", r : stages \d+ tma", ""), (r'( *)\{sm\.channel = "r"\}', r"\1")]
WAYS = {"ahead": CHOICES, "in place": CHOICES, "bare": BARE}
BAR = 5e-3


def name(way, choice):
    return computed_operands.name(way.replace(" ", "-"), choice)


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for way, choices in WAYS.items():
        for choice in choices:
            given = {**choice, "RESIDUAL": "false" if way == "bare" else "true"}
            output = folder / f"{name(way, choice)}.tpk"
            if way == "in place":
                plan_edits.compile_edited(KERNEL, "residual_product", given, IN_PLACE, output)
            else:
                computed_operands.compile_choice(KERNEL, "residual_product", given, output)


def measure_shape(folder, size):
    """{way: {name: microseconds}} and what is wrong."""
    import tessera
    import torch
    m, n, k = size
    a, b, r = (torch.randn(*shape, device="cuda").bfloat16() for shape in ((m, k), (n, k), (m, n)))
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    product = a.double() @ b.double().T
    calls = {("addmm", "torch"): lambda: torch.addmm(r, a, b.T, out=c), ("mm", "torch"): lambda: torch.mm(a, b.T, out=c)}
    wrong = []
    for way, choices in WAYS.items():
        for choice in choices:
            given = {"a": a, "b": b, "c": c} if way == "bare" else {"a": a, "b": b, "r": r, "c": c}
            package = tessera.Package(str(folder / f"{name(way, choice)}.tpk"))
            launch = package.kernel("residual_product").prepare(**given)

            def call(launch=launch):
                launch(torch.cuda.current_stream().cuda_stream)

            c.zero_()
            call()
            expected = product if way == "bare" else product + r.double()
            error = ((c.double() - expected).norm() / expected.norm()).item()
            if not error < BAR:
                wrong.append(f"{name(way, choice)}: error {error:.2e}")
            calls[way, name(way, choice)] = call
    return computed_operands.measure_ways(calls), wrong


def run_all(folder):
    def describe(ways, way, time):
        return f"{ways['mm' if way in ('bare', 'mm') else 'addmm']['torch'] / time:.3f} of torch"

    return computed_operands.run_shapes(SHAPES, lambda size: measure_shape(folder, size), describe)


def list_all():
    for size in SHAPES:
        print("x".join(map(str, size)))
    for way, choices in WAYS.items():
        for choice in choices:
            print(" ", name(way, choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure what a residual costs a product.", list_all, compile_all, run_all))
