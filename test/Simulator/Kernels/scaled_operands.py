"""Runs scaled-operands.tile and compares with float64: scaled_operands.py KERNELS SCRATCH"""

import pathlib
import subprocess
import sys

import numpy as np

SOURCE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
rng = np.random.default_rng(0)
LENGTH = 64 * 5
# Scaled operands are small integers, or their halves: exact in bf16.
k, e = rng.integers(-2, 3, (LENGTH, 128)), rng.integers(-2, 3, (LENGTH, 64))
c = np.zeros(LENGTH)
c[::64], c[1::64] = rng.integers(1, 4, 5), 1

sums = c.reshape(5, 64).sum(1)
SCALES = {"reduced": sums, "carried": 1 + np.cumsum(sums) - sums, "loaded": c[::64], "halved": c[0] * 0.5 ** np.arange(5)}

given = {"k": k, "e": e, "c": c}
for name, value in given.items():
    np.save(SCRATCH / f"{name}.npy", value.astype(np.float32))
words = [f"--arg={name}=@{SCRATCH / name}.npy" for name in given]
for kernel, scales in SCALES.items():
    expected = (np.repeat(scales, 64)[:, None] * k).T @ e.astype(float)
    np.save(SCRATCH / "y.npy", expected.astype(np.float32))
    for options in (["--device=sim", "--order=random", "--seeds=2"], ["--device=sim", "--order=program,late"],
                    ["--device=ptx"]):
        code = subprocess.run(["tile-run", SOURCE, f"--kernel={kernel}", *words, *options, "--rtol=0", "--atol=0",
                               f"--expect=y=@{SCRATCH / 'y.npy'}"], stdout=subprocess.DEVNULL).returncode
        print(kernel, *options, "WRONG" if code else "right")
