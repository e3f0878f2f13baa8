"""The instructions of a kernel in PTX as the compiler writes it, one on a line, for ptx_mutants.py."""

import collections
import re

# Lines `first` to `end` of the file are the instruction, with the block of inline assembly that it
# stands in if this does one thing; `line` is its own.
Instruction = collections.namedtuple("Instruction", "line first end guard name operands")

# Instructions that addresses are computed by.
COMPUTING = ("add", "sub", "or", "xor", "and", "shl", "shr", "selp", "mov", "cvt", "mad", "mul", "bfe")
OPENING, CLOSING = "{[(", "}])"


def split_operands(text):
    """At commas that stand in no bracket."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    rest = text[begin:].strip()
    return parts + [rest] if rest else parts


def find_kernel(lines, entry):
    """The lines of the body of an entry."""
    begin = next(n for n, line in enumerate(lines) if re.match(rf"\.visible \.entry {entry}\b", line))
    first = next(n for n in range(begin, len(lines)) if lines[n].startswith("{"))
    depth = 0
    for number in range(first, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        if depth == 0:
            return first + 1, number
    raise ValueError(f"no end of {entry}")


def find_instructions(lines, entry):
    first, end = find_kernel(lines, entry)
    found, block = [], None
    for number in range(first, end):
        line = lines[number].strip()
        if line == "{":
            block = number
        elif line == "}":
            # All of the block goes with the instruction that it is for.
            for place, instruction in enumerate(found):
                if instruction.line > block:
                    found[place] = instruction._replace(first=block, end=number + 1)
            block = None
        match = re.fullmatch(r"(?:@(!?%?\w+)\s+)?([a-z][\w.:]*)\s*(.*);(?:\s*//.*)?", line)
        if match and not line.startswith("."):
            guard, name, operands = match.groups()
            found.append(Instruction(number, number, number + 1, guard, name, split_operands(operands)))
    return found


def spell(instruction, name=None, operands=None, guard=None):
    """The text of an instruction with another name, operands or guard; no guard if it is empty."""
    guard = instruction.guard if guard is None else guard
    words = ", ".join(instruction.operands if operands is None else operands)
    return f"\t{f'@{guard} ' if guard else ''}{name or instruction.name} \t{words};".rstrip(" \t;") + ";"


def replace(instruction, index, operand):
    """Its operands with another one at a place."""
    operands = list(instruction.operands)
    operands[index] = operand
    return operands


def swap(instruction, first, second):
    """Its operands with two of them exchanged."""
    operands = list(instruction.operands)
    operands[first], operands[second] = operands[second], operands[first]
    return operands


def read_registers(text):
    return re.findall(r"%[a-z]+\d+\b", text)


def find_addresses(instructions, is_root):
    """The registers that an address is computed from. `is_root` gives the operands that are addresses."""
    sources = collections.defaultdict(list)
    for instruction in instructions:
        root = instruction.name.split(".")[0]
        if root in COMPUTING:
            sources[instruction.operands[0]] += read_registers(" ".join(instruction.operands[1:]))
    pending = [name for instruction in instructions for operand in is_root(instruction)
               for name in read_registers(operand)]
    found = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += sources[name]
    return found


def is_number(text):
    return re.fullmatch(r"-?\d+", text) is not None
