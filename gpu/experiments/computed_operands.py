#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures products with a computed operand, in registers or in shared memory, against plain bf16 products.

    computed_operands.py --compile FOLDER     machine with tilec: packages for all choices of tiles
    computed_operands.py FOLDER               machine with a GPU and torch
    computed_operands.py --list               the kernels, shapes and choices

The operands are weights of 4 bits on either side, or with neighbours in a byte, and weights of 8 bits with scales.
Other ones are rows that RMSNorm weights in the loop, or whose weight is in the matrix already. Each row is a shape with
the time of torch.mm in bf16, that of the fastest choice, and their ratio; a ratio above 1 is faster than torch. Weights
with neighbours in a byte have a ratio to repacked ones as well. Launches are captured in graphs of 10, after a rest of
0.12 s; the time is the median of 5 rounds. Results are compared with f64 products. The exit status is 1 if a result is
wrong.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

LARGE = [(4096, 4096, 4096), (8192, 8192, 4096)]
WIDE = [{"BN": 256}, {"BN": 192}, {"BN": 256, "BK": 128, "STAGES": 2}]
INT4 = [{"BM": 64, "BN": 64, "WARPGROUPS": 1, "STAGES": 4},
        {"BM": 64, "BN": 64, "BK": 96, "WARPGROUPS": 1, "STAGES": 4}, {"BM": 128, "STAGES": 4}, {"BM": 192}, {"BM": 256}, {"BM": 256, "BK": 32, "STAGES": 6}]  # fmt: skip
# A step of BK columns of X has BK / 2 bytes of W, where `int4_product` has BK bytes and twice as many columns.
NEIGHBOURS = [{"BM": 64, "BN": 64, "BK": 256, "WARPGROUPS": 1}, {"BM": 64, "BN": 64, "BK": 128, "WARPGROUPS": 1},
              {"BM": 192, "STAGES": 4}, {"BM": 256, "STAGES": 4}, {"BM": 256, "BK": 128}]  # fmt: skip
# By kernel: (M, N, K), and choices of tiles.
KERNELS = {
    "int4_product": ([(64, 8192, 8192), *LARGE], INT4),
    "int4_neighbours": ([(64, 8192, 8192), *LARGE], NEIGHBOURS),
    "int4_weights": ([(64, 8192, 8192), *LARGE], [
        {"BM": 64, "BN": 64, "BK": 128, "WARPGROUPS": 1}, {"BM": 64, "BN": 128, "WARPGROUPS": 1, "STAGES": 4},
        {"BM": 128, "STAGES": 3}, {}, {"BK": 32, "STAGES": 4}]),
    "group_weights": ([(64, 8192, 8192), *LARGE], [
        {"BM": 64, "BN": 64, "WARPGROUPS": 1, "STAGES": 6}, {"BM": 64, "WARPGROUPS": 1, "STAGES": 4},
        {"BM": 128, "STAGES": 4}, {"BM": 128, "BN": 192}, {}]),
    "norm_product": (LARGE, WIDE),
    "folded_product": (LARGE, WIDE),
}
ROUNDS, REPEATS = 5, 10
# The largest relative root-mean-square error of bf16.
BAR = 5e-3


def name(kernel, choice):
    return "-".join([kernel, *(f"{key}{value}" for key, value in choice.items())])


def compile_choice(source, kernel, choice, output, *options):
    """Runs tilec for a kernel with the values of `choice`; makes a package unless `options` ask for something else."""
    subprocess.run(["tilec", source, f"--kernel={kernel}", *(f"-D{key}={value}" for key, value in choice.items()),
                    *options, "-o", output], check=True)


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, (_, choices) in KERNELS.items():
        for choice in choices:
            compile_choice(ROOT / "gpu" / "experiments" / "computed_operands.tile", kernel, choice,
                           folder / f"{name(kernel, choice)}.tpk")


def capture(call):
    """Captures a graph of `REPEATS` calls; the result keeps the launched objects alive."""
    import torch
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPEATS):
            call()
    return graph, call


def measure(graphs):
    """Returns the microseconds of one call of each graph, measured in turn."""
    from tessera.tune import timing

    times = {key: [] for key in graphs}
    for _ in range(ROUNDS):
        for key, (graph, _) in graphs.items():
            times[key].append(timing.burst(graph.replay, 1) * 1e3 / REPEATS)
    return {key: statistics.median(values) for key, values in times.items()}


