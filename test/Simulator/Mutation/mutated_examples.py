"""Mutates the kernels of an example after the last pass of the sm level (see mutation.py).

    mutated_examples.py ROOT SCRATCH EXAMPLE

Each kernel is compiled in the ways of example_launches.py; the expected results come from the interpreter. Fails if
a mutant survives that Inputs/EXAMPLE-harmless.txt does not explain, or if fewer than 97 % of the mutants of the
example are reported (BARS has exceptions).
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import example_launches  # noqa: E402
import mutation  # noqa: E402

# The share of an example's mutants that must be reported. It is lower for kernels with three fences of rows in each
# role, as from two iterations combined in one; the model does not need these fences. They stay: PTX orders a store
# before an arrival, but without such a fence ptxas 13.5 puts nothing between the two, and arrivals do overtake loads.
BAR = 0.97
BARS = {"14-scaled-matmul": 0.965}


def prepare(source, kernel, parameters, launches, folder, options):
    """Returns the IR to mutate, and the arguments of its runs."""
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / "kernel.mlir"
    example_launches.run("tilec", source, f"--kernel={kernel}", *example_launches.spell_defines(parameters),
                         "--emit=fence", "-o", module)
    rng = np.random.default_rng(7)
    runs = []
    for number, given in enumerate(launches):
        words, files = example_launches.interpret(source, kernel, parameters, given, folder / str(number), rng)
        expects = [word for name, file in files.items() for word in ("--expect", f"{name}=@{file}")]
        runs.append([f"--kernel={kernel}", *words, *expects, "--rtol", "0.01", "--atol", "0.01", *options])
    return module.read_text(), runs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("example", choices=example_launches.EXAMPLES)
    parser.add_argument("--show", action="store_true", help="print what each mutant is reported as")
    options = parser.parse_args()
    source = options.root / "examples" / options.example / "kernel.tile"
    harmless = mutation.Harmless(pathlib.Path(__file__).parent / "Inputs" / f"{options.example}-harmless.txt")
    total = mutation.Table()
    is_bad = False
    for number, (kernel, parameters, launches, *more) in enumerate(example_launches.EXAMPLES[options.example]):
        variant = more.pop(0) if more else kernel
        text, runs = prepare(source, kernel, parameters, launches, options.scratch / str(number), more)
        print(f"{variant} {parameters}")
        table, is_wrong = mutation.mutate(text, runs, variant, harmless, options.show)
        total.add(table)
        is_bad |= is_wrong
    total.print()
    for op, what in harmless.find_unused():
        print(f"{op}, {what}: reported, and not harmless")
        is_bad = True
    share = total.reported / total.mutants if total.mutants else 1
    print(f"{options.example}: {total.reported} of {total.mutants} mutants reported")
    return 1 if is_bad or share < BARS.get(options.example, BAR) else 0


if __name__ == "__main__":
    sys.exit(main())
