"""Tests gpu/machine_code/hazards.py on small handwritten listings: correct ones, and one for each defect.

Usage: machine_code_listings.py ROOT
"""

import pathlib
import re
import sys

# S = Q K^T on 8 accumulators with A in memory, then O += P V with A in registers, in a loop. The wait leaves one group
# in flight, whose registers are not accessed before the next wait.
RIGHT = """
    LDC R1, c[0x0][0x28]
    USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0
    CS2R R24, SRZ
    CS2R R26, SRZ
    CS2R R28, SRZ
    CS2R R30, SRZ
    STL [R1+0x8], R2                             (*"SpillRefill"*)
    MOV R48, R2
    MOV R49, R2
    MOV R50, R2
    MOV R51, R2
.loop:
    IADD3 R47, R2, 0x1, RZ
    WARPGROUP.ARRIVE
    HGMMA.64x16x16.F32.BF16 R32, gdesc[UR8], RZ, !UPT
    HGMMA.64x16x16.F32.BF16 R32, gdesc[UR12], R32, gsb0
    HGMMA.64x16x16.F32.BF16 R24, R48, gdesc[UR16].tnspB, R24, gsb0
    FADD R3, R2, R2
    WARPGROUP.DEPBAR.LE gsb0, 0x1
    FMNMX R4, R32, R33, !PT
    MUFU.EX2 R34, R34
    WARPGROUP.DEPBAR.LE gsb0, 0x0
    F2FP.BF16.F32.PACK_AB R48, R33, R32
    F2FP.BF16.F32.PACK_AB R49, R35, R34
    F2FP.BF16.F32.PACK_AB R50, R37, R36
    F2FP.BF16.F32.PACK_AB R51, R39, R38
    ISETP.NE.AND P0, PT, R3, RZ, PT
@P0 BRA `(.loop)
    LDL.LU R2, [R1+0x8]                          (*"SpillRefill"*)
    STG.E.128 desc[UR6][R2.64], R24
    STG.E.128 desc[UR6][R2.64+0x10], R28
    EXIT
"""

# A launch that may start before the preceding one ends.
LAUNCH = """
    LDC R1, c[0x0][0x28]
    PREEXIT
    ACQBULK
    LDG.E.128.CONSTANT R8, desc[UR4][R4.64]
    STG.E.128 desc[UR4][R6.64], R8
    EXIT
"""

