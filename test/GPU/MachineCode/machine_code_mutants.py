"""Plants defects in the disassembled text of a real kernel: gpu/machine_code/hazards.py must find each at its place.

Usage: machine_code_mutants.py ROOT FILE...   FILE: a package without findings

The defects are:

- a missing wait or arrival
- a wait that leaves one more group in flight
- an ordinary instruction after a product that writes registers which the product still accesses
- a spill, a fence or a move of an accumulator in a loop with products
- a role with fewer registers than it uses
- the waits between products that ptxas inserts when it serialises them

At most UNNEEDED mutants survive.
"""

import collections
import pathlib
import re
import sys


def take_away(code, index):
    return code[:index] + [code[index]._replace(opcode="NOP", operands="")] + code[index + 1:]


def replace(code, index, **fields):
    return code[:index] + [code[index]._replace(**fields)] + code[index + 1:]


def is_movable(instruction):
    """Whether another instruction can replace this one: it has no predicate and does not branch."""
    return not instruction.predicate and re.match(r"FADD|FMUL|FFMA|IMAD|VIADD|MOV|FMNMX|UIADD3|UMOV|ULOP3",
                                                  instruction.opcode)


def first_register(registers):
    return f"R{(registers & -registers).bit_length() - 1}"


def mutate_waits(kernel):
    for index, allowed in kernel.waits.items():
        yield "a wait is missing", take_away(kernel.code, index)
        yield "a wait leaves one group more", replace(kernel.code, index, operands=f"gsb0, {allowed + 1:#x}")
    for index in kernel.arrivals:
        yield "an arrival is missing", take_away(kernel.code, index)


def mutate_registers(kernel):
    """Yields mutants of the next replaceable instruction after a product, in its block and before a wait."""
    for index, (accumulators, _, a) in kernel.products.items():
        block = next(block for block in kernel.blocks.values() if index in block)
        ends = (kernel.waits, kernel.arrivals)
        for other in range(index + 1, block.stop):
            if any(other in end for end in ends):
                break
            if other not in kernel.products and is_movable(kernel.code[other]):
                one = first_register(accumulators)
                for what, operands in (("an accumulator is rewritten", f"{one}, RZ"),
                                       ("an accumulator is read", f"R0, {one}"),
                                       ("operand A is rewritten", f"{first_register(a)}, RZ")):
                    if a or "accumulator" in what:
                        yield what, replace(kernel.code, other, opcode="MOV", operands=operands)
                break


def mutate_loops(kernel, sass):
    indices = {instruction.address: i for i, instruction in enumerate(kernel.code)}
    for loop in sass.main_loops(kernel.code, kernel.labels):
        inside = [indices[instruction.address] for instruction in loop]
        waits = [i for i in inside if i in kernel.waits]
        place = next(i for i in inside if i > waits[-1] and is_movable(kernel.code[i]))
        product = kernel.products[[i for i in inside if i in kernel.products][-1]]
        for what, opcode, operands in (
                ("a spill in a loop", "STL", '[R1+0x10], R0 (*"SpillRefill"*)'),
                ("a fence in a loop", "MEMBAR.ALL.GPU", ""),
                ("a moved accumulator", "MOV", f"R0, {first_register(product[0])}")):
            yield what, replace(kernel.code, place, opcode=opcode, operands=operands)


def mutate_limits(kernel):
    """Gives a producer one register and other roles 64, less than their accumulators."""
    for index, instruction in enumerate(kernel.code):
        if instruction.opcode.startswith("USETMAXREG"):
            count = int(instruction.operands.split(",")[-1], 0)
            few = 1 if count < 100 else 64
            yield "too few registers for a role", replace(
                kernel.code, index, operands=re.sub(r"0x[0-9a-f]+$", f"{few:#x}", instruction.operands))


def mutate_serialised(kernel):
    """Inserts the waits of ptxas between two consecutive products that add to the same sum."""
    order = sorted(kernel.products)
    for one, other in zip(order, order[1:]):
        between = [i for i in range(one + 1, other) if is_movable(kernel.code[i])]
        same = kernel.products[one][0] == kernel.products[other][1]
        if same and len(between) >= 2 and other - one == len(between) + 1:
            code = replace(kernel.code, one, operands=kernel.code[one].operands + ", gsb0")
            code = replace(code, between[-2], opcode="WARPGROUP.DEPBAR.LE", operands="gsb0, 0x0")
            yield "products one by one", replace(code, between[-1], opcode="WARPGROUP.ARRIVE", operands="")


RULES = {
    "a wait is missing": {"accumulator-read", "accumulator-rewritten", "operand-rewritten", "never-waited",
                          "piled-up"},
    "a wait leaves one group more": {"accumulator-read", "accumulator-rewritten", "operand-rewritten",
                                     "never-waited"},
    "an arrival is missing": {"no-arrive"},
    "an accumulator is rewritten": {"accumulator-rewritten"},
    "an accumulator is read": {"accumulator-read"},
    "operand A is rewritten": {"operand-rewritten"},
    "a spill in a loop": {"spill"},
    "a fence in a loop": {"fence"},
    "a moved accumulator": {"moved"},
    "too few registers for a role": {"register-beyond"},
    "products one by one": {"serialised"},
}

# One of two consecutive arrivals without writes in between is unnecessary. So is the arrival of a loop whose
# accumulators no other instruction accesses. The wait of that loop protects shared memory, which is not tracked here,
# so one more group is harmless.
UNNEEDED = {"an arrival is missing": 2, "a wait leaves one group more": 1}


def main():
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "gpu"))
    from machine_code import hazards, sass, scan_machine_code
    program, examples = sass.find_disassembler(), {}
    found, planted, problems = collections.Counter(), collections.Counter(), 0
    for path in map(pathlib.Path, sys.argv[2:]):
        for cubin in sass.read_code(path):
            for name, (code, labels) in sass.parse(sass.disassemble(program, cubin)).items():
                if before := hazards.find_hazards(code, labels):
                    print(f"{name} has findings before: {before[0]}")
                    problems += 1
                kernel = hazards.Kernel(code, labels)
                for what, mutant in (*mutate_waits(kernel), *mutate_registers(kernel),
                                     *mutate_loops(kernel, sass), *mutate_limits(kernel),
                                     *mutate_serialised(kernel)):
                    planted[what] += 1
                    findings = [finding for finding in hazards.find_hazards(mutant, labels)
                                if finding.rule in RULES[what]]
                    found[what] += bool(findings)
                    for finding in findings[:1]:
                        examples.setdefault(what, scan_machine_code.describe(
                            path.name, name, finding, mutant[finding.index]))
    for what in RULES:
        print(f"{what}: {found[what]} of {planted[what]}")
        print(f"  {examples.get(what)}")
        survivors = planted[what] - found[what]
        problems += survivors > UNNEEDED.get(what, 0) or not planted[what]
    print(f"{sum(found.values())} of {sum(planted.values())} found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