def make_problem(kernel, m, n, k):
    """Returns the arguments, and the expected result in f64."""
    import torch

    def randn(*sizes):
        return torch.randn(*sizes, device="cuda").bfloat16()

    x, w, eps = randn(m, k), randn(n, k), 1e-5
    if kernel == "group_weights":
        weights = torch.randint(-127, 128, (n, k), device="cuda", dtype=torch.int8)
        scale = torch.rand(k // 64, n, device="cuda").bfloat16()
        scaled = weights.bfloat16() * scale.T.repeat_interleave(64, dim=1)
        return {"x": x, "w": weights, "scale": scale}, x.double() @ scaled.double().T
    if kernel in ("int4_product", "int4_weights"):
        weights = torch.randint(-8, 8, (n, k), device="cuda")
        scale = torch.rand(n, device="cuda").bfloat16()
        packed = (weights[:, k // 2:] * 16 + weights[:, :k // 2] + 8).to(torch.int8)
        expected = (x.double() @ weights.double().T) * scale.double()
        return {"x": x.view(m, 2, k // 2), "w": packed, "scale": scale}, expected
    if kernel == "int4_neighbours":
        weights = torch.randint(-8, 8, (n, k), device="cuda")
        scale = torch.rand(n, device="cuda").bfloat16()
        packed = ((weights[:, 1::2] + 8) * 16 + weights[:, ::2] + 8).to(torch.uint8)
        return {"x": x, "w": packed, "scale": scale}, (x.double() @ weights.double().T) * scale.double()
    norm = x.double().pow(2).mean(1, keepdim=True).add(eps).rsqrt()
    if kernel == "folded_product":
        return {"x": x, "w": w, "eps": eps}, (x.double() @ w.double().T) * norm
    weight = randn(k)
    weighted = (x.float() * weight.float()).bfloat16().double()
    return {"x": x, "weight": weight, "w": w, "eps": eps}, (weighted @ w.double().T) * norm


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    wrong, fastest = 0, {}
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for kernel, (shapes, choices) in KERNELS.items():
            packages = {name(kernel, choice): tessera.Package(str(folder / f"{name(kernel, choice)}.tpk"))
                        for choice in choices}
            for m, n, k in shapes:
                given, expected = make_problem(kernel, m, n, k)
                a, b = (torch.randn(rows, k, device="cuda").bfloat16() for rows in (m, n))
                graphs = {"torch.mm": capture(lambda: torch.mm(a, b.T))}
                for key, package in packages.items():
                    c = torch.zeros(m, n, device="cuda", dtype=torch.bfloat16)
                    launch = package.kernel(kernel).prepare(c=c, **given)
                    graphs[key] = capture(lambda launch=launch:
                                          launch(torch.cuda.current_stream().cuda_stream))
                    error = ((c.double() - expected).norm() / expected.norm()).item()
                    if not error < BAR:
                        print(f"WRONG {key} {m}x{n}x{k}: error {error:.1e}")
                        wrong += 1
                times = measure(graphs)
                peer = times.pop("torch.mm")
                best = min(times, key=times.get)
                fastest[kernel, m, n, k] = times[best]
                repacked = fastest["int4_product", m, n, k] / times[best] if kernel == "int4_neighbours" else None
                print(f"{kernel} {m}x{n}x{k}: torch.mm {peer:.1f}, here {times[best]:.1f} us, "
                      f"{2 * m * n * k / times[best] / 1e6:.0f} TFLOP/s, ratio {peer / times[best]:.3f}, "
                      f"{f'to repacked weights {repacked:.3f}, ' if repacked else ''}{best}", flush=True)
    return 1 if wrong else 0


def list_all():
    for kernel, (shapes, choices) in KERNELS.items():
        print(kernel, *(f"{m}x{n}x{k}" for m, n, k in shapes))
        for choice in choices:
            print(" ", name(kernel, choice))


def measure_ways(calls):
    """Returns {way: {name: microseconds}} of calls, whose keys are a way and a name."""
    times = measure({key: capture(call) for key, call in calls.items()})
    ways = {}
    for (way, label), time in times.items():
        ways.setdefault(way, {})[label] = time
    return ways


def run_shapes(shapes, measure_shape, describe):
    """Prints the fastest choice of each way for each shape; returns the exit status.

    `measure_shape` returns the times of the ways and the errors. `describe` returns a ratio as text, from the ways,
    one way and its least time."""
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    status = 0
    with torch.cuda.stream(torch.cuda.Stream()):
        for size in shapes:
            ways, wrong = measure_shape(size)
            for way, times in ways.items():
                best = min(times, key=times.get)
                print(f"{'x'.join(map(str, size))} {way}: {times[best]:.1f} us, "
                      f"{describe(ways, way, times[best])}, {best}", flush=True)
            for text in wrong:
                print("WRONG", text)
                status = 1
    return status


def run_script(description, list_all, compile_all, run_all):
    """Runs a script that compiles packages on one machine and measures them on another; returns its exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="the folder of the packages")
    parser.add_argument("--compile", type=pathlib.Path, metavar="FOLDER", help="make the packages, and stop")
    parser.add_argument("--list", action="store_true", help="print shapes and choices, and stop")
    options = parser.parse_args()
    if options.list:
        return list_all()
    if options.compile:
        return compile_all(options.compile)
    if not options.folder:
        parser.error("a folder of packages, --compile or --list is needed")
    return run_all(options.folder)


if __name__ == "__main__":
    sys.exit(run_script("Measure products with a computed operand.", list_all, compile_all, run_all))
