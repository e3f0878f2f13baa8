//===- IntegerFormsTest.cpp - Arithmetic of integers ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

using namespace tessera;
using namespace tessera::emu;

namespace {

constexpr uint64_t kMin16 = 0x8000, kMin32 = 0x80000000,
                   kMin64 = 0x8000000000000000;
constexpr uint64_t kOnes16 = 0xffff, kOnes32 = 0xffffffff,
                   kOnes64 = ~uint64_t(0);

TEST(IntegerForms, SumsWrap) {
  EXPECT_EQ(run("add.s16", {0x7fff, 1}), kMin16);
  EXPECT_EQ(run("add.u16", {kOnes16, 2}), 1u);
  EXPECT_EQ(run("add.s32", {0x7fffffff, 1}), kMin32);
  EXPECT_EQ(run("add.u32", {kOnes32, kOnes32}), 0xfffffffeu);
  EXPECT_EQ(run("add.s64", {kOnes64, 1}), 0u);
  EXPECT_EQ(run("sub.s16", {kMin16, 1}), 0x7fffu);
  EXPECT_EQ(run("sub.u32", {0, 1}), kOnes32);
  EXPECT_EQ(run("sub.s64", {kMin64, 1}), 0x7fffffffffffffffu);
  EXPECT_EQ(run("add.u16x2", {0xffff7fff, 0x00010001}), 0x00008000u);
  EXPECT_EQ(run("add.s16x2", {0x0001ffff, 0x00020001}), 0x00030000u);
}

TEST(IntegerForms, SaturatingSums) {
  EXPECT_EQ(run("add.sat.s32", {0x7fffffff, 1}), 0x7fffffffu);
  EXPECT_EQ(run("add.sat.s32", {kMin32, kOnes32}), kMin32);
  EXPECT_EQ(run("add.sat.s32", {5, 0xfffffffd}), 2u);
  EXPECT_EQ(run("sub.sat.s32", {kMin32, 1}), kMin32);
  EXPECT_EQ(run("sub.sat.s32", {0, kMin32}), 0x7fffffffu);
}

TEST(IntegerForms, Division) {
  EXPECT_EQ(run("div.s32", {uint32_t(-7), 2}), uint32_t(-3));
  EXPECT_EQ(run("rem.s32", {uint32_t(-7), 2}), uint32_t(-1));
  EXPECT_EQ(run("div.u32", {uint32_t(-7), 2}), 0x7ffffffcu);
  EXPECT_EQ(run("rem.u16", {0xfff9, 10}), 9u);
  EXPECT_EQ(run("div.s64", {uint64_t(-100), 7}), uint64_t(-14));
  EXPECT_EQ(run("rem.s64", {uint64_t(-100), 7}), uint64_t(-2));
  EXPECT_EQ(run("div.s16", {kMin16, kOnes16}), kMin16);
  EXPECT_EQ(run("div.s32", {kMin32, kOnes32}), kMin32);
  EXPECT_EQ(run("rem.s32", {kMin32, kOnes32}), 0u);
  EXPECT_EQ(run("div.s64", {kMin64, kOnes64}), kMin64);
  EXPECT_EQ(run("rem.s64", {kMin64, kOnes64}), 0u);
  EXPECT_EQ(run("div.u64", {kMin64, kOnes64}), 0u);
  EXPECT_EQ(run("div.u32", {1, 0}), kOnes32);
  EXPECT_EQ(run("div.s64", {1, 0}), kOnes64);
  EXPECT_EQ(run("rem.u16", {1, 0}), kOnes16);
}

TEST(IntegerForms, Signs) {
  EXPECT_EQ(run("abs.s16", {0xfffe}), 2u);
  EXPECT_EQ(run("abs.s16", {kMin16}), kMin16);
  EXPECT_EQ(run("abs.s32", {kMin32}), kMin32);
  EXPECT_EQ(run("abs.s64", {uint64_t(-9)}), 9u);
  EXPECT_EQ(run("neg.s16", {1}), kOnes16);
  EXPECT_EQ(run("neg.s32", {kMin32}), kMin32);
  EXPECT_EQ(run("neg.s64", {kMin64}), kMin64);
}

TEST(IntegerForms, Extrema) {
  EXPECT_EQ(run("min.s32", {kOnes32, 1}), kOnes32);
  EXPECT_EQ(run("min.u32", {kOnes32, 1}), 1u);
  EXPECT_EQ(run("max.s16", {kMin16, 3}), 3u);
  EXPECT_EQ(run("max.u16", {kMin16, 3}), kMin16);
  EXPECT_EQ(run("max.s64", {kOnes64, 0}), 0u);
  EXPECT_EQ(run("max.u64", {kOnes64, 0}), kOnes64);
  EXPECT_EQ(run("min.relu.s32", {uint32_t(-5), 3}), 0u);
  EXPECT_EQ(run("min.relu.s32", {5, 3}), 3u);
  EXPECT_EQ(run("max.relu.s32", {uint32_t(-5), uint32_t(-3)}), 0u);
  EXPECT_EQ(run("min.u16x2", {0x8000ffff, 0x00010002}), 0x00010002u);
  EXPECT_EQ(run("min.s16x2", {0x8000ffff, 0x00010002}), 0x8000ffffu);
  EXPECT_EQ(run("max.s16x2.relu", {0x80000005, 0xffff0007}), 0x00000007u);
}

TEST(IntegerForms, AbsoluteDifference) {
  EXPECT_EQ(run("sad.u32", {1, 5, 10}), 14u);
  EXPECT_EQ(run("sad.s32", {kOnes32, 5, 10}), 16u);
  // The difference of the extremes is 2^32 - 1.
  EXPECT_EQ(run("sad.s32", {kMin32, 0x7fffffff, 3}), 2u);
  EXPECT_EQ(run("sad.s16", {5, 0xffff, 0}), 6u);
  EXPECT_EQ(run("sad.u64", {0, kOnes64, 1}), 0u);
}

TEST(IntegerForms, Products) {
  EXPECT_EQ(run("mul.lo.s16", {kOnes16, kOnes16}), 1u);
  EXPECT_EQ(run("mul.hi.u16", {kOnes16, kOnes16}), 0xfffeu);
  EXPECT_EQ(run("mul.hi.s16", {kMin16, kMin16}), 0x4000u);
  EXPECT_EQ(run("mul.wide.u16", {kOnes16, kOnes16}), 0xfffe0001u);
  EXPECT_EQ(run("mul.wide.s16", {kOnes16, 2}), 0xfffffffeu);
  EXPECT_EQ(run("mul.hi.u32", {kOnes32, kOnes32}), 0xfffffffeu);
  EXPECT_EQ(run("mul.hi.s32", {kOnes32, 1}), kOnes32);
  EXPECT_EQ(run("mul.wide.s32", {kMin32, kMin32}), 0x4000000000000000u);
  EXPECT_EQ(run("mul.wide.u32", {kOnes32, kOnes32}), 0xfffffffe00000001u);
  EXPECT_EQ(run("mad.lo.s32", {7, uint32_t(-3), 1}), uint32_t(-20));
  EXPECT_EQ(run("mad.wide.s32", {kOnes32, 1, 1}), 0u);
  EXPECT_EQ(run("mad.wide.u16", {kOnes16, kOnes16, kOnes32}), 0xfffe0000u);
  EXPECT_EQ(run("mad.hi.u32", {kOnes32, kOnes32, 3}), 1u);
  EXPECT_EQ(run("mad.hi.sat.s32", {kMin32, kMin32, 0x7fffffff}), 0x7fffffffu);
  EXPECT_EQ(run("mad.hi.sat.s32", {kMin32, 0x7fffffff, kMin32}), kMin32);
}

/// The upper half against a product computed bit by bit.
TEST(IntegerForms, ProductsOf64Bits) {
  RandomWords random;
  for (int i = 0; i < 2000; ++i) {
    uint64_t a = random.get(64), b = random.get(64), c = random.get(64);
    uint64_t low = 0, high = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      if (!(b >> bit & 1))
        continue;
      uint64_t part = a << bit;
      low += part;
      high += (bit ? a >> (64 - bit) : 0) + (low < part);
    }
    uint64_t signedHigh = high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
    EXPECT_EQ(run("mul.lo.u64", {a, b}), low);
    EXPECT_EQ(run("mul.hi.u64", {a, b}), high);
    EXPECT_EQ(run("mul.hi.s64", {a, b}), signedHigh);
    EXPECT_EQ(run("mad.hi.s64", {a, b, c}), signedHigh + c);
    EXPECT_EQ(run("mad.lo.s64", {a, b, c}), low + c);
  }
}

