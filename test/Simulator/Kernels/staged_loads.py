"""Runs products whose loops load additional data, at all levels, with small integers, so that results are exact.

The additional loads are rows of each type, contiguous in memory or not, and tiles that are converted or scaled
before the product. Extents are not multiples of tiles, and some rows are unaligned. Usage: staged_loads.py SCRATCH
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

M, N, K, BLOCK = 150, 72, 200, 64
BLOCKS = (K + BLOCK - 1) // BLOCK

KERNEL = """
kernel product<T: type = f32>({parameters}, b: bf16[N, K], out c: f32[M, N])
  grid (m in tiles(M, 128), n in tiles(N, 64))
  schedule (warpgroups = 2, stages = 3)
{{
  var acc = zeros(f32[128, 64]);
  for k in tiles(K, 64) {{
    let block = k.start / 64;
    {body}
  }}
  c[m, n] = acc;
}}
"""

DTYPES = {"f32": "f4", "f16": "f2", "bf16": "f4", "i32": "i4", "i8": "i1", "i64": "i8", "bool": "?"}


def scaled_rows(random, dtype, is_dense):
    """Returns a product that is scaled by a row for each block; the scales are in a row or in a column of a tensor."""
    index, shape = ("block, m", "(K + 63) / 64, M") if is_dense else ("m, block", "M, (K + 63) / 64")
    a = random.integers(-3, 4, (M, K))
    s = random.integers(0, 2 if dtype == "bool" else 4, (BLOCKS, M))
    source = KERNEL.format(parameters=f"a: bf16[M, K], s: T[{shape}]",
                           body=f"acc += (s[{index}] as f32)[:, _] * (a[m, k] @ b[n, k].T);")
    sums = [(s[i][:, None] * a[:, BLOCK * i : BLOCK * (i + 1)], BLOCK * i) for i in range(BLOCKS)]
    left = np.concatenate([part for part, _ in sums], axis=1)
    return source, {"a": a.astype("f4"), "s": (s if is_dense else s.T).astype(DTYPES[dtype])}, left


def converted_tiles(random, dtype, _):
    """Returns a product of a tile that is converted to bf16 and scaled along K."""
    a = random.integers(0, 2 if dtype == "bool" else 4, (M, K))
    w = random.integers(-2, 3, K)
    source = KERNEL.format(parameters="a: T[M, K], w: f32[K]",
                           body="acc += (((a[m, k] as f32) * w[k][_, :]) as bf16) @ b[n, k].T;")
    return source, {"a": a.astype(DTYPES[dtype]), "w": w.astype("f4")}, a * w


def gathered_rows(random, dtype, is_dense):
    """Returns a product of gathered rows, some of them repeated and some out of bounds.

    The positions are the same in all steps, or those of pages of 16 columns."""
    a = random.integers(-3, 4, (M, K))
    at = random.integers(-1, M + 1, M)
    left = np.where(((at >= 0) & (at < M))[:, None], a[np.clip(at, 0, M - 1)], 0)
    source = KERNEL.format(parameters="a: T[M, K], at: i32[M]", body="acc += a[load(at[m], fill = -1), k] @ b[n, k].T;")
    if is_dense:
        return source, {"a": a.astype(DTYPES[dtype]), "at": at.astype("i4")}, left
    pages = random.permutation((K + 15) // 16)
    stored = np.zeros((len(pages) * 16, (M + 7) // 8 * 8))
    for page, place in enumerate(pages):
        part = a[:, 16 * page : 16 * page + 16].T
        stored[16 * place : 16 * place + len(part), :M] = part
    source = KERNEL.format(parameters="a: T[S, M + 2], table: i32[P]",
                           body="acc += a[table[k.index / 16] * 16 + k.index % 16, 0 + m].T @ b[n, k].T;")
    return source, {"a": stored.astype(DTYPES[dtype]), "table": pages.astype("i4")}, a


def only_gathers(random, dtype, is_dense):
    """Returns the same with a gathered right operand as well: the loop has no tensor copy."""
    source, arrays, left = gathered_rows(random, dtype, is_dense)
    source = source.replace("b: bf16", "right: i32[N], b: bf16").replace("b[n, k]", "b[right[n], k]")
    return source, {**arrays, "right": np.arange(N, dtype="i4")}, left


def scaled_gathers(random, dtype, _):
    """Returns a product of gathered rows, each with a scale that is gathered at the same position."""
    a, s = random.integers(-3, 4, (M, K)), random.integers(1, 4, M)
    at = random.integers(-1, M, M)
    left = np.where((at >= 0)[:, None], (a * s[:, None])[at], 0)
    source = KERNEL.format(parameters="a: T[M, K], s: f32[M], at: i32[M]",
                           body="let p = load(at[m], fill = -1); "
                                "acc += (a[p, k] * (s[p] as T)[:, _]) @ b[n, k].T;")
    return source, {"a": a.astype("f4"), "s": s.astype("f4"), "at": at.astype("i4")}, left


def filled_rows(random, dtype, _):
    """Returns a product that is scaled by a row that ends before the tile; elements beyond it are 2."""
    a = random.integers(-3, 4, (M, K))
    s = random.integers(0, 4, (BLOCKS, M - 40))
    source = KERNEL.format(parameters="a: bf16[M, K], s: T[(K + 63) / 64, M - 40]",
                           body="acc += (load(s[block, 0 + m], fill = 2) as f32)[:, _] * (a[m, k] @ b[n, k].T);")
    sums = [np.append(s[i], np.full(40, 2))[:, None] * a[:, BLOCK * i : BLOCK * (i + 1)] for i in range(BLOCKS)]
    return source, {"a": a.astype("f4"), "s": s.astype(DTYPES[dtype])}, np.concatenate(sums, axis=1)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    scratch = pathlib.Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng()
    cases = [(scaled_rows, dtype, is_dense) for dtype in DTYPES for is_dense in (True, False)]
    cases += [(converted_tiles, dtype, True) for dtype in ("f32", "bf16", "i8", "i32")]
    cases += [(gathered_rows, "bf16", is_dense) for is_dense in (True, False)]
    cases += [(only_gathers, "bf16", is_dense) for is_dense in (True, False)]
    cases += [(scaled_gathers, "bf16", True)]
    cases += [(filled_rows, dtype, True) for dtype in DTYPES if dtype != "bool"]
    for make, dtype, is_dense in cases:
        source, arrays, left = make(random, dtype, is_dense)
        b = random.integers(-3, 4, (N, K))
        file = scratch / "product.tile"
        file.write_text(source)
        words = [str(file), "-D", f"T={dtype}"]
        for name, array in {**arrays, "b": b.astype("f4"), "c": (left @ b.T).astype("f4")}.items():
            np.save(scratch / f"{name}.npy", np.ascontiguousarray(array))
        roles = run(["tilec", *words, "--emit=specialize", "-o", "-"])
        launch = []
        for name in [*arrays, "b"]:
            launch += ["--arg", f"{name}=@{scratch / name}.npy"]
        launch += ["--expect", f"c=@{scratch / 'c'}.npy", "--rtol=0", "--atol=0"]
        for device in ("interpreter", "sim", "ptx"):
            orders = [] if device == "interpreter" else ["--order=program,late,early,random"]
            run(["tile-run", f"--device={device}", *words, *launch, *orders])
        # Tensors that are copied or fetched ahead.
        ahead = re.findall(r"sm\.(?:copy|fetch)\.start %(\w+)\[", roles)
        print(f"{make.__name__} {dtype} {'dense' if is_dense else 'strided'}: {' '.join(dict.fromkeys(ahead))}")


if __name__ == "__main__":
    main()
