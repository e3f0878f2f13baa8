"""Checks that kernels with other plans than the compiler's compute what the interpreter does.

    edited_plans.py ROOT SCRATCH [--plans N] [--mutants N] [--seed N] [--only NAMES] [--phases A,B] [--show]

Takes the kernels of example_launches that have roles at phase `plan`, draws plans of them (see
kernel_plans.py), and simulates N that are accepted after later phases in several orders: other stages,
buffers, registers, roles in turn or one, stores by a role or by buffers, and fetches, loads, stores and
exchanged tiles that stay where they stand. What a block has no shared memory for is refused, and nothing
else of these. Then changes single fields of the compiler's plan and of the drawn ones: each is refused at a
line, or right.
"""

import collections
import random
import re
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import example_launches
import kernel_plans
import simulated_plan

# What a plan that is drawn without looking at memory and at the ends of tiles may be refused for.
UNFIT = re.compile(r"bytes of shared memory, of which|it may end before the tensor does")


def draw_bytes(*shape):
    return np.random.default_rng(7).integers(-128, 128, shape).astype(np.int8)


# Kernels where a role of its own computes tiles, and settings of examples that are not mutated, where warpgroups
# exchange tiles by a ring.
MORE = {
    "gpu/experiments/computed_operands.tile": [
        ("int4_weights", "BM=128 BN=64", [{"x": (150, 2, 96), "w": draw_bytes(72, 96), "scale": (72,)}]),
        ("group_weights", "BM=64 BN=64 WARPGROUPS=1",
         [{"x": (70, 208), "w": draw_bytes(72, 208), "scale": (4, 72)}]),
    ],
    "examples/11-attention-backward/kernel.tile": [
        ("attention_bwd", "DK=64 DV=64 BM=64 BN=128 TURNS=true",
         [{**{name: (1, 2, 130, 64) for name in ("q", "do")}, **{name: (1, 1, 100, 64) for name in "kv"},
           "lse": np.full((1, 2, 130), 8.0), "delta": (1, 2, 130), "scale": 0.1,
           "sums": np.zeros((1, 2, 3, 64, 64))}]),
    ],
}

# How often a plan is drawn until one is accepted.
MOST_REFUSALS = 200


class Kernel(simulated_plan.SimulatedPlan):
    """A kernel at phase `plan`, what it is run with, and what it computes."""

    def __init__(self, source, name, parameters, launches, folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.name, self.parameters = folder, name, parameters
        self.file = folder / "plan.mlir"
        example_launches.run("tilec", source, f"--kernel={name}", *example_launches.spell_defines(parameters),
                             "--emit=plan", "-o", self.file)
        text = self.file.read_text()
        self.plan = kernel_plans.Plan(text) if "roles = [" in text else None
        if not self.plan:
            return
        if self.plan.write() != text:
            sys.exit(f"{name} {parameters}: the plan is not written as it was read")
        self.runs = self.make_runs(source, launches, options, 0.01)
        # Before it is carried out, a plan does not change what a kernel computes.
        for launch in self.runs:
            if error := self.simulate([*launch, "--phase=plan"]) or self.simulate(launch):
                sys.exit(f"{name} {parameters}: the compiler's own plan: {error}")

    def draw(self, rng, counts):
        """A random plan that is accepted."""
        for _ in range(MOST_REFUSALS):
            plan = kernel_plans.draw(self.plan, rng)
            refusal = self.carry_out(plan.write())
            if not refusal:
                counts["accepted"] += 1
                return plan
            if not UNFIT.search(refusal):
                sys.exit(f"{self.name} {self.parameters}: {self.file} is refused: {refusal}")
            counts["unfit"] += 1
        sys.exit(f"{self.name} {self.parameters}: no plan is accepted")


def examine(kernel, options, rng):
    """Draws plans and mutants of a kernel; returns the counts."""
    counts, kinds = collections.Counter(), collections.Counter()
    drawn = [kernel.plan]
    for number in range(options.plans):
        drawn.append(kernel.draw(rng, counts))
        if error := kernel.check(options.phases.split(","), options.orders, rng):
            kernel.report("plan", number, error)
            counts["wrong"] += 1
    for number in range(options.mutants):
        mutant, kind = kernel_plans.mutate(rng.choice(drawn), rng)
        refusal = kernel.carry_out(mutant.write())
        counts["mutants refused" if refusal else "mutants right"] += 1
        kinds[kind, "refused" if refusal else "right"] += 1
        if refusal:
            continue
        if error := kernel.check(options.phases.split(","), options.orders, rng):
            kernel.report(f"mutant-{kind}", number, error)
            counts["wrong"] += 1
    say = lambda counter: ", ".join(f"{count} {what}" for what, count in sorted(counter.items()))
    print(f"{kernel.name} {kernel.parameters}: {len(kernel.plan.rings)} rings, {len(kernel.plan.stores)} stores;"
          f" {say(counts)}", flush=True)
    if options.show:
        print(f"  {say({' '.join(kind): count for kind, count in kinds.items()})}")
    return counts


def find_kernels(root, folder, only):
    """Kernels with roles, of the examples as they are mutated."""
    examples = {f"examples/{name}/kernel.tile": entries for name, entries in example_launches.EXAMPLES.items()}
    entries = [(file, entry) for launched in (examples, MORE) for file, entries in launched.items() for entry in entries]
    for number, (file, (name, parameters, launches, *more)) in enumerate(entries):
        if only and name not in only.split(","):
            continue
        # Of the variants of a kernel, the plain one has no plan.
        if more and more[0] != name:
            continue
        kernel = Kernel(root / file, name, parameters, launches, folder / f"{number}-{name}", more[1:])
        if kernel.plan:
            yield kernel


def main():
    parser = simulated_plan.make_parser("specialize,fence")
    parser.add_argument("--mutants", type=int, default=4, help="of each kernel")
    parser.add_argument("--show", action="store_true", help="what became of each kind of mutant")
    options = parser.parse_args()
    total, kernels = collections.Counter(), 0
    for kernel in find_kernels(options.root, options.scratch, options.only):
        total += examine(kernel, options, random.Random(f"{options.seed} {kernel.name} {kernel.parameters}"))
        kernels += 1
    print(f"{kernels} kernels: {total['accepted']} plans accepted, {total['unfit']} unfit;"
          f" mutants: {total['mutants refused']} refused, {total['mutants right']} right; {total['wrong']} wrong")
    return 1 if total["wrong"] or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
