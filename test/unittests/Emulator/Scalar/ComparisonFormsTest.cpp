//===- ComparisonFormsTest.cpp - Comparisons and selections -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include <limits>

using namespace tessera;
using namespace tessera::emu;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

TEST(ComparisonForms, Integers) {
  EXPECT_EQ(run("setp.lt.s32", {0xffffffff, 1}), 1u);
  EXPECT_EQ(run("setp.lt.u32", {0xffffffff, 1}), 0u);
  EXPECT_EQ(run("setp.lo.u32", {0, 1}), 1u);
  EXPECT_EQ(run("setp.ls.u32", {1, 1}), 1u);
  EXPECT_EQ(run("setp.hi.u64", {~uint64_t(0), 1}), 1u);
  EXPECT_EQ(run("setp.hs.u16", {1, 2}), 0u);
  EXPECT_EQ(run("setp.ge.s16", {0x8000, 0x7fff}), 0u);
  EXPECT_EQ(run("setp.gt.s64", {0, uint64_t(-1)}), 1u);
  EXPECT_EQ(run("setp.le.s64", {5, 5}), 1u);
  EXPECT_EQ(run("setp.eq.b32", {5, 5}), 1u);
  EXPECT_EQ(run("setp.ne.b64", {5, 5}), 0u);
  EXPECT_EQ(run("setp.eq.b16", {5, 6}), 0u);
}

TEST(ComparisonForms, JoinsWithPredicate) {
  for (uint64_t a : {0, 1})
    for (uint64_t c : {0, 1}) {
      uint64_t isLess = a < 1;
      EXPECT_EQ(run("setp.lt.and.s32", {a, 1, c}), isLess & c);
      EXPECT_EQ(run("setp.lt.or.s32", {a, 1, c}), isLess | c);
      EXPECT_EQ(run("setp.lt.xor.s32", {a, 1, c}), isLess ^ c);
      EXPECT_EQ(run("setp.ltu.xor.f32", {bits(float(a)), bits(1.0f), c}),
                isLess ^ c);
    }
}

/// Each comparison of less, equal, greater and unordered operands.
TEST(ComparisonForms, Floats) {
  struct Case {
    const char *name;
    bool less, equal, greater, unordered;
  };
  const Case cases[] = {
      {"eq", false, true, false, false}, {"ne", true, false, true, false},
      {"lt", true, false, false, false}, {"le", true, true, false, false},
      {"gt", false, false, true, false}, {"ge", false, true, true, false},
      {"equ", false, true, false, true}, {"neu", true, false, true, true},
      {"ltu", true, false, false, true}, {"leu", true, true, false, true},
      {"gtu", false, false, true, true}, {"geu", false, true, true, true},
      {"num", true, true, true, false},  {"nan", false, false, false, true},
  };
  for (const Case &c : cases) {
    std::string name = std::string("setp.") + c.name;
    for (bool isDouble : {false, true}) {
      auto compare = [&](float a, float b) -> bool {
        return isDouble ? run(name + ".f64", {bits(double(a)), bits(double(b))})
                        : run(name + ".f32", {bits(a), bits(b)});
      };
      EXPECT_EQ(compare(1, 2), c.less) << name;
      EXPECT_EQ(compare(2, 2), c.equal) << name;
      EXPECT_EQ(compare(0.0f, -0.0f), c.equal) << name;
      EXPECT_EQ(compare(2, -kTiny), c.greater) << name;
      EXPECT_EQ(compare(kTiny, 0), c.greater) << name;
      EXPECT_EQ(compare(kNaN, 1), c.unordered) << name;
      EXPECT_EQ(compare(1, kNaN), c.unordered) << name;
      EXPECT_EQ(compare(kNaN, kNaN), c.unordered) << name;
    }
    // f16: 1, 2 and NaN; bf16 the same.
    EXPECT_EQ(run(name + ".f16", {0x3c00, 0x4000}), c.less) << name;
    EXPECT_EQ(run(name + ".f16", {0x7fff, 0x4000}), c.unordered) << name;
    EXPECT_EQ(run(name + ".bf16", {0x4000, 0x3f80}), c.greater) << name;
    EXPECT_EQ(run(name + ".bf16", {0x8000, 0x0000}), c.equal) << name;
  }
}

