"""Kernels whose threads fetch ahead, on the simulated machine, agree with the interpreter.

Usage: pipelined.py ROOT SCRATCH

In all orders (see sweep.py): odd strides and aligned ones side by side, products
of threads, positions that are loaded, stages that threads read too, loops of no and one iteration.
"""

import pathlib
import sys

import numpy

from sweep import sweep


# Others leave these kernels as they are.
PHASES = ["pipeline", "allocate", "fence"]


def shape(*extents):
    return f"randn({', '.join(map(str, extents))})"


def main():
    root, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    matmul = root / "examples" / "03-matmul" / "kernel.tile"
    for options, (m, n, k) in (
        (["T=bf16", "BM=64", "BN=64", "BK=32"], (100, 37, 40)),
        (["T=bf16", "BM=64", "BN=32", "BK=16"], (70, 33, 101)),
        (["T=f32", "BM=32", "BN=32", "BK=16"], (40, 37, 40)),
        (["T=f32", "BM=32", "BN=32", "BK=16"], (40, 37, 9)),
    ):
        arguments = ["--kernel", "matmul_nn"]
        for option in options:
            arguments += ["-D", option]
        sweep(matmul, arguments + ["--arg", f"a={shape(m, k)}", "--arg", f"b={shape(k, n)}"], ["c"], scratch, PHASES)
    source = pathlib.Path(__file__).parent / "Inputs" / "pipelined.tile"
    numbers = scratch / "pages.npy"
    numpy.save(numbers, numpy.array([4, 0, 7, 2, 1], dtype="int32"))
    for stages, count in ((2, 5), (3, 5), (4, 1), (2, 0), (3, 0)):
        sweep(source, ["--kernel", "paged", "-D", f"S={stages}", "--arg", f"a={shape(70, 256)}",
                       "--arg", f"b={shape(256, 37)}", "--arg", f"pages=@{numbers}", "--arg", f"count={count}"],
              ["c"], scratch, PHASES)
    for stages in (2, 3):
        sweep(source, ["--kernel", "with_sums", "-D", f"S={stages}", "--arg", f"a={shape(70, 101)}",
                       "--arg", f"b={shape(101, 37)}"], ["c", "sums"], scratch, PHASES)


if __name__ == "__main__":
    main()
