"""Executes the kernels of the lowering tests, and checks that each lowering pattern is executed.

    patterns.py ROOT SCRATCH [NAME…] [--show]

The kernels of test/Conversion/SMToNVVM, and those of Inputs/patterns.mlir, are compiled as in their RUN lines and
executed as PTX, in four orders. The expected results are those of the simulator for the kernel as written. The
signature of a kernel determines its launch: 72 for sizes, random numbers for tensors. Comments of the test override
that:

    // EXECUTE: KERNEL NAME=SPEC …

A comment may also give the reason why a kernel is not executed:

    // EXECUTE: KERNEL not, since …

Fails if simulator and PTX disagree. Also fails if no executed kernel has code of the op of a pattern in
lib/Conversion/SMToNVVM. Unused results are not compiled, so lines are looked up in the PTX.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np

ORDERS = ("program", "late,early,random")
LOWERING = pathlib.Path("lib/Conversion/SMToNVVM")
TESTS = pathlib.Path("test/Conversion/SMToNVVM")
SIZE = 72
# Ops without code of their own: an address, a range of memory, or a name for registers.
SILENT = {"broadcast", "expand_dims", "scratch", "slots.alloc", "tensor::ExtractOp", "tensor::SplatOp", "transpose",
          "words.alloc"}


class Kernel:
    """A kernel of a test: its lines, its parameters, and the launch comments of the test."""

    def __init__(self, file, name, first, lines, parameters, given):
        self.file, self.name, self.first, self.lines = file, name, first, lines
        self.parameters, self.given = parameters, given

    def make_arguments(self):
        """Returns words for the launch, and the names of the written tensors."""
        words, written, sizes = ["--seed", "11"], [], dict(self.given)
        for name, type in self.parameters:
            tensor = re.match(r"!tile\.global<\[(.*?)\] x (\w+)(?:, (\w+))?>", type)
            spec = self.given.get(name)
            if not tensor:
                words += ["--arg", f"{name}={spec or make_scalar(type)}"]
                continue
            dims, element, access = tensor.groups()
            shape = ", ".join(str(evaluate(dim, sizes)) for dim in dims.split(",") if dim.strip())
            if access:
                written.append(name)
            words += ["--arg", f"{name}={spec or make_tensor(shape, element, access)}"]
        known = {name for name, _ in self.parameters} | {symbol for _, type in self.parameters
                                                         for symbol in re.findall(r"\b[A-Z]\w*\b", type)}
        for name, value in self.given.items():
            if name not in known:
                words += ["--arg", f"{name}={value}"]
        return words, written


def make_scalar(type):
    return "1" if type == "i1" else "0" if type.startswith("i") else "1.5"


def make_tensor(shape, element, access):
    if access == "out":
        return f"({shape})"
    if element == "i1":
        return f"randint(0, 2, {shape})"
    return f"randint(-50, 50, {shape})" if element.startswith("i") else f"randn({shape})"


def evaluate(dim, sizes):
    """Returns the value of an extent such as `M + 1`."""
    return eval(re.sub(r"[A-Z]\w*", lambda symbol: str(sizes.get(symbol.group(0), SIZE)), dim))


def find_kernels(file):
    text = file.read_text()
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", text, re.MULTILINE))
    given = {}
    for line in re.findall(r"^// EXECUTE: (.*)$", text, re.MULTILINE):
        name, *words = shlex.split(line)
        given[name] = None if words[0] == "not," else dict(word.split("=", 1) for word in words)
    lines = text.splitlines()
    for number, line in enumerate(lines):
        start = re.match(r'sm\.kernel @("[^"]*"|\w+)\(', line)
        if not start:
            continue
        end = next(place for place in range(number, len(lines)) if lines[place] == "}")
        signature = " ".join(lines[number:end]).split(" grid(")[0]
        parameters = re.findall(r"%(\w+): (!tile\.global<.*?>|[\w!]+)(?=[,)])", signature)
        parameters = [(parameter, aliases.get(type, type)) for parameter, type in parameters]
        name = start.group(1).strip('"')
        yield Kernel(file, name, number + 1, lines[number:end], parameters, given.get(name, {}))


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def require(*command):
    status, output, errors = run(*command)
    if status:
        raise ValueError(f"status {status}: {shlex.join(map(str, command))}\n{output}{errors}")
    return output


def prepare(file, scratch):
    """Writes the file as its RUN line leaves it before the lowering, with the lines of the test."""
    places = re.search(r"// RUN: .*sm-place-fences", file.read_text())
    passes = ["-sm-allocate-smem", "-sm-place-fences"] if places else []
    prepared = scratch / file.name
    text = require("tile-opt", file, *passes, "--mlir-print-debuginfo")
    prepared.write_text(text)
    phase = scratch / f"{file.stem}-phase.mlir"
    phase.write_text(re.sub(r"^module {", 'module attributes {tile.phase = "fence"} {', text, flags=re.MULTILINE))
    return prepared, phase


def compute(file, device, order, kernel, words, written, scratch):
    """Returns the arrays that a kernel writes; unwritten elements have the same numbers on all devices."""
    files = {name: scratch / f"{kernel.file.stem}-{kernel.name}-{name}-{device}.npy" for name in written}
    saves = [word for name, place in files.items() for word in ("--save", f"{name}={place}")]
    require("tile-run", file, "--device", device, "--order", order, f"--kernel={kernel.name}", *words, *saves)
    return {name: np.load(place) for name, place in files.items()}


def execute(kernel, prepared, scratch):
    """Returns the lines of the kernel that are compiled; both levels must compute the same."""
    words, written = kernel.make_arguments()
    simulated, compiled = prepared
    expected = compute(simulated, "sim", "program", kernel, words, written, scratch)
    for order in ORDERS:
        results = compute(compiled, "ptx", order, kernel, words, written, scratch)
        for name in written:
            if not np.allclose(results[name], expected[name], rtol=1e-3, atol=1e-4, equal_nan=True):
                raise ValueError(f"'{name}' differs in order {order}:\n{results[name]}\nexpected\n{expected[name]}")
    ptx = require("tilec", compiled, f"--kernel={kernel.name}", "--line-tables", "--emit=ptx", "-o", "-")
    return {int(line) for line in re.findall(r"^\t\.loc\t\d+ (\d+) ", ptx, re.MULTILINE)}


def find_ops(root):
    """Returns the ops of the patterns: sm ops by their mnemonics, others by their names in C++."""
    mnemonics = {}
    for file in (root / "dialects" / "SM" / "IR").glob("*.td"):
        mnemonics |= dict(re.findall(r'def SM_(\w+Op) : SM_\w+<"([\w.]+)"', file.read_text()))
    classes = set()
    for file in (root / LOWERING).rglob("*.cpp"):
        text = file.read_text()
        classes |= set(re.findall(r"(?:Kernel|OpConversion|Product|Exchange)Pattern<([\w:]+Op)\b", text))
        for registered in re.findall(r"patterns\s*\.add<(.*?)>\s*\(", text, re.DOTALL):
            classes |= set(re.findall(r"<([\w:]+Op)\b", registered))
    return sorted(mnemonics.get(name, name) for name in classes)


def spell(op):
    """Returns the name of an op of a pattern in the text of a kernel."""
    if "::" in op:
        dialect, name = op.removesuffix("Op").split("::")
        return f"{dialect}.{name.lower()}"
    return f"sm.{op}"


def count_code(op, kernels):
    """Counts the executed kernels with code of an op."""
    pattern = re.compile(rf"\b{re.escape(spell(op))}(?![\w.])")
    count = 0
    for kernel, compiled in kernels:
        lines = [kernel.first + place for place, line in enumerate(kernel.lines) if pattern.search(line)]
        count += any(op in SILENT or line in compiled for line in lines)
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="print each kernel and how it went")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    files = [file for file in sorted((options.root / TESTS).glob("*.mlir")) if "invalid" not in file.name]
    files.append(pathlib.Path(__file__).parent / "Inputs" / "patterns.mlir")
    kernels = [kernel for file in files for kernel in find_kernels(file)
               if not options.names or kernel.name in options.names]
    prepared = {file: prepare(file, options.scratch) for file in files}
    executed, left_out, is_bad = [], 0, False

    def attempt(kernel):
        try:
            return execute(kernel, prepared[kernel.file], options.scratch)
        except ValueError as error:
            return error

    wanted = [kernel for kernel in kernels if kernel.given is not None]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kernel, result in zip(wanted, pool.map(attempt, wanted)):
            if isinstance(result, ValueError):
                is_bad = True
                print(f"{kernel.file.name}: {kernel.name}: {result}")
                continue
            executed.append((kernel, result))
            if options.show:
                print(f"{kernel.file.name}: {kernel.name}: right")
    ops = find_ops(options.root)
    for op in ops:
        count = count_code(op, executed)
        is_bad |= not count
        print(f"{spell(op):24} {count or 'IN NO EXECUTED KERNEL'}")
    print(f"{len(executed)} of {len(kernels)} kernels executed, {len(ops)} ops with patterns")
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