TEST(ComparisonForms, FlushesSubnormals) {
  EXPECT_EQ(run("setp.gt.ftz.f32", {bits(kTiny), 0}), 0u);
  EXPECT_EQ(run("setp.eq.ftz.f32", {bits(kTiny), bits(-kTiny)}), 1u);
  EXPECT_EQ(run("setp.gt.f16", {0x0001, 0}), 1u);
  EXPECT_EQ(run("setp.gt.ftz.f16", {0x0001, 0}), 0u);
}

TEST(ComparisonForms, Values) {
  EXPECT_EQ(run("set.lt.u32.s32", {0xffffffff, 1}), 0xffffffffu);
  EXPECT_EQ(run("set.gt.s32.f32", {bits(1.0f), bits(2.0f)}), 0u);
  EXPECT_EQ(run("set.lt.f32.s32", {0xffffffff, 1}), bits(1.0f));
  EXPECT_EQ(run("set.eq.and.f32.f64", {bits(1.0), bits(1.0), 0}), 0u);
  EXPECT_EQ(run("set.hi.u32.u64", {2, 1}), 0xffffffffu);
  EXPECT_EQ(run("set.nan.u32.f32", {bits(kNaN), 0}), 0xffffffffu);
  EXPECT_EQ(run("set.lt.f16.f16", {0x3c00, 0x4000}), 0x3c00u);
  EXPECT_EQ(run("set.lt.bf16.bf16", {0x3f80, 0x4000}), 0x3f80u);
  EXPECT_EQ(run("set.lt.u16.f16", {0x3c00, 0x4000}), 0xffffu);
  EXPECT_EQ(run("set.lt.u32.f16", {0x3c00, 0x4000}), 0xffffffffu);
  EXPECT_EQ(run("set.lt.f16x2.f16x2", {0x3c004000, 0x40003c00}), 0x3c000000u);
  EXPECT_EQ(run("set.lt.or.u32.bf16x2", {0x3f804000, 0x40003f80, 1}),
            0xffffffffu);
  EXPECT_EQ(run("set.lt.u32.bf16x2", {0x40003f80, 0x3f804000}), 0x0000ffffu);
}

TEST(ComparisonForms, Selection) {
  EXPECT_EQ(run("selp.b32", {7, 8, 1}), 7u);
  EXPECT_EQ(run("selp.b32", {7, 8, 0}), 8u);
  EXPECT_EQ(run("selp.f64", {bits(1.5), bits(2.5), 0}), bits(2.5));
  EXPECT_EQ(run("slct.u64.s32", {7, 8, 0}), 7u);
  EXPECT_EQ(run("slct.u64.s32", {7, 8, 0xffffffff}), 8u);
  EXPECT_EQ(run("slct.b16.f32", {7, 8, bits(-0.0f)}), 7u);
  EXPECT_EQ(run("slct.b16.f32", {7, 8, bits(kNaN)}), 8u);
  EXPECT_EQ(run("slct.f32.f32", {7, 8, bits(-kTiny)}), 8u);
  EXPECT_EQ(run("slct.ftz.f32.f32", {7, 8, bits(-kTiny)}), 7u);
}

TEST(ComparisonForms, Moves) {
  EXPECT_EQ(run("mov.b64", {0x123456789abcdef0}), 0x123456789abcdef0u);
  EXPECT_EQ(run("mov.pred", {1}), 1u);
  // Signalling NaNs stay what they are.
  EXPECT_EQ(run("mov.f32", {0x7f800001}), 0x7f800001u);
  EXPECT_EQ(run("mov.u16", {0xffff}), 0xffffu);
}

} // namespace
