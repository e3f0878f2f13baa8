# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes with the integers of each type on all devices, and compares with Python's integers.

    integer_bits.py FOLDER [--types i32,…] [--devices interpreter,cpu,sim,ptx]

Each type has one kernel of tiles and one of scalars, with one output for each expression below.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

LENGTH = 200
TILES = """kernel k(x: {type}[N], y: {type}[N], f: {floats}[N], b: bool[N], c: bool[N],
{outs}) grid (n in tiles(N, 64)) {{
  let x0 = x[n]; let y0 = y[n]; let f0 = f[n]; let b0 = b[n]; let c0 = c[n];
{stores}}}
"""
SCALARS = """kernel k(x: {type}[N], y: {type}[N], f: {floats}[N], b: bool[N], c: bool[N],
{outs}) grid (n in N) {{
  let x0 = x[n]; let y0 = y[n]; let f0 = f[n]; let b0 = b[n]; let c0 = c[n];
{stores}}}
"""
FLOATS = {8: "f8e4m3", 16: "bf16", 32: "f32", 64: "f32"}


class Type:
    def __init__(self, name):
        self.name, self.bits, self.is_signed = name, int(name[1:]), name[0] == "i"
        self.dtype = np.dtype(name.replace("i", "int").replace("u", "uint"))

    def wrap(self, value):
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.is_signed and value >> (self.bits - 1) else value

    def pattern(self, value):
        return value & ((1 << self.bits) - 1)

    def shift(self, x, amount, is_left):
        if not 0 <= amount < self.bits:
            return 0 if is_left or x >= 0 else -1
        return x << amount if is_left else x >> amount

    def divide(self, x, y):
        return x // y if y else 0

    def modulo(self, x, y):
        return x - self.divide(x, y) * y

    def saturate(self, value):
        info = np.iinfo(self.dtype)
        return 0 if value != value else int(min(max(value, info.min), info.max))


