"""Runs tile.gemm for every type and transposition and compares it with NumPy.

Usage: gemm_reference.py FOLDER

The operands are small integers, so every sum is exact in every order and results must agree in every bit. A second
product of random f32 operands checks that products are not rounded.
"""

import pathlib
import subprocess
import sys

import numpy as np

M, N, K = 5, 7, 11
ACCUMULATOR = {"bf16": "f32", "f16": "f32", "f32": "f32", "f8E4M3FN": "f32", "f8E5M2": "f32", "i8": "i32"}
DTYPE = {"i8": np.int8, "i32": np.int32}


def make_kernel(a, b, transpose_a, transpose_b):
    accumulator = ACCUMULATOR[a]
    dims_a = (K, M) if transpose_a else (M, K)
    dims_b = (N, K) if transpose_b else (K, N)

    def tensor(dims, element, access=""):
        return f"!tile.global<[{dims[0]}, {dims[1]}] x {element}{access}>"

    def tile(dims, element):
        return f"tensor<{dims[0]}x{dims[1]}x{element}>"

    def ranges(dims):
        return f"[%r{dims[0]}, %r{dims[1]}]", f"!tile.range<{dims[0]}>, !tile.range<{dims[1]}>"

    def load(name, source, dims, element):
        operands, types = ranges(dims)
        return f"  %{name} = tile.load %{source}{operands} : {tensor(dims, element)}, {types} -> {tile(dims, element)}"

    lines = [
        f"tile.kernel @k(%x: {tensor(dims_a, a)}, %y: {tensor(dims_b, b)}, %z: {tensor((M, N), accumulator)},"
        f" %o: {tensor((M, N), accumulator, ', out')}) grid() {{",
        "  %c0 = arith.constant 0 : index",
    ]
    for extent in (M, N, K):
        lines.append(f"  %c{extent} = arith.constant {extent} : index")
        lines.append(f"  %r{extent} = tile.range %c0 to %c{extent} : !tile.range<{extent}>")
    lines += [load("a", "x", dims_a, a), load("b", "y", dims_b, b), load("c", "z", (M, N), accumulator)]
    flags = (" transpose_a" if transpose_a else "") + (" transpose_b" if transpose_b else "")
    lines.append(f"  %d = tile.gemm %a, %b, %c{flags} : {tile(dims_a, a)}, {tile(dims_b, b)} -> {tile((M, N), accumulator)}")
    operands, types = ranges((M, N))
    lines.append(f"  tile.store %d to %o{operands} : {tile((M, N), accumulator)}, {tensor((M, N), accumulator, ', out')}, {types}")
    return "\n".join(lines + ["}\n"])


def run(folder, kernel, x, y, z):
    (folder / "kernel.mlir").write_text(kernel)
    command = ["tile-run", folder / "kernel.mlir", "--save", f"o={folder}/o.npy"]
    for name, value in (("x", x), ("y", y), ("z", z)):
        np.save(folder / f"{name}.npy", value)
        command += ["--arg", f"{name}=@{folder}/{name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "o.npy")


def main():
    folder = pathlib.Path(sys.argv[1])
    rng = np.random.default_rng(3)
    pairs = [(t, t) for t in ACCUMULATOR] + [("f8E4M3FN", "f8E5M2")]
    failures = checked = 0
    for a, b in pairs:
        for transpose_a in (False, True):
            for transpose_b in (False, True):
                x, y, z = (rng.integers(-4, 5, shape) for shape in ((M, K), (K, N), (M, N)))
                expected = x @ y + z
                x, y = (x.T if transpose_a else x), (y.T if transpose_b else y)
                x, y = (v.astype(DTYPE.get(a, np.float32)) for v in (x, y))
                z = z.astype(DTYPE.get(ACCUMULATOR[a], np.float32))
                actual = run(folder, make_kernel(a, b, transpose_a, transpose_b), x, y, z)
                checked += 1
                if not (actual == expected).all():
                    failures += 1
                    print(f"{a} {b} {transpose_a} {transpose_b}: wrong")

    # x y - fl(x y) is the part that a rounded product would lose.
    x, y = (rng.standard_normal((M, K)).astype(np.float32) for _ in range(2))
    x[:, 1:] = 0
    y = np.ascontiguousarray(rng.standard_normal((K, N)).astype(np.float32))
    z = -(x[:, :1] * y[:1])
    expected = x[:, :1].astype(np.float64) * y[:1].astype(np.float64) + z
    checked += 1
    if not (run(folder, make_kernel("f32", "f32", False, False), x, y, z) == expected.astype(np.float32)).all():
        failures += 1
        print("f32: products are rounded")
    print(f"{checked} products, {failures} wrong")
    return 1 if failures or checked < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
