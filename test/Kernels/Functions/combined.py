# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs reductions and scans by functions on all devices, and compares with NumPy.

    combined.py FOLDER [--shapes 64x64,…] [--devices interpreter,cpu,sim,ptx]

None of the functions but the sums is commutative, so a wrong order is a wrong result.
"""

import argparse
import pathlib
import sys

import devices
import numpy as np

SHAPES = "64x64,8x72,1x256,1x1000,16x3,128x1,2x7x12,96,1"
WARPS = 4, 8, 1, 2, 16
FNS = """
fn welford(n: f32, mean: f32, m2: f32, k: f32, other: f32, o2: f32) {
  let total = n + k;
  let d = other - mean;
  return total, mean + d * k / total, m2 + o2 + d * d * n * k / total;
}
fn log_sum_exp(m, s, n, t) {
  let top = max(m, n);
  return top, s * exp(m - top) + t * exp(n - top);
}
fn affine(a, x, b, y) { return b * a, b * x + y; }
fn segment(first, s, other, t) {
  return first || other, if other { t } else { let both = s + t; both };
}
fn longer(a, x, b, y) { return max(a, b), if b > a + 0 { y } else { x }; }
fn last(a, b) { return b; }
"""
REDUCTIONS = """
  let n, mean, m2 = reduce(1.0, x0, 0.0, axis = AXIS, with = welford);
  mean_[RESULT] = mean;
  variance[RESULT] = m2 / n;
  let top, s = reduce(x0, 1.0, axis = AXIS, with = log_sum_exp);
  lse[RESULT] = top + log(s);
  let ra, rb = reduce(i0, j0, axis = AXIS, with = affine);
  scale[RESULT] = ra;
  offset[RESULT] = rb;
  let h, hx = reduce(i0 as i8, j0 as u16, axis = AXIS, with = longer);
  kept[RESULT] = hx as i32 + (h as i32) * 65536;
  tail[RESULT] = reduce(x0 as f16, axis = AXIS, with = last) as f32;
  let wa, wb = reduce(i0 as i64 * 65537, j0 as i64, axis = AXIS, with = affine);
  wide[RESULT] = wb;
  product[RESULT] = prod(i0, axis = AXIS);
  most[RESULT] = argmax(z0, axis = AXIS);
  least[RESULT] = argmin(u0, axis = AXIS);
  some[RESULT] = any(b0, axis = AXIS);
  every[RESULT] = all(b0 || x0 > -1.0, axis = AXIS);
"""
SCANS = """
  let g, hs = scan(d0, x0, axis = AXIS, with = affine, reverse = REVERSE);
  state[ALL] = hs;
  let f, sums = scan(b0, j0, axis = AXIS, with = segment, reverse = REVERSE);
  segments[ALL] = sums;
  let p, q = scan(i0, j0, axis = AXIS, with = affine, reverse = REVERSE);
  scales[ALL] = p;
  offsets[ALL] = q;
  halves[ALL] = scan(x0 as bf16, axis = AXIS, with = last, reverse = REVERSE) as f32;
  tops[ALL] = cummax(z0, axis = AXIS, reverse = REVERSE);
  lows[ALL] = cummin(u0, axis = AXIS, reverse = REVERSE);
  products[ALL] = cumprod(i0, axis = AXIS, reverse = REVERSE);
