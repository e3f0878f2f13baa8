//===- ArraySpecTest.cpp - Argument specifications --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the values of `--arg NAME=`, and the diagnostics of wrong ones.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ArraySpec.h"

#include "tessera/Array/Comparison.h"
#include "tessera/Array/Generator.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tessera::array;
using testing::HasSubstr;

namespace {

NDArray make(llvm::StringRef text, ElementType type, uint64_t seed = 0,
             llvm::StringRef name = "x") {
  llvm::Expected<ArraySpec> spec = ArraySpec::parse(text);
  if (!spec) {
    ADD_FAILURE() << llvm::toString(spec.takeError());
    return NDArray(type, {});
  }
  llvm::Expected<NDArray> array = spec->materialize(type, seed, name);
  if (!array) {
    ADD_FAILURE() << llvm::toString(array.takeError());
    return NDArray(type, {});
  }
  return std::move(*array);
}

std::string getError(llvm::StringRef text,
                     ElementType type = ElementType::F32) {
  llvm::Expected<ArraySpec> spec = ArraySpec::parse(text);
  if (!spec)
    return llvm::toString(spec.takeError());
  llvm::Expected<NDArray> array = spec->materialize(type, 0, "x");
  if (!array)
    return llvm::toString(array.takeError());
  return "no error";
}

TEST(ArraySpecTest, Scalars) {
  EXPECT_EQ(make("0.125", ElementType::F32).getFloat(0), 0.125);
  EXPECT_EQ(make("-7", ElementType::I32).getInteger(0), -7);
  EXPECT_EQ(make("+7", ElementType::F16).getFloat(0), 7);
  EXPECT_EQ(make("true", ElementType::I1).getInteger(0), 1);
  EXPECT_EQ(make("1e-3", ElementType::F64).getFloat(0), 1e-3);
  EXPECT_EQ(make("-inf", ElementType::BF16).getFloat(0), -INFINITY);
  EXPECT_TRUE(std::isnan(make("nan", ElementType::F32).getFloat(0)));
  EXPECT_EQ(make("9223372036854775807", ElementType::I64).getInteger(0),
            INT64_MAX);
}

TEST(ArraySpecTest, Arrays) {
  NDArray range = make("arange(4)", ElementType::I32);
  EXPECT_EQ(range.getShape(), llvm::ArrayRef<int64_t>({4}));
  EXPECT_EQ(range.getInteger(3), 3);
  EXPECT_EQ(make("full(-2.5, 2, 3)", ElementType::F16).getFloat(5), -2.5);
  EXPECT_EQ(make("ones( 2 )", ElementType::I8).getInteger(1), 1);
  EXPECT_EQ(make("zeros()", ElementType::F32).getNumElements(), 1);
  EXPECT_EQ(make("randn(0, 4)", ElementType::F32).getNumElements(), 0);
}

TEST(ArraySpecTest, TuplesAsPythonWritesThem) {
  auto shape = [](llvm::StringRef text) {
    return formatShape(make(text, ElementType::I8).getShape());
  };
  EXPECT_EQ(shape("(7,)"), "[7]");
  EXPECT_EQ(shape("(2, 3, )"), "[2, 3]");
  EXPECT_EQ(shape("zeros(7,)"), "[7]");
  EXPECT_EQ(shape("()"), "[]");
  EXPECT_THAT(getError("(,)"), HasSubstr("but got ''"));
  EXPECT_THAT(getError("(7,,)"), HasSubstr("but got ''"));
}

TEST(ArraySpecTest, Integers) {
  NDArray array = make("randint(-3, 4, 1000)", ElementType::I8);
  int64_t least = 100, most = -100;
  for (int64_t i = 0; i < 1000; ++i) {
    least = std::min(least, array.getInteger(i));
    most = std::max(most, array.getInteger(i));
  }
  EXPECT_EQ(least, -3);
  EXPECT_EQ(most, 3);
}

TEST(ArraySpecTest, FilesWithAndWithoutAt) {
  std::pair<const char *, const char *> cases[] = {
      {"@a.npy", "a.npy"},  {"a.npy", "a.npy"},           {"@a.bin", "a.bin"},
      {" 7.npy ", "7.npy"}, {"./x(1).npy", "./x(1).npy"}, {"@@a.npy", "@a.npy"},
  };
  for (const auto &[text, path] : cases) {
    llvm::Expected<ArraySpec> spec = ArraySpec::parse(text);
    ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
    EXPECT_EQ(spec->kind, ArraySpec::Kind::File) << text;
    EXPECT_EQ(spec->path, path);
  }
}

TEST(ArraySpecTest, Errors) {
  EXPECT_THAT(getError("gauss(3)"), HasSubstr("unknown generator 'gauss'"));
  EXPECT_THAT(getError("seven"),
              HasSubstr("a generator such as 'randn(2, 64)' or a number, but "
                        "got 'seven'"));
  EXPECT_THAT(getError("@"), HasSubstr("expected a file name after '@'"));
  EXPECT_THAT(getError("randn(2, -1)"),
              HasSubstr("an extent of 'randn' is a non-negative integer, but "
                        "got '-1'"));
  EXPECT_THAT(getError("zeros(1.5)"), HasSubstr("but got '1.5'"));
  EXPECT_THAT(getError("randn(99999999, 99999999)"), HasSubstr("too large"));
  EXPECT_THAT(getError("randint(5, 5, 2)"),
              HasSubstr("'randint' needs two integers lo < hi before its "
                        "extents, as in randint(0, 10, 64)"));
  EXPECT_THAT(getError("full()"), HasSubstr("'full' needs a number"));
  EXPECT_THAT(getError("full()"),
              HasSubstr("'full' needs a number before its extents, as in "
                        "full(0.5, 64)"));
  EXPECT_THAT(getError("arange(2, 3)"),
              HasSubstr("'arange' needs one extent, as in arange(64)"));
  EXPECT_THAT(getError("randn(4)", ElementType::I32),
              HasSubstr("'randn(4)' makes floats, but the elements are i32"));
  EXPECT_THAT(getError("1.5", ElementType::I32),
              HasSubstr("'1.5' is not a value of i32"));
  EXPECT_THAT(getError("300", ElementType::I8),
              HasSubstr("300 is out of the range of i8"));
  EXPECT_THAT(getError("arange(200)", ElementType::I8),
              HasSubstr("199 is out of the range of i8"));
  EXPECT_THAT(getError("99999999999999999999", ElementType::I64),
              HasSubstr("but got '99999999999999999999'"));
}

TEST(ArraySpecTest, ConversionOfFiles) {
  NDArray wide(ElementType::I64, {2});
  wide.setInteger(1, 128);
  llvm::Expected<NDArray> narrow = wide.convertTo(ElementType::I8);
  ASSERT_FALSE(static_cast<bool>(narrow));
  EXPECT_EQ(llvm::toString(narrow.takeError()),
            "element [1] is 128, which i8 cannot hold");
  llvm::Expected<NDArray> floats = wide.convertTo(ElementType::F32);
  ASSERT_FALSE(static_cast<bool>(floats));
  EXPECT_EQ(llvm::toString(floats.takeError()),
            "an array of i64 does not convert to f32");
  // Rounded once, to nearest even: f64 -> bf16 of a number just above a tie.
  NDArray precise(ElementType::F64, {1});
  precise.setFloat(0, 1.00390625000001);
  llvm::Expected<NDArray> rounded = precise.convertTo(ElementType::BF16);
  ASSERT_TRUE(static_cast<bool>(rounded));
  EXPECT_EQ(rounded->getFloat(0), 1.0078125);
}

// The generator is part of the interface: saved results depend on it.
TEST(GeneratorTest, IsReproducible) {
  Generator generator(0, "x");
  EXPECT_EQ(generator.nextBits(), 6611545711336348839u);
  NDArray array = make("randn(1000)", ElementType::F32, 7, "q");
  EXPECT_EQ(static_cast<float>(array.getFloat(0)), -0.0446562544f);
  EXPECT_EQ(static_cast<float>(array.getFloat(999)), -0.459172308f);
}

TEST(GeneratorTest, StreamsDependOnSeedAndName) {
  double first = make("randn(1)", ElementType::F32, 7, "q").getFloat(0);
  EXPECT_EQ(first, make("randn(1)", ElementType::F32, 7, "q").getFloat(0));
  EXPECT_NE(first, make("randn(1)", ElementType::F32, 8, "q").getFloat(0));
  EXPECT_NE(first, make("randn(1)", ElementType::F32, 7, "k").getFloat(0));
}

TEST(GeneratorTest, HasTheRightMoments) {
  constexpr int64_t count = 200000;
  NDArray normal = make("randn(200000)", ElementType::F64);
  NDArray uniform = make("rand(200000)", ElementType::F64);
  double sum = 0, squares = 0, fourths = 0, mean = 0;
  for (int64_t i = 0; i < count; ++i) {
    double x = normal.getFloat(i), u = uniform.getFloat(i);
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    mean += u;
    ASSERT_TRUE(u >= 0 && u < 1);
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.015);
  EXPECT_NEAR(fourths / count, 3, 0.1);
  EXPECT_NEAR(mean / count, 0.5, 0.003);
}

TEST(ComparisonTest, Measures) {
  NDArray x(ElementType::F32, {4}), reference(ElementType::F64, {4});
  const double xs[] = {1, 2, 3, 4}, references[] = {1, 2.5, 3, 4};
  for (int i = 0; i < 4; ++i) {
    x.setFloat(i, xs[i]);
    reference.setFloat(i, references[i]);
  }
  Comparison result = compare(x, reference, {0.1, 0, std::nullopt});
  EXPECT_FALSE(result.good);
  EXPECT_EQ(result.maxAbsolute, 0.5);
  EXPECT_EQ(result.maxRelative, 0.2);
  EXPECT_EQ(result.numBad, 1);
  EXPECT_EQ(result.firstBad, 1);
  EXPECT_NEAR(result.relativeRms, std::sqrt(0.25 / 32.25), 1e-12);
  EXPECT_TRUE(compare(x, reference, {0, 0.5, std::nullopt}).good);
  EXPECT_TRUE(compare(x, reference, {0, 0, 0.09}).good);
  EXPECT_FALSE(compare(x, reference, {0, 0, 0.08}).good);
}

TEST(ComparisonTest, NonFiniteValuesMustAgree) {
  auto compareTwo = [](double lhs, double rhs) {
    NDArray x(ElementType::F32, {1}), y(ElementType::F32, {1});
    x.setFloat(0, lhs);
    y.setFloat(0, rhs);
    return compare(x, y, {1, INFINITY, 1e9});
  };
  EXPECT_TRUE(compareTwo(NAN, NAN).good);
  EXPECT_TRUE(compareTwo(INFINITY, INFINITY).good);
  EXPECT_FALSE(compareTwo(INFINITY, -INFINITY).good);
  EXPECT_FALSE(compareTwo(NAN, 1).good);
  EXPECT_FALSE(compareTwo(1, NAN).good);
  EXPECT_EQ(compareTwo(1, INFINITY).numNonFiniteMismatches, 1);
}

TEST(ComparisonTest, IntegersExactly) {
  NDArray x(ElementType::I64, {1}), y(ElementType::I64, {1});
  x.setInteger(0, INT64_MAX);
  y.setInteger(0, INT64_MAX - 1);
  EXPECT_FALSE(compare(x, y, Tolerance::getDefault(ElementType::I64)).good);
  EXPECT_TRUE(compare(x, x, Tolerance::getDefault(ElementType::I64)).good);
}

} // namespace
