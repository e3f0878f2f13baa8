"""Removes or weakens every synchronisation op of a kernel, one at a time, and checks that the simulator reports it.

    mutation.py FILE.mlir [OPTIONS] -- ARGUMENTS OF tile-run [-- OTHER ARGUMENTS …]

FILE has kernels of the sm dialect with one op per line. One kernel is mutated and must be the one that runs, once with
each group of arguments. Prints a table, and the mutants that survive. Harmless mutants are known from the file of
--harmless, with lines of this form:

    OP | MUTATION | HOW MANY | REASON

The exit status is 1 if other mutants survive, or if a run fails without an error message. Mutants of ops that no run
executes are counted separately.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def shorten_array(lines, number):
    """Returns the lines with one element less in the array of slots or barriers that a line makes.

    Users of the array are unchanged. Returns None if the line makes no array."""
    match = re.search(r"(%\w+) = sm\.(?:slots|mbarrier|words)\.alloc .*!sm\.(slots|mbarrier|words)<(\d+)", lines[number])
    if not match or match.group(3) == "1":
        return None
    name, kind, count = match.groups()
    uses = re.compile(re.escape(name) + r"(?:\[| = )")
    return [forget(line.replace(f"!sm.{kind}<{count}", f"!sm.{kind}<{int(count) - 1}") if uses.search(line) else line)
            for line in lines]


def forget(line):
    """Returns the line without the facts that verifiers know about slots: rings, and distances."""
    line = re.sub(r" ring\(\d+\)( full| empty)?", "", line)
    return re.sub(r"%(\w+) = sm\.slot_after (%[\w#]+) by (\d+) of (\d+)",
                  r"%by.\1 = arith.constant \3 : i32 %of.\1 = arith.constant \4 : i32 "
                  r"%sum.\1 = arith.addi \2, %by.\1 : i32 %\1 = arith.remui %sum.\1, %of.\1 : i32", line)


def mutate_line(line, warps):
    """Yields the mutations of a line of a role with `warps` warps: a description and the replacement lines."""
    # The index of the next slot of a ring wraps around after the last one.
    if wrap := re.search(r"arith\.cmpi eq, %[\w#]+, (%c(\d+)_i32) : i32", line):
        indent = line[: len(line) - len(line.lstrip())]
        yield "early", (f"{indent}%mutant.count = arith.constant {int(wrap.group(2)) - 1} : i32\n"
                        + line.replace(wrap.group(1), "%mutant.count"))
    match = re.search(r"\bsm\.((?:mbarrier|pingpong|mma|cluster|tma|fetch|words)\.\w+|barrier|fence|next_program)\b", line)
    if not match:
        return
    op = match.group(1)
    indent = line[: len(line) - len(line.lstrip())]
    has_result = line.lstrip().startswith("%")

    if op in ("mbarrier.wait", "mbarrier.arrive", "mbarrier.expect", "fence", "barrier",
              "pingpong.start", "pingpong.wait", "pingpong.pass", "mma.retire", "fetch.await", "words.store") or op.startswith("cluster."):
        yield "delete", ""
    if op == "mbarrier.wait":
        parity = re.search(r"parity (%[\w#]+)", line).group(1)
        yield "flip parity", (f"{indent}%mutant.one = arith.constant 1 : i32\n"
                              f"{indent}%mutant.parity = arith.xori {parity}, %mutant.one : i32\n"
                              + line.replace(f"parity {parity}", "parity %mutant.parity"))
    if op == "mbarrier.arrive":
        yield "twice", line + line
        if " cluster " in line:
            yield "not to others", line.replace(" cluster ", " ")
        if " warps " in line and warps > 1:
            yield "not by each warp", line.replace(" warps ", " ")
    if op == "tma.load" and " multicast " in line:
        yield "not to others", line.replace(" multicast ", " ")
    if op == "mbarrier.expect":
        bytes = int(re.search(r"bytes (\d+)", line).group(1))
        for change in (16, -16):
            yield f"bytes {change:+}", re.sub(r"bytes \d+", f"bytes {bytes + change}", line)
    if op == "mbarrier.alloc":
        arrivals = int(re.search(r"arrivals\((\d+)\)", line).group(1))
        for change in (1, -1):
            if arrivals + change > 0:
                yield (f"arrivals {change:+}",
                       re.sub(r"arrivals\(\d+\)", f"arrivals({arrivals + change})", line))
    if op == "next_program":
        yield "twice", re.sub(r"%[\w#]+ = ", "%mutant.number = ", line) + line
    if op in ("mma.await", "mma.retire", "fetch.await"):
        leave = re.search(r" leave (\d+)", line)
        if leave:
            yield "leave +1", line.replace(leave.group(0), f" leave {int(leave.group(1)) + 1}")
        elif has_result:
            yield "leave +1", re.sub(r"(sm\.mma\.await %[\w#]+)", r"\1 leave 1", line)


def make_mutants(text, kernel):
    """Yields the mutants of a kernel: the line of the op that must be executed, a description of the change, and the
    text."""
    lines = text.splitlines(keepends=True)
    current, warps = None, 0
    for number, line in enumerate(lines):
        if name := re.search(r"sm\.kernel @(\w+)", line):
            current = name.group(1)
            kernel = kernel or current
        if count := re.search(r"\b(?:sm\.kernel @|sm\.role ).*\bwarps\((\d+)\)", line):
            warps = int(count.group(1))
        if line.lstrip().startswith("//") or current != kernel:
            continue
        code = line.split("//")[0].rstrip() + "\n"
        if shorter := shorten_array(lines, number):
            yield None, code.strip(), "one slot fewer", "".join(shorter)
        if re.search(r"\bsm\.\w", code):
            last_op = number + 1
        for what, replacement in mutate_line(code, warps):
            mutant = "".join(lines[:number] + [replacement] + lines[number + 1:])
            yield last_op, code.strip(), what, mutant


def simulate(text, arguments):
    """Runs a kernel; returns None if it is correct, else the wrong interleaving and its error."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mutant.mlir")
        file.write_text(text)
        try:
            done = subprocess.run(["tile-run", "--device=sim", file, *arguments],
                                  capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "", "HANGS"
    errors = re.findall(r"error: (.*)", done.stderr)
    order = re.search(r"repeat this run with (--order .*)", done.stderr)
    if done.returncode not in (0, 1) or (done.returncode and not errors):
        return "", f"CRASHES with status {done.returncode}: {done.stderr[:200]}"
    return (order[1] if order else "", errors[0]) if errors else None


def find_defect(text, runs):
    """Returns the interleaving and the error of the first wrong run; None if all are correct."""
    for arguments in runs:
        if defect := simulate(text, ["--order=program,late,early,random", *arguments]):
            return defect
    return None


def trace_lines(text, runs):
    """Returns the lines with an op that some run executes."""
    lines = set()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        for arguments in runs:
            simulate(text, [f"--trace={trace}", *arguments])
            for event in json.loads(trace.read_text())["traceEvents"]:
                if place := event["args"].get("place"):
                    lines.add(int(place.split(":")[-2]))
    return lines


class Harmless:
    """Known harmless mutants: the lines of a file, if there is one."""

    def __init__(self, file):
        self.entries = {}
        if file and file.exists():
            for line in file.read_text().splitlines():
                op, what, count, reason = (field.strip() for field in line.split("|"))
                self.entries[op, what] = [int(count), reason]

    def take(self, op, what):
        """Returns why one more mutant of this kind may survive, or None."""
        entry = self.entries.get((op, what), [0, None])
        entry[0] -= 1
        return entry[1] if entry[0] >= 0 else None

    def find_unused(self):
        return [key for key, (count, _) in self.entries.items() if count > 0]


class Table:
    """Counts the mutants of each kind, and the reported ones."""

    def __init__(self):
        self.rows = collections.defaultdict(lambda: [0, 0])
        self.unreached = 0

    def count(self, kind, is_reported, number=1):
        self.rows[kind][0] += number
        self.rows[kind][1] += is_reported

    def add(self, other):
        self.unreached += other.unreached
        for kind, (mutants, reported) in other.rows.items():
            self.count(kind, reported, mutants)

    mutants = property(lambda self: sum(row[0] for row in self.rows.values()))
    reported = property(lambda self: sum(row[1] for row in self.rows.values()))

    def print(self):
        print(f"{'op':24} {'mutation':16} mutants reported")
        for (op, what), (mutants, reported) in self.rows.items():
            print(f"{op:24} {what:16} {mutants:7} {reported:8}")
        print(f"{'all':24} {'':16} {self.mutants:7} {self.reported:8}")
        print(f"{self.unreached} mutants of ops that no run executes")


def mutate(text, runs, kernel, harmless, show=False):
    """Mutates a kernel (the first of the module if it has no name), launched with each of the arguments.

    Prints the survivors. Returns the table, and whether there is a problem."""
    # The mutant must not run further passes.
    text = re.sub(r'(, )?tile\.phase = "\w+"', "", text)
    if defect := find_defect(text, runs):
        sys.exit(f"the kernel itself is wrong: {defect}")
    executed = trace_lines(text, runs)
    mutants = list(make_mutants(text, kernel))
    reached = [mutant for mutant in mutants if mutant[0] is None or mutant[0] in executed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda mutant: find_defect(mutant[-1], runs), reached))
    table = Table()
    table.unreached = len(mutants) - len(reached)
    for mutant in mutants if show else []:
        if mutant not in reached:
            print(f"{mutant[2]}: not executed: line {mutant[0]}: {mutant[1]}")
    is_bad = False
    for (_, code, what, _), result in zip(reached, results):
        op = "end of a ring" if what == "early" else re.search(r"sm\.[\w.]+", code).group(0)
        table.count((op, what), result is not None)
        if result is None:
            reason = harmless.take(op, what)
            print(f"{what}: {'harmless: ' + reason if reason else 'SURVIVES'}: {code}")
            is_bad |= reason is None
            continue
        is_broken = result[1].startswith(("HANGS", "CRASHES"))
        is_bad |= is_broken
        if is_broken or show:
            print(f"{what}: {code}: {result[0]}: {result[1]}")
    return table, is_bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--harmless", type=pathlib.Path, help="a file that knows which mutants change nothing")
    parser.add_argument("--variant", help="the kernel of the file to mutate (default: the first)")
    parser.add_argument("--show", action="store_true", help="print what each mutant is reported as")
    words = [list(group) for is_end, group in itertools.groupby(sys.argv[1:], lambda word: word == "--")
             if not is_end]
    options = parser.parse_args(words[0])
    harmless = Harmless(options.harmless)
    table, is_bad = mutate(options.file.read_text(), words[1:] or [[]], options.variant, harmless, options.show)
    table.print()
    return 1 if is_bad or harmless.find_unused() else 0


if __name__ == "__main__":
    sys.exit(main())
