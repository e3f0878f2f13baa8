//===- HalfFormsTest.cpp - Arithmetic of 16-bit floats ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compared with APFloat, which the code under test does not use for these.
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace tessera;
using namespace tessera::emu;
using llvm::APFloat;

namespace {

constexpr auto kNearest = APFloat::rmNearestTiesToEven;

APFloat decode(const llvm::fltSemantics &semantics, uint64_t word) {
  return APFloat(semantics, llvm::APInt(16, word));
}

uint64_t encode(const APFloat &value) {
  return value.isNaN() ? 0x7fff : value.bitcastToAPInt().getZExtValue();
}

void checkAll(const llvm::fltSemantics &semantics, const std::string &type) {
  std::mt19937 engine(3);
  for (int i = 0; i < 100000; ++i) {
    uint64_t a = engine() & 0xffff, b = engine() & 0xffff,
             c = engine() & 0xffff;
    if (i % 4 == 0)
      b = (a + engine() % 64) & 0xffff;
    auto value = [&](uint64_t word) { return decode(semantics, word); };
    APFloat result = value(a);
    result.add(value(b), kNearest);
    EXPECT_EQ(run("add." + type, {a, b}), encode(result)) << a << " " << b;
    result = value(a);
    result.subtract(value(b), kNearest);
    EXPECT_EQ(run("sub.rn." + type, {a, b}), encode(result)) << a << " " << b;
    APFloat product = value(a);
    product.multiply(value(b), kNearest);
    EXPECT_EQ(run("mul." + type, {a, b}), encode(product)) << a << " " << b;
    // Near the middle of two numbers a second rounding would show.
    if (i % 2 && !product.isNaN())
      c = (encode(product) ^ 0x8000) + engine() % 3 - 1 & 0xffff;
    result = value(a);
    result.fusedMultiplyAdd(value(b), value(c), kNearest);
    EXPECT_EQ(run("fma.rn." + type, {a, b, c}), encode(result))
        << a << " " << b << " " << c;
    uint64_t pair =
        run("fma.rn." + type + "x2", {a | b << 16, b | c << 16, c | a << 16});
    EXPECT_EQ(pair & 0xffff, encode(result));
    EXPECT_EQ(pair >> 16, run("fma.rn." + type, {b, c, a}));
  }
}

TEST(HalfForms, F16) { checkAll(APFloat::IEEEhalf(), "f16"); }
TEST(HalfForms, BF16) { checkAll(APFloat::BFloat(), "bf16"); }

/// Sums whose f64 rounding alone would hit the middle of two numbers.
TEST(HalfForms, RoundsOnce) {
  // 1 + 2^-8 + 2^-126 in bf16: above the middle of 1 and 1 + 2^-7.
  EXPECT_EQ(run("fma.rn.bf16", {0x3f81, 0x3f80, 0x0080}), 0x3f81u);
  EXPECT_EQ(run("fma.rn.bf16", {0x3f80, 0x3b80, 0x3f80}), 0x3f80u);
  // (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8, a tie; the least number decides.
  EXPECT_EQ(run("fma.rn.bf16", {0x3f88, 0x3f88, 0x0000}), 0x3f90u);
  EXPECT_EQ(run("fma.rn.bf16", {0x3f88, 0x3f88, 0x0001}), 0x3f91u);
  EXPECT_EQ(run("fma.rn.bf16", {0x3f88, 0x3f88, 0x8001}), 0x3f90u);
}

TEST(HalfForms, Modifiers) {
  // 0x03ff is the largest subnormal f16, 0x3c00 is one.
  EXPECT_EQ(run("add.f16", {0x03ff, 0}), 0x03ffu);
  EXPECT_EQ(run("add.ftz.f16", {0x03ff, 0}), 0u);
  EXPECT_EQ(run("add.ftz.f16", {0x83ff, 0x8000}), 0x8000u);
  EXPECT_EQ(run("mul.ftz.f16", {0x0400, 0x3800}), 0u);
  EXPECT_EQ(run("add.sat.f16", {0x3c00, 0x3c00}), 0x3c00u);
  EXPECT_EQ(run("sub.sat.f16", {0, 0x3c00}), 0u);
  EXPECT_EQ(run("mul.sat.f16", {0x7c00, 0}), 0u);
  EXPECT_EQ(run("mul.f16", {0x7c00, 0}), 0x7fffu);
  EXPECT_EQ(run("fma.rn.relu.f16", {0x3c00, 0xbc00, 0}), 0u);
  EXPECT_EQ(run("fma.rn.relu.f16", {0x3c00, 0xfe00, 0}), 0x7fffu);
  EXPECT_EQ(run("fma.rn.relu.bf16x2", {0x3f80bf80, 0x3f803f80, 0}),
            0x3f800000u);
  EXPECT_EQ(run("add.sat.f16x2", {0x3c00bc00, 0x3c000000}), 0x3c000000u);
}

TEST(HalfForms, Signs) {
  EXPECT_EQ(run("neg.f16", {0x7c01}), 0xfc01u);
  EXPECT_EQ(run("abs.bf16x2", {0x80013f80}), 0x00013f80u);
  EXPECT_EQ(run("neg.ftz.f16x2", {0x00013c00}), 0x8000bc00u);
  EXPECT_EQ(run("abs.ftz.f16", {0x8001}), 0u);
}

TEST(HalfForms, Extrema) {
  EXPECT_EQ(run("min.f16", {0x3c00, 0x4000}), 0x3c00u);
  EXPECT_EQ(run("max.f16", {0x8000, 0x0000}), 0u);
  EXPECT_EQ(run("min.bf16", {0x0000, 0x8000}), 0x8000u);
  EXPECT_EQ(run("max.f16", {0x7e00, 0xbc00}), 0xbc00u);
  EXPECT_EQ(run("max.NaN.f16", {0x7e00, 0xbc00}), 0x7fffu);
  EXPECT_EQ(run("max.NaN.bf16x2", {0x7fc03f80, 0x40004000}), 0x7fff4000u);
  EXPECT_EQ(run("max.ftz.f16", {0x0001, 0x0000}), 0u);
  EXPECT_EQ(run("min.xorsign.abs.f16", {0xbc00, 0x4000}), 0xbc00u);
  EXPECT_EQ(run("max.NaN.xorsign.abs.bf16", {0xbf80, 0xc000}), 0x4000u);
}

TEST(HalfForms, Approximations) {
  EXPECT_EQ(run("ex2.approx.f16", {0x4000}), 0x4400u);
  EXPECT_EQ(run("ex2.approx.f16x2", {0x4000fc00}), 0x44000000u);
  // 2^-20 is subnormal in f16.
  EXPECT_EQ(run("ex2.approx.f16", {0xcd00}), 0x0010u);
  EXPECT_EQ(run("ex2.approx.ftz.bf16", {0x8001}), 0x3f80u);
  EXPECT_EQ(run("ex2.approx.ftz.bf16x2", {0x7fff3f80}), 0x7fff4000u);
  EXPECT_EQ(run("tanh.approx.f16", {0xfc00}), 0xbc00u);
  EXPECT_EQ(run("tanh.approx.f16", {0x8000}), 0x8000u);
  EXPECT_EQ(run("tanh.approx.bf16x2", {0x7f80ff80}), 0x3f80bf80u);
  // tanh(0.5) = 0.46211716 lies next to 0.46216 (0x3765).
  EXPECT_EQ(run("tanh.approx.f16", {0x3800}), 0x3765u);
}

} // namespace
