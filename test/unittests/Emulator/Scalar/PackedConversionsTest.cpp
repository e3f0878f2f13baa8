//===- PackedConversionsTest.cpp - Pairs, f8 and tf32 -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include <cmath>

using namespace tessera;
using namespace tessera::emu;

namespace {

constexpr uint64_t kNaN32 = 0x7fffffff;

TEST(PackedConversions, Pairs) {
  uint64_t one = bits(1.0f), two = bits(2.0f);
  EXPECT_EQ(run("cvt.rn.f16x2.f32", {one, two}), 0x3c004000u);
  EXPECT_EQ(run("cvt.rn.bf16x2.f32", {one, two}), 0x3f804000u);
  EXPECT_EQ(run("cvt.rn.bf16x2.f32", {0x3f808000, 0x3f818000}), 0x3f803f82u);
  EXPECT_EQ(run("cvt.rz.bf16x2.f32", {0x3f80ffff, 0xbf81ffff}), 0x3f80bf81u);
  EXPECT_EQ(run("cvt.rn.relu.f16x2.f32", {bits(-1.0f), two}), 0x00004000u);
  EXPECT_EQ(run("cvt.rn.satfinite.f16x2.f32", {bits(1e9f), bits(-1e9f)}),
            0x7bfffbffu);
  EXPECT_EQ(run("cvt.rn.bf16x2.f32", {kNaN32, 0xff800001}), 0x7fff7fffu);
}

TEST(PackedConversions, F8) {
  // e4m3: one is 0x38, 448 is 0x7e; e5m2: one is 0x3c, 57344 is 0x7b.
  uint64_t one = bits(1.0f);
  EXPECT_EQ(run("cvt.rn.satfinite.e4m3x2.f32", {one, bits(-448.0f)}), 0x38feu);
  EXPECT_EQ(run("cvt.rn.satfinite.e4m3x2.f32", {bits(1e9f), bits(-INFINITY)}),
            0x7efeu);
  EXPECT_EQ(run("cvt.rn.satfinite.e5m2x2.f32", {one, bits(1e9f)}), 0x3c7bu);
  EXPECT_EQ(run("cvt.rn.satfinite.e5m2x2.f32", {bits(-60000.0f), 0}), 0xfb00u);
  EXPECT_EQ(run("cvt.rn.satfinite.e4m3x2.f32", {kNaN32, 0x80000000}), 0x7f80u);
  EXPECT_EQ(run("cvt.rn.satfinite.relu.e4m3x2.f32", {bits(-1.0f), one}),
            0x0038u);
  // A tie between 1 and 1.125 goes to even, between 1.125 and 1.25 too.
  EXPECT_EQ(run("cvt.rn.satfinite.e4m3x2.f32", {bits(1.0625f), bits(1.1875f)}),
            0x383au);
  EXPECT_EQ(run("cvt.rn.satfinite.e4m3x2.f16x2", {0x3c00bc00}), 0x38b8u);
  EXPECT_EQ(run("cvt.rn.satfinite.e5m2x2.f16x2", {0x7c003c00}), 0x7b3cu);
  EXPECT_EQ(run("cvt.rn.f16x2.e4m3x2", {0x387e}), 0x3c005f00u);
  EXPECT_EQ(run("cvt.rn.f16x2.e4m3x2", {0x7f01}), 0x7fff1800u);
  EXPECT_EQ(run("cvt.rn.f16x2.e5m2x2", {0x3cfc}), 0x3c00fc00u);
  EXPECT_EQ(run("cvt.rn.relu.f16x2.e5m2x2", {0xbc3c}), 0x00003c00u);
}

TEST(PackedConversions, TF32) {
  // 10 bits of fraction: the last is 0x2000.
  EXPECT_EQ(run("cvt.rna.tf32.f32", {0x3f801000}), 0x3f802000u);
  EXPECT_EQ(run("cvt.rna.tf32.f32", {0x3f800fff}), 0x3f800000u);
  EXPECT_EQ(run("cvt.rn.tf32.f32", {0x3f801000}), 0x3f800000u);
  EXPECT_EQ(run("cvt.rn.tf32.f32", {0x3f803000}), 0x3f804000u);
  EXPECT_EQ(run("cvt.rn.tf32.f32", {0x3f801001}), 0x3f802000u);
  EXPECT_EQ(run("cvt.rz.tf32.f32", {0xbf803fff}), 0xbf802000u);
  EXPECT_EQ(run("cvt.rna.tf32.f32", {0x7f7fffff}), 0x7f800000u);
  EXPECT_EQ(run("cvt.rna.satfinite.tf32.f32", {0x7f7fffff}), 0x7f7fe000u);
  EXPECT_EQ(run("cvt.rna.tf32.f32", {0xff800001}), kNaN32);
  EXPECT_EQ(run("cvt.rn.relu.tf32.f32", {bits(-1.0f)}), 0u);
}

TEST(PackedConversions, PacksIntegers) {
  EXPECT_EQ(run("cvt.pack.sat.u16.s32", {70000, uint32_t(-1)}), 0xffff0000u);
  EXPECT_EQ(run("cvt.pack.sat.s16.s32", {uint32_t(-70000), 5}), 0x80000005u);
  EXPECT_EQ(run("cvt.pack.sat.u8.s32.b32", {300, 2, 0x12345678}), 0x5678ff02u);
  EXPECT_EQ(run("cvt.pack.sat.s8.s32.b32", {uint32_t(-300), 2, 0}), 0x8002u);
  EXPECT_EQ(run("cvt.pack.sat.s4.s32.b32", {uint32_t(-3), 100, 0x1}), 0x1d7u);
  EXPECT_EQ(run("cvt.pack.sat.u2.s32.b32", {9, 1, 0xf}), 0xfdu);
}

} // namespace
