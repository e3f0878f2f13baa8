# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one shape: the packages for it beside what torch has."""

import subprocess

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import tables
import tessera
import timing
import workers

# Both sides round to the same type, so they differ by up to two roundings.
BARS = {"bf16": 1e-2, "f16": 2e-3}
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class MatmulProblem:
    peer = "cuBLAS"

    def __init__(self, shape):
        dtype, random = DTYPES[shape.T], torch.Generator("cuda").manual_seed(1)

        def matrix(rows, columns, order):
            size = (rows, columns) if order == "n" else (columns, rows)
            return torch.randn(size, dtype=dtype, device="cuda", generator=random)

        self.a = matrix(shape.M, shape.K, shape.form[0])
        self.b = matrix(shape.K, shape.N, shape.form[1])
        a = self.a if shape.form[0] == "n" else self.a.T
        b = self.b if shape.form[1] == "n" else self.b.T
        self.expected = torch.empty(shape.M, shape.N, dtype=dtype, device="cuda")
        self.result = torch.empty_like(self.expected)
        self.run_peer = lambda: torch.matmul(a, b, out=self.expected)

    def arguments(self):
        return {"a": self.a, "b": self.b, "c": self.result}


class AttentionProblem:
    peer = "cuDNN"

    def __init__(self, shape):
        random = torch.Generator("cuda").manual_seed(1)
        size = (shape.B, shape.H, shape.S, shape.D)
        q, k, v = (torch.randn(size, dtype=DTYPES[shape.T], device="cuda", generator=random)
                   for _ in range(3))
        self.inputs = {"q": q, "k": k, "v": v, "scale": shape.D**-0.5}
        self.lse = torch.empty(size[:3], dtype=torch.float32, device="cuda")
        self.result = torch.empty_like(q)
        self.expected = None

        def run_peer():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                self.expected = torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=shape.causal)

        self.run_peer = run_peer

    def arguments(self):
        return {**self.inputs, "o": self.result, "lse": self.lse}


class HandWrittenAttentionProblem(AttentionProblem):
    def arguments(self):
        tensors = {**self.inputs, "o": self.result}
        # Sequences count as heads.
        return {name: value if name == "scale" else value.flatten(0, 1)
                for name, value in tensors.items()}


PROBLEMS = {"matmul": MatmulProblem, "attention": AttentionProblem,
            "attention-sm": HandWrittenAttentionProblem}


def relative_error(result, expected):
    """Relative RMS error, in pieces of rows, as a whole result in f64 may not fit."""
    wrong = size = 0.0
    for some, other in zip(result.flatten(0, -2).split(4096), expected.flatten(0, -2).split(4096)):
        wrong += (some.double() - other.double()).square().sum().item()
        size += other.double().square().sum().item()
    return (wrong / size) ** 0.5


def check_result(launch, problem, shape):
    problem.result.fill_(float("nan"))
    launch()
    torch.cuda.synchronize()
    error = relative_error(problem.result, problem.expected)
    if not error <= BARS[shape.T]:
        raise ValueError(f"differs from {problem.peer} by {error:.1e}")


def prepare(index, configuration, problem, shape):
    """The launches as one, which has run once and agreed with the peer."""
    arguments, steps = {**problem.arguments(), **configuration.values}, []
    for unit in configuration.units:
        kernel = tessera.Package(index.path(unit)).kernel(unit.kernel)
        parameters = {parameter["name"]: parameter for parameter in kernel.parameters}
        call = {name: arguments[name] for name in parameters if name in arguments}
        for name, sizes in kernel.shapes(**call).items():
            if parameters[name]["access"] != "write":
                raise ValueError(f"nothing writes '{name}' before {unit.kernel} reads it")
            arguments[name] = torch.empty(sizes, dtype=DTYPES[parameters[name]["dtype"]],
                                          device="cuda")
            call[name] = arguments[name]
        steps.append(kernel.prepare(**call))
    # Looking up torch's stream would cost as much as the launch.
    stream = torch.cuda.current_stream().cuda_stream

    def launch():
        for step in steps:
            step(stream)

    check_result(launch, problem, shape)
    return launch


def is_lost(error):
    """Whether an error means that the CUDA context is of no use any more; the memory of the device
    may end without that."""
    if isinstance(error, torch.OutOfMemoryError):
        return False
    return isinstance(error, tessera.DriverError) or (
        isinstance(error, RuntimeError) and "CUDA" in str(error))


def measure_shape(index, shape, excluded, sustained):
    """The answer for a shape. `excluded` has the errors of packages that ended a worker."""
    problem = PROBLEMS[shape.family](shape)
    problem.run_peer()
    torch.cuda.synchronize()
    packages, launches = dict(excluded), {}
    for configuration in index.configurations(shape):
        name = configuration.name
        if name in excluded:
            continue
        if error := index.configuration_error(configuration):
            packages[name] = tables.NOT_COMPILED + tables.first_error(error)
            continue
        workers.announce(name)
        try:
            launches[name] = prepare(index, configuration, problem, shape)
        except (tessera.TesseraError, RuntimeError, ValueError) as error:
            packages[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            if is_lost(error):
                return {"error": packages[name], "fatal": True}
    answer = {**time_shape(problem, launches, sustained), "packages": packages}
    # Thousands of launches later it is still right, or there was a race.
    if "ours" in answer:
        name = answer["ours"]["name"]
        try:
            check_result(launches[name], problem, shape)
        except ValueError as error:
            packages[name] = f"after its timing: {error}"
            del answer["ours"]
    return answer


def time_shape(problem, launches, sustained):
    """Times of the peer and of the launches; after one round only the best two go on."""
    measure = timing.measure_sustained if sustained else timing.measure_bursts
    workers.announce("timing of " + ", ".join(launches) if launches else "timing of the peer")
    first = {name: samples[0] for name, samples in timing.measure_bursts(launches, 1).items()}
    best = sorted(first, key=first.get)[:2]
    variants = {problem.peer: problem.run_peer, **{name: launches[name] for name in best}}
    results = {name: timing.summarize(samples) for name, samples in measure(variants).items()}
    peer = {"name": problem.peer, **results.pop(problem.peer)}
    answer = {"peer": peer, "first": first}
    if results:
        name = min(results, key=lambda name: results[name]["ms"])
        answer["ours"] = {"name": name, **results[name]}
    return answer


def describe_machine():
    """The GPU and the software, for the JSON."""
    query = "driver_version,power.limit,clocks.max.sm,temperature.gpu"
    try:
        smi = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader", "-i", "0"],
                             capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        smi = ""
    driver, *rest = [word.strip() for word in smi.split(",")] if smi else ["unknown"]
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "state": ", ".join(rest),
            "torch": torch.__version__, "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version()}
