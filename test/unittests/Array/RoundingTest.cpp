//===- RoundingTest.cpp - Rounding against APFloat --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares with llvm::APFloat. Decodes and encodes every pattern of the 8- and
// 16-bit formats. Rounds every f32 at which the rounding may change (the values
// of a format, the midpoints between them and the neighbours of both), and many
// random numbers.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Rounding.h"

#include "tessera/Array/Generator.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

using namespace tessera::array;
using llvm::APFloat;

namespace {

struct Format {
  ElementType type;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};

class NarrowTest : public testing::TestWithParam<Format> {};

/// Whether two f32 are one value: the same bits, or both NaN.
bool isSame(float lhs, float rhs) {
  return getBits(lhs) == getBits(rhs) || (std::isnan(lhs) && std::isnan(rhs));
}

/// Returns `value` as rounded by APFloat, as an f64.
double convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

testing::AssertionResult roundsAsAPFloat(const Format &format, float value) {
  float expected =
      static_cast<float>(convert(APFloat(value), format.semantics));
  float actual = roundTo(format.type, value);
  if (isSame(actual, expected))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << value << " (bits " << getBits(value) << ") rounds to " << actual
         << ", but APFloat says " << expected;
}

testing::AssertionResult roundsAsAPFloat(const Format &format, double value) {
  float expected =
      static_cast<float>(convert(APFloat(value), format.semantics));
  float actual = roundTo(format.type, value);
  if (isSame(actual, expected))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << value << " rounds to " << actual
                                     << ", but APFloat says " << expected;
}

TEST_P(NarrowTest, DecodesAndEncodesEveryPattern) {
  const Format &format = GetParam();
  for (uint32_t pattern = 0; pattern < 1u << format.bits; ++pattern) {
    APFloat reference(format.semantics, llvm::APInt(format.bits, pattern));
    float value = decode(format.type, pattern);
    ASSERT_TRUE(isSame(value, static_cast<float>(reference.convertToDouble())))
        << pattern;
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode(format.type, encode(format.type, value))));
    else
      ASSERT_EQ(encode(format.type, value), pattern);
  }
}

TEST_P(NarrowTest, RoundsAroundEveryValueAndMidpoint) {
  const Format &format = GetParam();
  for (uint32_t pattern = 0; pattern + 1 < 1u << format.bits; ++pattern) {
    float value = decode(format.type, pattern);
    float next = decode(format.type, pattern + 1);
    if (!std::isfinite(value))
      continue;
    float middle = std::isfinite(next)
                       ? static_cast<float>((double(value) + next) / 2)
                       : value * 1.0625f;
    for (float center : {value, middle})
      for (int step : {-1, 0, 1})
        ASSERT_TRUE(roundsAsAPFloat(
            format,
            step == 0 ? center : std::nextafter(center, step * INFINITY)));
  }
}

TEST_P(NarrowTest, RoundsRandomFloats) {
  const Format &format = GetParam();
  Generator generator(1, "floats");
  for (int i = 0; i < 300000; ++i)
    ASSERT_TRUE(roundsAsAPFloat(
        format, fromBits(static_cast<uint32_t>(generator.nextBits()))));
}

// Rounding by way of f32 would be wrong for a number next to a midpoint.
TEST_P(NarrowTest, RoundsDoublesOnce) {
  const Format &format = GetParam();
  for (uint32_t pattern = 0; pattern + 1 < 1u << format.bits; ++pattern) {
    float value = decode(format.type, pattern);
    float next = decode(format.type, pattern + 1);
    if (!std::isfinite(value) || !std::isfinite(next))
      continue;
    double middle = (double(value) + next) / 2;
    for (double beside : {std::nextafter(middle, -INFINITY), middle,
                          std::nextafter(middle, double(INFINITY))})
      ASSERT_TRUE(roundsAsAPFloat(format, beside));
  }
  Generator generator(2, "doubles");
  for (int i = 0; i < 100000; ++i)
    ASSERT_TRUE(roundsAsAPFloat(
        format, std::ldexp(generator.nextNormal(),
                           int(generator.nextInteger(-160, 140)))));
}

TEST_P(NarrowTest, RoundsBuffers) {
  const Format &format = GetParam();
  float values[] = {0.0f, -0.0f, 0.1f, -3.3f, 1e-9f, 1e9f, INFINITY, NAN};
  float rounded[std::size(values)];
  std::copy(std::begin(values), std::end(values), rounded);
  roundAll(format.type, rounded, std::size(rounded));
  for (size_t i = 0; i < std::size(values); ++i)
    EXPECT_TRUE(isSame(rounded[i], roundTo(format.type, values[i])));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, NarrowTest,
    testing::Values(Format{ElementType::F16, APFloat::IEEEhalf(), 16},
                    Format{ElementType::BF16, APFloat::BFloat(), 16},
                    Format{ElementType::F8E4M3FN, APFloat::Float8E4M3FN(), 8},
                    Format{ElementType::F8E5M2, APFloat::Float8E5M2(), 8}),
    [](const testing::TestParamInfo<Format> &info) {
      return getName(info.param.type).str();
    });

// The edges that the README of the dialect names.
TEST(RoundingTest, OverflowAndInfinity) {
  EXPECT_EQ(roundTo(ElementType::F8E4M3FN, 464.0f), 448.0f);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::F8E4M3FN, 465.0f)));
  EXPECT_TRUE(std::isnan(roundTo(ElementType::F8E4M3FN, INFINITY)));
  EXPECT_EQ(roundTo(ElementType::F8E5M2, 61439.0f), 57344.0f);
  EXPECT_EQ(roundTo(ElementType::F8E5M2, 61440.0f), INFINITY);
  EXPECT_EQ(roundTo(ElementType::F16, -65520.0f), -INFINITY);
  EXPECT_EQ(roundTo(ElementType::F32, 1e300), INFINITY);
}

} // namespace
