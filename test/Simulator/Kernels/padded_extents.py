# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels with padded tiles in the interpreter, the simulator and the emulator, and compares the results with
float64.

The kernels are elementwise kernels, reductions and scans along both axes, gathers, softmax, layer norm, divisions,
and products of threads. Also compares the registers per thread of the layouts with those of the next power of two.
Usage: padded_extents.py SCRATCH
"""

import math
import pathlib
import re
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
DEVICES = ["interpreter", "sim", "ptx"]
ROWS = 5
SWEPT = [3, 24, 72, 97, 192, 500, 997, 2056, 10007]
SWEPT_KERNELS = ["layer_norm", "column", "scans", "gather", "product"]
# With more rows, operands of products do not fit in shared memory.
MOST_TERMS = 4096

KERNELS = {
    "layer_norm": """kernel k<D: int, BM: int>(x: bf16[M, D], w: f32[D], out y: f32[M, D]) grid (m in tiles(M, BM)) {
  let t = x[m, :] as f32;
  let c = t - (sum(t, axis = 1) / D)[:, _];
  y[m, :] = c * rsqrt(sum(c * c, axis = 1) / D + 1e-5)[:, _] * w[:][_, :];
}""",
    "softmax": """kernel k<D: int, BM: int>(x: f32[M, D], out y: f32[M, D]) grid (m in tiles(M, BM)) {
  let t = x[m, :];
  let e = exp(t - max(t, axis = 1)[:, _]);
  y[m, :] = e / sum(e, axis = 1)[:, _];
}""",
    "column": """kernel k<D: int, BM: int>(x: f32[D, M], out y: f32[M], out z: f32[M]) grid (m in tiles(M, BM)) {
  y[m] = sum(x[:, m] + 1.0, axis = 0);
  z[m] = min(x[:, m], axis = 0);
}""",
    "scans": """kernel k<D: int, BM: int>(x: f32[M, D], out y: f32[M, D], out z: f32[M, D]) grid (m in tiles(M, BM)) {
  let t = x[m, :] + 1.0;
  y[m, :] = cumsum(t, axis = 1);
  z[m, :] = cumsum(t, axis = 1, reverse = true);
}""",
    "column_scans": """kernel k<D: int, BM: int>(x: f32[D, M], out y: f32[D, M], out z: f32[D, M])
  grid (m in tiles(M, BM)) {
  y[:, m] = cumsum(x[:, m], axis = 0);
  z[:, m] = cumsum(x[:, m], axis = 0, reverse = true);
}""",
    "gather": """kernel k<D: int, BM: int>(x: f32[M, D], at: i32[D], out y: f32[M, D], out z: f32[M, D])
  grid (m in tiles(M, BM)) {
  y[m, :] = x[m, at[:]] * 2.0;
  z[m, at[:]] = x[m, :];
}""",
    "add": """kernel k<D: int, BM: int>(x: f32[M, D], at: i32[D], inout y: f32[D]) grid (m in tiles(M, BM)) {
  atomic_add(y[at[:]], sum(x[m, :], axis = 0));
}""",
    "divide": """kernel k<D: int, BM: int>(x: i32[M, D], w: i32[D], out y: i32[M, D], out z: i32[M]) grid (m in tiles(M, BM)) {
  let q = x[m, :] / w[:][_, :] + x[m, :] % w[:][_, :];
  y[m, :] = q;
  z[m] = max(q, axis = 1);
}""",
    # The padding of `t` is 0 / 0. Its product has D terms, and that of `s` has D columns.
    "product": """kernel k<D: int, BM: int>(x: f32[M, D], w: f32[D, 4], out y: f32[M, 4], out z: f32[M, D])
  grid (m in tiles(M, BM)) {
  let t = x[m, :] * (x[m, :] / x[m, :]);
  let s = t @ w[:, :];
  y[m, :] = s;
  z[m, :] = s @ w[:, :].T;
}""",
    "blocks": """kernel k<D: int, BM: int>(x: f32[M, N], out y: f32[M], out z: f32[M, N]) grid (m in tiles(M, BM)) {
  var most = full(f32[BM], -inf);
  for n in tiles(N, D) {
    most = max(most, max(where(n.valid[_, :], x[m, n], -inf), axis = 1));
    z[m, n] = x[m, n] + (n.index as f32)[_, :];
  }
  y[m] = most;
}""",
}


def make_case(kernel, random, D):
    """Returns arguments, results by name, and shapes of results that are only written."""
    x = random.integers(-4, 5, (ROWS, D)).astype("f4")
    at = random.permutation(D).astype("i4")
    if kernel == "layer_norm":
        w = random.integers(1, 4, D).astype("f4")
        c = x - x.mean(1, keepdims=True, dtype="f8")
        return {"x": x, "w": w}, {"y": c / np.sqrt((c * c).mean(1, keepdims=True) + 1e-5) * w}
    if kernel == "softmax":
        x -= 90  # The padding, zeros, would be the maximum.
        e = np.exp((x - x.max(1, keepdims=True)).astype("f8"))
        return {"x": x}, {"y": e / e.sum(1, keepdims=True)}
    if kernel == "column":
        return {"x": x.T + 10}, {"y": (x + 11).sum(1), "z": (x + 10).min(1)}
    if kernel in ("scans", "column_scans"):
        t = x + (kernel == "scans")
        forward, backward = t.cumsum(1), t[:, ::-1].cumsum(1)[:, ::-1]
        turn = (lambda a: a.T) if kernel == "column_scans" else (lambda a: a)
        return {"x": turn(x)}, {"y": turn(forward), "z": turn(backward)}
    if kernel == "gather":
        z = np.zeros_like(x)
        z[:, at] = x
        return {"x": x, "at": at}, {"y": 2 * x[:, at], "z": z}
    if kernel == "add":
        y = np.zeros(D, "f4")
        y[at] = x.sum(0)
        return {"x": x, "at": at, "y": np.zeros(D, "f4")}, {"y": y}
    if kernel == "divide":
        x, w = x.astype("i4") * 7, random.integers(1, 5, D).astype("i4")
        q = x // w + x % w
        return {"x": x, "w": w}, {"y": q, "z": q.max(1)}
    if kernel == "product":
        x, w = x + 10, random.integers(-3, 4, (D, 4)).astype("f4")
        return {"x": x, "w": w}, {"y": x @ w, "z": x @ w @ w.T}
    wide = random.integers(-9, -1, (ROWS, 2 * D + 5)).astype("f4")
    return {"x": wide}, {"y": wide.max(1), "z": wide + np.arange(2 * D + 5)}


def run(kernel, D, BM, device):
    arguments, results = make_case(kernel, np.random.default_rng(D + BM), D)
    source = FOLDER / f"{kernel}.tile"
    source.write_text(KERNELS[kernel])
    command = ["tile-run", str(source), "-D", f"D={D}", "-D", f"BM={BM}", "--device", device]
    for name, value in arguments.items():
        np.save(FOLDER / f"{name}.npy", np.ascontiguousarray(value))
        command += ["--arg", f"{name}={FOLDER / name}.npy"]
    for name, value in results.items():
        if name not in arguments:
            command += ["--arg", f"{name}=({','.join(map(str, value.shape))},)".replace(",)", ")")]
        command += ["--save", f"{name}={FOLDER / name}-out.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    worst = 0.0
    for name, value in results.items():
        got = np.load(FOLDER / f"{name}-out.npy").astype("f8")
        scale = np.abs(value) + np.sqrt(np.mean(np.square(value, dtype="f8")))
        worst = max(worst, float(np.max(np.abs(got - value) / scale, initial=0.0)))
    return f"error {worst:.1e}" if not worst < 1e-5 else ""


def count_elements(kernel, D, BM):
    """Returns the largest number of elements of a tile that a thread holds."""
    source = FOLDER / f"{kernel}.tile"
    source.write_text(KERNELS[kernel])
    command = ["tilec", str(source), "-D", f"D={D}", "-D", f"BM={BM}", "--emit=sm", "-o", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    layouts = re.findall(r"register\[(.*?)\]", text)
    return max((math.prod(map(int, re.findall(r"(\d+)\*\(", terms))) for terms in layouts), default=1)


def sweep():
    even = 0
    for kernel in SWEPT_KERNELS:
        for D in SWEPT:
            if kernel == "product" and D > MOST_TERMS:
                continue
            for BM in [1, 16] if D < 1000 else [1]:
                count, most = count_elements(kernel, D, BM), 2 * count_elements(kernel, 1 << (D - 1).bit_length(), BM)
                even += count <= most
                if count > most:
                    print(f"UNEVEN {kernel} D={D} BM={BM}: {count} elements, expected at most {most}", flush=True)
    print(f"{even} even")


def main():
    extents = [1000, 720, 72, 264, 2880, 997]
    right = 0
    sweep()
    for kernel in KERNELS:
        for number, D in enumerate(extents):
            BM = [1, 4][number % 2]
            # The interpreter runs the IR before padding.
            for device in DEVICES if number == 0 else DEVICES[1:]:
                why = run(kernel, D, BM, device)
                right += not why
                if why:
                    print(f"WRONG {kernel} D={D} BM={BM} on {device}: {why}", flush=True)
    print(f"{right} right")


if __name__ == "__main__":
    main()
