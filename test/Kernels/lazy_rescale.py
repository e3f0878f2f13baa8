# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of lazy-rescale.tile with scores that are difficult for a reference that is not updated.

    lazy_rescale.py SOURCE FOLDER [--bin FOLDER]

Compares each device with a softmax in float64, and the number of NaN with that of the interpreter. The scores grow
in every block: by less than the threshold, exactly by the threshold (8 octaves), slightly more, or far more. Other
scores fall, are infinite or NaN in some rows, or are random.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

ROWS, KEYS, BLOCK = 70, 150, 32
OCTAVES = np.log(2.0)


def make_scores():
    """Yields the name and the scores of each case. Every score is q[m, 0] * k[n, 0] + q[m, 1] * k[n, 1]."""
    block = np.arange(KEYS) // BLOCK
    rng = np.random.default_rng(0)
    near = rng.choice([-1.0, 0.0, 1.0], KEYS)
    for name, growth in (("below", 7), ("tie", 8), ("above", 9), ("far", 40), ("halves", 4), ("falling", -9)):
        yield name, block * growth, near
    yield "random", rng.integers(-30, 30, KEYS), near


def make_operands(block_scores, near):
    """Returns q and k in whole octaves; rows have different factors, including 0 and a negative one."""
    factor = np.array([1, 0, -1, 2, 0.5])[np.arange(ROWS) % 5]
    q = np.zeros((ROWS, 16), "f4")
    k = np.zeros((KEYS, 16), "f4")
    q[:, 0], q[:, 1] = factor, 0.5
    k[:, 0], k[:, 1] = block_scores, near
    return q, k


def softmax(scores, v):
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        top = scores.max(axis=1, keepdims=True)
        p = np.exp(scores - np.where(np.isneginf(top), 0, top))
        den = p.sum(axis=1)
        return p @ v / den[:, None], np.log(den) + top[:, 0], den * den / (p * p).sum(axis=1)


class Runner:
    def __init__(self, options):
        self.folder = options.folder
        self.run = f"{options.bin}/tile-run" if options.bin else "tile-run"
        self.source = options.source
        self.failures = self.compared = 0

    def compare(self, name, kernel, arguments, expected, tolerance, defines=(), devices=("interpreter", "sim", "ptx")):
        for device in devices:
            command = [self.run, self.source, "--kernel", kernel, "--device", device]
            for define in defines:
                command += ["-D", define]
            for argument, value in arguments.items():
                if isinstance(value, np.ndarray):
                    np.save(self.folder / f"{argument}.npy", value)
                    value = self.folder / f"{argument}.npy"
                command += ["--arg", f"{argument}={value}"]
            for result in expected:
                command += ["--save", f"{result}={self.folder}/got-{result}.npy"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.compared += 1
            if done.returncode != 0:
                self.fail(f"{kernel} {name} {device}: {done.stderr.strip()}")
                continue
            for result, wanted in expected.items():
                got = np.load(self.folder / f"got-{result}.npy").astype("f8")
                bad = ~np.isclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
                if bad.any():
                    at = tuple(int(i) for i in np.argwhere(bad)[0])
                    self.fail(f"{kernel} {name} {device}: {result}{list(at)} is {got[at]:.8g}, not {wanted[at]:.8g}")

    def fail(self, message):
        self.failures += 1
        print(message, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", help="the folder of tile-run (default: the path)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(options)
    rng = np.random.default_rng(1)
    v = rng.integers(-2, 3, (KEYS, 16)).astype("f4")
    sees = np.arange(ROWS)[:, None] + (KEYS - ROWS) >= np.arange(KEYS)
    for name, block_scores, near in make_scores():
        q, k = make_operands(block_scores, near)
        scores = OCTAVES * (q.astype("f8") @ k.T)
        common = {"q": q, "k": k, "v": v, "scale": OCTAVES}
        o, lse, _ = softmax(scores, v)
        for weights, tolerance in (("bf16", 1e-2), ("f16", 2e-3)):
            runner.compare(name, "dense", common, {"o": o, "lse": lse}, tolerance, [f"P={weights}"])
        o, lse, _ = softmax(np.where(sees, scores, -np.inf), v)
        runner.compare(name, "causal", common, {"o": o, "lse": lse}, 1e-2, devices=("interpreter", "ptx"))
        natural = {"q": q, "k": k, "v": v}
        scores = q.astype("f8") @ k.T
        o, _, keys = softmax(scores, v)
        runner.compare(name, "squares", natural, {"o": o, "keys": keys}, 1e-2, devices=("interpreter", "ptx"))
        g = rng.integers(-9, 9, KEYS).astype("f4")
        sink = rng.integers(-20, 20, ROWS).astype("f4")
        with_sink = np.concatenate([scores - g, sink[:, None]], axis=1)
        o, lse, _ = softmax(with_sink, np.concatenate([v, np.zeros((1, 16))]))
        runner.compare(name, "gated", {**natural, "g": g, "sink": sink}, {"o": o, "lse": lse}, 1e-2,
                       devices=("interpreter", "sim"))
        r = np.roll(q, 1, axis=0)
        runner.compare(name, "twice", {**natural, "r": r}, {
            "o": softmax(scores, v)[0] - 0.5 * softmax(r.astype("f8") @ k.T, v)[0]}, 1e-2, devices=("ptx",))
        wide = np.tile(v, (1, 4))
        o, lse, _ = softmax(scores, wide)
        runner.compare(name, "turned", {**natural, "v": wide}, {"o": o.T, "lse": lse}, 1e-2,
                       devices=("interpreter", "ptx"))
        runner.compare(name, "stored", natural, {"o": softmax(scores, v)[0], "top": scores.max(axis=1)}, 1e-2,
                       devices=("ptx",))
    # With fewer keys than queries, the first rows see none.
    q, k = make_operands(np.arange(KEYS) % 7, np.zeros(KEYS))
    few = 30
    scores = np.where(np.arange(ROWS)[:, None] + (few - ROWS) >= np.arange(few), q.astype("f8") @ k[:few].T, -np.inf)
    o, lse, _ = softmax(scores, v[:few])
    unseen = np.isneginf(scores).all(axis=1)
    o[unseen], lse[unseen] = 0, -np.inf
    runner.compare("no-keys", "causal", {"q": q, "k": k[:few], "v": v[:few], "scale": 1}, {"o": o, "lse": lse}, 1e-2)
    for name, number in (("nan", np.nan), ("infinity", np.inf)):
        q, k = make_operands(np.arange(KEYS) // BLOCK, np.zeros(KEYS))
        q[:, 0] = 1
        q[7, 2] = number
        k[70, 2] = 1
        scores = q.astype("f8") @ k.T
        o, lse, _ = softmax(scores, v)
        o[7], lse[7] = np.nan, np.nan
        runner.compare(name, "dense", {"q": q, "k": k, "v": v, "scale": 1}, {"o": o, "lse": lse}, 1e-2)
    print(f"{runner.compared} runs compared, {runner.failures} failures")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
