# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of f64 on all devices without a GPU, and compares with NumPy within 1e-15 of the magnitudes.

    doubles.py FOLDER [--devices interpreter,cpu,sim,ptx]
"""

import argparse
import pathlib
import sys
from fractions import Fraction

import devices
import numpy as np

ELEMENTWISE = """
kernel elementwise(x: f64[M, N], y: f64[M, N], p: f64, n: i64[M, N], h: f16[M, N], out sums: f64[M, N],
                   out quotients: f64[M, N], out chosen: f64[M, N], out roots: f64[M, N], out rounded: f64[5, M, N],
                   out one: f64[M, N], out single: f32[M, N], out half: f16[M, N], out brain: f32[M, N],
                   out eighth: f32[2, M, N], out integers: i64[2, M, N], out small: i32[2, M, N], out word: i64[M, N],
                   out back: f64[3, M, N], out tests: bool[4, M, N])
  grid (m in tiles(M, 16), n0 in tiles(N, 64))
{
  let a = x[m, n0];
  let b = y[m, n0];
  sums[m, n0] = a + 0.1 - b * p;
  quotients[m, n0] = a / b;
  chosen[m, n0] = where(a < b && n0.valid[_, :], max(a, 0.3), min(b, -1e300)) - abs(a) + copysign(p, a) * sign(b);
  roots[m, n0] = sqrt(abs(a)) + rsqrt(abs(b));
  rounded[0, m, n0] = floor(a);
  rounded[1, m, n0] = ceil(a);
  rounded[2, m, n0] = round(a);
  rounded[3, m, n0] = trunc(a);
  rounded[4, m, n0] = -a;
  one[m, n0] = fma(a, b, p);
  single[m, n0] = a as f32;
  half[m, n0] = a as f16;
  brain[m, n0] = (a as bf16) as f32;
  eighth[0, m, n0] = (a as f8e4m3) as f32;
  eighth[1, m, n0] = (a as f8e5m2) as f32;
  integers[0, m, n0] = (a * 1e17) as i64;
  integers[1, m, n0] = bits((abs(a) * 1e18) as u64, i64);
  small[0, m, n0] = (a * 1e9) as i32;
  small[1, m, n0] = (a * 100.0) as i8 as i32;
  word[m, n0] = bits(a, i64);
  back[0, m, n0] = n[m, n0] as f64;
  back[1, m, n0] = h[m, n0] as f64;
  back[2, m, n0] = bits(n[m, n0], f64);
  tests[0, m, n0] = isnan(a / a - a / a);
  tests[1, m, n0] = isinf(a * 1e305 * 1e305);
  tests[2, m, n0] = isfinite(a);
  tests[3, m, n0] = a >= b;
}
"""
AXES = """
fn welford(n: f64, mean: f64, m2: f64, k: f64, other: f64, o2: f64) {
  let total = n + k;
  let d = other - mean;
  return total, mean + d * k / total, m2 + o2 + d * d * n * k / total;
}
fn affine(a, x, b, y) { return b * a, b * x + y; }
kernel axes(x: f64[M, N], d: f64[M, N], out sums: f64[R], out most: f64[R], out least: f64[R], out at: i32[R],
            out low: i32[R], out products: f64[R], out mean: f64[R], out variance: f64[R], out running: f64[M, N],
            out peak: f64[M, N], out state: f64[M, N], out turned: f64[N, M], out ordered: f64[M, N]) {
  let t = x[:, :];
  sums[:] = sum(t, axis = AXIS);
  most[:] = max(t, axis = AXIS);
  least[:] = min(t, axis = AXIS);
  at[:] = argmax(t, axis = AXIS);
  low[:] = argmin(t, axis = AXIS);
  products[:] = prod(1.0 + t * 0.01, axis = AXIS);
  let n, average, m2 = reduce(1.0 as f64, t, 0.0 as f64, axis = AXIS, with = welford);
  mean[:] = average;
  variance[:] = m2 / n;
  running[:, :] = cumsum(t, axis = AXIS, reverse = REVERSE);
  peak[:, :] = cummax(t, axis = AXIS, reverse = REVERSE);
  let g, hs = scan(d[:, :], t, axis = AXIS, with = affine, reverse = REVERSE);
  state[:, :] = hs;
  turned[:, :] = t.T;
  ordered[:, :] = sort(t, axis = AXIS);
}
"""
ATOMICS = """
kernel atomics(x: f64[N], key: i32[N], inout total: f64[1], inout bins: f64[K], inout z: f64[N], out old: f64[N],
               out before: f64[N], inout w: f64[N]) grid (n in tiles(N, 64)) {
  atomic_add(total[0], sum(x[n], axis = 0));
  atomic_add(bins[key[n]], x[n]);
  old[n] = atomic_exchange(z[n], x[n]);
  before[n] = atomic_add(w[n], x[n]);
}
"""


def near(found, expected):
    if expected.dtype != np.float64:
        return devices.is_same(found, expected)
    with np.errstate(invalid="ignore"):
        return (np.abs(found - expected) <= 4e-15 * (1 + np.abs(expected))) | devices.is_same(found, expected)


def narrow(x, bits, least, most):
    """Rounds to `bits` significant bits with the smallest step 2^least; saturates at `most`."""
    step = np.maximum(np.frexp(x)[1] - bits, least)
    return np.clip(np.ldexp(np.rint(np.ldexp(x, -step)), step), -most, most)


def elementwise(data):
    shape = (37, 100)
    x, y = data.standard_normal(shape) * 10.0 ** data.integers(-3, 3, shape), data.standard_normal(shape) + 3
    # Next to the middle of two numbers of a narrow type: rounding to f32 first would round to the wrong side.
    x[0, :4] = 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-50, 1 + 2.0**-4 - 2.0**-45, -(1 + 2.0**-3 + 2.0**-40)
    x[1, :6] = 0.0, -0.0, 2.5, -3.5, 1e300, -1e-300
    y[2, :4] = np.nan, np.inf, -np.inf, -0.0
    n, h = data.integers(-(2**62), 2**62, shape), data.standard_normal(shape).astype(np.float16)
    p = np.float64(0.1)
    with np.errstate(all="ignore"):
        is_valid = np.ones(shape, bool)
        chosen = np.where((x < y) & is_valid, np.maximum(x, 0.3), np.minimum(y, -1e300))
        wide = [np.trunc(v) for v in (x * 1e17, np.abs(x) * 1e18, x * 1e9, x * 100)]
        limits = (-(2**63), 2**63), (0, 2**64), (-(2**31), 2**31), (-128, 128)
        integers = [np.array([min(max(int(v), low), high - 1) for v in np.clip(w, -1e30, 1e30).flat], object)
                    for w, (low, high) in zip(wide, limits)]
        integers = [i.reshape(shape) for i in integers]
        expected = {
            "sums": x + 0.1 - y * p, "quotients": x / y, "chosen": chosen - np.abs(x) + np.copysign(p, x) * np.sign(y),
            "roots": np.sqrt(np.abs(x)) + 1 / np.sqrt(np.abs(y)),
            "rounded": np.stack([np.floor(x), np.ceil(x), np.rint(x), np.trunc(x), -x]),
            "single": x.astype(np.float32), "half": x.astype(np.float16),
            "brain": np.where(np.abs(x) > 1e38, np.copysign(np.inf, x), narrow(x, 8, -133, np.inf)).astype(np.float32),
            "eighth": np.stack([narrow(x, 4, -9, 448), narrow(x, 3, -16, 57344)]).astype(np.float32),
            "integers": np.stack([integers[0].astype(np.int64), integers[1].astype(np.uint64).view(np.int64)]),
            "small": np.stack([i.astype(np.int32) for i in integers[2:]]), "word": x.view(np.int64),
            "back": np.stack([n.astype(np.float64), h.astype(np.float64), n.view(np.float64)]),
            "tests": np.stack([x == 0, np.isinf(x * 1e305 * 1e305), np.isfinite(x), x >= y]),
        }
    # Rounded once: exact sums of the products.
    one = [float(Fraction(a) * Fraction(b) + Fraction(0.1)) if np.isfinite(b) else a * b for a, b in zip(x.flat, y.flat)]
    expected["one"] = np.array(one).reshape(shape)
    return ELEMENTWISE, dict(x=x, y=y, p=p, n=n, h=h), expected


def axes(shape, axis, reverse, data):
    x, d = data.standard_normal(shape), data.uniform(0.5, 0.9, shape)
    if shape[0] == 8:
        x[3, 5] = np.nan
    text = AXES
    for name, value in (("AXIS", axis), ("REVERSE", str(reverse).lower()), ("[M, N]", f"[{shape[0]}, {shape[1]}]"),
                        ("[N, M]", f"[{shape[1]}, {shape[0]}]"), ("[R]", f"[{shape[1 - axis]}]")):
        text = text.replace(name, str(value))

    def scanned(function, *arrays):
        turned = [np.moveaxis(np.flip(a, axis) if reverse else a, axis, 0) for a in arrays]
        lines = [turned[-1][0]]
        for line in zip(*(t[1:] for t in turned)):
            lines.append(function(lines[-1], *line))
        result = np.moveaxis(np.stack(lines), 0, axis)
        return np.flip(result, axis) if reverse else result

    return text, dict(x=x, d=d), {
        "sums": x.sum(axis), "most": x.max(axis), "least": x.min(axis), "at": x.argmax(axis).astype(np.int32),
        "low": x.argmin(axis).astype(np.int32), "products": (1 + x * 0.01).prod(axis), "mean": x.mean(axis),
        "variance": x.var(axis), "running": scanned(np.add, x), "peak": scanned(np.maximum, x),
        "state": scanned(lambda h, g, t: g * h + t, d, x), "turned": x.T.copy(), "ordered": np.sort(x, axis)}


def atomics(data):
    count, keys = 500, 7
    # The order of additions is arbitrary, so the terms are integers and quarters.
    x, z, w = (data.integers(-(2**40), 2**40, count) / 4 for _ in range(3))
    key = data.integers(-1, keys + 1, count).astype(np.int32)
    total, bins = np.array([2.0**50]), np.full(keys, 0.25)
    summed = bins.copy()
    inside = (key >= 0) & (key < keys)
    np.add.at(summed, key[inside], x[inside])
    return (ATOMICS, dict(x=x, key=key, total=total, bins=bins, z=z, w=w),
            dict(total=total + x.sum(), bins=summed, z=x, old=z, before=w, w=w + x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = {"elementwise": elementwise, "atomics": atomics}
    for shape in ((32, 64), (8, 72), (1, 256)):
        for axis in (0, 1):
            cases[f"axes {shape} {axis}"] = lambda data, shape=shape, axis=axis: axes(shape, axis, shape[0] == 8, data)
    runs = failures = 0
    for name, case in cases.items():
        text, arguments, expected = case(np.random.default_rng(7))
        for device in options.devices.split(","):
            runs += 1
            problems = devices.check(text, device, arguments, expected, options.folder, is_same=near, may_fall_back=False)
            failures += bool(problems)
            for problem in problems:
                print(name, device, problem)
    print(f"{runs} runs, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