TEST(IntegerForms, Products24) {
  // Bits above the 24th do not count.
  EXPECT_EQ(run("mul24.lo.u32", {0xff000002, 0x12000003}), 6u);
  EXPECT_EQ(run("mul24.hi.u32", {0xffffff, 0xffffff}), 0xfffffe00u);
  EXPECT_EQ(run("mul24.lo.s32", {0xffffff, 5}), uint32_t(-5));
  EXPECT_EQ(run("mul24.hi.s32", {0x00ffffff, 5}), kOnes32);
  EXPECT_EQ(run("mul24.hi.s32", {0x800000, 0x800000}), 0x40000000u);
  EXPECT_EQ(run("mad24.lo.s32", {0xffffff, 5, 6}), 1u);
  EXPECT_EQ(run("mad24.hi.u32", {0x100, 0x100, 7}), 8u);
  EXPECT_EQ(run("mad24.hi.sat.s32", {0x800000, 0x800000, 0x7fffffff}),
            0x7fffffffu);
}

TEST(IntegerForms, DotProducts) {
  EXPECT_EQ(run("dp4a.u32.u32", {0x01020304, 0x05060708, 100}),
            100u + 5 + 12 + 21 + 32);
  EXPECT_EQ(run("dp4a.s32.s32", {0xff000000, 0x02000000, 0}), uint32_t(-2));
  EXPECT_EQ(run("dp4a.u32.s32", {0xff000000, 0xff000000, 0}), uint32_t(-255));
  EXPECT_EQ(run("dp4a.s32.u32", {0x80808080, 0xffffffff, 1}),
            uint32_t(1 - 4 * 128 * 255));
  EXPECT_EQ(run("dp4a.u32.u32", {kOnes32, kOnes32, kOnes32}),
            4u * 255 * 255 - 1);
  EXPECT_EQ(run("dp2a.lo.u32.u32", {0x00030002, 0x05040706, 1}),
            1u + 2 * 6 + 3 * 7);
  EXPECT_EQ(run("dp2a.hi.u32.u32", {0x00030002, 0x05040706, 1}),
            1u + 2 * 4 + 3 * 5);
  EXPECT_EQ(run("dp2a.lo.s32.s32", {0x8000ffff, 0x0000ff02, 0}),
            uint32_t(-2 + 32768));
  EXPECT_EQ(run("dp2a.hi.s32.u32", {0x8000ffff, 0xff020000, 0}),
            uint32_t(-2 - 32768 * 255));
}

} // namespace
