#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures plain calls of Python with configurations by predicted time, with the defaults, and of torch if it has them.

    choice_calls.py --fill CACHE        here: compiles the kernels of all calls, without a GPU
    choice_calls.py CACHE               there: a machine with a GPU and torch, without a compiler

Times are in microseconds: medians of bursts of 20, in alternation. Results are compared with torch in f32.
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


BURST = 20


def rows(count, length):
    return {"M": count, "N": length}


def product(m, n, k):
    return {"M": m, "N": n, "K": k}


def attention(batch, tokens, heads, head, causal):
    return {"B": batch, "M": tokens, "N": tokens, "H": heads, "HK": heads, "D": head, "CAUSAL": causal}


def delta_rule(batch, steps, heads):
    # The call infers the first three from its arguments.
    return {"DK": 128, "DV": 128, "C": 64, "B": batch, "L": steps, "H": heads, "INITIAL": False}


CALLS = [
    *(("02-softmax", "softmax", rows(*shape)) for shape in ((131072, 256), (262144, 128), (65536, 768), (8192, 8192))),
    *(("05-layer-norm", "layer_norm", rows(*shape)) for shape in ((131072, 256), (65536, 768), (8192, 8192))),
    *(("03-matmul", "matmul_nt", product(*shape))
      for shape in ((16, 4096, 4096), (64, 8192, 8192), (200, 4096, 4096), (1024, 1024, 1024), (3000, 3000, 3000))),
    *(("07-flash-attention", "flash_fwd", attention(*shape))
      for shape in ((4, 4096, 16, 256, False), (4, 4096, 16, 256, True), (4, 4096, 16, 96, False),
                    (16, 1024, 16, 64, True), (4, 4096, 16, 128, False))),
    *(("14-scaled-matmul", "scaled_matmul", {**product(*shape), "F": "f8e4m3"})
      for shape in ((128, 7168, 2048), (4096, 7168, 2048))),
    *(("16-gated-delta-rule", "delta_rule", delta_rule(*shape))
      for shape in ((1, 8192, 16), (4, 4096, 16), (1, 32768, 32))),
]


def open_kernel(example, kernel, folder, configuration, read_only):
    import tessera

    cache = tessera.Cache(folder, read_only=read_only)
    return tessera.load(ROOT / "examples" / example / "kernel.tile", cache=cache, configuration=configuration)[kernel]


def fill(folder):
    for example, kernel, values in CALLS:
        for configuration in ("predicted", "default"):
            start = time.perf_counter()
            path = open_kernel(example, kernel, folder, configuration, False).compile(T="bf16", **values)
            print(f"{time.perf_counter() - start:6.1f} s  {pathlib.Path(path).name}  {kernel} {values} {configuration}",
                  flush=True)


