#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python takes of the host, in microseconds, for tensors of torch.

Prints the median and the least over rounds of back-to-back calls of attention (example 07: three tensors, a number, two
outputs, four tensor maps) that are bound already, and what of it is the runtime and the driver. On a GPU the
grid is small, and a round is shorter than the queue of launches; a round begins when the device is idle.

Without a GPU, --driver names a driver that launches nothing, such as build/lib/libFakeCuda.so of the tests
(which writes a log of its calls, some 2 us); tensors of the host are then taken for those of a device. With
--bar the exit status is 1 if a call that allocates its outputs takes longer.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

CALLS, ROUNDS = 200, 50


def pretend(driver):
    """Takes tensors of the host for those of a device of `driver`. Returns what ends a round."""
    import torch
    from tessera import tensors
    os.environ["TESSERA_CUDA_DRIVER"] = driver
    tensors.DEVICE_TYPE = "cpu"
    torch._C._cuda_getCurrentRawStream = lambda ordinal: 0
    fake = ctypes.CDLL(driver)
    fake.fakecuda_log.restype = ctypes.c_char_p
    return fake.fakecuda_log


def measure(call, finish):
    """The microseconds of one call: the median, and the least, which other load disturbs less."""
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
    """A call of the runtime alone, as a plan makes it."""
    plan = next(iter(kernel._plans._plans.values()))
    addresses = plan._pack(*[tensor.data_ptr() for tensor in tensors])
    launch = plan._run
    return lambda: launch(plan._handle, addresses, len(tensors), stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", metavar="PATH", help="a driver that launches nothing, in place of a GPU")
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
    kernel(q, k, v, scale=0.1, CAUSAL=True)
    stream = 0 if options.driver else torch.cuda.current_stream().cuda_stream
    rows = {
        "kernel(q, k, v, scale=s, CAUSAL=True)": lambda: kernel(q, k, v, scale=0.1, CAUSAL=True),
        "the same with out=(o, lse)": lambda: kernel(q, k, v, scale=0.1, CAUSAL=True, out=(o, lse)),
    }
    parts = {
        "runtime and driver, of that": runtime_part(kernel, (q, k, v, o, lse), stream),
        "torch.empty of both outputs, of that": lambda: (torch.empty_like(o), torch.empty_like(lse)),
    }
    print(f"{'us':40} {'median':>7} {'least':>7}")
    times = {}
    for name, call in {**rows, **parts}.items():
        call()
        times[name] = measure(call, finish)
        print(f"{name:40} {times[name][0]:7.2f} {times[name][1]:7.2f}")
    return 1 if options.bar and times[next(iter(rows))][0] > options.bar else 0


if __name__ == "__main__":
    sys.exit(main())
