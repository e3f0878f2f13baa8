# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs products of tiles in the interpreter, the simulator and the emulator, against NumPy.

    products.py FOLDER integers|wide|few-rows|turned|columns|tf32

Every sum is exact in every order, so results agree in every bit. Each row of a table is one program: element type,
extents of the tile, extents of the tensors, whether operands are transposed in memory, and optionally the number of
warpgroups. Programs must run on tensor cores unless their row states otherwise.
"""

import pathlib
import subprocess
import sys

import numpy as np

DEVICES = ("interpreter", "cpu", "sim", "ptx")
KERNEL = """kernel product<T: type = bf16, U: type = T, S: type = f32, BM: int = 64, BN: int = 64, BK: int = 64>(
    a: T[{a}], b: T[{b}], c0: S[M, N], out c: S[M, N])
  grid (m in tiles(M, BM), n in tiles(N, BN)){schedule}
{{
  var acc = c0[m, n];
  for k in tiles(K, BK) {{
    acc += ({left} as U) @ ({right} as U);
  }}
  c[m, n] = acc;
}}
"""

# i8: every width of an instruction that integers have or lack, partial tiles, sums that wrap.
INTEGERS = [
    ("i8", (64, 8, 32), (64, 8, 32), "nt"),
    ("i8", (64, 24, 64), (70, 30, 100), "nt"),
    ("i8", (64, 40, 32), (65, 41, 33), "nt"),
    ("i8", (128, 56, 96), (129, 57, 200), "nt"),
    ("i8", (64, 272, 64), (3, 300, 130), "nt"),
    ("i8", (256, 128, 128), (300, 200, 300), "nt"),
]
# Numbers of columns that are neither the width of an instruction nor a multiple of 256.
WIDE = [
    ("bf16", (64, 320, 32), (70, 330, 50), "nn"),
    ("f16", (64, 264, 32), (64, 264, 70), "nt"),
    ("f8e4m3", (64, 328, 64), (50, 330, 100), "nt"),
]
# Fewer rows than an instruction has, in each of the possible ways.
FEW_ROWS = [
    # Transposed: at least 8 rows, with columns in multiples of 64.
    ("bf16", (8, 64, 64), (7, 70, 100), "nn"),
    ("f16", (16, 128, 32), (33, 200, 70), "nt"),
    ("bf16", (16, 64, 64), (16, 64, 130), "tt"),
    ("f16", (48, 64, 32), (48, 100, 65), "tn"),
    ("bf16", (72, 128, 32), (80, 130, 50), "nt"),
    ("f8e4m3", (8, 64, 64), (9, 70, 100), "nt"),
    ("i8", (16, 64, 64), (17, 130, 100), "nt"),
    ("i8", (24, 128, 32), (25, 130, 100), "nt"),
    # Repeated rows.
    ("bf16", (1, 64, 64), (3, 70, 100), "nn"),
    ("f16", (2, 64, 32), (7, 100, 40), "nt"),
    ("bf16", (4, 48, 32), (7, 50, 70), "tn"),
    ("f16", (8, 8, 16), (8, 20, 48), "nt"),
    ("bf16", (16, 80, 64), (33, 90, 70), "nn"),
    ("f16", (32, 24, 32), (48, 50, 40), "tt"),
    ("f8e5m2", (1, 64, 64), (2, 70, 130), "nt"),
    ("f8e4m3", (16, 8, 32), (20, 20, 70), "nt"),
    ("i8", (2, 32, 32), (7, 40, 70), "nt"),
    # Padded to 8 and 64 rows.
    ("bf16", (7, 32, 32), (8, 40, 70), "nn"),
    ("f16", (33, 64, 32), (48, 70, 40), "nt"),
    # Neither.
    ("f8e4m3", (48, 40, 32), (48, 40, 32), "nt", "by multiply-adds"),
]
# 8-bit operands that are not contiguous along K.
TURNED = [
    ("f8e4m3", (64, 64, 64), (70, 70, 100), "nn"),
    ("f8e5m2", (128, 32, 32), (130, 40, 70), "tn"),
    ("f8e4m3", (64, 8, 32), (65, 17, 40), "tt"),
    ("f8e4m3", (64, 24, 64), (65, 25, 70), "nn"),
    ("i8", (128, 128, 64), (130, 130, 130), "tn"),
    ("i8", (16, 64, 32), (17, 70, 100), "nn"),
    ("i8", (8, 64, 64), (7, 65, 70), "tn"),
    ("f8e4m3", (2, 32, 32), (3, 40, 40), "nn"),
    ("f8e5m2", (16, 16, 64), (17, 20, 100), "tn"),
]
# 64 rows, whose columns warpgroups share: one instruction each or several, stores by tensor copies or by threads.
COLUMNS = [
    ("bf16", (64, 128, 64), (70, 136, 104), "nn", 2),
    ("f16", (64, 64, 32), (1, 70, 50), "nt", 2),
    ("bf16", (64, 16, 16), (65, 1, 17), "tt", 2),
    ("f16", (64, 48, 32), (129, 50, 1), "tt", 3),
    ("bf16", (64, 192, 64), (64, 200, 136), "tn", 3),
    ("f16", (64, 640, 32), (70, 648, 40), "nt", 2),
    ("bf16", (64, 384, 16), (64, 384, 32), "nn", 2),
    # b in a narrower swizzle; each warpgroup reads complete rows of it.
    ("bf16", (64, 64, 32), (70, 72, 104), "nn", 2),
    ("f16", (64, 192, 16), (65, 200, 40), "nn", 2),
    ("bf16", (64, 32, 64), (64, 33, 72), "tn", 2),
    ("i8", (64, 48, 32), (65, 50, 40), "nt", 2),
    ("i8", (64, 80, 64), (70, 96, 130), "nt", 2),
    ("f8e4m3", (64, 64, 64), (70, 64, 130), "nt", 2),
    # Both operands are copied, a to shared memory as well.
    ("f8e5m2", (64, 32, 64), (70, 33, 70), "tn", 2),
    ("i8", (64, 96, 64), (64, 97, 65), "tn", 3),
]
# f32 as TF32: contiguous along K or not, a in registers, few rows, columns that warpgroups share, and by threads.
TF32 = [
    ("tf32", (128, 128, 32), (130, 140, 100), "nt"),
    ("tf32", (128, 256, 32), (128, 256, 64), "nt"),
    ("tf32", (64, 8, 8), (70, 9, 20), "nt"),
    ("tf32", (64, 64, 16), (65, 70, 40), "nn"),
    ("tf32", (128, 64, 32), (130, 70, 33), "tn"),
    ("tf32", (64, 48, 64), (64, 48, 130), "tt"),
    ("tf32", (8, 64, 32), (9, 70, 40), "nt"),
    ("tf32", (2, 32, 32), (3, 40, 70), "nt"),
    ("tf32", (64, 128, 32), (70, 136, 40), "nt", 2),
    ("tf32", (64, 320, 32), (64, 330, 50), "nt"),
    ("tf32", (48, 40, 12), (50, 50, 30), "nt", "by multiply-adds"),
]
TABLES = {"tf32": TF32, "columns": COLUMNS, "integers": INTEGERS, "wide": WIDE, "few-rows": FEW_ROWS, "turned": TURNED}


def make_operands(rng, element, m, n, k):
    if element == "i8":
        a, b = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((m, k), (k, n)))
        c0 = rng.integers(-2**31, 2**31, (m, n)).astype(np.int32)
        c = c0 + a.astype(np.int64) @ b.astype(np.int64)
        return a, b, c0, c.astype(np.int32)  # wraps
    # Eighths: exact in every type, and so are all of their sums.
    a, b, c0 = (rng.integers(-8, 9, shape).astype(np.float32) / 8 for shape in ((m, k), (k, n), (m, n)))
    c = (c0 + a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    if element == "tf32":
        # The low bits, which TF32 lacks, do not count.
        a, b = (t * np.float32(1 + 2**-11) for t in (a, b))
    return a, b, c0, c


def run(folder, rng, element, tile, extents, layout, how="on tensor cores"):
    shared = isinstance(how, int)
    a, b, c0, expected = make_operands(rng, element, *extents)
    source = KERNEL.format(schedule=f"\n  schedule (warpgroups = {how})" if shared else "",
                           a="M, K" if layout[0] == "n" else "K, M", b="K, N" if layout[1] == "n" else "N, K",
                           left="a[m, k]" if layout[0] == "n" else "a[k, m].T",
                           right="b[k, n]" if layout[1] == "n" else "b[n, k].T")
    (folder / "product.tile").write_text(source)
    command = ["tile-run", folder / "product.tile", "--save", f"c={folder}/c.npy", "-D",
               f"T={'f32' if element == 'tf32' else element}", "-D", f"U={element}",
               "-D", "S=" + ("i32" if element == "i8" else "f32")]
    for name, extent in zip(("BM", "BN", "BK"), tile):
        command += ["-D", f"{name}={extent}"]
    for name, value, flip in (("a", a, layout[0] == "t"), ("b", b, layout[1] == "t"), ("c0", c0, False)):
        np.save(folder / f"{name}.npy", np.ascontiguousarray(value.T if flip else value))
        command += ["--arg", f"{name}=@{folder}/{name}.npy"]
    failed = 0
    for device in DEVICES:
        what = f"{element} {'x'.join(map(str, tile))} of {'x'.join(map(str, extents))} {layout} on {device}"
        done = subprocess.run(command + ["--device", device], capture_output=True, text=True)
        if done.returncode:
            print(f"FAILED {what}: {done.stdout + done.stderr}")
            failed += 1
            continue
        if device == "ptx" and ("runs as multiply-adds" in done.stderr) != (how == "by multiply-adds"):
            print(f"FAILED {what}: expected it {how}, got: {done.stderr}")
            failed += 1
        if shared and "is not done" in done.stderr:
            print(f"FAILED {what}: expected {how} warpgroups, got: {done.stderr}")
            failed += 1
        wrong = int(np.sum(np.load(folder / "c.npy") != expected))
        if wrong:
            print(f"WRONG {what}: {wrong} of {expected.size}")
            failed += 1
    return failed


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    table = TABLES[sys.argv[2]]
    failed = sum(run(folder, rng, *row) for row in table)
    print(f"{len(table)} products, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
