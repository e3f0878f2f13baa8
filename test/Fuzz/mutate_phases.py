#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates the text of phases, and passes it to the compiler and to the simulator.

    mutate_phases.py --seed N --count K [--jobs J] [--findings FOLDER]

File i depends only on N + i: a phase of an example or of a random program, with up to four mutations of numbers,
words, types, operands or lines. The file is compiled to PTX and simulated. Wrong input must be rejected, and
accepted input must terminate. A crash, or no result after 20 s of processor time, is a finding; the exit status is
then 1. The file of a finding is kept in the folder with the command.
"""

import argparse
import collections
import concurrent.futures
import functools
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from trees import analysis, programs, random_programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = ["0", "1", "2", "3", "4", "5", "7", "8", "16", "31", "32", "33", "63", "64", "100", "127", "128", "255",
           "256", "1024", "65536", "1048576", "16777216", "2147483647", "2147483648", "4294967295", "4294967296",
           "9223372036854775807", "18446744073709551616", "-1", "-2", "-8", "-2147483648", "-9223372036854775808"]
TYPES = ["f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i1", "i8", "i32", "i64", "index", "i128", "f64"]
SIZES = [1, 8, 16, 33, 64]
# The largest number of elements of a tensor.
MOST_ELEMENTS = 1 << 20
# The address space of a process.
MEMORY = 6 << 30


def replace_match(random, text, pattern, choose):
    """Returns `text` with one match of `pattern` replaced."""
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = random.choice(matches)
    return text[:match.start()] + choose(match.group()) + text[match.end():]


def change_number(random, text):
    def other(word):
        value = int(word)
        return random.choice([random.choice(NUMBERS), str(value + 1), str(value - 1), str(value * 2), str(value // 2)])

    return replace_match(random, text, r"(?<![\w.#%@])-?\d{1,18}(?![\w.])", other)


def change_extent(random, text):
    """Changes a number in a type or in a layout."""
    return replace_match(random, text, r"(?<=[<x\[*(,])\d+(?=[x*,)>\]])", lambda word: random.choice(NUMBERS[:20]))


def change_everywhere(random, text):
    """Changes a number in all types, layouts and constants, so that they still agree."""
    numbers = re.findall(r"(?<=[<x])\d+(?=[x ])", text)
    if not numbers:
        return text
    old, new = random.choice(numbers), random.choice(NUMBERS[1:20])
    return re.sub(rf"(?<=[<x]){old}(?=[x ])|(?<=constant ){old}(?= : index)|(?<=constant ){old}(?= : i32)", new, text)


def change_constant(random, text):
    return replace_match(random, text, r"(?<=constant )-?\d+(?= :)", lambda word: random.choice(NUMBERS))


def change_attribute(random, text):
    """Changes a number in an attribute of one of our ops."""
    return replace_match(random, text,
                         r"(?<=[a-z]\()\d+(?=[,)])|(?<=[a-z] = )\d+|(?<=[a-z] )\d+(?= [a-z:{])|"
                         r"(?<= at )\d+|(?<=<)\d+(?= x )",
                         lambda word: random.choice(NUMBERS[:24]))


def change_type(random, text):
    return replace_match(random, text, r"\b(f32|f16|bf16|f8E4M3FN|f8E5M2|i1|i8|i32|i64|index)\b",
                         lambda word: random.choice(TYPES))


def change_operand(random, text):
    names = re.findall(r"%[\w#]+", text) or ["%0"]
    return replace_match(random, text, r"%[\w#]+", lambda word: random.choice(names))


def change_word(random, text):
    words = re.findall(r"\b[a-z_][\w.]{2,}\b", text) or ["none"]
    return replace_match(random, text, r"\b[a-z_][\w.]{2,}\b", lambda word: random.choice(words))


def drop_part(random, text):
    """Removes an attribute, a list, or a word."""
    return replace_match(random, text, r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|\b[a-z_.]{3,}\b", lambda word: "")


def change_lines(random, text):
    lines = text.splitlines(keepends=True)
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        del lines[first]
    elif kind == 1:
        lines.insert(second, lines[first])
    elif kind == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines[first:first + 1 + random.randrange(6)] = []
    return "".join(lines)


def change_byte(random, text):
    place = random.randrange(len(text))
    return text[:place] + random.choice("<>[](){}%@#!:,-=*\"x0 \n") + text[place + random.randrange(2):]


CHANGES = [change_number, change_number, change_constant, change_constant, change_attribute, change_attribute,
           change_attribute, change_everywhere, change_everywhere, change_extent, change_type, change_operand,
           change_word, drop_part, change_lines, change_lines, change_byte]


@functools.cache
def save_phases(tilec, number):
    """Returns the texts of all phases of a program: of an example, or of a random program."""
    choice = random.Random(f"program {number}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if choice.random() < 0.5:
            source = choice.choice(sorted(ROOT.glob("examples/*/kernel.tile")))
        else:
            source = folder / "kernel.tile"
            program = random_programs.random_program(choice.randrange(1 << 20))
            source.write_text(programs.write(program, analysis.Analysis(program).texts))
        subprocess.run([tilec, source, f"--save-phases={folder}/phases", "--emit=ptx", "-o", "/dev/null"],
                       capture_output=True)
        return [path.read_text() for path in sorted(folder.glob("phases/*.mlir"))]


def make_arguments(choice, text):
    """Returns the name of a kernel, and arguments for its signature."""
    kernels = [match for match in re.findall(r"kernel @(\w+)\((.*?)\) grid", text) if not match[0].endswith("_plain")]
    if not kernels:
        return []
    name, parameters = choice.choice(kernels)
    words = ["--kernel", name]
    sizes = collections.defaultdict(lambda: choice.choice(SIZES))
    for scalar, element in re.findall(r"%(\w+): (index|i\d+|f\d+|bf16)", parameters):
        value = choice.choice([1, 2, 5, 64]) if element[0] == "i" else 0.5
        words += ["--arg", f"{scalar}={'true' if element == 'i1' else value}"]
        sizes[scalar] = value
    for tensor, dims, element, access in re.findall(r"%(\w+): !tile\.global<\[(.*?)\] x (\w+)(, \w+)?>", parameters):
        extents = []
        for dim in dims.split(","):
            try:
                extents.append(eval(dim, {"__builtins__": {}}, sizes))
            except (SyntaxError, TypeError, ZeroDivisionError):
                extents.append(8)
        if math.prod(extents) > MOST_ELEMENTS:
            return []
        shape = ", ".join(str(extent) for extent in extents)
        if access == ", out":
            words += ["--arg", f"{tensor}=({shape})"]
        else:
            words += ["--arg", f"{tensor}=" + (f"randint(0, 5, {shape})" if element[0] == "i" else f"randn({shape})")]
    return words


def judge(command, seconds):
    """Returns the finding of a command, if any, and its output.

    The limit is processor time, so that a busy machine has no additional findings."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    hang = f"hang: no result after {seconds} s"
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds * 10, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return hang, ""
    if done.returncode == -signal.SIGXCPU:
        return hang, ""
    output = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2) or "Stack dump" in output:
        lines = [line for line in output.splitlines() if re.search("Assertion|LLVM ERROR|ERROR:|runtime error", line)]
        frame = re.search(r"(tessera::[\w:]+|mlir::[\w:]+)\(", output)
        return f"crash: exit status {done.returncode}: {(lines or [frame.group(1) if frame else ''])[0]}", output
    return "", output


