"""Compares the verdicts of the sm simulator and of the PTX emulator on the same kernels.

    agreement.py ROOT SCRATCH [--each N] [--show]

The kernels are those of test/Simulator with one defect of each kind, launched as in their RUN lines, and N mutants of
each example (test/Simulator/Mutation/mutated_examples.py), spread evenly. Each kernel runs in four orders at both levels; the
first error is the verdict.

Prints how often each pair of verdicts occurred. A disagreement needs a reason. Two reasons are looked up in the PTX.
The machine code of a mutant may equal that of the kernel. Or the line of the simulator's error has no machine code,
since its result is unused. The other reasons are in REASONS; unused entries are errors as well.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

SIMULATOR = pathlib.Path(__file__).resolve().parents[1] / "Simulator"
sys.path[:0] = [str(SIMULATOR), str(SIMULATOR / "Mutation")]
import example_launches  # noqa: E402
import mutated_examples  # noqa: E402
import mutation  # noqa: E402

ORDERS = "program,late,early,random"
FILES = [*(f"Defects/{name}" for name in ("barriers", "clusters", "copies", "draws", "fetches", "global-memory",
                                          "global-races", "memory", "products")), "ops"]

# The kind of an error at either level: the first pattern that matches.
VERDICTS = [
    ("deadlock", r"^deadlock|waits for ever: "),
    ("fence", r"^missing fence"),
    ("race", r"^race|where CTA \d+ writes|to which CTA \d+ writes|which (?:cluster \d+|another cluster) (?:reads|writes)"
             r"|threads of the warp write different values"),
    ("unwritten", r"which nobody has written"),
    ("end", r"CTA ends before|which has ended|may end before|from ending before"),
    ("barrier", r"too often at a barrier|comes to a barrier twice|arrivals of the phase have come|more bytes (?:come|have come)"
                r"|barrier of CTA \d+, which has not initialised|the index of the barrier|there is no mbarrier"
                r"|the mbarrier is gone"),
    ("flight", r"may still be in flight|which a product in flight|pending tile was used|wgmma\.fence"),
    ("products", r"issue different products|bring different"),
    ("bounds", r"out of bounds|is outside of|is below the limit|marked in bounds|the index of the|of shared memory, which has"
               r"|of shared memory, of which"),
    ("copy", r"tensor copy needs|tensor copy begins|cannot be copied by|begins at byte"),
    ("counter", r"draws|has drawn"),
    ("layout", r"does not hold all elements"),
    ("limit", r"the step limit of \d+ executed"),
    ("numbers", r"outside of the tolerance"),
    ("refused", r"cannot be followed|has no pattern|failed to legalize"),
]

# Kinds of errors that may differ if both levels report one, and why.
KINDS = {
    ("barrier", "bounds"): "an index beyond the array is an address beyond the memory",
    ("barrier", "race"): "an index beyond the array is the next array's first barrier, which has another phase",
    ("barrier", "unwritten"): "an index beyond the array is the next array's first barrier, for which nobody waits",
    ("barrier", "fence"): "the same; the reads of the tensor cores then lack a wait",
    ("flight", "race"): "the missing await is found first; as a consequence the tile is refilled too early",
    ("flight", "end"): "uses of the early tile are not compiled; nothing waits for the product",
}

# Errors that only one level may report: level, kernel or mutation, a part of the message, and why.
REASONS = [
    ("ptx", "ops: control", "cannot be followed", "passes follow only loops and conditions of scf"),
    ("sim", "misplaced", "begins at byte 512", "TMA swizzles by address bits; the misplaced data is not read"),
    ("sim", "unended", "the counter would not be 0", "the counter belongs to the runtime: only the next launch reads it"),
    ("sim", "after_end", "the counter would not be 0", "the same"),
    ("sim", "other_count", "draws one of 4 programs", "the count is an attribute of the op without machine code"),
    ("sim", "clusters_add", "which cluster 0 reads", "the loaded values are unused, so the load is removed"),
    ("sim", "global-races: twice", "a tensor copy writes", "both copies write the same numbers"),
]
used = set()


def find_runs(file):
    """Returns the launches in the RUN lines of a file, as words for tile-run."""
    substitutions, found = {}, []
    for line in re.sub(r"\\\n// (?:RE)?DEFINE:", "", file.read_text()).splitlines():
        if define := re.match(r"// (?:RE)?DEFINE: (%\{\w+\}) =(.*)", line):
            substitutions[define.group(1)] = define.group(2).strip()
            continue
        command = line.removeprefix("// RUN: ") if line.startswith("// RUN: ") else ""
        for _ in substitutions:
            for name, value in substitutions.items():
                command = command.replace(name, value)
        for part in re.split(r"2>|\||&&", command):
            words = [word for word in shlex.split(part) if word != "not"]
            if not words or words[0] != "tile-run" or "%t" in part or "--phase" in part:
                continue
            kept = drop_options([str(file) if word == "%s" else word for word in words[1:]])
            if kept not in found:
                found.append(kept)
    return found


def drop_options(words):
    """Returns the words without the options for device, order and seeds."""
    kept, skips = [], False
    for word in words:
        if skips or re.match(r"--(device|order|seeds)\b", word):
            skips = not skips and "=" not in word
            continue
        kept.append(word)
    return kept


def run(device, words):
    """Returns the verdict, the lines of both sides and the message of a run; "clean" without an error."""
    command = ["tile-run", "--device", device, "--order", ORDERS, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    errors = re.findall(r"^\S+?(?::(\d+):\d+)?: error: (.*)", done.stderr, re.MULTILINE)
    if done.returncode == 0:
        return "clean", [], ""
    if not errors:
        sys.exit(f"status {done.returncode} without an error: {shlex.join(command)}\n{done.stderr}")
    line, message = errors[0]
    sides = re.findall(r"^\S+?:(\d+):\d+: note: the (?:other side|write) is here", done.stderr, re.MULTILINE)
    for verdict, pattern in VERDICTS:
        if re.search(pattern, message):
            return verdict, [int(place) for place in [line, *sides[:1]] if place], message
    sys.exit(f"no verdict for '{message}': {shlex.join(command)}")


def emit_ptx(file, kernel):
    """Returns the PTX of a module without file names."""
    command = ["tilec", file, *([f"--kernel={kernel}"] if kernel else []), "--line-tables", "--emit=ptx", "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    return re.sub(r"^\t\.file.*", "", done.stdout, flags=re.MULTILINE)


def is_compiled(ptx, line):
    return re.search(rf"^\t\.loc\t\d+ {line} ", ptx, re.MULTILINE) is not None


class Case:
    """A kernel, its name in reports, and its launches."""

    def __init__(self, name, sim_file, ptx_file, runs, kernel=None, original=None):
        self.name, self.runs, self.kernel, self.original = name, runs, kernel, original
        self.files = {"sim": sim_file, "ptx": ptx_file}

    def judge(self, device):
        """Returns the first verdict that is not clean."""
        for words in self.runs:
            verdict = run(device, [self.files[device], *words])
            if verdict[0] != "clean":
                break
        return verdict

    def explain(self, sim, ptx):
        """Returns why the two verdicts may differ, or None."""
        if "clean" not in (sim[0], ptx[0]):
            return KINDS.get((sim[0], ptx[0]))
        level, (_, lines, message) = ("sim", sim) if ptx[0] == "clean" else ("ptx", ptx)
        if level == "sim":
            text = emit_ptx(self.files["ptx"], self.kernel)
            if self.original and strip_places(text) == strip_places(emit_ptx(self.original, self.kernel)):
                return "the machine code is that of the kernel itself"
            if text and not all(is_compiled(text, line) for line in lines):
                return "nothing of this line is compiled: nobody uses it"
        for reason in REASONS:
            if reason[0] == level and reason[1] in self.name and reason[2] in message:
                used.add(reason)
                return reason[3]
        return None


def strip_places(ptx):
    """Returns the PTX without the places of the source and the comments, which name the buffers."""
    return re.sub(r"^(\t\.loc|//).*\n", "", ptx, flags=re.MULTILINE)


def extract(file, kernel):
    """Returns the kernel with the type aliases of the file, each at its line."""
    kept, is_inside = [], False
    for line in file.read_text().splitlines():
        is_inside = is_inside or line.startswith(f"sm.kernel @{kernel}(")
        kept.append(line if is_inside or line.startswith(("#", "!")) else "")
        is_inside = is_inside and line != "}"
    return "\n".join(kept) + "\n"


def make_fenced(text, name, scratch):
    """Writes a file of a kernel in the fenced form, which is compiled unchanged: with addresses, but without the
    fences and barriers that a pass would place."""
    file = scratch / f"{name}.mlir"
    if " shared(" in text:
        text = re.sub(r"^(sm\.kernel.*^\})$", r"module {\1}", text, flags=re.MULTILINE | re.DOTALL)
    else:
        file.write_text(text)
        command = ["tile-opt", file, "-sm-allocate-smem", "--mlir-print-debuginfo", "-o", "-"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        text = text.replace("form(expanded)", "form(fenced)")
    file.write_text(text.replace("module {", 'module attributes {tile.phase = "fence"} {', 1))
    return file


def make_written_cases(root, scratch):
    scratch.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        file = SIMULATOR / f"{name}.mlir"
        for words in find_runs(file):
            words = [word for word in words if word != str(file)]
            kernel = words[words.index("--kernel") + 1]
            text = extract(file, kernel)
            compiled = make_fenced(text, f"{file.stem}-{kernel}", scratch) if "form(fenced)" in text else file
            yield Case(f"{file.stem}: {kernel}", file, compiled, [words], kernel)


def make_mutants(root, scratch, each):
    """Yields mutants of the first kernel of each example that has some."""
    for example, entries in example_launches.EXAMPLES.items():
        source = root / "examples" / example / "kernel.tile"
        for number, (kernel, parameters, launches, *more) in enumerate(entries):
            variant = more.pop(0) if more else kernel
            folder = scratch / example / str(number)
            text, runs = mutated_examples.prepare(source, kernel, parameters, launches, folder, more)
            mutants = list(mutation.make_mutants(text, variant))
            if mutants:
                break
        for number in range(each if mutants else 0):
            _, _, what, mutant = mutants[(2 * number + 1) * len(mutants) // (2 * each)]
            ptx_file, sim_file = folder / f"{number}.mlir", folder / f"{number}-sim.mlir"
            ptx_file.write_text(mutant)
            # The mutant must not run further passes.
            sim_file.write_text(re.sub(r'(, )?tile\.phase = "\w+"', "", mutant))
            name = f"{example}, mutant {number}: {what}"
            yield Case(name, sim_file, ptx_file, runs, kernel, folder / "kernel.mlir")


def compare(case):
    sim, ptx = case.judge("sim"), case.judge("ptx")
    reason = "" if sim[0] == ptx[0] else case.explain(sim, ptx)
    return case, sim, ptx, reason


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=5, help="how many mutants of an example")
    parser.add_argument("--show", action="store_true", help="print both verdicts of each kernel")
    options = parser.parse_args()
    cases = [*make_written_cases(options.root, options.scratch), *make_mutants(options.root, options.scratch, options.each)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compare, cases))
    table, lines, is_bad = collections.Counter(), 0, False
    for case, sim, ptx, reason in results:
        if options.show:
            print(f"{case.name}\n  sim {sim}\n  ptx {ptx}\n  {reason}")
        if reason is None:
            is_bad = True
            print(f"{case.name}: DISAGREE\n  the simulator: {sim}\n  the emulator: {ptx}")
        table[sim[0], ptx[0], reason or ""] += 1
        lines += sim[0] == ptx[0] != "clean" and sim[1][:1] == ptx[1][:1]
    print(f"{'simulator':10} {'emulator':10} kernels  why they may differ")
    for (sim, ptx, reason), count in sorted(table.items(), key=lambda row: (row[0][0] != row[0][1], row)):
        print(f"{sim:10} {ptx:10} {count:7}  {reason}".rstrip())
    alike = sum(count for (sim, ptx, _), count in table.items() if sim == ptx)
    defects = sum(count for (sim, ptx, _), count in table.items() if sim == ptx != "clean")
    print(f"{len(cases)} kernels: {alike} with one verdict, {defects} of them a defect, {lines} at one line")
    for reason in set(REASONS) - used:
        is_bad = True
        print(f"the reason for {reason[:3]} is unused")
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
