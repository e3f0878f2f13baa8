//===- FloatTextTest.cpp - Floats written in decimal ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's strtod, which reads text of any length, is the reference.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/FloatText.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

using namespace tessera::array;

namespace {

void expectAsHost(const std::string &text) {
  std::optional<double> value = readFloat(text);
  ASSERT_TRUE(value) << text.substr(0, 60);
  EXPECT_EQ(*value, std::strtod(text.c_str(), nullptr)) << text.substr(0, 60);
}

std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(FloatText, ReadsShortText) {
  for (const char *text :
       {"0.5", "1e-5", "-2.25E+3", "1e308", "1e-320", "1e-400", "3.", ".5"})
    expectAsHost(text);
  EXPECT_TRUE(std::isinf(*readFloat("1e999")));
  EXPECT_TRUE(std::isinf(*readFloat("inf")));
  for (const char *text :
       {"", "e5", "1e", "1e+", "+1e-", "1.2.3", "0.5x", "-", "."})
    EXPECT_FALSE(readFloat(text)) << text;
}

// 32 768 digits and more wrote past a buffer of APFloat.
TEST(FloatText, ReadsTextOfAnyLength) {
  for (size_t digits : {200, 256, 257, 767, 768, 769, 32767, 32768, 150000}) {
    std::string nines(digits, '9'), zeros(digits, '0');
    expectAsHost("0." + nines);
    expectAsHost("-0." + nines);
    expectAsHost("0." + zeros + "1");
    expectAsHost("0." + zeros + "25e" + std::to_string(digits));
    expectAsHost("1" + zeros + "e-" + std::to_string(digits));
    expectAsHost("1." + zeros + "1");
    expectAsHost(zeros + "1.5");
    expectAsHost(zeros + "." + zeros);
    EXPECT_EQ(std::isinf(*readFloat(nines + "." + nines)), digits > 308);
    EXPECT_TRUE(std::isinf(*readFloat("1e" + nines))) << digits;
    EXPECT_EQ(*readFloat("1e-" + nines), 0) << digits;
    EXPECT_EQ(*readFloat("0." + zeros + "e" + nines), 0) << digits;
    for (const std::string &text : {nines + "x", nines + ".5.5", nines + "e",
                                    nines + "e+", "." + repeat(".", digits)})
      EXPECT_FALSE(readFloat(text)) << digits;
  }
}

TEST(FloatText, RoundsHalfWayBetweenDoubles) {
  // Exact decimals of two midpoints: of 1 and the next double, and of the two
  // smallest doubles, which has the most digits of all midpoints.
  std::string half = "1.00000000000000011102230246251565404236316680908203125";
  char least[1200];
  std::snprintf(least, sizeof(least), "%.1100f", std::ldexp(1.0, -1074));
  for (size_t zeros : {0, 200, 700, 800, 40000}) {
    for (const char *end : {"", "1"}) {
      expectAsHost(half + std::string(zeros, '0') + end);
      expectAsHost(std::string(least) + std::string(zeros, '0') + end);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text = std::to_string(random() % 10) + ".";
    for (size_t digits = random() % 1200; digits; --digits)
      text += char('0' + random() % 10);
    expectAsHost(text + "e" + std::to_string(int(random() % 700) - 350));
  }
}

// A second would be a thousand times too long.
TEST(FloatText, ReadsMegabytesAtOnce) {
  expectAsHost("0." + std::string(10000000, '1'));
}

TEST(FloatText, FindsLongFloats) {
  std::string digits(20000, '7');
  EXPECT_FALSE(findLongFloat("1.5 2.5"));
  EXPECT_FALSE(findLongFloat(digits));
  EXPECT_EQ(findLongFloat("1.5, 0." + digits), size_t(5));
}

} // namespace
