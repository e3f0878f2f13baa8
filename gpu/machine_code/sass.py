#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the instructions of the main loops of a package (.tpk) or of machine code (.cubin).

A main loop is an innermost loop with matrix products. Its instructions are counted in classes, and --at-most CLASS=N
and --exactly CLASS=N turn counts into conditions for tests. Spills (class `local`) and moves between the register
files (`cross`) in such a loop cost more than any arithmetic. CLASS may also be the beginning of an opcode (HGMMA,
MUFU.EX2) or a sum (cross+integer). Code of a waiting loop after the kernel's end, which runs if a wait has to be
repeated, is not counted.

Needs nvdisasm: $TESSERA_NVDISASM, PATH, /usr/local/cuda*/bin, or the Python package nvidia-cuda-nvdisasm in this
Python, in $VIRTUAL_ENV or in build/python.
"""

import argparse
import collections
import glob
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The first row that matches the opcode names its class.
CLASSES = (
    ("tensor", r"HGMMA|IGMMA|QGMMA|WARPGROUP"),
    ("local", r"LDL|STL"),
    ("barrier", r"SYNCS|BAR|WARPSYNC|DEPBAR|FENCE|MEMBAR|ELECT|VOTE"),
    ("control", r"BRA|BRX|BSSY|BSYNC|BREAK|EXIT|NOP|CALL|RET"),
    ("cross", r"R2UR|S2UR|S2R|CS2R"),
    ("copy", r"UTMA|UBLKCP|LDGSTS|LDGDEPBAR"),
    ("memory", r"LD|ST|ATOM|RED"),
    ("constant", r"ULDC"),
    ("uniform", r"U"),
    ("move", r"MOV|IMAD\.MOV"),
    ("shuffle", r"SHFL|MOVM"),
    ("function", r"MUFU"),
    ("float", r"F"),
    ("convert", r"F2FP|I2F"),
    ("integer", r""),
)
ORDER = dict.fromkeys(["tensor", "barrier", "control", "uniform"] + [name for name, _ in CLASSES])

LABEL = re.compile(r"^([\w.$]+):")
LINE = re.compile(r'^\s*//## File "(.*?)", line (\d+)')
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
# The upper half of the encoding of the instruction in the line before.
UPPER_HALF = re.compile(r"^\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
TARGET = re.compile(r"`\(([^)]*)\)")

# The place in the source is known if the kernel was compiled with --line-tables. The control bits are, from the lowest:
# stall (4 bits), yield (1), scoreboard of the result (3), scoreboard of the operands (3), scoreboards to wait for (6).
# Scoreboard 7 is none. A listing without encodings has no control bits.
Instruction = collections.namedtuple("Instruction", "address predicate opcode operands place control",
                                     defaults=(None, None))
CONTROL_SHIFT, CONTROL_MASK = 41, (1 << 17) - 1


def classify(opcode, operands=""):
    # LDC reads the constant bank, and IMAD.U32 copies a uniform register; they are not loads or products.
    if opcode.startswith("LDC"):
        return "constant"
    if re.match(r"IMAD\.(MOV|U32)", opcode) and operands.count("RZ") >= 2:
        return "cross" if re.search(r"\bUR\d", operands) else "move"
    if opcode.startswith(("F2FP", "F2I", "I2F")):
        return "convert"
    return next(name for name, pattern in CLASSES if re.match(pattern, opcode))


def find_disassembler():
    given = os.environ.get("TESSERA_NVDISASM")
    if given:
        if not shutil.which(given):
            sys.exit(f"sass.py: TESSERA_NVDISASM names '{given}', which is not a program")
        return given
    found = shutil.which("nvdisasm")
    if found:
        return found
    patterns = ["/usr/local/cuda*/bin/nvdisasm"]
    prefixes = [sys.prefix, os.environ.get("VIRTUAL_ENV"), ROOT / "build" / "python",
                pathlib.Path.home() / ".local", "/usr/local"]
    patterns += [f"{prefix}/lib/python3*/*-packages/nvidia/*/bin/nvdisasm"
                 for prefix in prefixes if prefix]
    for pattern in patterns:
        if programs := sorted(glob.glob(pattern)):
            return programs[-1]
    return None


def read_sections(data, wanted):
    """Returns the contents of the sections of one kind in a package: 1 metadata, 2 machine code, 3 PTX."""
    sections = [struct.unpack_from("<IIQQ", data, 24 + 24 * section)
                for section in range(struct.unpack_from("<I", data, 12)[0])]
    return [data[offset:offset + size] for kind, _, offset, size in sections if kind == wanted]


def read_code(path):
    """Returns the pieces of machine code in a file."""
    data = path.read_bytes()
    if data[:4] == b"\x7fELF":
        return [data]
    if data[:8] != b"TESSERAK":
        sys.exit(f"sass.py: '{path}' is neither a package nor machine code")
    return read_sections(data, 2) or sys.exit(f"sass.py: '{path}' holds no machine code")


def find_entries(code):
    """Returns the names of the kernels in machine code: each has a section `.text.NAME`."""
    return list(dict.fromkeys(name.decode() for name in re.findall(rb"\.text\.(\w+)\0", code)))


def disassemble(program, code):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        done = subprocess.run([program, "-c", "-g", "-hex", file.name], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sass.py: '{program}' failed: {done.stderr.strip()}")
    return done.stdout


def parse(text):
    """Returns for each kernel its instructions and the index of each label."""
    kernels, code, labels, place = {}, None, None, None
    for line in text.splitlines():
        if label := LABEL.match(line):
            if label[1].startswith(".text."):
                code, labels = kernels[label[1].removeprefix(".text.")] = [], {}
                place = None
            elif code is not None:
                labels[label[1]] = len(code)
        elif code is not None and (found := INSTRUCTION.match(line)):
            code.append(Instruction(int(found[1], 16), (found[2] or "").strip(), found[3], found[4],
                                    place))
        elif code and (upper := UPPER_HALF.match(line)):
            code[-1] = code[-1]._replace(control=int(upper[1], 16) >> CONTROL_SHIFT & CONTROL_MASK)
        elif line_of_source := LINE.match(line):
            place = f"{line_of_source[1]}:{line_of_source[2]}"
        elif line.startswith("\t.section"):
            code = None
    return kernels


def successors(code, labels):
    """Yields the possible successors of each instruction."""
    for index, instruction in enumerate(code):
        followers = []
        base = instruction.opcode.split(".")[0]
        target = TARGET.search(instruction.operands)
        if base == "BRA":
            followers.append(labels[target[1]])
        # The condition is the predicate, or an operand before the target.
        unconditional = not instruction.predicate and not (
            target and instruction.operands[:target.start()].strip())
        if not (base in ("BRA", "BRX", "EXIT", "RET") and unconditional):
            followers.append(index + 1)
        yield [place for place in followers if place < len(code)]


def dominators(graph):
    """Returns the immediate dominators of the reachable instructions (Cooper, Harvey, Kennedy).

    Also returns the predecessors of each instruction, and numbers that are larger in a dominator."""
    order, seen, stack = [], {0}, [(0, iter(graph[0]))]
    while stack:
        node, rest = stack[-1]
        following = next((n for n in rest if n not in seen), None)
        if following is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(graph[following])))
    number = {node: position for position, node in enumerate(order)}
    before = collections.defaultdict(list)
    for node in order:
        for following in graph[node]:
            before[following].append(node)
    parent, changed = {0: 0}, True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            best = None
            for other in before[node]:
                if other not in parent:
                    continue
                one = other
                while best is not None and one != best:
                    while number[one] < number[best]:
                        one = parent[one]
                    while number[best] < number[one]:
                        best = parent[best]
                best = one
            if parent.get(node) != best:
                parent[node], changed = best, True
    return parent, before, number


def natural_loops(code, labels):
    """Returns the loops as {header: indices of instructions}; loops with the same header are one loop."""
    graph = list(successors(code, labels))
    parent, before, number = dominators(graph)

    def dominates(one, other):
        while other > one or other != parent[other]:
            if other == one:
                return True
            if other == parent[other]:
                return False
            other = parent[other]
        return other == one

    loops = {}
    for node in parent:
        for header in graph[node]:
            if number[header] < number[node] or not dominates(header, node):
                continue
            # Code after the end of the kernel belongs to waiting.
            body, work = loops.setdefault(header, {header}), [node]
            while work:
                inside = work.pop()
                if inside not in body:
                    body.add(inside)
                    work += [other for other in before[inside] if other in parent]
    return loops


def main_loops(code, labels):
    products = {i for i, instruction in enumerate(code) if "GMMA" in instruction.opcode}
    loops = {header: body for header, body in natural_loops(code, labels).items() if body & products}
    for header, body in sorted(loops.items()):
        if any(other != header and other in body and loops[other] < body for other in loops):
            continue
        # The body in the order of addresses, without the code that was moved after the kernel's end: waiting code jumps
        # there and back.
        latch = max(i for i in body if header in [labels.get(t) for t in
                                                  TARGET.findall(code[i].operands)]
                    and code[i].opcode.startswith("BRA"))
        yield [code[i] for i in sorted(body) if header <= i <= latch]


def show(kernel, loop, listing):
    counts = collections.Counter(classify(i.opcode, i.operands) for i in loop)
    print(f"{kernel}: loop at {loop[0].address:#x}, {len(loop)} instructions")
    for name in ORDER:
        if not counts[name]:
            continue
        opcodes = collections.Counter(
            i.opcode for i in loop if classify(i.opcode, i.operands) == name)
        print(f"  {name:9}{counts[name]:4}  "
              + ", ".join(f"{count} {opcode}" for opcode, count in opcodes.most_common()))
    if listing:
        for i in loop:
            print(f"    {i.address:06x}  {i.predicate:5}{i.opcode} {i.operands}")


def count(loop, names):
    return sum(classify(i.opcode, i.operands) == name if name in ORDER
               else i.opcode.startswith(name) for name in names.split("+") for i in loop)


def parse_condition(text):
    name, _, number = text.partition("=")
    if not number.isdigit() or not all(n in ORDER or n.isupper() for n in name.split("+")):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not CLASS=N, with a class of {', '.join(ORDER)} or an OPCODE")
    return name, int(number)


def check(kernel, loop, options):
    """Yields the conditions that do not hold, one line each."""
    for conditions, word, holds in ((options.at_most, "at most", int.__le__),
                                    (options.exactly, "exactly", int.__eq__)):
        for what, number in conditions:
            if not holds(found := count(loop, what), number):
                yield f"{kernel}: {found} {what} in the loop at {loop[0].address:#x}, " \
                      f"expected {word} {number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, nargs="?", help="package or machine code")
    parser.add_argument("--find", action="store_true", help="print the path of the disassembler")
    parser.add_argument("--kernel", metavar="ENTRY", help="this entry only")
    parser.add_argument("--list", action="store_true", help="print the instructions of the loops")
    parser.add_argument("--loops", type=int, metavar="N", help="fail if there are not N main loops")
    for option in ("--at-most", "--exactly"):
        parser.add_argument(option, type=parse_condition, action="append", default=[],
                            metavar="CLASS=N", help="fail if this does not hold in each loop")
    options = parser.parse_args()
    program = find_disassembler()
    if options.find and program:
        print(program)
        return 0
    if not program:
        print("sass.py: cannot find nvdisasm; it is in the Python package nvidia-cuda-nvdisasm "
              "and in the CUDA toolkit", file=sys.stderr)
        return 3
    if not options.file:
        parser.error("no file given")
    if not options.file.exists():
        sys.exit(f"sass.py: there is no file '{options.file}'")

    pieces = [(code, find_entries(code)) for code in read_code(options.file)]
    names = [name for _, entries in pieces for name in entries]
    if options.kernel and options.kernel not in names:
        sys.exit(f"sass.py: no kernel '{options.kernel}', there are {', '.join(names)}")
    kernels = {}
    for code, entries in pieces:
        if not options.kernel or options.kernel in entries:
            kernels |= parse(disassemble(program, code))
    broken, shown = [], 0
    for kernel, (code, labels) in kernels.items():
        if options.kernel and kernel != options.kernel:
            continue
        for loop in main_loops(code, labels):
            shown += 1
            show(kernel, loop, options.list)
            broken += check(kernel, loop, options)
    if options.loops is not None and shown != options.loops:
        broken.append(f"{shown} main loops, expected {options.loops}")
    return problems.report(broken)


if __name__ == "__main__":
    sys.exit(main())