# (the planted defect, the replaced line, its replacement, the rules that must be found)
PLANTED = [
    ("the wait for S is missing", "    WARPGROUP.DEPBAR.LE gsb0, 0x1\n", "",
     {"accumulator-read", "accumulator-rewritten"}),
    ("the wait for S leaves both groups", "DEPBAR.LE gsb0, 0x1", "DEPBAR.LE gsb0, 0x2",
     {"accumulator-read", "accumulator-rewritten"}),
    ("the wait before P is packed is missing", "    WARPGROUP.DEPBAR.LE gsb0, 0x0\n", "",
     {"operand-rewritten", "accumulator-read", "never-waited"}),
    ("a register of P is taken between", "FADD R3, R2, R2", "FADD R49, R2, R2", {"operand-rewritten"}),
    ("a load of four registers ends in P", "FADD R3, R2, R2", "LDG.E.128 R45, desc[UR6][R2.64]",
     {"operand-rewritten"}),
    ("an accumulator of O is read in flight", "FMNMX R4, R32, R33, !PT", "FMNMX R4, R32, R31, !PT",
     {"accumulator-read"}),
    ("an accumulator of O is written in flight", "FADD R3, R2, R2", "FADD R24, R2, R2",
     {"accumulator-rewritten"}),
    ("also under a predicate", "    FADD R3, R2, R2", "@!P1 FADD R24, R2, R2", {"accumulator-rewritten"}),
    ("what is in flight at the end of the loop is written at its beginning", "@P0 BRA `(.loop)",
     "    WARPGROUP.ARRIVE\n    HGMMA.64x16x16.F32.BF16 R40, R48, gdesc[UR8], RZ, !UPT, gsb0\n"
     "    BRA `(.loop)", {"accumulator-rewritten"}),
    ("no wait at all in the loop", "    WARPGROUP.DEPBAR.LE gsb0, 0x1\n    FMNMX R4, R32, R33, !PT\n"
     "    MUFU.EX2 R34, R34\n    WARPGROUP.DEPBAR.LE gsb0, 0x0\n    F2FP.BF16.F32.PACK_AB R48, R33, R32\n"
     "    F2FP.BF16.F32.PACK_AB R49, R35, R34\n    F2FP.BF16.F32.PACK_AB R50, R37, R36\n"
     "    F2FP.BF16.F32.PACK_AB R51, R39, R38\n", "", {"piled-up", "accumulator-read", "never-waited"}),
    ("no arrival after ordinary writes", "    WARPGROUP.ARRIVE\n", "", {"no-arrive"}),
    ("an operand is written after the arrival", "    WARPGROUP.ARRIVE\n",
     "    WARPGROUP.ARRIVE\n    MOV R51, R2\n", {"no-arrive"}),
    ("the group is never ended", "gdesc[UR16].tnspB, R24, gsb0", "gdesc[UR16].tnspB, R24",
     {"operand-rewritten", "accumulator-read", "accumulator-rewritten", "never-waited"}),
    ("a product reads accumulators in flight as A", "R24, R48, gdesc", "R24, R32, gdesc",
     {"operand-in-flight", "operand-rewritten"}),
    ("accumulators of two products overlap", "R24, R48, gdesc[UR16].tnspB, R24",
     "R28, R48, gdesc[UR16].tnspB, R28",
     {"accumulator-overlap", "accumulator-read", "accumulator-rewritten"}),
    ("a register beyond setmaxnreg", "CTAPOOL UP0, 0xf0", "CTAPOOL UP0, 0x30", {"register-beyond"}),
    ("a spill in the loop", "    FADD R3, R2, R2", "    STL [R1+0xc], R3", {"spill"}),
    ("a slot that was not stored", "STL [R1+0x8], R2", "STL [R1+0xc], R2", {"slot-unwritten"}),
    ("a slot that is stored on one path", "    STL [R1+0x8], R2", "@P1 STL [R1+0x8], R2",
     {"slot-unwritten"}),
    ("a fence of the GPU in the loop", "    FADD R3, R2, R2", "    MEMBAR.ALL.GPU", {"fence"}),
    ("accumulators are moved", "    F2FP.BF16.F32.PACK_AB R48, R33, R32",
     "    MOV R5, R24\n    F2FP.BF16.F32.PACK_AB R48, R33, R32", {"moved"}),
    ("an instruction that nobody knows", "FADD R3, R2, R2", "FROB R3, R2, R2", {"unknown"}),
    ("a jump to a place that is not known", "@P0 BRA `(.loop)", "    BRX R4 -0x120", {"unknown"}),
    ("products one by one", "gdesc[UR8], RZ, !UPT\n",
     "gdesc[UR8], RZ, !UPT, gsb0\n    WARPGROUP.DEPBAR.LE gsb0, 0x0\n    WARPGROUP.ARRIVE\n", {"serialised"}),
]

# Two registers of operand A are constants, and the operand is also stored.
STORED = """
    F2FP.F16.F32.PACK_AB R48, R3, R2
    F2FP.F16.F32.PACK_AB R51, R5, R4
    MOV R49, 0x7
    IMAD.MOV.U32 R50, RZ, RZ, RZ
    STSM.16.M88.4 [R11], R48
    BAR.SYNC.DEFER_BLOCKING 0x0
    WARPGROUP.ARRIVE
    HGMMA.64x16x16.F32 R24, R48, gdesc[UR8].tnspB, RZ, !UPT, gsb0
    WARPGROUP.DEPBAR.LE gsb0, 0x0
    EXIT
"""
CONSTANTS = "    MOV R49, 0x7\n    IMAD.MOV.U32 R50, RZ, RZ, RZ\n"
STORE = "    STSM.16.M88.4 [R11], R48\n"

# Edits of it: (description, the replaced lines, their replacement, the rules that must be found)
PLANTED_IN_STORED = [
    ("constants come after the store", CONSTANTS + STORE, STORE + CONSTANTS, {"stored-early"}),
    ("one of them, and zero", CONSTANTS + STORE, STORE + "    CS2R.32 R49, SRZ\n", {"stored-early"}),
    ("a store of half the operand", CONSTANTS + STORE, "    STS.64 [R11], R48\n" + CONSTANTS, {"stored-early"}),
    ("one path has the constants", CONSTANTS + STORE, STORE + "@P0 BRA `(.there)\n" + CONSTANTS + ".there:\n",
     {"stored-early"}),
    ("a store of the other registers", CONSTANTS + STORE, "    STS.64 [R11], R52\n" + CONSTANTS, set()),
    ("a store of one register", CONSTANTS + STORE, "    STS [R11], R49\n" + CONSTANTS, set()),
    ("the whole operand is new", CONSTANTS + STORE, STORE + CONSTANTS + "    MOV R48, R6\n    MOV R51, R7\n", set()),
    ("another value comes after the store", CONSTANTS + STORE, STORE + "    MOV R49, R6\n    MOV R50, R7\n", set()),
]

