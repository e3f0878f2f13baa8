# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the attention at the end of docs/language.md, causal and with more queries than keys.

Usage: attention_of_page.py ROOT FOLDER
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

D, SCALE = 64, 0.125


def run(kernel, device, folder, arrays):
    command = ["tile-run", "--device", device, kernel, "-D", "T=f16", "-D", f"D={D}", "-D", "BM=64", "-D", "BN=64",
               "-D", "CAUSAL=true", "--arg", f"scale={SCALE}"]
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}=@{folder / name}.npy"]
    for name in ("o", "lse"):
        command += ["--save", f"{name}={folder / name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "o.npy"), np.load(folder / "lse.npy")


def reference(q, k, v):
    """Computes the reference: o = 0 and lse = -inf for queries that see no key."""
    (queries, _), (keys, _) = q.shape, k.shape
    seen = np.arange(queries)[:, None] + keys - queries >= np.arange(keys)[None]
    scores = np.where(seen, SCALE * (q.astype(np.float64) @ k.T.astype(np.float64)), -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True, initial=-1e30))
    total = weights.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        o = np.where(total > 0, weights @ v / total, 0)
        return o, scores.max(1, initial=-1e30) + np.log(total[:, 0])


def main():
    root, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    text = re.findall(r"```tile\n(.*?)```", (root / "docs/language.md").read_text(), re.DOTALL)[-1]
    kernel = folder / "attention.tile"
    kernel.write_text(text)
    random, cases, wrong = np.random.default_rng(1), 0, 0
    for queries, keys in ((100, 40), (70, 1), (5, 0), (40, 100)):
        q, k, v = (random.standard_normal((rows, D)).astype(np.float16) for rows in (queries, keys, keys))
        expected = reference(q, k, v)
        for device in ("interpreter", "sim", "ptx"):
            got = run(kernel, device, folder, {"q": q[None, None], "k": k[None, None], "v": v[None, None]})
            for name, found, right in zip(("o", "lse"), got, expected):
                cases += 1
                if not np.allclose(found[0, 0], right, atol=1e-2):
                    wrong += 1
                    print(f"{device}: {name} of {queries} queries and {keys} keys is wrong")
    print(f"{cases} results, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