def expressions(t):
    """Returns pairs of a text and its value for Python's integers x, y, the float f, the bools b and c."""
    largest = t.bits - 1
    integers = [
        ("x0 & y0", lambda x, y, f: x & y), ("x0 | y0", lambda x, y, f: x | y), ("x0 ^ y0", lambda x, y, f: x ^ y),
        ("~x0", lambda x, y, f: ~x), ("-x0", lambda x, y, f: -x), ("x0 << 3", lambda x, y, f: x << 3),
        ("x0 >> 3", lambda x, y, f: x >> 3), (f"x0 >> {largest}", lambda x, y, f: x >> largest),
        ("x0 << y0", lambda x, y, f: t.shift(x, y, True)), ("x0 >> y0", lambda x, y, f: t.shift(x, y, False)),
        ("x0 << (y0 & 7)", lambda x, y, f: x << (y & 7)), ("1 << (y0 & 7)", lambda x, y, f: 1 << (y & 7)),
        ("x0 >> 4 & 15", lambda x, y, f: x >> 4 & 15), ("x0 + 1 & y0 | 3 ^ x0", lambda x, y, f: x + 1 & y | 3 ^ x),
        ("popcount(x0)", lambda x, y, f: bin(t.pattern(x)).count("1")),
        ("clz(x0)", lambda x, y, f: t.bits - t.pattern(x).bit_length()),
        ("x0 + y0", lambda x, y, f: x + y), ("x0 - y0", lambda x, y, f: x - y), ("x0 * y0", lambda x, y, f: x * y),
        ("x0 / y0", lambda x, y, f: t.divide(x, y)), ("x0 % y0", lambda x, y, f: t.modulo(x, y)),
        ("x0 / 3", lambda x, y, f: x // 3), ("x0 % 8", lambda x, y, f: x % 8),
        ("max(x0, y0)", lambda x, y, f: max(x, y)), ("min(x0, y0)", lambda x, y, f: min(x, y)),
        ("max(x0, 5)", lambda x, y, f: max(x, 5)), ("abs(x0)", lambda x, y, f: abs(x)),
        (f"f0 as {t.name}", lambda x, y, f: t.saturate(np.trunc(f) if np.isfinite(f) else f)),
        ("where(b0 & ~c0 | c0 ^ b0, x0, y0)", lambda x, y, f: None),
    ]  # fmt: skip
    if t.bits <= 32:
        integers.append(("mulhi(x0, y0)", lambda x, y, f: x * y >> t.bits))
    if t.bits < 64:
        integers.append((f"bits(f0, {t.name})", lambda x, y, f: int(np.asarray(f, np.float32).view(np.uint32)) >> (16 if t.bits == 16 else 0)))
    others = [(f"x0 as {name}", name, lambda x, y, f, name=name: Type(name).wrap(x)) for name in TYPES]
    others += [(f"x0 {sign} y0", "bool", lambda x, y, f, sign=sign: eval(f"x {sign} y")) for sign in ("<", "<=", ">", ">=", "==", "!=")]
    others += [("x0 as f32", "f32", lambda x, y, f: rounded(x))]
    return [(text, t.name, value) for text, value in integers if t.bits != 8 or "bits(" not in text] + others


def rounded(x):
    """Returns an integer as f32, rounded once, to nearest even."""
    sign, size = (-1, -x) if x < 0 else (1, x)
    drop = max(size.bit_length() - 24, 0)
    kept, rest = size >> drop, size & ((1 << drop) - 1)
    half = 1 << drop >> 1
    kept += drop > 0 and (rest > half or (rest == half and kept & 1))
    return np.float32(sign * (kept << drop))


def wanted(t, text, dtype, value, arrays):
    results = []
    for x, y, f, b, c in zip(*arrays):
        x, y = int(x), int(y)
        result = (x if b and not c or bool(c) != bool(b) else y) if text.startswith("where") else value(x, y, f)
        results.append(Type(dtype).wrap(result) if dtype[0] in "iu" else result)
    return results


def numpy_type(name):
    return np.dtype({"bool": "bool", "f32": "float32"}.get(name) or Type(name).dtype)


def check(t, form, device, folder, arrays):
    rows = expressions(t)
    outs = ",\n".join(f"  out o{i}: {dtype}[N]" for i, (_, dtype, _) in enumerate(rows))
    stores = "".join(f"  o{i}[n] = {text};\n" for i, (text, _, _) in enumerate(rows))
    path = folder / f"{t.name}.tile"
    path.write_text(form.format(type=t.name, floats=FLOATS[t.bits], outs=outs, stores=stores))
    command = ["tile-run", str(path), "--kernel", "k", "--device", device]
    for name, array in zip("xyfbc", arrays):
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}={folder}/{name}.npy"]
    for i in range(len(rows)):
        command += ["--save", f"o{i}={folder}/o{i}.npy"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return [f"{device} {t.name}: {result.stderr.strip()[:2000]}"]
    problems = []
    for i, (text, dtype, value) in enumerate(rows):
        found, expected = np.load(folder / f"o{i}.npy"), wanted(t, text, dtype, value, arrays)
        if found.dtype != numpy_type(dtype):
            problems.append(f"{device} {t.name} {text}: the results have the type {found.dtype}")
        bad = [n for n in range(len(expected)) if found[n] != expected[n]]
        if bad:
            n = bad[0]
            problems.append(f"{device} {t.name} {text}: {len(bad)} wrong, as {found[n]} and not {expected[n]} for {[a[n] for a in arrays]}")
    return problems


def draw(t, count):
    data = np.random.default_rng(t.bits + t.is_signed)
    info = np.iinfo(t.dtype)
    special = [0, 1, info.max, info.min, info.max - 1, info.min + 1, 2, 7, t.bits - 1, t.bits, t.bits + 1, 3]
    x = data.integers(info.min, info.max, count, t.dtype, endpoint=True)
    y = np.where(data.random(count) < 0.5, data.integers(0, 2 * t.bits, count), data.integers(-5 * t.is_signed, 9, count)).astype(t.dtype)
    x[: len(special)], y[len(special): 2 * len(special)] = special, special
    y[: len(special)] = special[::-1]
    if t.is_signed:
        x[30:34], y[30:34] = info.min, -1
    exponents = data.integers(-4, t.bits + 2, count) if t.bits != 8 else data.integers(-4, 8, count)
    f = (data.choice([-1, 1], count) * np.ldexp(data.integers(8, 16, count).astype(np.float32) / 8, exponents)).astype(np.float32)
    if t.bits != 8:
        f[:2] = np.inf, -np.inf
    return x, y, f, data.random(count) < 0.5, data.random(count) < 0.5


TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for name in options.types.split(","):
        for form in (TILES, SCALARS):
            t = Type(name)
            arrays = draw(t, LENGTH if form is TILES else 48)
            for device in options.devices.split(","):
                runs += 1
                for problem in check(t, form, device, options.folder, arrays):
                    failures += 1
                    print(problem, flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
