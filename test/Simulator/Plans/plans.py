"""Checks that loops with other plans than the compiler's compute what the interpreter does.

    plans.py ROOT SCRATCH [--plans N] [--mutants N] [--random N] [--count N] [--seed N] [--only NAMES]
             [--phases A,B] [--show] [--results FILE]

Takes kernels with loops of products at phase `schedule`, draws plans of these loops (see loop_plans.py),
N of each kernel that sm-apply-schedule accepts, and simulates them after later phases in several orders.
Then changes single fields of the compiler's plan and of the drawn ones: what is not refused is simulated
as well. Results must agree with the interpreter's, and be the same bits as with the compiler's plan; but
not if the kernel adds to memory, since the order of that is free.

With --random the kernels of N random programs come after those of the examples; with --count random programs
go on until so many plans were accepted. --results keeps the last lines, with the command.
"""

import collections
import pathlib
import random
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import example_launches
import loop_plans
import random_kernels
import simulated_plan

# Kernels of Inputs/plans.tile, as example_launches lists those of examples.
OWN = [
    ("mixed", "BN=16", [{**{name: (75, 64) for name in "kvw"}, "q": (70, 64), "limit": 20}]),
    ("mixed", "BN=16 STAGES=1", [{**{name: (75, 64) for name in "kvw"}, "q": (70, 64), "limit": 20}]),
    ("staged", "", [{"q": (70, 64), "k": (200, 64), "v": (200, 64)}]),
    ("carried", "", [{"q": (70, 64), "k": (200, 64), "v": (200, 64), "decay": 0.5}]),
    ("sums", "", [{"q": (70, 320), "k": (320, 64), "v": (320, 64)}]),
    ("staged", "STAGES=1", [{"q": (40, 64), "k": (200, 64), "v": (200, 64)}]),
]

# How often a plan is drawn until one is accepted.
MOST_REFUSALS = 5000


def adds_to_memory(text):
    """Whether copies or threads add to memory, which they may do in any order."""
    return " add " in text or "sm.atomic_add" in text


def is_too_large(error):
    """Whether a plan is refused after all: what it keeps for the iteration after takes shared memory, which is
    counted later."""
    return "bytes of shared memory, of which a block has" in error


