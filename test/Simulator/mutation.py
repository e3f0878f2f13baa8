"""Takes every synchronisation op of a kernel away or weakens it, one at a time, and looks whether
the simulator reports it.

    mutation.py FILE.mlir [--seeds N] [--show] -- ARGUMENTS OF tile-run

FILE holds kernels of the sm dialect with one op on a line, of which the first one runs. Prints a table, and the mutants that
nobody noticed; the ones that change nothing carry a comment `harmless: <mutation>: <reason>` on
their line or the one above. The exit status is 1 if there are others, or a run fails without an
error that says why.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile


def mutate_line(line):
    """The mutations of a line: pairs of what is done and the lines that replace it."""
    match = re.search(r"\bsm\.((?:mbarrier|turn|mma|cluster)\.\w+|barrier|fence)\b", line)
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


def make_mutants(text):
    lines = text.splitlines(keepends=True)
    kernels = 0
    for number, line in enumerate(lines):
        kernels += "sm.kernel @" in line
        if line.lstrip().startswith("//") or kernels > 1:
            continue
        code = line.split("//")[0].rstrip() + "\n"
        for what, replacement in mutate_line(code):
            comments = line + (lines[number - 1] if number else "")
            reason = re.search(rf"harmless: {re.escape(what)}: (.*)", comments)
            mutant = "".join(lines[:number] + [replacement] + lines[number + 1:])
            yield number + 1, code.strip(), what, reason and reason.group(1), mutant


def run(text, options):
    """The first order in which the simulator has an error, and the error; None if it has none."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write(text)
    try:
        for order in (["--order=program"], ["--order=late"], ["--order=early"],
                      [f"--seeds={options.seeds}"]):
            command = ["tile-run", "--device=sim", file.name, *order, *options.arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                return order[0], "HANGS"
            errors = re.findall(r"error: (.*)", done.stderr)
            if done.returncode not in (0, 1) or (done.returncode and not errors):
                return order[0], f"CRASHES with status {done.returncode}: {done.stderr[:200]}"
            if errors:
                return order[0], errors[0]
    finally:
        os.unlink(file.name)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print what each mutant is reported as")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    options.arguments = sys.argv[split + 1:]
    text = open(options.file).read()
    if (error := run(text, options)):
        sys.exit(f"{options.file}: the kernel itself is wrong: {error}")

    mutants = list(make_mutants(text))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda mutant: run(mutant[-1], options), mutants))

    table = {}
    bad = False
    for (number, code, what, reason, _), result in zip(mutants, results):
        op = re.search(r"sm\.[\w.]+", code).group(0)
        row = table.setdefault((op, what), [0, 0])
        row[0] += 1
        row[1] += result is not None
        broken = result and result[1].startswith(("HANGS", "CRASHES"))
        unexpected = result is None and not reason
        bad |= bool(broken or unexpected)
        if result is None:
            print(f"line {number}: {what}: survives"
                  f"{', harmless: ' + reason if reason else ''}: {code}")
        elif broken or options.show:
            print(f"line {number}: {what}: {result[0]}: {result[1]}")
    print(f"{'op':24} {'mutation':16} mutants reported")
    for (op, what), (count, found) in sorted(table.items()):
        print(f"{op:24} {what:16} {count:7} {found:8}")
    count = sum(row[0] for row in table.values())
    found = sum(row[1] for row in table.values())
    print(f"{'all':24} {'':16} {count:7} {found:8} {100 * found / max(count, 1):.1f} %")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
