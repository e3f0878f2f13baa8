#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what LoLA costs beside its product alone: in one pass, in two launches, and their parts.

    lola_cost.py --compile FOLDER     here: packages for all choices of tiles, by tilec
    lola_cost.py FOLDER               on a machine with a GPU and torch
    lola_cost.py --list               the shapes and choices

Each row is a shape and a way, with the time of the fastest choice and its ratio to torch.mm; "given" is the product
with statistics given, "rows" the statistics alone, "by a role" one pass by a plan in which one warpgroup makes the
statistics. Parts of the one pass, in tiles of 128x128 and a CTA for each: "no activation", "no statistics", and
"product", which stores x W. "without waits" are two launches that do not wait for the one before, so what they store
is not defined. Launches are captured in graphs, as in computed_operands.py. Results of one pass and of two launches
that wait are compared with f64; the exit status is 1 if one is wrong.
"""

import sys

import computed_operands
import plan_edits

KERNEL = computed_operands.ROOT / "examples" / "06-lola" / "kernel.tile"
# M, N, K.
SHAPES = [(512, 4096, 1024), (8192, 4096, 1024), (4096, 16384, 4096), (16384, 16384, 4096)]
SHARED = {"WARPGROUPS": 2, "TURNS": "false"}
# Few rows: one warpgroup for each tile, which makes the statistics of its rows for 256 columns at once.
WIDE = {"BM": 64, "BN": 256, "WARPGROUPS": 1, "PERSISTENT": "false"}
CHOICES = {
    "lola": [{"BM": 128, "BN": 128, "PERSISTENT": "false"}, {"BM": 128, "BN": 128}, {"BM": 128, "BN": 192},
             {"BM": 128, "BN": 256}, WIDE],
    "lola_rows": [{}],
    "lola_given": [{}, {**SHARED, "STAGES": 5}, {"BN": 192, **SHARED, "STAGES": 4}],
}
# Mean and reciprocal deviation come from a role of one warpgroup, by rings of one stage.
STATISTICS = [
    (r"(math\.rsqrt \S+) : (tensor<\d+xf32)", r'\1 {sm.channel = "rstd"} : \2'),
    (r"(?s)\A(.*?arith\.addf %\d+, %\d+)( : tensor<\d+xf32)", r'\1 {sm.channel = "mean"}\2'),
    (r"math : warps (\d) registers \d+", r"prepare : warps 4 registers 88, math : warps \1 registers 200"),
    (r"(x_w : stages \d+ tma)", r"\1, mean : stages 1 prepare, rstd : stages 1 prepare"),
]
BY_A_ROLE = [{"BM": 128, "BN": 128}, {"BM": 128, "BN": 192}, {"BM": 128, "BN": 192, "PERSISTENT": "false"}, WIDE]
# Two launches, neither of which waits.
WITHOUT_WAITS = {"lola_rows": {}, "lola_given": {**SHARED, "STAGES": 5}}
NO_WAITS = [(r'.*"griddepcontrol\.wait;".*\n', "")]
ALONE = {"BM": 128, "BN": 128, "PERSISTENT": "false"}
NO_STATISTICS = [(r"let first = x\[m, 0\] as f32", "let first = zeros(f32[BM])"),
                 (r"let d = differences\(xt, k, first\);\s+sd  *\+= .*\s+sdd \+= .*", "")]
# What is edited in the kernel, and the parameters.
PARTS = {
    "no activation": ([], {**ALONE, "ACT": 0}),
    "no statistics": (NO_STATISTICS, ALONE),
    "product": ([*NO_STATISTICS, (r"finish\(xw, .* ACT\) as T", "xw as T")], ALONE),
}
EPS, BAR = 1e-5, 2e-3


def name_part(part):
    return computed_operands.name(part.replace(" ", "_"), PARTS[part][1])


def name_by_a_role(choice):
    return computed_operands.name("by_a_role", choice)


def name_without_waits(kernel):
    return computed_operands.name(f"{kernel}_without_waits", WITHOUT_WAITS[kernel])


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, choices in CHOICES.items():
        for choice in choices:
            computed_operands.compile_choice(KERNEL, kernel, choice,
                                             folder / f"{computed_operands.name(kernel, choice)}.tpk")
    for choice in BY_A_ROLE:
        plan_edits.compile_edited(KERNEL, "lola", choice, STATISTICS, folder / f"{name_by_a_role(choice)}.tpk")
    for kernel, choice in WITHOUT_WAITS.items():
        plan_edits.compile_edited(KERNEL, kernel, choice, NO_WAITS, folder / f"{name_without_waits(kernel)}.tpk",
                                  phase="nvvm")
    for part, (edits, choice) in PARTS.items():
        source = folder / f"{name_part(part)}.tile"
        source.write_text(plan_edits.substitute(KERNEL.read_text(), edits))
        computed_operands.compile_choice(source, "lola", choice, source.with_suffix(".tpk"))


def reference(x, w, bias):
    import torch
    def rows(x):
        normal = torch.nn.functional.layer_norm(x.double(), x.shape[-1:], eps=EPS)
        return torch.nn.functional.gelu(normal @ w.double() + bias.double(), approximate="tanh").half()
    return torch.cat([rows(part) for part in x.split(2048)])


def measure_shape(folder, size):
    """{way: {name: microseconds}} and whether all results are right."""
    import tessera
    import torch
    m, n, k = size
    x, w = torch.randn(m, k, device="cuda").half(), (torch.randn(k, n, device="cuda") / k ** 0.5).half()
    bias = torch.randn(n, device="cuda")
    expected = reference(x, w, bias)
    y = torch.empty(m, n, device="cuda", dtype=x.dtype)
    mean, rstd = (torch.empty(m, device="cuda") for _ in range(2))
    values = {"x": x, "w": w, "wsum": w.double().sum(0).float(), "bias": bias, "eps": EPS, "mean": mean,
              "rstd": rstd, "y": y}
    taken = {"lola": "x w wsum bias eps y", "lola_rows": "x eps mean rstd", "lola_given": "x w mean rstd wsum bias y"}

    def prepare(name, kernel="lola"):
        return tessera.Package(str(folder / f"{name}.tpk")).kernel(kernel).prepare(
            **{key: values[key] for key in taken[kernel].split()})

    launches = {}
    for kernel, choices in CHOICES.items():
        for name in (computed_operands.name(kernel, choice) for choice in choices):
            launches[kernel, name] = prepare(name, kernel)
    for name in map(name_by_a_role, BY_A_ROLE):
        launches["by_a_role", name] = prepare(name)
    for part in PARTS:
        launches[part, name_part(part)] = prepare(name_part(part))
    ways = {"lola": "one pass", "by_a_role": "by a role", "lola_rows": "rows", "lola_given": "given"}
    works = {("torch.mm", "out"): [lambda stream: torch.mm(x, w, out=y)]}
    rows = {name: launch for (kernel, name), launch in launches.items() if kernel == "lola_rows"}
    for (kernel, name), launch in launches.items():
        works[ways.get(kernel, kernel), name] = [launch]
        if kernel == "lola_given":
            for first, other in rows.items():
                works["two launches", f"{first} {name}"] = [other, launch]
    names = [name_without_waits(kernel) for kernel in WITHOUT_WAITS]
    works["without waits", " ".join(names)] = [prepare(*each) for each in zip(names, WITHOUT_WAITS)]

    def run(work):
        for launch in work:
            launch(torch.cuda.current_stream().cuda_stream)

    wrong = []
    for (way, name), work in works.items():
        if way in ("one pass", "by a role", "two launches"):
            y.zero_()
            run(work)
            error = ((y.double() - expected.double()).norm() / expected.double().norm()).item()
            if not error < BAR:
                wrong.append(f"{name}: error {error:.2e}")
    return computed_operands.measure_ways({key: lambda work=work: run(work) for key, work in works.items()}), wrong


def run_all(folder):
    def describe(ways, way, time):
        return f"{time / ways['torch.mm']['out']:.3f} of torch.mm"

    return computed_operands.run_shapes(SHAPES, lambda size: measure_shape(folder, size), describe)


def list_all():
    for size in SHAPES:
        print("x".join(map(str, size)))
    for kernel, choices in CHOICES.items():
        for choice in choices:
            print(" ", computed_operands.name(kernel, choice))
    for choice in BY_A_ROLE:
        print(" ", name_by_a_role(choice))
    for kernel in WITHOUT_WAITS:
        print(" ", name_without_waits(kernel))
    for part in PARTS:
        print(" ", name_part(part))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure what LoLA costs beside its product.", list_all, compile_all, run_all))
