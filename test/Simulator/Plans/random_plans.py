#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that kernels with random plans compute the results of the interpreter.

    random_plans.py products|kernels|loops ROOT SCRATCH [--plans N] [--mutants N] [--random N] [--count N] [--seed N]
                    [--only NAMES] [--phases A,B] [--show] [--results FILE]

The plan of a kernel is in the text of a phase. Three modules read, change and write it:

    products   product_plans.py   units and operands of products, and warpgroups   (#sm.product, phase `products`)
    kernels    kernel_plans.py    roles, rings and stores                          (#sm.plan, phase `plan`)
    loops      loop_plans.py      stage and order of each operation of a loop      (#sm.schedule, phase `schedule`)

The script takes kernels of the examples and of MORE of the module. For each kernel it

    1. simulates the plan of the compiler;
    2. draws N legal plans, compiles them, and simulates them after the given phases in several interleavings;
    3. makes N mutants, each with one changed field, of the compiler's plan or of a drawn one. The compiler refuses a
       mutant at a line, or the mutant computes the right results.

--random adds the kernels of N random programs; --count adds random programs until so many plans were accepted.
--results keeps the command and the summary.
"""

import argparse
import collections
import pathlib
import random
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import kernel_plans  # noqa: E402
import loop_plans  # noqa: E402
import planned_kernel  # noqa: E402
import product_plans  # noqa: E402

KINDS = {"products": product_plans, "kernels": kernel_plans, "loops": loop_plans}


def draw(kernel, rng, counts):
    """Compiles a random plan and returns it; returns None if none was accepted and the kind of plan permits that."""
    for _ in range(kernel.kind.MOST_REFUSALS):
        plan = kernel.plan.draw(rng)
        if plan is None:
            counts["impossible"] += 1
            continue
        refusal = kernel.carry_out(plan)
        if not refusal:
            counts["accepted"] += 1
            counts.update(plan.traits())
            return plan
        counts["refused"] += 1
        kernel.require(kernel.plan.expects(refusal), f"{kernel.file} is refused: {refusal}")
        kernel.reasons["plan", planned_kernel.generalize(refusal)] += 1
    kernel.require(kernel.kind.MAY_HAVE_NO_OTHER, "no plan is accepted")
    return None


def examine(kernel, options, rng):
    """Draws plans and mutants of a kernel; returns the counts and the number of wrong plans."""
    counts, mutants, wrong = collections.Counter(), collections.Counter(), 0
    drawn = [kernel.plan]
    for number in range(options.plans):
        plan = draw(kernel, rng, counts)
        if not plan:
            break
        drawn.append(plan)
        wrong += kernel.finds_error(f"plan-{number}", options, rng)
    for number in range(options.mutants):
        mutant, field = rng.choice(drawn).mutate(rng)
        refusal = kernel.carry_out(mutant)
        outcome = "refused" if refusal else "right"
        mutants[outcome] += 1
        kernel.reasons["mutant", f"{field}: {outcome}"] += 1
        wrong += not refusal and kernel.finds_error(f"mutant-{number}-{field}", options, rng)
    print(f"{kernel.name}: {kernel.plan.summary()}; plans: {spell(counts)}; mutants: {spell(mutants)}; {wrong} wrong",
          flush=True)
    if options.show:
        for (what, reason), count in sorted(kernel.reasons.items()):
            print(f"  {count:>4} {what}: {reason}")
    return counts + collections.Counter({f"mutants {outcome}": count for outcome, count in mutants.items()}), wrong


def spell(counts):
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none"


def find_kernels(kind, options):
    """Yields the kernels of the examples and of the module whose text has a plan."""
    launched = {**planned_kernel.examples(), **kind.MORE}
    for number, (file, entry) in enumerate((file, entry) for file, entries in launched.items() for entry in entries):
        name, _, _, *variant = entry
        if options.only and name not in options.only.split(","):
            continue
        # A kernel and its variants have one plan until phase `schedule`.
        if variant and variant[0] != name and not kind.PLANS_VARIANTS:
            continue
        kernel = planned_kernel.of_source(kind, options.root / file, entry, options.scratch / f"{number}-{name}")
        if kernel:
            yield kernel


def find_programs(kind, options, is_done):
    """Yields kernels of random programs from --seed on: --random of them, and more until --count plans are accepted."""
    first, found = 1000 * options.seed, 0
    number = first
    while found < options.random or options.count and not is_done():
        kernel = planned_kernel.of_program(kind, number, options.scratch / f"program-{number}")
        number += 1
        if kernel:
            found += 1
            yield kernel
        if not found and number == first + 500:
            sys.exit("no random program has a plan")


def summarize(kinds, total, wrong):
    traits = "".join(f"{count} {trait}, " for trait, count in sorted(total.items()) if trait.startswith("with "))
    return (f"{' and '.join(f'{count} {what}' for what, count in kinds.items())}: {total['accepted']} plans accepted,"
            f" {traits}{total['refused']} refused; mutants: {total['mutants refused']} refused,"
            f" {total['mutants right']} right; {wrong} wrong")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--plans", type=int, default=2, help="of each kernel")
    parser.add_argument("--mutants", type=int, default=4, help="of each kernel")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random programs")
    parser.add_argument("--count", type=int, default=0, metavar="N", help="random programs until N plans are accepted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="NAME,...", help="these kernels")
    parser.add_argument("--phases", metavar="A,B", help="phases after which plans are simulated")
    parser.add_argument("--orders", default="program,late,early,random")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="the file of the command and the summary")
    parser.add_argument("--show", action="store_true", help="print the outcome by changed field and the reasons")
    options = parser.parse_args()
    options.phases = options.phases or KINDS[options.kind].PHASES
    return options


def write_options(options):
    """Returns the options that decide about the random choices and the simulation."""
    names = ("plans", "mutants", "random", "count", "seed", "only", "phases", "orders")
    return " ".join(f"--{name} {value}" for name in names if (value := getattr(options, name)))


def main():
    options = read_options()
    kind = KINDS[options.kind]
    total, found, wrong = collections.Counter(), collections.Counter(), 0
    programs = find_programs(kind, options, lambda: total["accepted"] >= options.count)
    for what, kernels in (("kernels", find_kernels(kind, options)), ("random programs", programs)):
        for kernel in kernels:
            counts, errors = examine(kernel, options, random.Random(f"{options.seed} {kernel.name}"))
            total += counts
            wrong += errors
            found[what] += 1
            if options.results:
                command = f"random_plans.py {options.kind} {write_options(options)}"
                options.results.write_text(f"{command}\n{summarize(found, total, wrong)}\n")
    print(summarize(found, total, wrong) if found else "no kernels")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
