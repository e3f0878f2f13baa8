#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares constructs of the language that no example uses with NumPy: check_constructs.py [--fill] CACHE

With --fill, compiles the kernels into the cache, without a GPU. Without, runs them on a GPU from the cache."""

import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
KERNELS = ("moments", "recurrence", "extrema", "numbers", "functions", "products", "steps", "steps_unbounded",
           "product_until", "pairs", "rotate", "shapes", "order", "atomics", "instructions", "windows")
FUNCTIONS = (np.arccos, np.arcsin, np.arctan, np.cbrt, np.cos, np.cosh, np.expm1, np.log1p, np.sin, np.sinh, np.tan,
             np.rint, np.trunc, np.arctan2, np.fmod, np.power)


def philox(seed, count):
    """Returns word 0 of Philox 4x32-10 for the counters 0 to count - 1."""
    words = [np.arange(count, dtype=np.uint64), *(np.zeros(count, np.uint64) for _ in range(3))]
    low, keys = np.uint64(0xFFFFFFFF), [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        first, third = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [third >> np.uint64(32) ^ words[1] ^ keys[0], third & low, first >> np.uint64(32) ^ words[3] ^ keys[1],
                 first & low]
        keys = [(keys[0] + np.uint64(0x9E3779B9)) & low, (keys[1] + np.uint64(0xBB67AE85)) & low]
    return words[0].astype(np.uint32)


def count_steps(value):
    count = 0
    while value != 1 and count < 1000:
        value = value // 2 if value % 2 == 0 else (3 * value + 1) % 2**32
        count += 1
    return count


def check_functions(torch, kernels, rng):
    """Compares results with float64 rounded once. The compiler bounds their errors by 0.501 units in the last place, so
    that nearly all are equal and none is further away than its neighbour."""
    count = 1 << 20
    bits = rng.integers(0, 2**32, (2, count), dtype=np.uint32)
    bits[:, : count // 2] = rng.uniform(-12, 12, (2, count // 2)).astype(np.float32).view(np.uint32)
    x, z = bits.view(np.float32)
    y = torch.empty((len(FUNCTIONS), count), device="cuda")
    kernels["functions"](torch.tensor(x, device="cuda"), torch.tensor(z, device="cuda"), y=y)
    right = True
    for function, got in zip(FUNCTIONS, y.cpu().numpy()):
        with np.errstate(all="ignore"):
            wide = [t.astype(np.float64) for t in (x, z)[: function.nin]]
            expected = function(*wide).astype(np.float32)
            differs = (got != expected) & ~(np.isnan(got) & np.isnan(expected))
            up, down = (np.nextafter(expected, np.float32(end)) for end in (np.inf, -np.inf))
            near = (got == up) | (got == down)
        is_right = not (differs & ~near).any() and differs.sum() <= count // 1000
        print(f"{function.__name__}: {differs.sum()} of {count} differ, {'ok' if is_right else 'WRONG'}")
        right &= is_right
    return right


def check_shapes(check, kernels, rng, rows):
    import torch

    x = rng.standard_normal((rows, 128)).astype(np.float16)
    angle = rng.random((rows, 64)) * 6
    cosine, sine = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    a, b = x[:, ::2].astype(np.float64), x[:, 1::2].astype(np.float64)
    expected = np.stack((a * cosine - b * sine, a * sine + b * cosine), -1).reshape(rows, 128)
    y = kernels["rotate"](*(torch.tensor(t, device="cuda") for t in (x, cosine, sine)))
    right = check(f"rotated pairs of {rows} rows", y, expected, 2e-3)
    x = rng.standard_normal((rows, 64)).astype(np.float32)
    turned, swapped, longer = kernels["shapes"](torch.tensor(x, device="cuda"))
    right &= check(f"reversed columns of {rows} rows", turned, x[:, ::-1], 0)
    permuted = x.reshape(rows, 4, 16).transpose(0, 2, 1).reshape(rows, 64)
    right &= check(f"permuted columns of {rows} rows", swapped, permuted, 0)
    return right & check(f"joined columns of {rows} rows", longer, np.concatenate((x, x[:, 16:48]), 1), 0)


def check_order(check, kernels, rng, rows):
    import torch

    x = rng.integers(-50, 50, (rows, 300)).astype(np.float32)
    up, places, most, experts = kernels["order"](torch.tensor(x, device="cuda"))
    down = np.argsort(-x, 1, kind="stable")
    right = check(f"sorted elements of {rows} rows", up, np.sort(x, 1), 0)
    right &= check(f"order of {rows} rows", places, down, 0)
    right &= check(f"greatest elements of {rows} rows", most, np.take_along_axis(x, down[:, :10], 1), 0)
    return right & check(f"positions of the greatest of {rows} rows", experts, down[:, :10], 0)


def check_instructions(check, kernel, rng):
    import torch

    x = (rng.standard_normal(1000) * 100).astype(np.float32)
    a, b, c = rng.integers(0, 2**32, (3, 1000), dtype=np.uint32)
    words = (torch.tensor(t.view(np.int32), device="cuda").view(torch.uint32) for t in (a, b, c))
    y, z = kernel(torch.tensor(x, device="cuda"), *words)
    right = check("majorities by lop3", z.view(torch.int32), (a & b | a & c | b & c).view(np.int32), 0)
    ulp = np.spacing(np.abs(1 / x))
    return right & check("reciprocals by rcp.approx, in units in the last place",
                         torch.tensor((y.cpu().numpy() - 1 / x.astype(np.float64)) / ulp), 0, 1)


def check_windows(check, kernel, rng):
    import torch

    a, b, y = (rng.integers(-1, 2, shape).astype(np.float32) for shape in ((200, 136), (136, 144), (200, 144)))
    given = [torch.tensor(t, device="cuda").bfloat16() for t in (a, b, y)]
    kernel(*given)
    # Past the last column, a has zeros. The last column of the product lies past the end of y.
    product = np.pad(a, ((0, 0), (0, 3)))[:, 3:] @ np.pad(b, ((0, 0), (0, 5)))[:, 5:]
    expected = np.concatenate((y[:, :1], product[:, :-1]), 1)
    return check("product of windows", given[2].float(), expected, 0)


def check_checks(tessera, torch, kernel):
    """A failed check raises an error, and the context stays usable."""
    x, rows = torch.arange(40, device="cuda").float(), torch.arange(40, device="cuda", dtype=torch.int32)
    right = True
    for first in (0, 3, 0):
        text = ""
        try:
            y = kernel(x, rows + first)
        except tessera.KernelError as error:
            text = str(error)
        expected = ("kernel.tile:" in text and ": error: check failed at element [5]: rows has positions of x\n"
                    "note: in program (n = 2) of kernel 'guarded'" in text if first else not text and torch.equal(x, y))
        print(f"checks of positions from {first}: {'ok' if expected else 'WRONG: ' + text}")
        right &= expected
    return right


def main():
    import tessera

    fill = sys.argv[1:2] == ["--fill"]
    cache = tessera.Cache(sys.argv[-1], read_only=not fill)
    kernels = tessera.load(ROOT / "gpu/checks/constructs/kernel.tile", cache=cache)
    # Its lines go to standard error.
    guarded = tessera.load(ROOT / "gpu/checks/constructs/kernel.tile", cache=cache, checks=True)["guarded"]
    if fill:
        print(guarded.compile())
        for name in KERNELS:
            print(kernels[name].compile())
        return
    os.environ["TESSERA_CACHE_READ_ONLY"] = "1"
    import torch

    print(torch.cuda.get_device_name())

    def check(name, got, expected, tolerance):
        got = got.cpu().numpy()
        error = np.max(np.abs(got.astype(np.float64) - expected) / (1 + np.abs(expected)))
        print(f"{name}: error {error:.1e}, {'ok' if error <= tolerance else 'WRONG'}")
        return error <= tolerance

    rng = np.random.default_rng()
    right = True
    for rows in (1, 7, 100, 1001):
        x = rng.standard_normal((rows, 200), np.float32) * 3 + 5
        mean, variance = kernels["moments"](torch.tensor(x, device="cuda"))
        right &= check(f"mean of {rows} rows", mean, x.astype(np.float64).mean(1), 1e-5)
        right &= check(f"variance of {rows} rows", variance, x.astype(np.float64).var(1), 1e-5)
        a, x = rng.random((rows, 256), np.float32), rng.standard_normal((rows, 256), np.float32)
        h, expected = np.zeros(rows), np.zeros((rows, 256))
        for i in range(256):
            h = a[:, i].astype(np.float64) * h + x[:, i]
            expected[:, i] = h
        right &= check(f"recurrence of {rows} rows",
                       kernels["recurrence"](*(torch.tensor(t, device="cuda") for t in (a, x))), expected, 1e-5)
        x = rng.integers(-50, 50, (rows, 300)).astype(np.float32)
        first, last, product = kernels["extrema"](torch.tensor(x, device="cuda"))
        right &= check(f"argmax of {rows} rows", first, x.argmax(1), 0)
        right &= check(f"argmin of {rows} rows", last, x.argmin(1), 0)
        right &= check(f"product of {rows} rows", product, np.prod(1 + 0.001 * x.astype(np.float64), axis=1), 1e-4)
    for rows in (5, 1000):
        x, t = rng.standard_normal((rows, 77), np.float32), rng.integers(-3, 80, (rows, 4))
        pages = rng.standard_normal((9, 16, 64), np.float32)
        page, slot = rng.integers(-1, 10, rows), rng.integers(0, 16, rows)
        inside = (t >= 0) & (t < 77)
        expected = np.where(inside, np.take_along_axis(x, np.where(inside, t, 0), 1), 0)
        inside = (page >= 0) & (page < 9)
        rows_of_pages = np.where(inside[:, None], pages[np.where(inside, page, 0), slot], 0)
        given = (x, t, pages, page.astype(np.int32), slot.astype(np.uint8))
        y, z = kernels["pairs"](*(torch.tensor(a, device="cuda") for a in given))
        right &= check(f"elements of {rows} rows", y, expected, 0)
        right &= check(f"{rows} rows of pages", z, rows_of_pages, 0)
        right &= check_shapes(check, kernels, rng, rows)
        right &= check_order(check, kernels, rng, rows)
    for count in (100, 100001):
        x, key = rng.standard_normal(count, np.float32), rng.integers(-1, 18, count).astype(np.int32)
        value, programs = rng.integers(-(2**31), 2**31, count).astype(np.int32), -(-count // 128)
        inside, zeros = (key >= 0) & (key < 17), np.zeros(17, np.int32)
        results = [zeros[:1], np.full(count, -1, np.int32), zeros, zeros, zeros, np.zeros(programs + 1, np.int32)]
        tensors = [torch.tensor(a, device="cuda") for a in (x, key, value, *results)]
        kernels["atomics"](*tensors)
        total, found, most, least, odd, tickets = tensors[3:]
        chosen = np.flatnonzero(x > 0)
        right &= check(f"number of {count} elements that are chosen", total, np.array([len(chosen)]), 0)
        right &= check("chosen elements", found[: len(chosen)].sort().values, chosen, 0)
        by_key = (("maxima", most, np.maximum), ("minima", least, np.minimum), ("bits", odd, np.bitwise_xor))
        for name, got, function in by_key:
            expected = zeros.copy()
            function.at(expected, key[inside], value[inside])
            right &= check(f"{name} of {count} elements by key", got, expected, 0)
        right &= check(f"tickets of {programs} programs", tickets, np.array([1] * programs + [programs]), 0)
    seed = int(rng.integers(2**62))
    signed = philox(seed, 10000).view(np.int32)
    expected = np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)
    u = torch.empty(10000, device="cuda")
    kernels["numbers"](seed, u=u)
    right &= check(f"uniform numbers of seed {seed}", u, expected, 0)
    a, b, c = (rng.standard_normal(shape, np.float32) for shape in ((300, 200), (200, 200), (200, 200)))
    y = torch.empty((2, 300, 200), device="cuda")
    kernels["products"](*(torch.tensor(t, device="cuda") for t in (a, b, c)), y=y)
    # TF32 lacks the low bits. Rounding to nearest instead would give errors above 1e-4. Sums of the tensor cores err by
    # 1e-5.
    a, b, c = ((t.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64) for t in (a, b, c))
    right &= check("products in TF32", y, np.stack([a @ b.T, a @ c]), 5e-5)
    right &= check_functions(torch, kernels, rng)
    right &= check_instructions(check, kernels["instructions"], rng)
    right &= check_windows(check, kernels["windows"], rng)
    y = torch.empty(5000, device="cuda", dtype=torch.int32)
    for name in ("steps", "steps_unbounded"):
        kernels[name](3, y=y)
        right &= check(f"{name}: loops that end early", y, np.array([count_steps(3 + i) for i in range(5000)]), 0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((200, 1000), (1000, 300)))
    for end in (0, 1, 64, 129, 5000):
        c = kernels["product_until"](*(torch.tensor(t, device="cuda").bfloat16() for t in (a, b)), end=end)
        terms = -(-end // 64) * 64
        right &= check(f"product up to {end}", c, a[:, :terms].astype(np.float64) @ b[:terms], 0)
    right &= check_checks(tessera, torch, guarded)
    sys.exit(not right)


if __name__ == "__main__":
    main()
