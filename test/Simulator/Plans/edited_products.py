# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that kernels with other plans of products than the compiler's compute what the interpreter does.

    edited_products.py ROOT SCRATCH [--plans N] [--seed N] [--only NAMES] [--phases A,B] [--show]

Takes the kernels of example_launches that have products, changes some fields of their plans at phase
`products` (units, places and swizzles of operands, warpgroups), and compiles them. Each is refused at a
line, or computes the same in the simulator after the given phases, in several orders.
"""

import collections
import random
import re
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import example_launches
import simulated_plan

PRODUCT = re.compile(r"#sm\.product<(\w+), a = (\w+(?: \d+)?), b = (\w+(?: \d+)?)>")
WARPGROUPS = re.compile(r"sm\.warpgroups = (\d)")
PLACES = ["registers", *(f"{place}{swizzle}" for place in ("shared", "transposed") for swizzle in ("", " 32", " 64", " 128"))]

# How often fields are changed until a plan is accepted.
MOST_REFUSALS = 100


def edit(text, rng):
    """`text` with one to three fields of its plan changed."""
    for _ in range(rng.randint(1, 3)):
        products = list(PRODUCT.finditer(text))
        field = rng.choice(["unit", "a", "a", "b", "b", "warpgroups"])
        if field == "warpgroups":
            text = WARPGROUPS.sub(f"sm.warpgroups = {rng.randint(1, 3)}", text)
            continue
        found = rng.choice(products)
        unit, a, b = found.groups()
        if field == "unit":
            unit = rng.choice(["tensor_cores", "threads"])
        elif field == "a":
            a = rng.choice(PLACES)
        else:
            b = rng.choice(PLACES)
        # Copies of a product, masked and whole, read their tiles in one place.
        changed = f"#sm.product<{unit}, a = {a}, b = {b}>"
        text = text.replace(found[0], changed) if rng.random() < 0.7 else (
            text[:found.start()] + changed + text[found.end():])
    return text


class Kernel(simulated_plan.SimulatedPlan):
    """A kernel at phase `products`, what it is run with, and what it computes."""

    def __init__(self, source, name, parameters, launches, folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.name, self.parameters = folder, name, parameters
        self.file = folder / "products.mlir"
        example_launches.run("tilec", source, f"--kernel={name}", *example_launches.spell_defines(parameters),
                             "--emit=products", "-o", self.file)
        self.text = self.file.read_text()
        self.runs = []
        if not PRODUCT.search(self.text):
            return
        self.runs = self.make_runs(source, launches, options, 0.02)
        for launch in self.runs:
            if error := self.simulate(launch):
                sys.exit(f"{name} {parameters}: the compiler's own plan: {error}")


def examine(kernel, options, rng, refusals):
    """Edits the plan of a kernel; returns the counts."""
    counts = collections.Counter()
    for number in range(options.plans):
        for _ in range(MOST_REFUSALS):
            text = edit(kernel.text, rng)
            if text == kernel.text:
                continue
            refusal = kernel.carry_out(text)
            if not refusal:
                break
            counts["refused"] += 1
            refusals[re.sub(r"\d+|'[^']*'", "N", refusal)] += 1
        else:
            print(f"{kernel.name} {kernel.parameters}: no other plan is accepted")
            return counts
        counts["accepted"] += 1
        if error := kernel.check(options.phases.split(","), options.orders, rng):
            kernel.report("products", number, error)
            counts["wrong"] += 1
    print(f"{kernel.name} {kernel.parameters}: {dict(counts)}", flush=True)
    return counts


def find_kernels(root, folder, only):
    for example, entries in example_launches.EXAMPLES.items():
        for number, (name, parameters, launches, *more) in enumerate(entries):
            # Variants come from the kernel that they are variants of.
            if (only and name not in only.split(",")) or (more and more[0] != name):
                continue
            kernel = Kernel(root / "examples" / example / "kernel.tile", name, parameters, launches,
                            folder / f"{example}-{number}-{name}", more[1:])
            if kernel.runs:
                yield kernel


def main():
    parser = simulated_plan.make_parser("sm,fence")
    parser.add_argument("--show", action="store_true", help="why plans were refused")
    options = parser.parse_args()
    total, refusals, kernels = collections.Counter(), collections.Counter(), 0
    for kernel in find_kernels(options.root, options.scratch, options.only):
        total += examine(kernel, options, random.Random(f"{options.seed} {kernel.name} {kernel.parameters}"), refusals)
        kernels += 1
    if options.show:
        for refusal, count in refusals.most_common():
            print(f"  {count:>4} {refusal}")
    print(f"{kernels} kernels: {total['accepted']} plans accepted, {total['refused']} refused; {total['wrong']} wrong")
    return 1 if total["wrong"] or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