# A called function waits for the product: f returns to the code after both calls.
CALLS = """
    WARPGROUP.ARRIVE
    HGMMA.64x16x16.F32.BF16 R32, gdesc[UR8], RZ, !UPT, gsb0
    CALL.REL.NOINC `($f)
    FADD R3, R32, R33
    CALL.REL.NOINC `($f)
    EXIT
$f:
    WARPGROUP.DEPBAR.LE gsb0, 0x0
    RET.REL.NODEC R4 `(kernel)
"""

# A spill under a predicate, loaded under the same predicate.
PREDICATED = """
@P1 STL [R1+0x8], R2
    MOV R2, R3
@P1 BRA `(.there)
    EXIT
.there:
    LDL R2, [R1+0x8]
    EXIT
"""

# Two roles with 240 registers and one with 24: 504 for three warpgroups with 168 each.
ROLES = """
@P0 BRA `(.first)
@P1 BRA `(.second)
    USETMAXREG.DEALLOC.CTAPOOL 0x18
    EXIT
.first:
    USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0
    EXIT
.second:
    USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0
    EXIT
"""

# A row of a slot, which is released when the row is in registers. The shuffle completes after all earlier loads, so its
# scoreboard shows the completion of both loads.
LOADS = """
    LDS.64 R4, [R2]
    LDS.64 R6, [R2+0x20] | holds 1
    SHFL.IDX PT, R8, R3, RZ, 0x1f | holds 2
    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2
    ISETP.NE.AND P0, PT, R9, RZ, PT
@!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ
    IADD3 R9, R9, R8, RZ
    EXIT
"""

# Edits of it: (description, the replaced line, its replacement, the rules that must be found)
PLANTED_IN_LOADS = [
    ("no wait at all", " | waits 2", "", {"load-in-flight", "load-overtaken"}),
    ("a wait for the second load is one for the first", "waits 2", "waits 1", set()),
    ("a wait for another scoreboard", "waits 2", "waits 3", {"load-in-flight", "load-overtaken"}),
    ("an arrival that looks at nothing", "LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2", "MOV R9, RZ",
     {"load-overtaken"}),
    ("an arrival that itself waits", "[UR4], RZ", "[UR4], RZ | waits 1", set()),
    ("an expectation of bytes also arrives", "ISETP.NE.AND P0, PT, R9, RZ, PT",
     "LDS R10, [R2+0x40] | holds 3\n    SYNCS.ARRIVE.TRANS64 RZ, [UR4], R3", {"load-overtaken"}),
    ("one more load after the shuffle", "    LOP3", "    LDSM.16.M88.4 R12, [R2] | holds 3\n    LOP3",
     {"load-overtaken"}),
    ("a load for nobody", "    LOP3", "@!PT LDS RZ, [RZ]\n    LOP3", set()),
    ("a shuffle that a predicate may leave out", "    SHFL", "@P1 SHFL", set()),
    ("a wait that a branch goes around", "    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2",
     "@P1 BRA `(.there)\n    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2\n.there:", {"load-overtaken"}),
    ("threads that meet", " | waits 2", "\n    BAR.SYNC.DEFER_BLOCKING 0x2, 0x100", {"load-in-flight"}),
    ("threads that go on", " | waits 2", "\n    BAR.ARV 0x2, 0x100", {"load-in-flight", "load-overtaken"}),
    ("a wait until nothing is left", "    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2",
     "    DEPBAR.LE SB2, 0x0\n    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT", set()),
    ("a wait that leaves one", "    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT | waits 2",
     "    DEPBAR.LE SB2, 0x1\n    LOP3.LUT R9, R4, R6, R7, 0xfe, !PT", {"load-in-flight", "load-overtaken"}),
]


