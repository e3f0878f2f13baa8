"""Compares products and attention in the simulator with the interpreter.

Usage: sweep.py ROOT SCRATCH matmul|split|attention

Compiles with one to three warpgroups, once for each set of compile-time parameters. One warpgroup becomes two in
ping-pong unless sums are split; products of two run in clusters of two CTAs. Simulates after each phase of the sm
level, in all interleavings, for sizes that are multiples of the tiles and others. Compares the results with those of
the interpreter. Products with a split sum write f32, or add to it.
"""

import pathlib
import re
import shutil
import subprocess
import sys

PHASES = ["sm", "persist", "plan", "specialize", "multicta", "pipeline", "overlap", "expand", "allocate", "fence"]
ORDERS = ["--order", "program,late,early,random", "--seeds", "3"]


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def sweep(source, constants, arguments, results, scratch):
    """Simulates one kernel on one set of arguments after all phases, in all interleavings."""
    saves = [word for name in results for word in ("--save", f"{name}={scratch / name}.npy")]
    expects = [word for name in results for word in ("--expect", f"{name}={scratch / name}.npy")]
    run("tile-run", source, *constants, *arguments, *saves)
    phases = scratch / "phases"
    shutil.rmtree(phases, ignore_errors=True)  # Another compiler may number the phases differently.
    run("tilec", source, *constants, f"--save-phases={phases}", "--emit=fence", "-o", scratch / "fence.mlir")
    for phase in PHASES:
        file, = phases.glob(f"*-{phase}.mlir")
        run("tile-run", file, *arguments, "--device", "sim", "--multiprocessors", "4", *ORDERS, *expects,
            "--rms", "2e-3")
    print(f"{source.name} {' '.join(constants + arguments)}: {len(PHASES)} phases in 6 interleavings")


def main():
    root, scratch, kernel = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    scratch.mkdir(parents=True, exist_ok=True)
    folder = {"matmul": "03-matmul", "split": "04-split-k-matmul", "attention": "07-flash-attention"}[kernel]
    for warpgroups in (1, 2) if kernel == "split" else (1, 2, 3):
        source = scratch / f"{kernel}-{warpgroups}.tile"
        text = (root / "examples" / folder / "kernel.tile").read_text()
        further = ", persistent, cluster = (2, 1)" if warpgroups == 2 else ", persistent"
        if warpgroups == 1:
            further += ", pingpong"
        if kernel == "split":
            further = ", persistent" if warpgroups > 1 else ""
        if kernel == "attention":
            further = ", pingpong" if warpgroups > 1 else ", persistent, pingpong"
        source.write_text(re.sub(r"schedule \((?:[^()]|\([^()]*\))*\)", f"schedule (warpgroups = {warpgroups}, stages = 2{further})", text))
        rows = f"BM={64 * warpgroups}"
        if kernel == "matmul":
            # Tensor copies need rows of 16 bytes; 37 columns take the other variant.
            for form, (m, n, k) in {"nn": (150, 136, 200), "nt": (64, 37, 56), "tn": (200, 64, 37)}.items():
                shapes = {"nn": ((m, k), (k, n)), "nt": ((m, k), (n, k)), "tn": ((k, m), (k, n))}[form]
                constants, arguments = ["--kernel", f"matmul_{form}", "-D", rows, "-D", "BN=64"], []
                for name, shape in zip("ab", shapes):
                    arguments += ["--arg", f"{name}=randn({shape[0]}, {shape[1]})"]
                sweep(source, constants, arguments, ["c"], scratch)
        elif kernel == "split":
            for name, result, n in [("split_k_matmul", "c", 72), ("split_k_partial_nn", "part", 72) if warpgroups == 1 else ("split_k_matmul", "c", 37)]:
                constants = ["--kernel", name, "-D", rows, "-D", "BN=64"]
                arguments = ["--arg", "S=2", "--arg", "a=randn(100, 130)", "--arg", f"b=randn(130, {n})"]
                if result == "c":
                    arguments += ["--arg", f"c=randn(100, {n})"]
                sweep(source, constants, arguments, [result], scratch)
        else:
            for causal, (m, n) in {"true": (256, 256), "false": (100, 77)}.items():
                constants = ["-D", rows, "-D", "BN=64", "-D", "D=64", "-D", f"CAUSAL={causal}"]
                arguments = ["--arg", f"q=randn(1, 2, {m}, 64)", "--arg", "scale=0.125"]
                for name in "kv":
                    arguments += ["--arg", f"{name}=randn(1, 1, {n}, 64)"]
                sweep(source, constants, arguments, ["o", "lse"], scratch)


if __name__ == "__main__":
    main()
