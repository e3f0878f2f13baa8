#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures orders of the MMAs of gradients of attention, next to the predictions of the clock.

    loop_orders.py --compile --build BUILD --out FOLDER [--jobs N] [--only REGEX]
    loop_orders.py FOLDER [--rounds N]          machine with a GPU and torch

Each order is an `order` of sm-schedule-loops: 0 is s = k q', 1 is dv, 2 is dp, 3 is dk, 4 is dq. The first order of a
problem is the one to compare with. Its dk and dv must be the bits of all others, since only the order of the work
changes. Prints for each order the predicted time, the measured time and the spilled bytes, and for each problem
Kendall's tau.
"""

import argparse
import concurrent.futures
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "examples/11-attention-backward/kernel.tile"
SHAPE = {"B": 4, "H": 16, "HK": 16, "M": 4096, "N": 4096}
HEADS = ["0 2 !0 1 !2", "0 !0 2 1 !2", "0 !0 1 2 !2", "0 !0 1 !1 2 !2", "0 !0 . 2 1 !2", "0 2 !0 1 !1 !2",
         "0 !0 2 . !2 . 1", "0 2 !0 . !2 . 1", "0 2 !0 . 1 !2 .", "0 !0 2 . 1 !2 ."]
TAILS = ["4 3 !4 + !3", "4 !4 3 + !3", "4 !4 + 3 !3"]
SEARCHED = ["0 !0 2 3 4 1 !4 +", "0 2 3 4 1 !4 +", "0 !0 2 3 1 4 !4 +", "0 !0 2 3 !3 4 1 !4 +",
            "0 !0 2 1 !2 3 4 !3 !4 +"]
WITHIN = [f"{head} {tail}" for head, tail in itertools.product(HEADS, TAILS)] + SEARCHED
# dq, or dk and dq, one iteration late.
LATE = ["0 4' !0 . !4' + 2 1 !2 3 !3 +", "0 4' !0 !4' + 2 . !2 . 1 3 !3 +", "4' 0 !4' + !0 2 1 !2 3 !3 +",
        "4' 0 !4' + !0 2 . !2 . 1 3 !3 +", "4' 0 !4' + !0 2 1 !2 !1 3 !3 +", "0 !0 2 1 !2 3 4' !4' + !3",
        "3' 4' 0 !3' !4' + !0 2 1 !2", "4' 3' 0 !4' + !3' !0 2 1 !2"]
# Products of the next iteration are issued before the work of this one ends.
AHEAD = ["2' 1' !2' . 4' 3' !4' + 0 !3' !0 +", "2' 1' !2' + 4' 3' !4' + 0 !3' !0 .",
         "2' . 1' !2' . 4' !4' + 3' 0 !3' !0", "2' . 1' !2' . 4' !4' 3' + 0 !3' !0",
         "2' . !2' . 1' 4' !4' 3' + 0 !3' !0", "2' . 1' !2' . 4' 3' 0 !4' + !3' !0"]
PROBLEMS = {
    "128": ({"DK": 128, "FLIP": "false", "EXCHANGE": 2}, WITHIN + LATE + AHEAD),
    "128-causal": ({"DK": 128, "FLIP": "false", "EXCHANGE": 2, "CAUSAL": "true"}, WITHIN + LATE + AHEAD),
    "64": ({"DK": 64, "BM": 128, "FLIP": "false", "EXCHANGE": 2}, WITHIN + LATE + AHEAD),
    "64-causal": ({"DK": 64, "BM": 128, "FLIP": "false", "EXCHANGE": 2, "CAUSAL": "true"}, WITHIN + LATE + AHEAD),
    "128-one": ({"DK": 128, "FLIP": "false"}, WITHIN),
    "128-causal-one": ({"DK": 128, "FLIP": "false", "CAUSAL": "true"}, WITHIN),
    "64-one": ({"DK": 64, "BM": 128, "FLIP": "false"}, WITHIN),
    "64-causal-one": ({"DK": 64, "BM": 128, "FLIP": "false", "CAUSAL": "true"}, WITHIN),
}


def compile_one(build, out, problem, number, order):
    """Compiles one order; returns its row of the index."""
    parameters = PROBLEMS[problem][0]
    stem = out / f"{problem}-{number}"
    row = {"problem": problem, "order": order, "package": f"{stem.name}.tpk"}
    tilec = [build / "bin/tilec"]
    source = [SOURCE, "--kernel=attention_bwd", *(f"-D{name}={value}" for name, value in parameters.items())]
    schedule = f"builtin.module(sm.kernel(sm-schedule-loops{{order=\"{order}\"}}))"
    sizes = ",".join(f"{name}={value}" for name, value in SHAPE.items())
    commands = [[*tilec, *source, "--emit=pipeline", "-o", f"{stem}.pipeline.mlir"],
                [build / "bin/tile-opt", f"{stem}.pipeline.mlir", f"--pass-pipeline={schedule}", "-o", f"{stem}.mlir"],
                [*tilec, f"{stem}.mlir", "--allow-hazards", "--report", f"--explain={sizes}", "-o", f"{stem}.tpk"]]
    text = ""
    for command in commands:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        text = done.stdout + done.stderr
        if done.returncode != 0:
            errors = re.search(r"error: (.*)", text)
            return row | {"error": errors[1] if errors else f"exit status {done.returncode}"}
    if "sm.mma " in pathlib.Path(f"{stem}.mlir").read_text():
        return row | {"error": "the order is not legal"}
    spilled = re.search(r"(\d+) \+ (\d+) bytes spilled", text)
    predicted = re.search(r"([0-9.]+) us predicted", text)
    for left in (f"{stem}.pipeline.mlir", f"{stem}.mlir"):
        pathlib.Path(left).unlink()
    return row | {"spilled": int(spilled[1]) + int(spilled[2]),
                  "hazards": sorted(set(re.findall(r"\((C75\d\d)\)", text))),
                  "predicted": float(predicted[1]) if predicted else None}


def compile_all(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    work = [(problem, number, order) for problem, (_, orders) in PROBLEMS.items() if re.search(options.only, problem)
            for number, order in enumerate(orders)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda one: compile_one(pathlib.Path(options.build).absolute(), out, *one), work))
    (out / "index.json").write_text(json.dumps(rows, indent=1))
    for row in rows:
        print(row["problem"], repr(row["order"]), row.get("error") or row.get("predicted"), row.get("spilled"))


def kendall(pairs):
    """Returns Kendall's tau of pairs of numbers."""
    score = total = 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        total += 1
        score += ((a > c) - (a < c)) * ((b > d) - (b < d))
    return score / total if total else math.nan


