"""Compares gpu/machine_code/registers.py with the live ranges that nvdisasm prints, instruction by instruction.

Usage: machine_code_registers.py ROOT FILE...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HEADER = re.compile(r"// \|( *# )[0-9]")


def disassemble_with_life_ranges(program, code):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        return subprocess.run([program, "-c", "-lrm", "narrow", file.name], capture_output=True, text=True,
                              check=True).stdout


def read_marks(line, width):
    """Returns the registers that an instruction reads (v), writes (^), or both (x)."""
    marks = line.split("// |", 1)[1].split("|")[0][width:]
    return (sum(1 << index for index, mark in enumerate(marks) if mark in "vx"),
            sum(1 << index for index, mark in enumerate(marks) if mark in "^x"))


def compare(sass, registers, text, seen):
    """Yields one line for each opcode that is read differently."""
    width = 0
    for line in text.splitlines():
        if header := HEADER.search(line):
            width = len(header[1])
        found = sass.INSTRUCTION.match(line)
        # For a call nvdisasm prints the registers of the called function.
        if not found or found[3].startswith("CALL"):
            continue
        opcode, operands = found[3], found[4]
        expected = read_marks(line, width)
        try:
            actual = registers.read_registers(opcode, operands)
        except registers.UnknownInstruction:
            actual = None
        if actual != expected:
            names = [registers.list_registers(part) or "none" for part in expected]
            ours = [registers.list_registers(part) or "none" for part in actual] if actual else "unknown"
            seen.setdefault(opcode, f"{opcode} {operands}: {names[0]} read, {names[1]} written; "
                            f"registers.py: {ours}")
        seen[None] = seen.get(None, 0) + 1


def main():
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "gpu"))
    from machine_code import registers, sass
    seen, program = {}, sass.find_disassembler()
    for path in map(pathlib.Path, sys.argv[2:]):
        for code in sass.read_code(path):
            compare(sass, registers, disassemble_with_life_ranges(program, code), seen)
    count = seen.pop(None, 0)
    for problem in seen.values():
        print(problem)
    print(f"{count} instructions, {len(seen)} opcodes read differently")
    return 1 if seen or not count else 0


if __name__ == "__main__":
    sys.exit(main())
