# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts tiles on all devices, and compares with NumPy: NaN is the greatest element, zeros are equal, orders are stable.

    ordered.py FOLDER [--shapes 16x32,…] [--devices interpreter,cpu,sim,ptx]
"""

import argparse
import pathlib
import sys

import devices
import numpy as np

SHAPES = "16x32,4x128,1x256,8x24,3x5,64,1,2x4x16"
WARPS = 4, 8, 1, 2, 16
TYPES = "f32,f16,i32,u8,i16,u32,bf16,f8e4m3,i64,u64"
KERNEL = """kernel k({parameters}) schedule (warps = {warps}) {{
  let t = x[{whole}]{cast};
  up[{whole}] = sort(t, axis = {axis}){back};
  down[{whole}] = sort(t, axis = {axis}, descending = true){back};
{positions}}}
"""
POSITIONS = """  order[{whole}] = argsort(t, axis = {axis});
  reverse[{whole}] = argsort(t, axis = {axis}, descending = true);
  let v, p = top(t, {k}, axis = {axis});
  most[{whole}] = v{back};
  places[{whole}] = p;
  let w, q = top(t, {k}, axis = {axis}, descending = false);
  least[{whole}] = w{back};
  others[{whole}] = q;
"""


def draw(dtype, shape, data):
    """Returns elements of a type as an array that NumPy knows. Many of them are equal."""
    if dtype[0] in "iu":
        limits = np.iinfo(np.dtype(dtype.replace("i", "int").replace("u", "uint")))
        x = data.integers(-4 if dtype[0] == "i" else 0, 5, shape).astype(limits.dtype)
        ends = data.integers(limits.min, limits.max, shape, limits.dtype, endpoint=True)
        return np.where(data.random(shape) < 0.4, ends, np.where(data.random(shape) < 0.1, limits.max, x))
    x = (data.integers(-6, 7, shape) / 2).astype(np.float32)
    x = np.where(data.random(shape) < 0.1, np.float32(-0.0), x)
    x[data.random(shape) < 0.1] = np.nan
    if dtype != "f8e4m3":
        x[data.random(shape) < 0.1] = np.inf
        x[data.random(shape) < 0.05] = -np.inf
    return x.astype(np.float16) if dtype == "f16" else x


def order(x, axis, descending):
    ranks = np.unique(x + 0 if x.dtype.kind == "f" else x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, axis, kind="stable").astype(np.int32)


def expect(x, axis, k):
    up, down = order(x, axis, False), order(x, axis, True)
    take = lambda places: np.take_along_axis(x, places, axis)  # noqa: E731
    first = np.arange(k)
    return {"up": take(up), "down": take(down), "order": up, "reverse": down, "most": take(down.take(first, axis)),
            "places": down.take(first, axis), "least": take(up.take(first, axis)), "others": up.take(first, axis)}  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--types", default=TYPES)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = runs = number = 0
    for text in options.shapes.split(","):
        shape = tuple(map(int, text.split("x")))
        for axis in range(len(shape)):
            dtype = options.types.split(",")[number % len(options.types.split(","))]
            data = np.random.default_rng(number)
            number += 1
            x = draw(dtype, shape, data)
            k = int(data.integers(1, shape[axis] + 1))
            expected = expect(x, axis, k)
            positions = POSITIONS
            if dtype in ("i64", "u64"):
                positions = ""
                expected = {name: expected[name] for name in ("up", "down")}
            cast = back = ""
            if dtype in ("bf16", "f8e4m3"):
                cast, back = f" as {dtype}", " as f32"
            parameters = [devices.declare("x", x)] + [devices.declare(name, array, "out") for name, array in expected.items()]
            fields = {"whole": ", ".join(":" for _ in shape), "axis": axis, "k": k, "cast": cast, "back": back}
            kernel = KERNEL.format(parameters=", ".join(parameters), warps=WARPS[data.integers(len(WARPS))], positions=positions.format(**fields), **fields)
            for device in options.devices.split(","):
                runs += 1
                for problem in devices.check(kernel, device, {"x": x}, expected, options.folder):
                    failures += 1
                    print(f"{device} {dtype} {text} axis {axis}: {problem}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
