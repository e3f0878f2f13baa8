#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the host time of a call from Python in microseconds, for torch tensors.

Prints the median and the minimum over rounds of back-to-back calls of attention (example 07: three tensors, a number,
two outputs, four tensor maps). The calls have a plan, and are made by the extension and by Python alone. Also prints
the share of the runtime and the driver, and on a GPU the times of torch calls. On a GPU the grid is small, and a round
is shorter than the queue of launches. A round begins with an idle device.

Without a GPU, --driver names a driver that launches nothing, such as build/lib/libFakeCuda.so of the tests. That
driver logs its calls, which takes about 2 us each; host tensors then act as device tensors. With --bar the exit
status is 1 if a call that allocates its outputs takes longer.
"""

import argparse
import ctypes
import functools
import os
import pathlib
import statistics
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

CALLS, ROUNDS = 200, 50


def pretend(driver):
    """Makes host tensors act as tensors of a device of `driver`. Returns the function that ends a round."""
    import torch
    from tessera import tensors
    os.environ["TESSERA_CUDA_DRIVER"] = driver
    tensors.DEVICE_TYPE = "cpu"
    torch._C._cuda_getCurrentRawStream = lambda ordinal: 0
    fake = ctypes.CDLL(driver)
    fake.fakecuda_log.restype = ctypes.c_char_p
    return fake.fakecuda_log


def measure(call, finish):
    """Returns the microseconds of one call: the median, and the minimum, which other load affects less."""
    rounds = []
    for _ in range(ROUNDS):
        finish()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter() - start) / CALLS * 1e6)
    finish()
    return statistics.median(rounds), min(rounds)


def runtime_part(kernel, tensors, stream):
    """Returns a call of the runtime alone through ctypes, as made by a plan without the extension."""
    from tessera import library
    q, k, v, o, lse = tensors
    launch = kernel.load(kernel.signature.choose({"T": "bf16", "D": 128, "CAUSAL": True}), 0).prepare(
        q=q, k=k, v=v, scale=0.1, o=o, lse=lse)
    addresses = struct.pack(f"{len(tensors)}Q", *[tensor.data_ptr() for tensor in tensors])
    launch_at = library.prepared_launch_at()
    return lambda: launch_at(launch._handle, addresses, len(tensors), stream)


def quick_part(torch, outputs):
    """Returns the allocations of a call, if torch has the function for them."""
    from tessera import allocation
    empty = allocation.quick_empty(torch)
    arguments = [(tuple(output.shape), output.stride(), output.dtype) for output in outputs]
    return {"both by the function of its compiler": lambda: [empty(*each) for each in arguments]} if empty else {}


def by_python(kernel, calls):
    """Returns the same kernel with plans in Python alone, after the first calls."""
    from tessera import native
    plain = type(kernel)(kernel.source, kernel.signature)
    make, native.make_calls = native.make_calls, lambda *_: None
    for call in calls:
        call(plain)
    native.make_calls = make
    return plain


def peers(q):
    """Returns torch calls that launch one kernel."""
    import torch
    a, b = q[0, 0], q[0, 0].clone()
    return {
        "torch.add(a, b)": lambda: torch.add(a, b),
        "torch.mm(a, b)": lambda: torch.mm(a, b),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", metavar="PATH", help="a driver that launches nothing, instead of a GPU")
    parser.add_argument("--bar", type=float, metavar="US", help="the most that a call may take")
    options = parser.parse_args()

    import torch
    if options.driver:
        finish, device = pretend(options.driver), "cpu"
    else:
        finish, device = torch.cuda.synchronize, "cuda"
    import tessera
    kernel = tessera.load(ROOT / "examples" / "07-flash-attention" / "kernel.tile",
                          options=["--ptx-only"] if options.driver else [])["flash_fwd"]
    q, k, v = (torch.zeros((1, 1, 128, 128), dtype=torch.bfloat16, device=device) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty((1, 1, 128), dtype=torch.float32, device=device)

    def attend(kernel):
        return kernel(q, k, v, scale=0.1, CAUSAL=True)

    def attend_into(kernel):
        return kernel(q, k, v, scale=0.1, CAUSAL=True, out=(o, lse))

    packaged = tessera.Package(kernel.compile(T="bf16", D=128, CAUSAL=True)).kernel("flash_fwd")
    attend(kernel)
    plain = by_python(kernel, (attend, attend_into))
    stream = 0 if options.driver else torch.cuda.current_stream().cuda_stream
    rows = {
        "kernel(q, k, v, scale=s, CAUSAL=True)": functools.partial(attend, kernel),
        "the same with out=(o, lse)": functools.partial(attend_into, kernel),
        "packaged(q, k, v, s, o, lse)": lambda: packaged(q, k, v, 0.1, o, lse),
        "the call by Python alone": functools.partial(attend, plain),
        "the same with out=(o, lse), by Python": functools.partial(attend_into, plain),
    }
    parts = {
        "runtime and driver, of that": runtime_part(kernel, (q, k, v, o, lse), stream),
        "torch.empty_like of both outputs": lambda: (torch.empty_like(o), torch.empty_like(lse)),
        **quick_part(torch, (o, lse)),
        **({} if options.driver else peers(q)),
    }
    print(f"calls are made by {'the extension' if kernel._plans.has_extension else 'Python: the extension is missing'}")
    print(f"{'us':40} {'median':>7} {'least':>7}")
    times = {}
    for name, call in {**rows, **parts}.items():
        call()
        times[name] = measure(call, finish)
        print(f"{name:40} {times[name][0]:7.2f} {times[name][1]:7.2f}")
    return 1 if options.bar and times[next(iter(rows))][0] > options.bar else 0


if __name__ == "__main__":
    sys.exit(main())