class Kernel(simulated_plan.SimulatedPlan):
    """A kernel at phase `schedule`, what it is run with, and what it computes."""

    def __init__(self, source, name, parameters, launches, folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.name, self.parameters, self.options = folder, name, parameters, options
        self.file = folder / "plan.mlir"
        example_launches.run("tilec", source, f"--kernel={name}", *example_launches.spell_defines(parameters),
                             "--emit=schedule", "-o", self.file)
        self.text = loop_plans.Text(self.file.read_text())
        if not self.text.loops:
            return
        self.rules = loop_plans.Rules(self.text)
        if refusal := loop_plans.place(self.text, self.text.schedules, self.file):
            sys.exit(f"{name} {parameters}: the compiler's own plan is refused: {refusal}")
        rng = np.random.default_rng(7)
        self.runs = []
        for number, given in enumerate(launches):
            words, files = example_launches.interpret(source, name, parameters, given, folder / str(number), rng)
            bits = {result: folder / str(number) / f"{result}-bits.npy" for result in files}
            compare = [f"--expect={result}=@{file}" for result, file in files.items()] + ["--rtol=0.01", "--atol=0.01"]
            self.runs.append([f"--kernel={name}", "--device=sim", *words, *options, *compare])
            if error := self.simulate(self.runs[-1] + [f"--save={result}={file}" for result, file in bits.items()]):
                sys.exit(f"{name} {parameters}: the compiler's own plan: {error}")
            # Before they are carried out, schedules do not change what a kernel computes.
            if error := self.simulate(self.runs[-1] + ["--phase=schedule"]):
                sys.exit(f"{name} {parameters}: with schedules and not carried out: {error}")
            if not adds_to_memory(self.file.read_text()):
                same = [f"--expect={result}=@{file}" for result, file in bits.items()] + ["--rtol=0", "--atol=0"]
                self.runs[-1] = self.runs[-1][:-len(compare)] + same

    @classmethod
    def of_program(cls, number, folder):
        """The kernel of random program `number`; None if it has none that can be examined."""
        made = random_kernels.make(number, folder)
        if not made:
            return None
        text, words, tolerances = made
        kernel = cls.__new__(cls)
        kernel.folder, kernel.name, kernel.parameters, kernel.options = folder, f"program {number}", "", []
        kernel.file = folder / "plan.mlir"
        kernel.file.write_text(text)
        kernel.text = loop_plans.Text(text)
        kernel.rules = loop_plans.Rules(kernel.text)
        if refusal := loop_plans.place(kernel.text, kernel.text.schedules, kernel.file):
            sys.exit(f"program {number}: the compiler's own plan is refused: {refusal}")
        right = {name: folder / f"{name}-right.npy" for name in tolerances}
        own = {name: folder / f"{name}-own.npy" for name in tolerances}
        save = lambda files: [f"--save={name}={file}" for name, file in files.items()]
        example_launches.run("tile-run", folder / "kernel.tile", "--device=cpu", *words, *save(right))
        # Without the variant that has no conditions, a launch may have none.
        if error := kernel.simulate(["--device=sim", *words, *save(own)]):
            if "no variant" in error or "needs" in error or "cannot be launched" in error:
                return None
            sys.exit(f"program {number}: the compiler's own plan: {error}")
        for name, tolerance in tolerances.items():
            if not random_kernels.is_right(np.load(right[name]), np.load(own[name]), tolerance):
                sys.exit(f"program {number}: the compiler's own plan computes another {name}")
        within = repr(max(tolerances.values())) if adds_to_memory(text) else "0"
        same = [f"--expect={name}=@{file}" for name, file in own.items()] + ["--rtol=0", f"--atol={within}"]
        kernel.runs = [["--device=sim", *words, *same]]
        # Elements that no program writes have no value to compare; they are told from those that only a plan that
        # is carried out leaves out.
        if error := kernel.simulate(kernel.runs[0]):
            if "no program wrote" in error:
                return None
            sys.exit(f"program {number}: the compiler's own plan computes something else again: {error}")
        if error := kernel.simulate([*kernel.runs[0], "--phase=fence"]):
            if is_too_large(error):
                return None
            sys.exit(f"program {number}: the compiler's own plan, carried out: {error}")
        return kernel

    def place(self, schedules):
        """Writes a plan; returns the errors of sm-apply-schedule, or an empty string."""
        return loop_plans.place(self.text, schedules, self.file)

    def draw(self, rng, counts):
        """Places a random plan; returns its schedules."""
        for _ in range(MOST_REFUSALS):
            schedules = loop_plans.draw(self.text, self.rules, rng)
            if schedules is None:
                counts["impossible"] += 1
                continue
            refusal = self.place(schedules)
            if not refusal:
                counts["accepted"] += 1
                counts["with late ops"] += any(stage for stage, _ in schedules)
                return schedules
            counts["refused"] += 1
            if not self.rules.learn(self.text, refusal):
                sys.exit(f"{self.name} {self.parameters}: refused again, or for something else: {refusal}")
        sys.exit(f"{self.name} {self.parameters}: no plan is accepted")


def examine(kernel, options, rng):
    """Draws plans and mutants of a kernel; returns how many were wrong, and prints the counts."""
    counts, mutants, kinds = collections.Counter(), collections.Counter(), collections.Counter()
    phases = options.phases.split(",")
    wrong = 0
    drawn = [kernel.text.schedules]
    for number in range(options.plans):
        drawn.append(kernel.draw(rng, counts))
        if error := kernel.check(phases, options.orders, rng):
            if is_too_large(error):
                counts.update({"accepted": -1, "with late ops": -any(stage for stage, _ in drawn[-1]), "too large": 1})
                continue
            kernel.report("plan", number, error)
            wrong += 1
    for number in range(options.mutants):
        kernel.text.schedules = rng.choice(drawn)
        schedules, kind = loop_plans.mutate(kernel.text, rng)
        if kernel.place(schedules):
            mutants["refused"] += 1
            kinds[kind, "refused"] += 1
            continue
        error = kernel.check(phases, options.orders, rng)
        outcome = "refused" if error and is_too_large(error) else "equivalent"
        kinds[kind, outcome] += 1
        mutants[outcome] += 1
        if error and outcome == "equivalent":
            kernel.report(f"mutant-{kind}", number, error)
            wrong += 1
    kernel.text.schedules = drawn[0]
    say = lambda counter: ", ".join(f"{count} {what}" for what, count in sorted(counter.items()))
    rules = kernel.rules
    print(f"{kernel.name} {kernel.parameters}: {len(kernel.text.loops)} loops of {len(kernel.text.schedules)} schedules;"
          f" plans: {say(counts)}; learnt {len(rules.same)} + {len(rules.before)} + {len(rules.together)} rules;"
          f" mutants: {say(mutants)}; {wrong} wrong", flush=True)
    if options.show:
        print(f"  {say({' '.join(kind): count for kind, count in kinds.items()})}")
    return counts + collections.Counter({f"{what} mutants": count for what, count in mutants.items()}), wrong


def find_kernels(root, folder, only):
    """Kernels with planned loops: those of the examples as they are mutated, and those of Inputs/plans.tile."""
    own = pathlib.Path(__file__).parent / "Inputs" / "plans.tile"
    sources = [(root / "examples" / example / "kernel.tile", entry)
               for example, entries in example_launches.EXAMPLES.items() for entry in entries]
    sources += [(own, entry) for entry in OWN]
    for number, (source, (name, parameters, launches, *more)) in enumerate(sources):
        if only and name not in only.split(","):
            continue
        kernel = Kernel(source, name, parameters, launches, folder / f"{number}-{name}", more[1:])
        if kernel.text.loops:
            yield kernel


def write_options(options):
    """What decides what is drawn, and how it is simulated."""
    said = ("plans", "mutants", "random", "count", "seed", "only", "phases", "orders")
    return " ".join(f"--{name} {value}" for name in said if (value := getattr(options, name)))


def find_programs(folder, options, is_done):
    """Kernels of random programs, from --seed on; so many as are asked for."""
    number, found = 1000 * options.seed, 0
    while found < options.random or options.count and not is_done():
        kernel = Kernel.of_program(number, folder / f"program-{number}")
        number += 1
        if kernel:
            found += 1
            yield kernel
        if found == 0 and number == 1000 * options.seed + 500:
            sys.exit("no random program has a plan")


def main():
    parser = simulated_plan.make_parser("overlap,fence")
    parser.add_argument("--mutants", type=int, default=4, help="of each kernel")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random programs")
    parser.add_argument("--count", type=int, default=0, metavar="N", help="random programs until N plans were accepted")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="where to keep what was found")
    parser.add_argument("--show", action="store_true", help="what became of each kind of mutant")
    options = parser.parse_args()
    total, wrong = collections.Counter(), 0
    kinds = collections.Counter()
    written = find_kernels(options.root, options.scratch, options.only)
    drawn = find_programs(options.scratch, options, lambda: total["accepted"] >= options.count)
    for kind, kernels in (("kernels", written), ("random programs", drawn)):
        for kernel in kernels:
            counts, bad = examine(kernel, options, random.Random(f"{options.seed} {kernel.name} {kernel.parameters}"))
            total += counts
            wrong += bad
            kinds[kind] += 1
            summary = (f"{' and '.join(f'{count} {what}' for what, count in kinds.items())}:"
                       f" {total['accepted']} plans accepted, {total['with late ops']} of them with late ops,"
                       f" {total['refused']} refused; mutants: {total['refused mutants']} refused,"
                       f" {total['equivalent mutants']} equivalent; {wrong} wrong")
            if options.results:
                options.results.write_text(f"plans.py {write_options(options)}\n{summary}\n")
    print(summary if kinds else "no kernels")
    return 1 if wrong or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())
