"""Runs the kernels of a folder before and after each pass and compares the results.

Usage: executed.py INPUTS [KERNEL]. The kernels are small, and so are the shapes; tile-run runs each kernel with
fixed seeds. A result must agree with that of the kernel as written to 4e-6 relatively or absolutely, with NaN and
infinity at the same positions.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

PIPELINES = (
    "tile-fold-exp2",
    "tile-fold-exp2,tile-lazy-rescale",
    "tile-fold-exp2,tile-lazy-rescale{octaves=1},tile-peel-masks,tile-defer-reductions",
    "tile-peel-masks",
    "tile-peel-masks{max-splits=1 peel-loads=true}",
    "tile-defer-reductions",
    "tile-contract",
    "tile-narrow-conversions",
    "tile-fold-exp2,tile-peel-masks,tile-pad-extents,tile-defer-reductions,tile-contract",
    "tile-fold-exp2,tile-peel-masks,tile-defer-reductions",
    "tile-defer-reductions{keep=2},tile-peel-masks,tile-fold-exp2",
    "canonicalize,cse,tile-fold-exp2,canonicalize,cse,tile-peel-masks,canonicalize,cse,"
    "tile-defer-reductions,canonicalize",
)
TOLERANCE = "4e-6"


def attention():
    sizes = ((1, 1), (8, 8), (13, 9), (16, 32), (5, 0), (20, 3), (3, 20))
    for scale, (m, n) in itertools.product((0.5, -0.7, 0, 40), sizes):
        yield {"q": f"randn({m},4)", "k": f"randn({n},4)", "v": f"randn({n},4)",
               "scale": scale}, {"o": f"({m},4)", "lse": f"({m})"}


def gated_attention():
    for scale, n, window in itertools.product((0.5, -0.7, 0), (1, 8, 23), (1, 5, 100)):
        yield {"q": f"randn({n},4)", "k": f"randn({n},4)", "g": f"randn({n})", "scale": scale,
               "window": window}, {"den": f"({n})", "mxout": f"({n})"}


def attention_gradient():
    for scale, n, m in itertools.product((0.5, -0.7, 0), (11,), (0, 4, 10)):
        yield {"q": f"randn({m},4)", "k": f"randn({n},4)", "v": f"randn({n},4)",
               "do": f"randn({m},4)", "lse": f"rand({m})", "delta": f"randn({m})",
               "scale": scale}, {"dk": f"({n},4)", "dv": f"({n},4)"}


def linear_logp():
    for v, d in itertools.product((1, 17, 40), (0, 6)):
        yield {"h": f"randn(6,{d})", "w": f"randn({v},{d})", "bias": f"randn({v})",
               "target": f"randint(0,{v},6)"}, {"pmax": "(6)", "psum": "(6)", "ppick": "(6)"}


def lola():
    for m, k in itertools.product((1, 9), (0, 1, 32, 37)):
        yield {"x": f"randn({m},{k})", "w": f"randn({k},8)"}, {
            "s1": f"({m})", "s2": f"({m})", "ws": "(8)", "y": f"({m},8)"}


def masked_softmax():
    numbers = (-1e4, -1e10, -1e30, -3.4028234e38, 3e12, 3e38)
    for x, scale, bias in itertools.product(numbers, (1, 0.5), ("zeros(13)", "full(-3.4028234e38,13)")):
        yield {"x": f"full({x},5,13)", "bias": bias, "scale": scale}, {"y": "(5,13)"}
    yield {"x": "randn(5,13)", "bias": "full(-1e30,13)", "scale": 3}, {"y": "(5,13)"}


CASES = {
    "masked-softmax": masked_softmax,
    "attention": attention,
    "gated-attention": gated_attention,
    "attention-gradient": attention_gradient,
    "linear-logp": linear_logp,
    "lola": lola,
}


def main():
    inputs = pathlib.Path(sys.argv[1])
    chosen = sys.argv[2:] or CASES
    runs = failures = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        for name in chosen:
            for case, (arguments, outputs) in enumerate(CASES[name]()):
                command = ["tile-run", str(inputs / f"{name}.mlir"), "--seed", str(case)]
                for key, value in (arguments | outputs).items():
                    command += ["--arg", f"{key}={value}"]
                files = [f"{key}={folder}/{key}.npy" for key in outputs]
                variants = [[f"--save={file}" for file in files]] + [
                    [f"--expect={file}" for file in files]
                    + ["--rtol", TOLERANCE, "--atol", TOLERANCE, "--pass-pipeline",
                       f"builtin.module(tile.kernel({pipeline}))"]
                    for pipeline in PIPELINES
                ]
                for variant in variants:
                    done = subprocess.run(command + variant, capture_output=True, text=True)
                    runs += 1
                    if done.returncode != 0:
                        failures += 1
                        print(" ".join(command + variant), done.stdout, done.stderr, sep="\n")
    print(f"{runs} runs, {failures} failures")
    return 1 if failures or runs < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
