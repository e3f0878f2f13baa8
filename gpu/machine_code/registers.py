# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Returns the registers that an instruction of sm_90a machine code reads and writes.

Sets of registers are the bits of an integer. An opcode that is missing in the tables raises UnknownInstruction,
which is reported; it is never assumed to access no registers. test/GPU/machine-code-registers.test compares the
tables with nvdisasm's own live ranges.
"""

import functools
import re

# The written register is the first operand, or the second one after a predicate.
WRITING = set("""
    ATOM ATOMG ATOMS BMSK BREV CS2R DADD DFMA DMUL F2F F2FP F2I FADD FFMA FFMA32I FLO FMNMX FMUL
    FRND FSEL FSET HADD2 HFMA2 HMNMX2 HMUL2 HSET2 I2F I2FP I2I IABS IADD3 IDP IMAD IMNMX ISCADD LD
    LDC LDG LDL LDS LDSM LEA LOP3 MATCH MOV MOVM MUFU P2R POPC PRMT QSPC REDUX S2R SEL SGXT SHF SHFL
    SYNCS VABSDIFF VABSDIFF4 VADD VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE
""".split())
# These instructions write no register; their register operands are read.
READING = set("""
    ACQBULK ARRIVES B2R BAR BPT BRA BREAK BSSY BSYNC CALL CCTL CGAERRBAR DEPBAR DSETP ELECT ENDCOLLECTIVE ERRBAR EXIT
    FENCE FSETP FCHK HSETP2 ISETP LDGDEPBAR LDGSTS MEMBAR NANOSLEEP NOP PLOP3 PREEXIT R2P R2UR RED REDG RET
    S2UR ST STG STL STS STSM VOTEU WARPGROUP WARPSYNC YIELD
""".split())
STORES = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "ST", "STG", "STL", "STS", "STSM"}
LOADS = {"ATOM", "ATOMG", "ATOMS", "LD", "LDC", "LDG", "LDL", "LDS", "LDSM"}

REGISTER = re.compile(r"(?<![\w.])R(\d+|Z)\b(\.64)?")
PREDICATE = re.compile(r"!?U?P(\d|T)$")
PRODUCT = re.compile(r"[HIQB]GMMA\.(?:SP\.)?64x(\d+)x\d+\.(\w+)")
REMARK = re.compile(r"\(\*.*?\*\)")
WORD_WIDTH = re.compile(r"\.(128|64)(?:\.|$)")


class UnknownInstruction(Exception):
    pass


def register_range(first, count):
    return ((1 << count) - 1) << first


def list_registers(registers):
    """Returns the names of a set, with neighbours as a range: "R24-R87, R90"."""
    names, first = [], None
    for index in range(registers.bit_length() + 1):
        if registers >> index & 1:
            first = index if first is None else first
        elif first is not None:
            names.append(f"R{first}" if first == index - 1 else f"R{first}-R{index - 1}")
            first = None
    return ", ".join(names)


def split_operands(operands):
    return [operand.strip() for operand in REMARK.sub("", operands).split(",") if operand.strip()]


def is_product(opcode):
    return "GMMA." in opcode


@functools.lru_cache(maxsize=None)
def read_product(opcode, operands):
    """Returns three sets of registers of a wgmma: its accumulators, the accumulators that it reads, and operand A."""
    shape = PRODUCT.match(opcode)
    places = split_operands(operands)
    first = REGISTER.fullmatch(places[0]) if places else None
    if not shape or not first or first[1] == "Z":
        raise UnknownInstruction
    # 128 threads hold 64 rows of N columns; two f16 share a register.
    count = int(shape[1]) // (4 if shape[2] == "F16" else 2)
    accumulators = register_range(int(first[1]), count)
    sources = [REGISTER.fullmatch(place) for place in places[1:]]
    is_a_register = bool(sources) and sources[0] is not None
    a = register_range(int(sources[0][1]), 4) if is_a_register else 0
    # The operand after the descriptor is the accumulator that is added; it may be RZ.
    added = sources[2 if is_a_register else 1]
    if added is None:
        raise UnknownInstruction
    read = 0 if added[1] == "Z" else register_range(int(added[1]), count)
    return accumulators, read, a


def word_width(opcode):
    found = WORD_WIDTH.search(opcode)
    return int(found[1]) // 32 if found else 1


def written_width(base, opcode):
    if base in ("LDSM", "MOVM"):
        return int(opcode[-1]) if opcode[-2:] in (".2", ".4") else 1
    if base in LOADS:
        return word_width(opcode)
    if base == "CS2R":
        return 1 if ".32" in opcode else 2
    if base in ("DADD", "DFMA", "DMUL") or opcode.startswith("IMAD.WIDE"):
        return 2
    if base in ("F2F", "F2I", "I2F"):
        # The first type is that of the result: F2I.U64, F2I.FTZ.U64, I2F.F64.
        return 2 if re.match(r"F2[FI](\.FTZ)?\.[FUS]64|I2F\.F64", opcode) else 1
    return 1


def read_width(base, opcode, index, is_last):
    """Returns the number of registers of an operand; `index` counts operands that are not predicates."""
    if base in STORES and is_last:
        if base == "STSM":
            return int(opcode[-1]) if opcode[-2:] in (".2", ".4") else 1
        packed = re.search(r"\.F32x([24])|\.(?:F16|BF16)x([24])", opcode)
        if packed:
            return int(packed[1]) if packed[1] else int(packed[2]) // 2
        return word_width(opcode)
    if base in ("DADD", "DFMA", "DMUL", "DSETP"):
        return 2
    if opcode.startswith(("IMAD.WIDE", "IMAD.HI")) and index == 3:
        return 2
    if base == "I2F" and re.search(r"\.[US]64", opcode):
        return 2
    if base in ("F2F", "F2I") and re.search(r"\.F64(\.(TRUNC|RN|FLOOR|CEIL).*)?$", opcode):
        return 2
    if base == "RET":
        return 2
    return 1


@functools.lru_cache(maxsize=None)
def read_registers(opcode, operands):
    """Returns (read, written) of an instruction, as sets."""
    base = opcode.split(".")[0]
    if is_product(opcode):
        accumulators, added, a = read_product(opcode, operands)
        return added | a, accumulators
    # The uniform datapath has its own registers, and gets no others (R2UR, VOTEU, ELECT).
    if base.startswith("U"):
        return 0, 0
    if base not in WRITING and base not in READING:
        raise UnknownInstruction
    places = split_operands(operands)
    written, read, target = 0, 0, None
    if base in WRITING and places:
        target = 1 if PREDICATE.match(places[0]) else 0
        found = REGISTER.fullmatch(places[target]) if target < len(places) else None
        if not found:
            target = None
        elif found[1] != "Z":
            written = register_range(int(found[1]), written_width(base, opcode))
    position = -1
    for index, place in enumerate(places):
        # A carry predicate between the operands does not count.
        position += not PREDICATE.match(place)
        if index == target:
            continue
        for number, wide in REGISTER.findall(place):
            if number != "Z":
                width = 2 if wide else read_width(base, opcode, position, index == len(places) - 1)
                # In an address the width is that of the address.
                if "[" in place and not wide:
                    width = 1
                read |= register_range(int(number), width)
    return read, written
