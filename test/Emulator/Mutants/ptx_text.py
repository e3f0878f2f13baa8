"""Parses the instructions of a kernel in the compiler's PTX, one per line, for ptx_mutants.py."""

import collections
import re

# `first` to `end` are the lines of the instruction, including its block of inline assembly if the block has one
# purpose; `line` is its own line.
Instruction = collections.namedtuple("Instruction", "line first end guard name operands")

# Instructions that compute addresses.
COMPUTING = ("add", "sub", "or", "xor", "and", "shl", "shr", "selp", "mov", "cvt", "mad", "mul", "bfe")
OPENING, CLOSING = "{[(", "}])"


def split_operands(text):
    """Splits a text at commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    rest = text[begin:].strip()
    return parts + [rest] if rest else parts


def find_kernel(lines, entry):
    """Returns the lines of the body of an entry."""
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
            # The entire block belongs to its main instruction.
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
    """Returns the text of an instruction with another name, operands or guard; an empty guard removes it."""
    guard = instruction.guard if guard is None else guard
    words = ", ".join(instruction.operands if operands is None else operands)
    return f"\t{f'@{guard} ' if guard else ''}{name or instruction.name} \t{words};".rstrip(" \t;") + ";"


def replace(instruction, index, operand):
    """Returns the operands with one replaced."""
    operands = list(instruction.operands)
    operands[index] = operand
    return operands


def swap(instruction, first, second):
    """Returns the operands with two exchanged."""
    operands = list(instruction.operands)
    operands[first], operands[second] = operands[second], operands[first]
    return operands


def read_registers(text):
    return re.findall(r"%[a-z]+\d+\b", text)


def find_addresses(instructions, is_root):
    """Returns the registers from which addresses are computed. `is_root` returns the address operands of an
    instruction."""
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
