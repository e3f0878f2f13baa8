"""Compares kernels whose threads fetch ahead, in the simulator, with the interpreter.

Usage: pipelined.py ROOT SCRATCH

With two to four slots and in all interleavings (see sweep.py). The cases are unaligned and aligned strides, products
of threads, loaded positions, slots that threads also read, and loops of zero and one iteration.
"""

import pathlib
import subprocess
import sys

import numpy

from sweep import ORDERS, run

# Other phases do not change these kernels.
PHASES = ["pipeline", "allocate", "fence"]


def compare(source, kernel, defines, stages, arguments, results, scratch):
    """Simulates one kernel with these slots; the expected results come from the interpreter."""
    defines = [word for define in defines.split() for word in ("-D", define)]
    arguments = [f"--kernel={kernel}"] + [f"--arg={name}={value}" for name, value in arguments.items()]
    run("tile-run", source, *defines, *arguments, *(f"--save={name}={scratch / name}.npy" for name in results))
    expected = [f"--expect={name}=@{scratch / name}.npy" for name in results]
    module = scratch / "module.mlir"
    subprocess.run(["tilec", source, f"--kernel={kernel}", *defines, f"--fetch-stages={stages}",
                    "--emit=pipeline", "-o", module], check=True)
    if f"sm.slots<{stages} x" not in module.read_text().split("sm.variant_of")[1]:
        sys.exit(f"{kernel} with {defines} has not {stages} stages")
    for phase in PHASES:
        run("tile-run", module, *arguments, "--device=sim", "--multiprocessors=2", f"--phase={phase}", *ORDERS,
            *expected, "--rms=2e-3")
    print(f"{kernel}, {stages} stages, {arguments}: {len(PHASES)} phases in 6 interleavings")


def product(m, n, k):
    return {"a": f"randn({m}, {k})", "b": f"randn({k}, {n})"}


def main():
    root, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    examples = root / "examples" / "03-matmul" / "kernel.tile"
    own = pathlib.Path(__file__).parent / "Inputs" / "pipelined.tile"
    for defines, stages, sizes in (
        ("T=bf16 BM=64 BN=64 BK=32", 2, (100, 37, 40)),
        ("T=bf16 BM=64 BN=32 BK=16", 4, (70, 33, 101)),
        ("T=f32 BM=32 BN=32 BK=16", 2, (40, 37, 40)),
        ("T=f32 BM=32 BN=32 BK=16", 3, (40, 37, 9)),
    ):
        compare(examples, "matmul_nn", defines, stages, product(*sizes), ["c"], scratch)
    pages = scratch / "pages.npy"
    numpy.save(pages, numpy.array([4, 0, 7, 2, 1], dtype="int32"))
    for stages, count in ((2, 5), (3, 5), (4, 1), (2, 0), (3, 0)):
        compare(own, "paged", "", stages, {**product(70, 37, 256), "pages": f"@{pages}", "count": count}, ["c"],
                scratch)
    for stages in (2, 3):
        compare(own, "with_sums", "", stages, product(70, 37, 101), ["c", "sums"], scratch)


if __name__ == "__main__":
    main()
