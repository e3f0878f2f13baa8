"""Takes every synchronisation op of a kernel away or weakens it, one at a time, and looks whether
the simulator reports it.

    mutation.py FILE.mlir [OPTIONS] -- ARGUMENTS OF tile-run [-- OTHER ARGUMENTS …]

FILE holds kernels of the sm dialect with one op on a line; one of them is mutated and must be what
runs, once with each group of arguments. Prints a table, and the mutants that nobody noticed. Those
that change nothing are known from the file of --harmless, whose lines are

    OP | MUTATION | HOW MANY | REASON

The exit status is 1 if there are others, or a run fails without an error that says why. Mutants of
ops that no run executes are counted by themselves.
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


def mutate_line(line):
    """The mutations of a line: pairs of what is done and the lines that replace it."""
    match = re.search(r"\bsm\.((?:mbarrier|turn|mma|cluster|tma)\.\w+|barrier|fence)\b", line)
    if not match:
        return
    op = match.group(1)
    indent = line[: len(line) - len(line.lstrip())]
    has_result = line.lstrip().startswith("%")

    if op in ("mbarrier.wait", "mbarrier.arrive", "mbarrier.expect", "fence", "barrier",
              "turn.start", "turn.take", "turn.pass", "mma.retire") or op.startswith("cluster."):
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
    if op in ("mma.await", "mma.retire"):
        leave = re.search(r" leave (\d+)", line)
        if leave:
            yield "leave +1", line.replace(leave.group(0), f" leave {int(leave.group(1)) + 1}")
        elif has_result:
            yield "leave +1", re.sub(r"(sm\.mma\.await %[\w#]+)", r"\1 leave 1", line)


def make_mutants(text, kernel):
    lines = text.splitlines(keepends=True)
    current = None
    for number, line in enumerate(lines):
        if name := re.search(r"sm\.kernel @(\w+)", line):
            current = name.group(1)
            kernel = kernel or current
        if line.lstrip().startswith("//") or current != kernel:
            continue
        code = line.split("//")[0].rstrip() + "\n"
        for what, replacement in mutate_line(code):
            mutant = "".join(lines[:number] + [replacement] + lines[number + 1:])
            yield number + 1, code.strip(), what, mutant


def simulate(text, arguments):
    """Runs a kernel; None if all is right, else what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mutant.mlir")
        file.write_text(text)
        try:
            done = subprocess.run(["tile-run", "--device=sim", file, *arguments],
                                  capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "HANGS"
    errors = re.findall(r"error: (.*)", done.stderr)
    if done.returncode not in (0, 1) or (done.returncode and not errors):
        return f"CRASHES with status {done.returncode}: {done.stderr[:200]}"
    return errors[0] if errors else None


def find_defect(text, options):
    """The first order in which the simulator has an error, and the error; None if it has none."""
    for order in ("--order=program", "--order=late", "--order=early", "--order=random"):
        for arguments in options.runs:
            if error := simulate(text, [order, *arguments]):
                return order, error
    return None


def trace_lines(text, options):
    """The lines that hold an op which some run executes."""
    lines = set()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        for arguments in options.runs:
            simulate(text, [f"--trace={trace}", *arguments])
            for event in json.loads(trace.read_text())["traceEvents"]:
                if place := event["args"].get("place"):
                    lines.add(int(place.split(":")[-2]))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--harmless", help="a file that knows which mutants change nothing")
    parser.add_argument("--variant", help="the kernel of the file to mutate (default: the first)")
    parser.add_argument("--show", action="store_true", help="print what each mutant is reported as")
    words = [list(group) for is_end, group in itertools.groupby(sys.argv[1:], lambda word: word == "--")
             if not is_end]
    options = parser.parse_args(words[0])
    options.runs = words[1:] or [[]]
    # What passes would make of a mutant is another matter.
    text = re.sub(r'tile\.phase = "\w+"', "", pathlib.Path(options.file).read_text())
    harmless = {}
    if options.harmless:
        for line in pathlib.Path(options.harmless).read_text().splitlines():
            op, what, count, reason = (field.strip() for field in line.split("|"))
            harmless[op, what] = [int(count), reason]
    if error := find_defect(text, options):
        sys.exit(f"{options.file}: the kernel itself is wrong: {error}")

    executed = trace_lines(text, options)
    mutants = list(make_mutants(text, options.variant))
    reached = [mutant for mutant in mutants if mutant[0] in executed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda mutant: find_defect(mutant[-1], options), reached))

    table = collections.defaultdict(lambda: [0, 0])
    is_bad = False
    for (number, code, what, _), result in zip(reached, results):
        op = re.search(r"sm\.[\w.]+", code).group(0)
        for row in (table[op, what], table["all", ""]):
            row[0] += 1
            row[1] += result is not None
        is_broken = result is not None and result[1].startswith(("HANGS", "CRASHES"))
        known = harmless.get((op, what), [0, ""])
        if result is None:
            known[0] -= 1
            print(f"line {number}: {what}: {'harmless: ' + known[1] if known[0] >= 0 else 'SURVIVES'}: "
                  f"{code}")
            is_bad |= known[0] < 0
        is_bad |= is_broken
        if result is not None and (is_broken or options.show):
            print(f"line {number}: {what}: {result[0]}: {result[1]}")
    print(f"{'op':24} {'mutation':16} mutants reported")
    for (op, what), (count, found) in sorted(table.items(), key=lambda item: item[0][0] == "all"):
        print(f"{op:24} {what:16} {count:7} {found:8}")
    print(f"{len(mutants) - len(reached)} mutants of ops that no run executes")
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