def encode_control(marks):
    """Returns the upper half of an encoding for marks such as "holds 1 waits 2": the scoreboards of the result and
    of the waits."""
    numbers = dict(zip(marks.split()[::2], map(int, marks.split()[1::2])))
    held = numbers.get("holds", 7)
    waited = 1 << numbers["waits"] if "waits" in numbers else 0
    return (1 | held << 5 | 7 << 8 | waited << 11) << 41


def make_listing(text):
    """Returns a listing of nvdisasm: 16 bytes per instruction, labels on their own lines; encodings if an
    instruction has marks."""
    lines, address = ["\t.section\t.text.kernel,\"ax\",@progbits", ".text.kernel:"], 0
    for line in text.strip("\n").splitlines():
        if line.endswith(":"):
            lines.append(line)
            continue
        instruction, _, marks = line.partition("|")
        lines.append(f"        /*{address:04x}*/ {instruction.rstrip()} ;")
        if "|" in text:
            lines[-1] += f"    /* 0x{0:016x} */"
            lines.append(f"    /* 0x{encode_control(marks):016x} */")
        address += 16
    return "\n".join(lines) + "\n"


def find_rules(sass, hazards, text, **launch):
    (code, labels), = sass.parse(make_listing(text)).values()
    return {finding.rule for finding in hazards.find_hazards(code, labels, **launch)}


def main():
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "gpu"))
    from machine_code import hazards, sass
    cases = [("what is right", RIGHT, {}, set()),
             ("a wait in a function", CALLS, {}, set()),
             ("the function does not wait", CALLS.replace("    WARPGROUP.DEPBAR.LE gsb0, 0x0\n", ""), {},
              {"accumulator-read", "never-waited"}),
             ("a predicated spill", PREDICATED, {}, set()),
             ("loaded where it does not hold", PREDICATED.replace("@P1 BRA", "@!P1 BRA"), {},
              {"slot-unwritten"}),
             ("loaded by another predicate",
              PREDICATED.replace("MOV R2, R3", "ISETP.NE.AND P1, PT, R3, RZ, PT"), {}, {"slot-unwritten"}),
             ("registers that the launch has", ROLES, {"at_entry": 168, "threads": 384}, set()),
             ("registers that it has not", ROLES.replace("0x18", "0x20"), {"at_entry": 168, "threads": 384},
              {"register-pool"}),
             ("two warpgroups in one role", ROLES.replace("0xf0", "0xa0"), {"at_entry": 128, "threads": 512},
              set()),
             ("three in one role", ROLES.replace("0x18", "0xa8"), {"at_entry": 128, "threads": 512},
              {"register-pool"})]
    loaded_early = LAUNCH.replace("    LDG", "    FADD R3, R2, R2\n    LDG").splitlines()
    loaded_early[3], loaded_early[5] = loaded_early[5], loaded_early[3]
    cases += [("a launch that waits", LAUNCH, {}, set()),
              ("a load before the wait", "\n".join(loaded_early), {}, {"touched-early"}),
              ("a launch that does not overlap", LAUNCH.replace("    ACQBULK\n", ""), {}, set())]
    exchanged = "    STS.64 [R3], R6\n    BAR.SYNC.DEFER_BLOCKING 0x2, 0x100\n" + LOADS.lstrip("\n")
    unwaited = exchanged.replace(" | waits 2", "")
    brought = "    SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR4], R3 | holds 0\n    LDS.64 R4"
    cases += [("what threads have exchanged", unwaited, {}, {"load-in-flight"}),
              ("and then what an mbarrier has brought", unwaited.replace("    LDS.64 R4", brought), {},
               {"load-in-flight", "load-overtaken"}),
              ("a barrier without stores before it", unwaited.partition("\n")[2], {},
               {"load-in-flight", "load-overtaken"})]
    cases += [("loads that are waited for", LOADS, {}, set()),
              ("a listing that does not say", re.sub(r" \|.*", "", LOADS), {}, set()),
             ("an operand that is also stored", STORED, {}, set())]
    for right, planted in ((RIGHT, PLANTED), (LOADS, PLANTED_IN_LOADS), (STORED, PLANTED_IN_STORED)):
        for name, old, new, expected in planted:
            assert right.count(old) == 1, f"{name}: {right.count(old)} places"
            cases.append((name, right.replace(old, new), {}, expected))
    problems = 0
    for name, text, launch, expected in cases:
        found = find_rules(sass, hazards, text, **launch)
        if found != expected:
            problems += 1
            print(f"{name}: expected {sorted(expected)}, found {sorted(found)}")
    print(f"{len(cases)} listings, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
