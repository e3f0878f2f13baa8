//===- BitFormsTest.cpp - Logic, shifts and fields --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

using namespace tessera;
using namespace tessera::emu;

namespace {

TEST(BitForms, Logic) {
  EXPECT_EQ(run("and.b32", {0xff00ff00, 0x0ff00ff0}), 0x0f000f00u);
  EXPECT_EQ(run("or.b16", {0xf000, 0x000f}), 0xf00fu);
  EXPECT_EQ(run("xor.b64", {~uint64_t(0), 1}), ~uint64_t(1));
  EXPECT_EQ(run("and.pred", {1, 0}), 0u);
  EXPECT_EQ(run("or.pred", {1, 0}), 1u);
  EXPECT_EQ(run("xor.pred", {1, 1}), 0u);
  EXPECT_EQ(run("not.pred", {0}), 1u);
  EXPECT_EQ(run("not.pred", {1}), 0u);
  EXPECT_EQ(run("not.b16", {0x00ff}), 0xff00u);
  EXPECT_EQ(run("not.b32", {0}), 0xffffffffu);
  EXPECT_EQ(run("not.b64", {0}), ~uint64_t(0));
  EXPECT_EQ(run("cnot.b32", {0}), 1u);
  EXPECT_EQ(run("cnot.b64", {uint64_t(1) << 40}), 0u);
}

TEST(BitForms, TernaryLogicByTable) {
  // The table of f is f(0xf0, 0xcc, 0xaa).
  uint64_t a = 0x12345678, b = 0x9abcdef0, c = 0x0f1e2d3c;
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0x80}), a & b & c);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0xfe}), a | b | c);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0x40}), a & b & ~c);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0x1a}), ((a & b) | c) ^ a);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0x96}), a ^ b ^ c);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0x00}), 0u);
  EXPECT_EQ(run("lop3.b32", {a, b, c, 0xff}), 0xffffffffu);
}

TEST(BitForms, Counts) {
  EXPECT_EQ(run("popc.b32", {0xf0f0f0f1}), 17u);
  EXPECT_EQ(run("popc.b64", {~uint64_t(0)}), 64u);
  EXPECT_EQ(run("clz.b32", {0}), 32u);
  EXPECT_EQ(run("clz.b32", {1}), 31u);
  EXPECT_EQ(run("clz.b64", {0}), 64u);
  EXPECT_EQ(run("clz.b64", {uint64_t(1) << 63}), 0u);
  EXPECT_EQ(run("brev.b32", {0x00000003}), 0xc0000000u);
  EXPECT_EQ(run("brev.b64", {0x1}), uint64_t(1) << 63);
  EXPECT_EQ(run("brev.b32", {0x12345678}), 0x1e6a2c48u);
}