"""
KERNEL = """{fns}
kernel k(x: f32[{dims}], z: f32[{dims}], d: f32[{dims}], i: i32[{dims}], j: i32[{dims}], u: u8[{dims}], b: bool[{dims}],
    {outs})
  schedule (warps = {warps})
{{
  let x0 = x[{all}]; let z0 = z[{all}]; let d0 = d[{all}]; let i0 = i[{all}]; let j0 = j[{all}]; let u0 = u[{all}];
  let b0 = b[{all}];
{body}}}
"""


def fold(groups, axis, combine, reverse=False):
    """Returns the running combinations of arrays along an axis."""
    moved = [np.moveaxis(np.flip(g, axis) if reverse else g, axis, 0) for g in groups]
    total = tuple(g[0] for g in moved)
    steps = [total]
    for n in range(1, len(moved[0])):
        total = combine(total, tuple(g[n] for g in moved))
        steps.append(total)
    lines = [np.moveaxis(np.stack(line), 0, axis) for line in zip(*steps)]
    return [np.flip(line, axis) if reverse else line for line in lines]


def affine(left, right):
    return right[0] * left[0], right[0] * left[1] + right[1]


def reductions(a, axis):
    x = a["x"].astype(np.float64)
    last = [g.take(-1, axis) for g in fold((a["i"], a["j"]), axis, affine)]
    longest = fold((a["i"].astype(np.int8), a["j"].astype(np.uint16)), axis,
                   lambda p, q: (np.maximum(p[0], q[0]), np.where(q[0] > p[0], q[1], p[1])))
    wide = fold((a["i"].astype(np.int64) * 65537, a["j"].astype(np.int64)), axis, affine)
    return {
        "mean_": x.mean(axis), "variance": x.var(axis), "lse": np.log(np.exp(x).sum(axis)), "scale": last[0], "offset": last[1],
        "kept": (longest[1].astype(np.int32) + longest[0].astype(np.int32) * 65536).take(-1, axis),
        "tail": a["x"].astype(np.float16).astype(np.float32).take(-1, axis), "wide": wide[1].take(-1, axis),
        "product": np.multiply.reduce(a["i"], axis, dtype=np.int32), "most": a["z"].argmax(axis).astype(np.int32),
        "least": a["u"].argmin(axis).astype(np.int32), "some": a["b"].any(axis), "every": (a["b"] | (a["x"] > -1)).all(axis),
    }  # fmt: skip


def scans(a, axis, reverse):
    x = a["x"].astype(np.float64)
    scaled = fold((a["i"], a["j"]), axis, affine, reverse)
    return {
        "state": fold((a["d"].astype(np.float64), x), axis, affine, reverse)[1],
        "segments": fold((a["b"], a["j"]), axis, lambda p, q: (p[0] | q[0], np.where(q[0], q[1], p[1] + q[1])), reverse)[1],
        "scales": scaled[0], "offsets": scaled[1], "halves": a["half"],
        "tops": fold((a["z"],), axis, lambda p, q: (np.maximum(p[0], q[0]),), reverse)[0],
        "lows": fold((a["u"],), axis, lambda p, q: (np.minimum(p[0], q[0]),), reverse)[0],
        "products": fold((a["i"],), axis, lambda p, q: (p[0] * q[0],), reverse)[0],
    }  # fmt: skip


def draw(shape):
    data = np.random.default_rng(sum(shape))
    x = data.standard_normal(shape).astype(np.float32)
    z = data.integers(-9, 10, shape).astype(np.float32)
    # The first NaN wins, then the first of equal elements, as in NumPy.
    z[data.random(shape) < 0.5 / shape[-1]] = np.nan
    d = data.random(shape, np.float32)
    i = data.choice(np.array([-3, -1, 1, 2, 3, 5], np.int32), shape)
    j = data.integers(-100, 100, shape).astype(np.int32)
    half = np.ascontiguousarray(((x.view(np.uint32) + 0x7FFF + (x.view(np.uint32) >> 16 & 1)) & 0xFFFF0000).view(np.float32))
    return {"x": x, "z": z, "d": d, "i": i, "j": j, "u": data.integers(0, 256, shape).astype(np.uint8),
            "b": data.random(shape) < 0.1, "half": half}


def type_of(array):
    return {"float64": "f32", "bool": "bool", "uint8": "u8"}.get(array.dtype.name, array.dtype.name.replace("int", "i").replace("float", "f"))


def is_same(found, expected):
    if expected.dtype == np.float64:
        return np.isclose(found, expected, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(expected).max()))
    return (found == expected) | ((found != found) & (expected != expected))


def check(device, shape, body, expected, arrays, folder, warps):
    dims = ", ".join(map(str, shape))
    whole = ", ".join(":" for _ in shape)
    stores = []
    for name, array in expected.items():
        stores.append(f"out {name}: {type_of(array)}[{', '.join(map(str, array.shape or (1,)))}]")
    body = body.replace("[ALL]", f"[{whole}]").replace("[RESULT]", f"[{', '.join(':' for _ in shape[1:]) or '0'}]")
    text = KERNEL.format(fns=FNS, dims=dims, all=whole, outs=", ".join(stores), body=body, warps=warps)
    arguments = {name: arrays[name] for name in "xzdijub"}
    return devices.check(text, device, arguments, expected, folder, ["--kernel", "k"], is_same)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for text in options.shapes.split(","):
        shape = tuple(map(int, text.split("x")))
        arrays = draw(shape)
        for axis in range(len(shape)):
            for way in ("reduce", "scan", "reverse"):
                body = REDUCTIONS if way == "reduce" else SCANS.replace("REVERSE", "true" if way == "reverse" else "false")
                with np.errstate(over="ignore"):
                    expected = reductions(arrays, axis) if way == "reduce" else scans(arrays, axis, way == "reverse")
                expected = {name: np.asarray(array) for name, array in expected.items()}
                warps = WARPS[runs // len(options.devices.split(",")) % len(WARPS)]
                for device in options.devices.split(","):
                    runs += 1
                    for problem in check(device, shape, body.replace("AXIS", str(axis)), expected, arrays, options.folder, warps):
                        failures += 1
                        print(f"{device} {text} axis {axis} {way}: {problem}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
