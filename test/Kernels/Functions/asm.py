# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `asm` of each type of elements on all devices without a GPU, and compares with NumPy to the bit.

    asm.py FOLDER [--devices interpreter,cpu,sim,ptx]

The reciprocal is compared with float64, within the error that PTX permits.
"""

import argparse
import pathlib
import sys

import devices
import numpy as np

COUNT = 150
# The name of an output, its type, the arguments of asm, and its value.
CASES = [
    ("rcp", "f32", '"rcp.approx.ftz.f32 $0, $1;", f', lambda v: np.float32(1 / v["f"].astype(np.float64))),
    ("add", "f32", '"add.rn.f32 $0, $1, $2;", f, p', lambda v: v["f"] + v["p"]),
    ("number", "f32", '"mul.f32 $0, $1, $2;", f, 0.5', lambda v: v["f"] * np.float32(0.5)),
    ("repeated", "i32", '"add.s32 $0, $1, $2;", 7, i', lambda v: v["i"] + np.int32(7)),
    ("masked", "f32", '"and.b32 $0, $1, 0x7fffffff;", f', lambda v: np.abs(v["f"])),
    ("half", "f16", '"{ .reg .f16 t; add.f16 t, $1, $1;", "  sub.f16 $0, t, $1; }", h', lambda v: v["h"]),
    ("packed", "i32", '"add.f16x2 $0, $1, $1;", pairs', lambda v: (v["pairs"].view(np.float16) * np.float16(2)).view(np.int32)),
    ("wide", "f64", '"fma.rn.f64 $0, $1, $1, $1;", d', lambda v: v["d"] * v["d"] + v["d"]),
    ("majority", "u32", '"lop3.b32 $0, $1, $2, $3, 0xe8;", a, b, a', lambda v: v["a"]),
    ("funnel", "u32", '"shf.l.wrap.b32 $0, $1, $2, 5;", a, b', lambda v: v["b"] << np.uint32(5) | v["a"] >> np.uint32(27)),
    ("product", "u64", '"mul.wide.u32 $0, $1, $2;", a, b', lambda v: v["a"].astype(np.uint64) * v["b"]),
    ("long", "i64", '"sub.s64 $0, $1, $2;", l, l2', lambda v: v["l"] - v["l2"]),
    ("short", "i16", '"min.s16 $0, $1, $2;", s, -3 as i16', lambda v: np.minimum(v["s"], np.int16(-3))),
    ("signs", "i16", '"mov.b16 $0, $1;", c as i8', lambda v: v["c"].astype(np.int8).astype(np.int16)),
    ("zeros", "i16", '"mov.b16 $0, $1;", c', lambda v: v["c"].astype(np.int16)),
    ("byte", "u8", '"mul.lo.u16 $0, $1, $1;", c', lambda v: v["c"] * v["c"]),
    ("signed_byte", "i8", '"mul.lo.u16 $0, $1, $1;", c', lambda v: (v["c"] * v["c"]).astype(np.int8)),
    ("bits_of", "i32", '"mov.b32 $0, $1;", f', lambda v: v["f"].view(np.int32)),
    ("chosen", "i32", '".reg .pred q; setp.lt.s32 q, $1, 0;", "mov.b32 $0, $1; // the magnitude", "@q sub.s32 $0, 0, $1;", i', lambda v: np.abs(v["i"])),
    # The result is written before the operands are read for the last time.
    ("late", "i32", '"mov.b32 $0, 5; add.s32 $0, $0, $1; add.s32 $0, $0, $2;", i, i', lambda v: v["i"] * np.int32(2) + np.int32(5)),
    # Pairs of bf16 as words, since NumPy has no bf16.
    ("brain", "f32", '"{ .reg .b16 t; cvt.rn.bf16.f32 t, $1;", "cvt.f32.bf16 $0, t; }", f', lambda v: nearest_bf16(v["f"])),
]  # fmt: skip

TILES = """kernel k({parameters}) grid (n in tiles({count}, 64)) {{
  let f = f_[n]; let h = h_[n]; let d = d_[n]; let i = i_[n]; let a = a_[n]; let b = b_[n];
  let l = l_[n]; let l2 = l2_[n]; let s = s_[n]; let c = c_[n]; let pairs = pairs_[n];
{stores}}}
"""
SCALARS = TILES.replace("n in tiles({count}, 64)", "n in {count}")
# A loop carries the result to the next text, and a reduction combines by a text.
LOOPS = """
fn larger(x, y) { return asm(i32, "max.s32 $0, $1, $2;", x, y); }
kernel k(x: i32[8, 64], out y: i32[8, 64], out z: i32[8], out w: i32[8, 64]) grid (m in tiles(8, 8)) {
  var t = x[m, :];
  for i in range(0, 5) { t = asm(i32, "mov.b32 $0, 3; mad.lo.s32 $0, $0, $1, 1;", t); }
  y[m, :] = t;
  z[m] = reduce(x[m, :], axis = 1, with = larger);
  let u = sum(t, axis = 1);
  w[m, :] = asm(i32, "xor.b32 $0, $1, $2;", t, u[:, _]);
}
"""


def nearest_bf16(x):
    word = x.view(np.uint32)
    return ((word + 0x7FFF + (word >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


def draw():
    random = np.random.default_rng(3)
    values = {
        "f": random.standard_normal(COUNT).astype(np.float32), "h": random.integers(-64, 64, COUNT).astype(np.float16),
        "d": random.integers(-999, 999, COUNT).astype(np.float64), "i": random.integers(-(2**30), 2**30, COUNT, np.int32),
        "a": random.integers(0, 2**32, COUNT, np.uint32), "b": random.integers(0, 2**32, COUNT, np.uint32),
        "l": random.integers(-(2**62), 2**62, COUNT, np.int64), "l2": random.integers(-(2**62), 2**62, COUNT, np.int64),
        "s": random.integers(-9, 9, COUNT, np.int16), "c": random.integers(0, 256, COUNT, np.uint8),
        "pairs": random.integers(-64, 64, 2 * COUNT).astype(np.float16).view(np.int32),
    }  # fmt: skip
    values["f"][:3] = 2, -0.75, 1024
    return values


def is_close(found, expected):
    """PTX permits an error of one unit in the last place of a reciprocal."""
    if found.dtype != np.float32:
        return found == expected
    return np.abs(found - expected) <= 2.0**-23 * np.abs(expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    values = draw()
    p = np.float32(0.3)
    expected = {name: np.asarray(value({**values, "p": p})) for name, _, _, value in CASES}
    arguments = {f"{name}_": array for name, array in values.items()}
    parameters = [devices.declare(name, array) for name, array in arguments.items()] + ["p: f32"]
    parameters += [f"out {name}: {type_}[{COUNT}]" for name, type_, _, _ in CASES]
    stores = "".join(f"  {name}[n] = asm({type_}, {text});\n" for name, type_, text, _ in CASES)
    x = np.random.default_rng(4).integers(-(2**31), 2**31, (8, 64), np.int32)
    y = x
    for _ in range(5):
        y = y * np.int32(3) + np.int32(1)
    loops = {"y": y, "z": x.max(axis=1), "w": y ^ y.sum(axis=1, dtype=np.int32)[:, None]}
    runs = failures = 0
    for device in options.devices.split(","):
        for form in (TILES, SCALARS):
            text = form.format(parameters=", ".join(parameters), count=COUNT, stores=stores)
            problems = devices.check(text, device, {**arguments, "p": np.asarray(p)}, expected, options.folder, is_same=is_close)
            runs, failures = runs + 1, failures + len(problems)
            for problem in problems:
                print(f"{device}: {problem}", flush=True)
        problems = devices.check(LOOPS, device, {"x": x}, loops, options.folder)
        runs, failures = runs + 1, failures + len(problems)
        for problem in problems:
            print(f"{device}: loops: {problem}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