TEST(BitForms, LeadingBit) {
  EXPECT_EQ(run("bfind.u32", {0}), 0xffffffffu);
  EXPECT_EQ(run("bfind.u32", {0x80000000}), 31u);
  EXPECT_EQ(run("bfind.u32", {5}), 2u);
  EXPECT_EQ(run("bfind.s32", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(run("bfind.s32", {0xfffffff0}), 3u);
  EXPECT_EQ(run("bfind.s32", {0x80000000}), 30u);
  EXPECT_EQ(run("bfind.u64", {uint64_t(1) << 40}), 40u);
  EXPECT_EQ(run("bfind.s64", {~(uint64_t(1) << 40)}), 40u);
  EXPECT_EQ(run("bfind.shiftamt.u32", {5}), 29u);
  EXPECT_EQ(run("bfind.shiftamt.s64", {uint64_t(-1)}), 0xffffffffu);
  EXPECT_EQ(run("bfind.shiftamt.u64", {1}), 63u);
}

TEST(BitForms, ShiftsClamp) {
  EXPECT_EQ(run("shl.b32", {1, 31}), 0x80000000u);
  EXPECT_EQ(run("shl.b32", {1, 32}), 0u);
  EXPECT_EQ(run("shl.b32", {1, 0xffffffff}), 0u);
  EXPECT_EQ(run("shl.b16", {0x8001, 1}), 2u);
  EXPECT_EQ(run("shl.b16", {1, 16}), 0u);
  EXPECT_EQ(run("shl.b64", {1, 63}), uint64_t(1) << 63);
  EXPECT_EQ(run("shl.b64", {1, 64}), 0u);
  EXPECT_EQ(run("shr.u32", {0x80000000, 31}), 1u);
  EXPECT_EQ(run("shr.b32", {0x80000000, 32}), 0u);
  EXPECT_EQ(run("shr.s32", {0x80000000, 31}), 0xffffffffu);
  EXPECT_EQ(run("shr.s32", {0x80000000, 100}), 0xffffffffu);
  EXPECT_EQ(run("shr.s32", {0x7fffffff, 100}), 0u);
  EXPECT_EQ(run("shr.s16", {0x8000, 3}), 0xf000u);
  EXPECT_EQ(run("shr.u16", {0x8000, 16}), 0u);
  EXPECT_EQ(run("shr.s64", {uint64_t(-8), 1}), uint64_t(-4));
  EXPECT_EQ(run("shr.u64", {uint64_t(-8), 64}), 0u);
}

TEST(BitForms, FunnelShifts) {
  uint64_t a = 0x89abcdef, b = 0x01234567;
  EXPECT_EQ(run("shf.l.wrap.b32", {a, b, 8}), 0x23456789u);
  EXPECT_EQ(run("shf.l.wrap.b32", {a, b, 40}), 0x23456789u);
  EXPECT_EQ(run("shf.l.clamp.b32", {a, b, 0}), b);
  EXPECT_EQ(run("shf.l.clamp.b32", {a, b, 40}), a);
  EXPECT_EQ(run("shf.r.wrap.b32", {a, b, 8}), 0x6789abcdu);
  EXPECT_EQ(run("shf.r.wrap.b32", {a, b, 32}), a);
  EXPECT_EQ(run("shf.r.clamp.b32", {a, b, 0xffffffff}), b);
}

/// PTX ISA, the semantics of bfe, bit by bit.
uint64_t extractSlowly(uint64_t a, unsigned position, unsigned length,
                       int highest, bool isSigned) {
  position &= 0xff;
  length &= 0xff;
  uint64_t sign = 0;
  if (isSigned && length != 0)
    sign = a >> std::min<unsigned>(position + length - 1, highest) & 1;
  uint64_t result = 0;
  for (unsigned i = 0; i <= unsigned(highest); ++i) {
    bool isInside = i < length && position + i <= unsigned(highest);
    result |= (isInside ? a >> (position + i) & 1 : sign) << i;
  }
  return result;
}

uint64_t insertSlowly(uint64_t a, uint64_t b, unsigned position,
                      unsigned length, unsigned highest) {
  position &= 0xff;
  length &= 0xff;
  for (unsigned i = 0; i < length && position + i <= highest; ++i) {
    b &= ~(uint64_t(1) << (position + i));
    b |= (a >> i & 1) << (position + i);
  }
  return b;
}

TEST(BitForms, Fields) {
  EXPECT_EQ(run("bfe.u32", {0x12345678, 8, 12}), 0x456u);
  EXPECT_EQ(run("bfe.s32", {0x00000f00, 8, 4}), 0xffffffffu);
  EXPECT_EQ(run("bfe.s32", {0x80000000, 40, 4}), 0xffffffffu);
  EXPECT_EQ(run("bfe.s32", {0x80000000, 40, 0}), 0u);
  EXPECT_EQ(run("bfi.b32", {0xabc, 0x11111111, 8, 12}), 0x111abc11u);
  EXPECT_EQ(run("bfi.b32", {0xabc, 0x11111111, 32, 4}), 0x11111111u);
  RandomWords random;
  for (int i = 0; i < 5000; ++i) {
    uint64_t a = random.get(64), b = random.get(64);
    uint64_t position = random.get(32), length = random.get(32);
    if (i % 2) {
      position %= 70;
      length %= 70;
    }
    uint64_t a32 = uint32_t(a), b32 = uint32_t(b);
    EXPECT_EQ(run("bfe.u32", {a32, position, length}),
              extractSlowly(a32, position, length, 31, false));
    EXPECT_EQ(run("bfe.s32", {a32, position, length}),
              extractSlowly(a32, position, length, 31, true));
    EXPECT_EQ(run("bfe.u64", {a, position, length}),
              extractSlowly(a, position, length, 63, false));
    EXPECT_EQ(run("bfe.s64", {a, position, length}),
              extractSlowly(a, position, length, 63, true));
    EXPECT_EQ(run("bfi.b32", {a32, b32, position, length}),
              insertSlowly(a32, b32, position, length, 31));
    EXPECT_EQ(run("bfi.b64", {a, b, position, length}),
              insertSlowly(a, b, position, length, 63));
  }
}

TEST(BitForms, Extensions) {
  EXPECT_EQ(run("szext.clamp.s32", {0xf8, 4}), 0xfffffff8u);
  EXPECT_EQ(run("szext.clamp.u32", {0xf8, 4}), 8u);
  EXPECT_EQ(run("szext.clamp.s32", {0x12345678, 32}), 0x12345678u);
  EXPECT_EQ(run("szext.clamp.s32", {0x12345678, 0}), 0u);
  EXPECT_EQ(run("szext.wrap.u32", {0xffffffff, 0}), 0u);
  EXPECT_EQ(run("szext.wrap.s32", {0xffffffff, 32}), 0u);
  EXPECT_EQ(run("szext.wrap.s32", {0x00000001, 33}), 0xffffffffu);
}

TEST(BitForms, Masks) {
  EXPECT_EQ(run("bmsk.wrap.b32", {1, 2}), 6u);
  EXPECT_EQ(run("bmsk.wrap.b32", {33, 34}), 6u);
  EXPECT_EQ(run("bmsk.clamp.b32", {0, 32}), 0xffffffffu);
  EXPECT_EQ(run("bmsk.clamp.b32", {4, 100}), 0xfffffff0u);
  EXPECT_EQ(run("bmsk.clamp.b32", {32, 1}), 0u);
  EXPECT_EQ(run("bmsk.clamp.b32", {4, 0}), 0u);
  EXPECT_EQ(run("bmsk.wrap.b32", {4, 32}), 0u);
  EXPECT_EQ(run("bmsk.clamp.b32", {30, 5}), 0xc0000000u);
}

TEST(BitForms, Permutations) {
  // Byte i has the value i; bytes 6 and 7 have a sign in addition.
  uint64_t a = 0x03020100, b = 0x87860504;
  EXPECT_EQ(run("prmt.b32", {a, b, 0x3210}), a);
  EXPECT_EQ(run("prmt.b32", {a, b, 0x7654}), b);
  EXPECT_EQ(run("prmt.b32", {a, b, 0x5410}), 0x05040100u);
  // The highest bit of each 4 repeats the sign; bits above 16 do not count.
  EXPECT_EQ(run("prmt.b32", {a, b, 0xfffff980}), 0xff000000u | 0x00000000u);
  EXPECT_EQ(run("prmt.b32", {a, b, 0xfe90}), 0xffff0000u);
  // The tables of the ISA, as bytes from the highest.
  const uint32_t f4e[] = {0x03020100, 0x04030201, 0x05040302, 0x86050403};
  const uint32_t b4e[] = {0x05868700, 0x86870001, 0x87000102, 0x00010203};
  const uint32_t rc8[] = {0x00000000, 0x01010101, 0x02020202, 0x03030303};
  const uint32_t ecl[] = {0x03020100, 0x03020101, 0x03020202, 0x03030303};
  const uint32_t ecr[] = {0x00000000, 0x01010100, 0x02020100, 0x03020100};
  const uint32_t rc16[] = {0x01000100, 0x03020302, 0x01000100, 0x03020302};
  for (uint64_t i = 0; i < 4; ++i) {
    // Only the two lowest bits choose.
    uint64_t selector = i | 0xabcdef10;
    EXPECT_EQ(run("prmt.b32.f4e", {a, b, selector}), f4e[i]);
    EXPECT_EQ(run("prmt.b32.b4e", {a, b, selector}), b4e[i]);
    EXPECT_EQ(run("prmt.b32.rc8", {a, b, selector}), rc8[i]);
    EXPECT_EQ(run("prmt.b32.ecl", {a, b, selector}), ecl[i]);
    EXPECT_EQ(run("prmt.b32.ecr", {a, b, selector}), ecr[i]);
    EXPECT_EQ(run("prmt.b32.rc16", {a, b, selector}), rc16[i]);
  }
}

} // namespace
