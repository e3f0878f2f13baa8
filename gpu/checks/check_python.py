#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks calls from Python on a GPU: tensors of torch, CuPy, Numba and JAX, streams, graphs, several devices,
torch.compile and gradients, each against torch.

    TESSERA_CACHE=build/python-cache gpu/checks/check_python.py --fill       # machine with tilec, without a GPU
    TESSERA_CACHE=python-cache TESSERA_CACHE_READ_ONLY=1 gpu/checks/check_python.py      # machine with the GPU

--fill compiles the kernels of the checks, so that the machine with the GPU needs no compiler. Libraries that are not
installed are named and skipped. The exit status is 1 if a check fails.
"""

import argparse
import functools
import importlib.util
import pathlib
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path[:0] = [str(ROOT / "gpu"), str(ROOT / "python"), str(EXAMPLES / "11-attention-backward")]

from checks import gradient_checks  # noqa: E402
import gradient_choices  # noqa: E402
import tessera  # noqa: E402

D = 128
SCALE = D**-0.5
FLASH = tessera.load(EXAMPLES / "07-flash-attention" / "kernel.tile")["flash_fwd"]
SOFTMAX = tessera.load(EXAMPLES / "02-softmax" / "kernel.tile")["softmax"]


def fill():
    backward = tessera.load(EXAMPLES / "11-attention-backward" / "kernel.tile")
    # With exactly the values that the calls below pass: an omitted value and an explicit default give different
    # packages.
    paths = [SOFTMAX.compile(T="f32"), FLASH.compile(T="bf16", D=D)]
    for causal in (False, True):
        paths.append(FLASH.compile(T="bf16", D=D, CAUSAL=causal))
        rows = gradient_choices.choose_rows(D, D, 2)
        paths.append(backward["attention_bwd"].compile(T="bf16", DK=D, DV=D, CAUSAL=causal, BM=rows))
    paths.append(backward["attention_delta"].compile(T="bf16", DK=D, DV=D, BM=rows))
    paths.append(backward["attention_dq"].compile(T="bf16", DK=D, BM=rows))
    paths += gradient_checks.fill(tessera)
    print(f"{len(paths)} packages in {paths[0].parent}")


def make(length=1000, grad=False):
    import torch
    return [torch.randn(2, 4, length, D, device="cuda", dtype=torch.bfloat16, requires_grad=grad) for _ in range(3)]


def reference(q, k, v, causal):
    """Computes attention in float64."""
    import torch
    s = SCALE * q.double() @ k.double().mT
    if causal:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
    return s.softmax(-1) @ v.double(), s.logsumexp(-1)


def require_near(got, expected, bar=5e-3):
    error = ((got.double() - expected).square().mean() / expected.square().mean()).sqrt().item()
    if not error <= bar:
        raise AssertionError(f"the relative RMS error is {error:.2e}, expected at most {bar:.0e}")


def check_torch():
    for causal in (False, True):
        for _ in range(3):
            q, k, v = make()
            for got, expected in zip(FLASH(q, k, v, scale=SCALE, CAUSAL=causal), reference(q, k, v, causal)):
                require_near(got, expected)


def check_torch_streams():
    import torch
    q, k, v = make()
    # The first call loads the kernel, for which drivers may wait.
    FLASH(q, k, v, scale=SCALE)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        # The call must run after the work queued on the same stream.
        torch.cuda._sleep(50_000_000)
        q.mul_(2)
        o, lse = FLASH(q, k, v, scale=SCALE)
    if stream.query():
        raise AssertionError("the call waited for the device")
    stream.synchronize()
    require_near(o, reference(q, k, v, False)[0])


def check_torch_devices():
    """Kernels run on the device of their tensors, whatever the current device."""
    import torch
    if torch.cuda.device_count() < 2:
        return "not checked, since there is one device"
    for _ in range(2):
        for device in ("cuda:1", "cuda:0"):
            q, k, v = (x.to(device) for x in make())
            o, lse = FLASH(q, k, v, scale=SCALE)
            if o.device != q.device:
                raise AssertionError(f"the output is on {o.device}, expected {q.device}")
            require_near(o, reference(q, k, v, False)[0])
    if torch.cuda.current_device() != 0:
        raise AssertionError("calls changed the current device")
    return None


def check_torch_graphs():
    import torch
    q, k, v = make()
    FLASH(q, k, v, scale=SCALE)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        o, lse = FLASH(q, k, v, scale=SCALE)
    for _ in range(2):
        q.normal_()
        graph.replay()
        require_near(o, reference(q, k, v, False)[0])


def check_torch_compile():
    import torch
    compiled = torch.compile(lambda q, k, v: FLASH(q * 1.0, k, v, scale=SCALE, CAUSAL=True)[0] * 2, fullgraph=True)
    for length in (1000, 600, 300):
        q, k, v = make(length)
        require_near(compiled(q, k, v), 2 * reference(q, k, v, True)[0])


def check_torch_gradients():
    import torch
    import torch_attention
    for attend in (torch_attention.attention, torch.compile(torch_attention.attention, fullgraph=True)):
        for causal in (False, True):
            q, k, v = make(grad=True)
            o, lse = attend(q, k, v, SCALE, causal)
            weights = torch.randn_like(o)
            (o * weights).sum().backward()
            copies = [x.detach().double().requires_grad_() for x in (q, k, v)]
            (reference(*copies, causal)[0] * weights).sum().backward()
            for tensor, copy in zip((q, k, v), copies):
                require_near(tensor.grad, copy.grad, 1e-2)


def check_softmax(x, y):
    """Checks arrays of another library, which torch can read."""
    import torch
    require_near(torch.as_tensor(y, device="cuda"), torch.as_tensor(x, device="cuda").double().softmax(-1), 1e-5)


def check_cupy():
    import cupy
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        with stream:
            x = cupy.random.standard_normal((500, 1000), dtype=cupy.float32)
            y = SOFTMAX(x, stream=stream)
        stream.synchronize()
        if not isinstance(y, cupy.ndarray):
            raise AssertionError(f"expected an array of CuPy, got {type(y).__name__}")
        check_softmax(x, y)


def check_numba():
    import numba.cuda
    import numpy
    x = numba.cuda.to_device(numpy.random.default_rng(1).standard_normal((500, 1000), dtype=numpy.float32))
    check_softmax(x, SOFTMAX(x))


def check_jax():
    import jax
    import jax.numpy as jnp
    import torch
    x = jax.random.normal(jax.random.key(1), (500, 1000))
    y = torch.empty(x.shape, device="cuda")
    SOFTMAX(x, out=y)
    require_near(y, torch.from_dlpack(x).double().softmax(-1), 1e-5)
    # The array interface has no name for bf16.
    q, k, v = (jax.random.normal(jax.random.key(n), (2, 4, 500, D), jnp.bfloat16) for n in range(3))
    o, lse = torch.empty(q.shape, device="cuda", dtype=torch.bfloat16), torch.empty(q.shape[:3], device="cuda")
    FLASH(q, k, v, scale=SCALE, out=(o, lse))
    require_near(o, reference(*map(torch.from_dlpack, (q, k, v)), False)[0])


CHECKS = {
    "torch": check_torch, "torch streams": check_torch_streams, "torch devices": check_torch_devices,
    "torch graphs": check_torch_graphs,
    "torch compile": check_torch_compile, "torch gradients": check_torch_gradients,
    **{f"torch gradients of {name}": functools.partial(check, require_near)
       for name, check in gradient_checks.CHECKS.items()},
    "cupy": check_cupy, "numba": check_numba, "jax": check_jax,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fill", action="store_true", help="compile the kernels of the checks, and stop")
    if parser.parse_args().fill:
        fill()
        return 0
    failures = 0
    for name, check in CHECKS.items():
        if importlib.util.find_spec(name.split()[0]) is None:
            print(f"{name}: not installed")
            continue
        try:
            print(f"{name}: {check() or 'right'}", flush=True)
        except Exception:
            failures += 1
            print(f"{name}: wrong\n{traceback.format_exc()}", flush=True)
    print(f"calls of torch were made by {'the extension' if FLASH._plans.has_extension else 'Python alone'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
