# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws softmaxes with finite masks and exponentials of differences, and compares them with the interpreter.

    finite_masks.py FOLDER [--seed N] [--count N] [--devices sim,ptx] [--bin FOLDER] [--print]

docs/passes/tile-fold-exp2.md states which exponentials are computed as written, and bounds the error of the others.
This test draws random cases of that page. It varies the source of the scores (a matrix product, or memory in each
type), their scale, and the mask's value and application. It also varies rows that see no key, fully masked blocks,
and the initial value of the maximum.
"""

import argparse
import pathlib
import random
import subprocess
import sys

import numpy as np

LOWEST = -3.4028234e38
MASKS = (-100.0, -1e4, -65504.0, -1e5, -1e6, -1e7, -1e9, -1e10, -1e30, -2.3e38, -3e38, LOWEST)
ROWS = 9

ATTENTION = """kernel k(q: {type}[M, 16], key: {type}[N, 16], x: {type}[M, N], v: {values}[N, 16], first: i32[M],
         last: i32[M], hole: i32[M], bias: f32[N], biases: f32[M, N], low: f32[1], given: f32[M],
         fill: f32, scale: f32, out o: f32[M, 16], out top: f32[M], out den: f32[M], out lse: f32[M],
         out w: f32[M, N], out u: f32[M, N])
  grid (m in tiles(M, 64)) {{
  var mx = full(f32[64], {init});
  var total = zeros(f32[64]);
  var acc = zeros(f32[64, 16]);
  for n in tiles(N, {block}) {{
    {scores}
    let new = max(mx, max(s, axis = 1));
    let p = exp(s - new[:, _]);
    let c = exp(mx - new);
    total = total * c + sum(p, axis = 1);
    acc = acc * c[:, _] + (p as {values}) @ v[n, :];
    mx = new;
  }}
  o[m, :] = acc / total[:, _];
  top[m] = mx;
  den[m] = total;
  lse[m] = mx + log(total);
  for n in tiles(N, {block}) {{
    {scores}
    w[m, n] = exp(s - mx[:, _]) / total[:, _];
    u[m, n] = exp(s - given[m][:, _]);
  }}
}}
"""
SCORES = """let seen = n.index[_, :] >= first[m][:, _] && n.index[_, :] < last[m][:, _]
      && (n.index[_, :] < hole[m][:, _] || n.index[_, :] >= hole[m][:, _] + 20);
    var s = {score};
    s = {mask};
    s = where(n.valid[_, :], s, -inf);"""

# The way in which a mask is applied to the scores s, with a low value where `seen` is false.
APPLIED = {
    "selected": "where(seen, s, {low})",
    "selected-parameter": "where(seen, s, fill)",
    "selected-loaded": "where(seen, s, low[0])",
    "selected-twice": "where(n.index[_, :] >= first[m][:, _], where(seen, s, {low}), -1e30)",
    "added": "s + where(seen, 0.0, {low})",
    "added-parameter": "s + where(seen, 0.0, fill)",
    "added-loaded": "s + where(seen, 0.0, low[0])",
    "added-row": "s + bias[n][_, :]",
    "added-tile": "s + biases[m, n]",
    "multiplied": "s + (1.0 - where(seen, 1.0, 0.0)) * {low}",
    "bounded": "max(where(seen, s, -inf), {low})",
    "infinite": "where(seen, s, -inf)",
}
SCALES = ("{s}", "{s}", "{s}", "0.25 * ({s})", "0.3 * ({s})", "scale * ({s})", "({s}) / 3.0")

# Exponents that are differences of large numbers from memory.
DIFFERENCE = """kernel k(g: {type}[M], h: {other}[N], x: f32[M, N], q: f16[M, 16], key: f16[N, 16], scale: f32,
         out y: f32[M, N])
  grid (m in tiles(M, 64), n in tiles(N, 64)) {{
  let a = {left};
  let b = {right};
  y[m, n] = exp({exponent});
}}
"""
EXPONENTS = ("a[:, _] - b[_, :]", "-(b[_, :] - a[:, _])", "min(a[:, _] - b[_, :], 3.0)",
             "2.0 * a[:, _] - 2.0 * b[_, :]",
             "0.7 * (a[:, _] - b[_, :])", "scale * (a[:, _] - b[_, :])", "a[:, _] - b[_, :] + x[m, n]",
             "x[m, n] + (a[:, _] - b[_, :])", "fma(a[:, _], 1.0, -b[_, :])",
             "where(m.index[:, _] >= n.index[_, :], a[:, _] - b[_, :], -inf)")
# Rule 3 of the page: scores of a product have an error of their own, and each operand and partial sum adds one.
SCORED = ("q[m, :] @ key[n, :].T + a[:, _] - b[_, :]", "0.3 * (q[m, :] @ key[n, :].T) + a[:, _] - b[_, :]",
          "scale * (q[m, :] @ key[n, :].T) - b[_, :] + a[:, _]")
SIZES = {"f16": (10, 300, 3e4), "bf16": (10, 3e3, 1e6), "f32": (10, 1e3, 1e4, 1e5, 1e6)}


def draw_attention(draw, folder):
    """Returns the source, the arguments and the tolerances of a softmax with a mask."""
    low = draw.choice(MASKS)
    if draw.random() < 0.3:
        low = float(np.float32(low * draw.uniform(0.5, 1)))
    applied = draw.choice(tuple(APPLIED))
    is_product = draw.random() < 0.6
    types = ("f16", "bf16") if is_product else ("f16", "bf16", "f32", "f8e4m3", "f8e5m2")
    source_type, values = draw.choice(types), draw.choice(("f16", "bf16"))
    score = "q[m, :] @ key[n, :].T" if is_product else "(x[m, n] as f32)"
    score = draw.choice(SCALES).format(s=score)
    mask = APPLIED[applied].format(low=repr(low))
    scores = SCORES.format(score=score, mask=mask)
    init = draw.choice(("-inf", "-inf", "-1e30", repr(LOWEST), repr(low)))
    source = ATTENTION.format(type=source_type, values=values, init=init, scores=scores, block=draw.choice((32, 64)))
    columns = draw.choice((40, 100, 129))
    first = np.array([draw.choice((0, 0, 30, columns - 5, columns)) for _ in range(ROWS)], np.int32)
    last = np.array([draw.choice((columns, columns, 70, 20)) for _ in range(ROWS)], np.int32)
    hole = np.array([draw.choice((0, 35, 1000)) for _ in range(ROWS)], np.int32)
    n = np.arange(columns)
    seen = (n >= first[:, None]) & (n < last[:, None]) & ((n < hole[:, None]) | (n >= hole[:, None] + 20))
    if applied == "added-row":
        seen = np.broadcast_to(seen[0], seen.shape)
        first[:], last[:], hole[:] = first[0], last[0], hole[0]
    for name, array in (("first", first), ("last", last), ("hole", hole), ("low", np.array([low], "f4")),
                        ("given", np.where(seen.any(axis=1), 0, low).astype("f4")),
                        ("bias", np.where(seen[0], 0, low).astype("f4")),
                        ("biases", np.where(seen, 0, low).astype("f4"))):
        np.save(folder / f"{name}.npy", array)
    arguments = [f"{name}={folder}/{name}.npy" for name in ("first", "last", "hole", "low", "given", "bias", "biases")]
    arguments += [f"q=randn({ROWS},16)", f"key=randn({columns},16)", f"x=randn({ROWS},{columns})",
                  f"v=randn({columns},16)", f"fill={low!r}", f"scale={draw.choice((0.1, 0.5, 0.8, 1.0))}"]
    # The page: with a vector added to the scores, weights of rows that see no key lose all digits, and a stored maximum
    # of such rows ends at -2.36e38. A scale and an added mask are one multiply-add, which rounds once.
    is_contracted = applied.startswith(("added", "multiplied")) and ("scale" in score or "*" in score or "/" in score)
    rows = seen.any(axis=1) if applied == "added-row" or is_contracted else np.ones(ROWS, bool)
    return source, arguments, {"o": 2e-2 if values == "bf16" else 4e-3, "top": 1e-4, "den": 1e-3, "lse": 1e-4,
                               "w": 1e-4, "u": 1e-4}, rows


def draw_difference(draw, folder):
    """Returns the source, the arguments and the tolerances of an exponential of a difference."""
    types = draw.choice(tuple(SIZES)), draw.choice(tuple(SIZES))
    size = draw.choice([size for size in SIZES[types[0]] if size <= max(SIZES[types[1]])])
    operands = []
    is_summed = draw.random() < 0.3
    for name, extent, element in (("g", "m", types[0]), ("h", "n", types[1])):
        spread = np.random.default_rng(draw.randrange(1000)).uniform(-8, 8, 40)
        array = np.round((size / 64 if is_summed else size) + spread).astype("f4")
        np.save(folder / f"{name}.npy", array.astype("f2") if element == "f16" else array)
        vector = f"({name}[{extent}] as f32)"
        operands.append(f"cumsum({vector}, axis = 0) * 0.0625" if is_summed else vector)
    is_scored = draw.random() < 0.3
    source = DIFFERENCE.format(type=types[0], other=types[1], left=operands[0], right=operands[1],
                               exponent=draw.choice(SCORED if is_scored else EXPONENTS))
    arguments = [f"g={folder}/g.npy", f"h={folder}/h.npy", "x=rand(40,40)", "q=randn(40,16)", "key=randn(40,16)",
                 "scale=0.3"]
    # Three operands and two sums here; two sums in the interpreter.
    return source, arguments, {"y": 3e-5 + (7 * 2.0**-24 * size if is_scored else 0)}, None


def execute(run, source, arguments, seed, results, device, folder):
    command = [run, source, "--device", device, "--seed", str(seed)]
    for argument in arguments:
        command += ["--arg", argument]
    for result in results:
        command += ["--save", f"{result}={folder}/{device}-{result}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
    return {result: np.load(folder / f"{device}-{result}.npy").astype("f8") for result in results}


def find_difference(reference, results, tolerances, rows):
    """Returns the first wrong result, or None."""
    for name, tolerance in tolerances.items():
        expected, found = reference[name], results[name]
        if rows is not None:
            expected, found = expected[rows], found[rows]
        with np.errstate(invalid="ignore"):
            is_alike = np.isclose(found, expected, rtol=tolerance, atol=1e-5 if name in "uwy" else tolerance,
                                  equal_nan=True)
        if not is_alike.all():
            at = tuple(int(i) for i in np.argwhere(~is_alike)[0])
            return f"{name}{list(at)} is {found[at]:.8g}, not {expected[at]:.8g} ({(~is_alike).sum()} like it)"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--devices", default="sim,ptx")
    parser.add_argument("--bin", help="the folder of tile-run (default: the path)")
    parser.add_argument("--print", action="store_true", help="print the source of each program")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    run = f"{options.bin}/tile-run" if options.bin else "tile-run"
    failures = compared = 0
    devices = options.devices.split(",")
    for seed in range(options.seed, options.seed + options.count):
        draw = random.Random(seed)
        make = draw_difference if seed % 4 == 3 else draw_attention
        source, arguments, tolerances, rows = make(draw, options.folder)
        path = options.folder / f"{seed}.tile"
        path.write_text(source)
        if options.print:
            print(source)
        reference = execute(run, path, arguments, seed, tolerances, "interpreter", options.folder)
        if isinstance(reference, str):
            print(f"{seed} cpu: {reference}")
            failures += 1
            continue
        # One device after the other; the suite runs both.
        for device in devices if options.count < 3 else [devices[seed // 4 % len(devices)]]:
            results = execute(run, path, arguments, seed, tolerances, device, options.folder)
            compared += 1
            problem = results if isinstance(results, str) else find_difference(reference, results, tolerances, rows)
            if problem:
                failures += 1
                print(f"{seed} {device}: {problem}", flush=True)
    print(f"{compared} programs compared, {failures} failures")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
