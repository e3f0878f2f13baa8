#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures barriers of the grid, and one launch with a barrier against two launches.

    grid_barriers.py --compile FOLDER     machine with tilec: the packages
    grid_barriers.py FOLDER               machine with a GPU and torch
    grid_barriers.py --list               the numbers of programs and of elements

The time of a barrier is the difference of launches with 1000 and with no barriers, divided by 1000. The mean of all
elements is subtracted in one launch, which keeps them in registers, in two launches, and by torch. 200 rounds of sums of
neighbours are compared with torch bit for bit. Launches are captured in graphs, as in computed_operands.py. The exit
status is 1 if a result is wrong, or if a launch of too many programs is not refused.
"""

import sys

import computed_operands

SOURCE = computed_operands.ROOT / "gpu" / "experiments" / "grid_barriers.tile"
PROGRAMS = (1, 33, 132, 264, 1056, 2112)
BARRIERS, ROUNDS = 1000, 200
# Elements by the size of a tile and the number of warpgroups; a program has one tile.
CHOICES = {2**14: (1024, 1), 2**17: (1024, 1), 2**20: (8192, 2), 2**21: (16384, 2)}


def define(block, warpgroups):
    return {"B": block, "WARPGROUPS": warpgroups}


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    computed_operands.compile_choice(SOURCE, "meetings", {}, folder / "meetings.tpk")
    computed_operands.compile_choice(SOURCE, "smoothed", {}, folder / "smoothed.tpk")
    for elements, choice in CHOICES.items():
        for kernel in ("centred", "sums_of", "without_mean"):
            computed_operands.compile_choice(SOURCE, kernel, define(*choice), folder / f"{kernel}-{elements}.tpk")


def measure_barriers(torch, kernel):
    for programs in PROGRAMS:
        x = torch.zeros(128 * programs, device="cuda")
        graphs = {}
        for steps in (0, BARRIERS):
            launch = kernel.prepare(steps=steps, x=x)
            graphs[steps] = computed_operands.capture(
                lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
        times = computed_operands.measure(graphs)
        print(f"{programs} programs: launch {times[0]:.2f} us, barrier "
              f"{(times[BARRIERS] - times[0]) / BARRIERS:.3f} us", flush=True)


def measure_mean(torch, elements, kernels):
    x = torch.randn(elements, device="cuda")
    expected = x.double() - x.double().mean()
    outputs = {key: torch.zeros_like(x) for key in ("one launch", "two launches", "torch")}
    sums = torch.zeros(128, device="cuda")
    one = kernels["centred"].prepare(x=x, sums=sums, y=outputs["one launch"])
    first = kernels["sums_of"].prepare(x=x, sums=sums)
    second = kernels["without_mean"].prepare(x=x, sums=sums, y=outputs["two launches"])

    def call_two():
        first(torch.cuda.current_stream().cuda_stream)
        second(torch.cuda.current_stream().cuda_stream)

    times = computed_operands.measure({
        "one launch": computed_operands.capture(lambda: one(torch.cuda.current_stream().cuda_stream)),
        "two launches": computed_operands.capture(call_two),
        "torch": computed_operands.capture(lambda: torch.sub(x, x.mean(), out=outputs["torch"]))})
    print(f"{elements} elements without their mean: " + ", ".join(f"{key} {value:.2f} us" for key, value in times.items()))
    wrong = [key for key, y in outputs.items() if not (y.double() - expected).abs().max() < 1e-5]
    print("".join(f"WRONG {key}\n" for key in wrong), end="", flush=True)
    return bool(wrong)


def check_rounds(torch, kernel, elements):
    x = torch.randint(-9, 10, (elements,), device="cuda", dtype=torch.int32)
    expected = x.clone()
    for _ in range(ROUNDS):
        padded = torch.nn.functional.pad(expected, (1, 1))
        expected = padded[:-2] + padded[1:-1] + padded[2:]
    kernel(ROUNDS, x, torch.zeros_like(x))
    is_right = torch.equal(x, expected)
    print(f"{ROUNDS} rounds of {elements} elements: {'right' if is_right else 'WRONG'}", flush=True)
    return not is_right


def check_refusal(torch, kernel):
    x = torch.zeros(128 * 5000, device="cuda")
    try:
        kernel(1, x)
    except Exception as error:
        print(f"5000 programs: {error}")
        return False
    print("WRONG: 5000 programs were launched")
    return True


def run_all(folder):
    import tessera
    import torch
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")

    def kernel(name, elements=None):
        package = tessera.Package(str(folder / (f"{name}-{elements}.tpk" if elements else f"{name}.tpk")))
        return package.kernel(name)

    wrong = False
    with torch.cuda.stream(torch.cuda.Stream()):
        for elements in (1, 1000, 256 * 132, 256 * 1000 + 3):
            wrong |= check_rounds(torch, kernel("smoothed"), elements)
        wrong |= check_refusal(torch, kernel("meetings"))
        measure_barriers(torch, kernel("meetings"))
        for elements in CHOICES:
            wrong |= measure_mean(torch, elements, {name: kernel(name, elements)
                                                    for name in ("centred", "sums_of", "without_mean")})
    return wrong


def list_all():
    print("programs:", *PROGRAMS)
    print("elements:", *CHOICES)


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure barriers of the grid.", list_all, compile_all, run_all))