def run(options, number):
    """Returns the findings of file `number`, and whether it was accepted."""
    choice = random.Random(f"mutation {number}")
    # Several mutations use the phases of one program.
    phases = save_phases(options.tilec, number // 8)
    if not phases:
        return [], False
    text = choice.choice(phases)
    words = make_arguments(choice, text)
    for _ in range(choice.choice([1, 1, 1, 2, 4])):
        text = choice.choice(CHANGES)(choice, text) or text
    findings, accepted = [], False
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / f"{number}.mlir"
        source.write_text(text)
        commands = [[options.tilec, str(source), "--emit=ptx", "-o", os.devnull]]
        if words:
            commands.append([options.tile_run, str(source), "--device=sim", "--step-limit=300000", *words])
        for command in commands:
            wrong, output = judge(command, options.timeout)
            accepted |= not wrong and "error" not in output
            if wrong:
                options.findings.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, options.findings)
                kept = shlex.join(word.replace(str(source), source.name) for word in command)
                (options.findings / f"{number}.txt").write_text(f"{kept}\n{wrong}\n{output[:8000]}")
                findings.append(f"file {number}: {pathlib.Path(command[0]).name}: {wrong}")
    return findings, accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=20, help="seconds of the processor that one command may take")
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("findings"))
    parser.add_argument("--tile-run", default=shutil.which("tile-run"))
    parser.add_argument("--tilec", default=shutil.which("tilec"))
    options = parser.parse_args()
    total, accepted = 0, 0
    numbers = range(options.seed, options.seed + options.count)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for findings, is_accepted in pool.map(lambda number: run(options, number), numbers):
            total += len(findings)
            accepted += is_accepted
            for finding in findings:
                print(finding, flush=True)
    print(f"{options.count} files, {accepted} accepted, {total} found")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
