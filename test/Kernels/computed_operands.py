"""Runs computed_operands.tile in the emulator, and compares with float64: computed_operands.py KERNELS SCRATCH"""

import pathlib
import subprocess
import sys

import numpy as np

SOURCE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
EPS = 1e-5


def round_bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def check(kernel, given, expected, *defines):
    words = []
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            np.save(SCRATCH / f"{name}.npy", value)
            value = f"@{SCRATCH / name}.npy"
        words.append(f"--arg={name}={value}")
    result = SCRATCH / "c.npy"
    subprocess.run(["tile-run", SOURCE, f"--kernel={kernel}", "--device=ptx", "--multiprocessors=2", *words,
                    *(f"-D{define}" for define in defines), f"--save=c={result}"],
                   check=True, stdout=subprocess.DEVNULL)
    error = np.linalg.norm(np.load(result) - expected) / np.linalg.norm(expected)
    print(kernel, "right" if error < 5e-3 else f"WRONG: {error:.1e}")


rng = np.random.default_rng()
for m, n, k in ((200, 136, 320), (70, 264, 192)):
    x, w, weight = (round_bf16(rng.standard_normal(size)) for size in ((m, k), (n, k), k))
    weights, scale = rng.integers(-8, 8, (n, k)), round_bf16(rng.random(n))
    packed = (weights[:, k // 2:] * 16 + weights[:, :k // 2] + 8).astype(np.int8)
    check("int4_product", {"x": x.reshape(m, 2, k // 2), "w": packed, "scale": scale},
          (x.astype(float) @ weights.T) * scale, "BM=128")
    check("int4_weights", {"x": x.reshape(m, 2, k // 2), "w": packed, "scale": scale},
          (x.astype(float) @ weights.T) * scale, "BM=128", "BN=64")
    scales = round_bf16(rng.random((-(-k // 64), n)))
    eight = rng.integers(-127, 128, (n, k)).astype(np.int8)
    scaled = round_bf16(eight * np.repeat(scales.T, 64, axis=1)[:, :k])
    check("group_weights", {"x": x, "w": eight, "scale": scales}, x.astype(float) @ scaled.T, "BM=128", "BN=64")
    norm = 1 / np.sqrt((x.astype(float) ** 2).mean(1, keepdims=True) + EPS)
    check("norm_product", {"x": x, "weight": weight, "w": w, "eps": EPS},
          (round_bf16(x * weight).astype(float) @ w.T) * norm)
    check("folded_product", {"x": x, "w": w, "eps": EPS}, (x.astype(float) @ w.T) * norm)
