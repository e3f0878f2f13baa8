"""gpu/hazards.py on small listings written by hand: what is right, and each defect.

Usage: machine_code_listings.py ROOT
"""

import pathlib
import sys

# S = Q K^T on 8 accumulators with A in memory, then O += P V with A in registers, in a loop: the wait
# leaves one group in flight, whose registers are not touched before the next wait.
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

# (what is planted, the line that is replaced, by what, the rules that must be found)
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
    ("under a predicate, too", "    FADD R3, R2, R2", "@!P1 FADD R24, R2, R2", {"accumulator-rewritten"}),
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

# The product is waited for in a function that is called: f returns to after both calls.
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

# A spill under a predicate, loaded where the same predicate holds.
PREDICATED = """
@P1 STL [R1+0x8], R2
    MOV R2, R3
@P1 BRA `(.there)
    EXIT
.there:
    LDL R2, [R1+0x8]
    EXIT
"""

# Two roles with 240 registers beside one with 24: 504 for three warpgroups, of 168 each.
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


def make_listing(text):
    """A listing of nvdisasm: 16 bytes for each instruction, labels in lines of their own."""
    lines, address = ["\t.section\t.text.kernel,\"ax\",@progbits", ".text.kernel:"], 0
    for line in text.strip("\n").splitlines():
        if line.endswith(":"):
            lines.append(line)
            continue
        lines.append(f"        /*{address:04x}*/ {line} ;")
        address += 16
    return "\n".join(lines) + "\n"


def find_rules(sass, hazards, text, **launch):
    (code, labels), = sass.parse(make_listing(text)).values()
    return {finding.rule for finding in hazards.find_hazards(code, labels, **launch)}


def main():
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "gpu"))
    import hazards
    import sass
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
    for name, old, new, expected in PLANTED:
        assert RIGHT.count(old) == 1, f"{name}: {RIGHT.count(old)} places"
        cases.append((name, RIGHT.replace(old, new), {}, expected))
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