def make_scaled(torch, values):
    """Returns the arguments of a product of f8 numbers with scales of blocks, and its result in f32."""
    m, n, k = values["M"], values["N"], values["K"]
    a, b = (torch.randn(rows, k, device="cuda").to(torch.float8_e4m3fn) for rows in (m, n))
    blocks = k // 128
    of_a, of_b = (torch.rand(rows, columns, device="cuda") + 0.5 for rows, columns in ((blocks, m), (n // 128, blocks)))
    wide = of_a.T.repeat_interleave(128, 1), of_b.repeat_interleave(128, 0).repeat_interleave(128, 1)
    return (a, of_a, b, of_b), (a.float() * wide[0]) @ (b.float() * wide[1]).T


def make_delta_rule(torch, values, size=128, chunk=64):
    """Returns the arguments by name of a walk over chunks, and the outputs of the first head in f32."""
    shape = values["B"], values["L"], values["H"]
    q, k, w, u = (torch.randn(*shape, size, device="cuda", dtype=torch.bfloat16) * scale
                  for scale in (1.0, 0.1, 0.02, 1.0))
    rows = shape[0], shape[2], shape[1] // chunk, chunk
    c = -0.05 * torch.rand(rows, device="cuda").cumsum(-1)
    p = 0.1 * torch.randn(*rows, chunk, device="cuda", dtype=torch.bfloat16)
    state, outputs = torch.zeros(size, size, device="cuda"), []
    for n in range(rows[2]):
        qn, kn, wn, un = (x[0, n * chunk:(n + 1) * chunk, 0].float() for x in (q, k, w, u))
        decay = c[0, 0, n, :, None]
        error = un + wn @ state
        outputs.append(size**-0.5 * decay.exp() * (qn @ state) + p[0, 0, n].float() @ error)
        state = decay[-1].exp() * state + kn.T @ ((decay[-1] - decay).exp() * error)
    named = {"q": q, "k": k, "w": w, "u": u, "c": c, "p": p, "scale": size**-0.5, "INITIAL": False}
    return named, torch.cat(outputs)[None, :, None]


def make_call(torch, kernel, values):
    """Returns the arguments, keyword arguments, the call of torch or None, and its result in f32."""
    functional = torch.nn.functional

    def normal(*shape):
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    if kernel in ("softmax", "layer_norm"):
        x = normal(values["M"], values["N"])
        if kernel == "softmax":
            return (x,), {}, lambda: torch.softmax(x, -1), torch.softmax(x.float(), -1)
        w, b = normal(values["N"]), normal(values["N"])
        return ((x, w, b, 1e-5), {}, lambda: functional.layer_norm(x, x.shape[-1:], w, b),
                functional.layer_norm(x.float(), x.shape[-1:], w.float(), b.float()))
    if kernel == "matmul_nt":
        a, b = normal(values["M"], values["K"]), normal(values["N"], values["K"])
        return (a, b), {}, lambda: a @ b.T, a.float() @ b.float().T
    if kernel == "scaled_matmul":
        arguments, expected = make_scaled(torch, values)
        return arguments, {"T": "bf16"}, None, expected
    if kernel == "delta_rule":
        named, expected = make_delta_rule(torch, values)
        return (), named, None, expected
    shape = values["B"], values["H"], values["M"], values["D"]
    q, k, v = normal(*shape), normal(*shape), normal(*shape)
    causal = values["CAUSAL"]

    def attend(*tensors):
        return functional.scaled_dot_product_attention(*tensors, is_causal=causal)

    expected = attend(*(tensor[:1, :1].float() for tensor in (q, k, v)))
    return (q, k, v), {"scale": 1 / math.sqrt(values["D"]), "CAUSAL": causal}, lambda: attend(q, k, v), expected


def measure(folder, rounds):
    os.environ["TESSERA_CACHE_READ_ONLY"] = "1"
    import torch
    from tessera.tune import timing

    print(torch.cuda.get_device_name())
    for example, kernel, values in CALLS:
        arguments, named, peer, expected = make_call(torch, kernel, values)
        calls = {"torch": peer} if peer else {}
        for configuration in ("predicted", "default"):
            chosen = open_kernel(example, kernel, folder, configuration, True)
            calls[configuration] = lambda chosen=chosen: chosen(*arguments, **named)
        times = {name: [] for name in calls}
        errors = []
        for name in ("predicted", "default"):
            result = calls[name]()
            result = (result[0] if isinstance(result, tuple) else result).float()
            result = result[tuple(slice(extent) for extent in expected.shape)]
            errors.append(float((result - expected).norm() / expected.norm()))
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(timing.burst(call, BURST) * 1e3)
        took = {name: statistics.median(all_times) for name, all_times in times.items()}
        text = " ".join(f"{name}={value}" for name, value in values.items())
        others = [name for name in ("default", "torch") if name in took]
        print(f"{kernel} {text}: predicted {took['predicted']:.1f}, "
              + ", ".join(f"{name} {took[name]:.1f}" for name in others) + "; "
              + ", ".join(f"{name} / predicted {took[name] / took['predicted']:.2f}" for name in others)
              + f"; errors {errors[0]:.1e} {errors[1]:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measure calls with configurations by predicted time.")
    parser.add_argument("cache", metavar="CACHE", help="the folder of the cache")
    parser.add_argument("--fill", action="store_true", help="compile the kernels of all calls instead")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="bursts of each call")
    options = parser.parse_args()
    if options.fill:
        fill(options.cache)
    else:
        measure(options.cache, options.rounds)


if __name__ == "__main__":
    main()
