"""Runs packed-bytes.tile on all pairs of bytes and compares with NumPy: packed_bytes.py KERNEL SCRATCH"""

import pathlib
import subprocess
import sys

import numpy as np

kernel, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
scratch.mkdir(parents=True, exist_ok=True)
every = np.arange(-128, 128).astype(np.int8)
given = {"a": np.repeat(every, 256), "b": np.tile(every, 256)}
for name, value in given.items():
    np.save(scratch / f"{name}.npy", value)
x, y = (value.astype(int) for value in given.values())
expected = {"sum": x + y, "difference": x - y, "quotient": x // 16, "rest": x % 32, "product": x * 4}
floats = {"real": y, "low": x % 16 - 8, "half": x // 2, "more": x // 2 + 1}
for kind in ("f32", "f16", "bf16"):
    subprocess.run(["tile-run", kernel, "-D", f"T={kind}", "--device=ptx",
                    *(f"--arg={name}=@{scratch / name}.npy" for name in given),
                    *(f"--save={name}={scratch / name}.npy" for name in (*expected, *floats))],
                   check=True, stdout=subprocess.DEVNULL)
    for name, value in expected.items():
        wrong = np.flatnonzero(np.load(scratch / f"{name}.npy") != value.astype(np.int8))
        print(kind, name, len(wrong), "wrong")
    for name, value in floats.items():
        print(kind, name, np.count_nonzero(np.load(scratch / f"{name}.npy") != value), "wrong")