def make_tensors(torch, head):
    torch.manual_seed(1)
    lengths = SHAPE["B"], SHAPE["H"], SHAPE["M"], head
    q, k, v, do = (torch.randn(lengths, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    scale = head**-0.5
    return q, k, v, do, scale


def measure(options):
    sys.path.insert(0, str(ROOT / "python"))
    import tessera
    import torch
    from tessera.tune import timing

    folder = pathlib.Path(options.folder)
    print(torch.cuda.get_device_name())
    rows = json.loads((folder / "index.json").read_text())
    for problem, group in itertools.groupby(rows, key=lambda row: row["problem"]):
        parameters = PROBLEMS[problem][0]
        head, block = parameters["DK"], parameters.get("BM", 64)
        q, k, v, do, scale = make_tensors(torch, head)
        o, lse = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, "CAUSAL" in parameters,
                                                                    scale=scale)[:2]
        shift = lse * math.log2(math.e)
        delta = (o.float() * do.float()).sum(-1)
        sums = torch.zeros(*q.shape[:2], q.shape[2] // block, block, head, device="cuda")
        works, expected = [], None
        for row in group:
            if "error" in row:
                continue
            kernel = tessera.Package(folder / row["package"]).kernel("attention_bwd")
            dk, dv = torch.empty_like(k), torch.empty_like(v)

            def run(kernel=kernel, dk=dk, dv=dv):
                kernel(q, k, v, do, shift, delta, scale, sums, dk, dv)

            sums.zero_()
            run()
            torch.cuda.synchronize()
            found = dk.clone(), dv.clone(), sums.clone()
            expected = expected or found
            row["same"] = (all(torch.equal(a, b) for a, b in zip(found[:2], expected[:2]))
                           and bool((found[2] - expected[2]).norm() <= 1e-3 * expected[2].norm()))
            works.append((row, run))
        samples = timing.measure_bursts({number: run for number, (_, run) in enumerate(works)}, options.rounds)
        for number, (row, _) in enumerate(works):
            row["times"] = [time * 1e3 for time in samples[number]]
        print(f"\n{problem}: {parameters}")
        clean = []
        first = statistics.median(works[0][0]["times"])
        for row, _ in sorted(works, key=lambda work: statistics.median(work[0]["times"])):
            took = statistics.median(row["times"])
            print(f"  {took:8.1f} us  {first / took:6.3f}  predicted {row['predicted']:8.1f}"
                  f"  spilled {row['spilled']:4}  {' '.join(row['hazards'])} {'' if row['same'] else 'WRONG  '}{row['order']}")
            if not row["hazards"] and row["spilled"] < 16:
                clean.append((row["predicted"], took))
        regret = min(clean)[1] / min(took for _, took in clean) - 1
        print(f"  of {len(clean)} orders without spills and serialised MMAs: Kendall's tau {kendall(clean):.2f}, "
              f"regret of the first choice {regret:.1%}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measure orders of the MMAs of gradients of attention.")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="compiled orders to measure")
    parser.add_argument("--compile", action="store_true", help="compile the orders instead; no GPU is needed")
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="BUILD", help="the build folder")
    parser.add_argument("--out", metavar="FOLDER", help="the folder for packages")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="compilations at a time")
    parser.add_argument("--only", default="", metavar="REGEX", help="only problems that match")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="bursts of each order")
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
    else:
        measure(options)


if __name__ == "__main__":
    main()
