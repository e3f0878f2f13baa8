//===- ElementReductionTest.cpp - Reductions in memory ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"

#include "tessera/Emulator/ElementReduction.h"
#include "tessera/Emulator/TensorMap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tessera::emu;
using testing::HasSubstr;
using testing::StrEq;

namespace {

template <typename T>
llvm::MutableArrayRef<uint8_t> asBytes(T &value) {
  return {reinterpret_cast<uint8_t *>(&value), sizeof(T)};
}

/// Of one element of a tensor map's type.
template <typename T>
T reduce(llvm::StringRef operation, int type, T target, T source) {
  EXPECT_THAT(getErrorText(reduceElements(operation, type, asBytes(target),
                                          asBytes(source))),
              testing::IsEmpty());
  return target;
}

float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
uint32_t toBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32 };
constexpr uint32_t kMin = 0x80000000, kMax = 0x7FFFFFFF, kAll = ~0u;
constexpr uint64_t kMin64 = uint64_t(1) << 63, kAll64 = ~uint64_t(0);

TEST(ElementReduction, AddsIntegers) {
  EXPECT_EQ(reduce<uint32_t>("add", U32, kAll, 2), 1u);
  EXPECT_EQ(reduce<uint32_t>("add", S32, kMax, 1), kMin);
  EXPECT_EQ(reduce<uint32_t>("add", S32, kAll, kAll), kAll - 1);
  EXPECT_EQ(reduce<uint64_t>("add", U64, kAll64, 2), 1u);
}

TEST(ElementReduction, ComparesWithTheSignOfTheType) {
  EXPECT_EQ(reduce<uint32_t>("min", U32, kMin, 1), 1u);
  EXPECT_EQ(reduce<uint32_t>("min", S32, kMin, 1), kMin);
  EXPECT_EQ(reduce<uint32_t>("max", U32, 1, kAll), kAll);
  EXPECT_EQ(reduce<uint32_t>("max", S32, 1, kAll), 1u);
  EXPECT_EQ(reduce<uint64_t>("min", U64, kMin64, 1), 1u);
  EXPECT_EQ(reduce<uint64_t>("min", S64, kMin64, 1), kMin64);
  EXPECT_EQ(reduce<uint64_t>("max", U64, 1, kAll64), kAll64);
  EXPECT_EQ(reduce<uint64_t>("max", S64, 1, kAll64), 1u);
}

TEST(ElementReduction, CountsWithinTheSource) {
  EXPECT_EQ(reduce<uint32_t>("inc", U32, 4, 5), 5u);
  EXPECT_EQ(reduce<uint32_t>("inc", U32, 5, 5), 0u);
  EXPECT_EQ(reduce<uint32_t>("inc", U32, kAll, kAll), 0u);
  EXPECT_EQ(reduce<uint32_t>("inc", U32, 9, 5), 0u);
  EXPECT_EQ(reduce<uint32_t>("dec", U32, 5, 5), 4u);
  EXPECT_EQ(reduce<uint32_t>("dec", U32, 0, 5), 5u);
  EXPECT_EQ(reduce<uint32_t>("dec", U32, 6, 5), 5u);
}

TEST(ElementReduction, CombinesBits) {
  for (int type : {U32, S32}) {
    EXPECT_EQ(reduce<uint32_t>("and", type, 0xF0F0, 0xFF00), 0xF000u);
    EXPECT_EQ(reduce<uint32_t>("or", type, 0xF0F0, 0xFF00), 0xFFF0u);
    EXPECT_EQ(reduce<uint32_t>("xor", type, 0xF0F0, 0xFF00), 0x0FF0u);
  }
  for (int type : {U64, S64}) {
    EXPECT_EQ(reduce<uint64_t>("and", type, kMin64 | 1, kMin64), kMin64);
    EXPECT_EQ(reduce<uint64_t>("or", type, kMin64, 1), kMin64 | 1);
    EXPECT_EQ(reduce<uint64_t>("xor", type, kAll64, 1), kAll64 - 1);
  }
}

TEST(ElementReduction, AddsSingles) {
  EXPECT_EQ(reduce("add", F32, 1.5f, 2.25f), 3.75f);
  // 1 + 2^-24 is a tie, and 1 is even; 1 + 3 * 2^-24 is also a tie.
  EXPECT_EQ(reduce("add", F32, 1.0f, 0x1p-24f), 1.0f);
  EXPECT_EQ(reduce("add", F32, 0x1.000002p0f, 0x1p-24f), 0x1.000004p0f);
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(reduce("add", F32, 0x1.fffffep127f, 0x1.fffffep127f), infinity);
  EXPECT_EQ(toBits(reduce("add", F32, infinity, -infinity)), 0x7FFFFFFFu);
  EXPECT_EQ(toBits(reduce("add", F32, fromBits(0xFF800001), 1.0f)),
            0x7FFFFFFFu);
  EXPECT_EQ(toBits(reduce("add", F32, -0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(toBits(reduce("add", F32, -0.0f, 0.0f)), 0u);
}

TEST(ElementReduction, FlushesSubnormalSinglesWhereTheTypeSaysSo) {
  float small = 0x1p-140f;
  EXPECT_EQ(reduce("add", F32, small, small), 0x1p-139f);
  EXPECT_EQ(toBits(reduce("add", F32Ftz, small, small)), 0u);
  EXPECT_EQ(toBits(reduce("add", F32Ftz, -small, -small)), 0x80000000u);
  // Normal operands, subnormal sum.
  EXPECT_EQ(toBits(reduce("add", F32Ftz, 0x1p-126f, -0x1.8p-126f)),
            0x80000000u);
  EXPECT_EQ(reduce("add", F32, 0x1p-126f, -0x1.8p-126f), -0x1p-127f);
  EXPECT_EQ(reduce("add", F32Ftz, 1.0f, 2.0f), 3.0f);
  uint32_t target = toBits(small), source = toBits(small);
  EXPECT_THAT(getErrorText(reduceElements("add", Type::F32, /*flushes=*/true,
                                          asBytes(target), asBytes(source))),
              testing::IsEmpty());
  EXPECT_EQ(target, 0u);
}

TEST(ElementReduction, AddsHalves) {
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x3C00, 0x3C00), 0x4000); // 1 + 1
  // 2048 + 1 is a tie to 2048; 2050 + 1 one to 2052.
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x6800, 0x3C00), 0x6800);
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x6801, 0x3C00), 0x6802);
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x7BFF, 0x7BFF), 0x7C00);
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x0001, 0x0001), 0x0002);
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0x7C00, 0xFC00), 0x7FFF);
  EXPECT_EQ(reduce<uint16_t>("add", F16, 0xFE01, 0x0000), 0x7FFF);
  EXPECT_EQ(reduce<uint16_t>("add", BF16, 0x3F80, 0x3F80), 0x4000);
  // 256 + 1 is a tie to 256; with a little more it is none, but no bf16 is.
  EXPECT_EQ(reduce<uint16_t>("add", BF16, 0x4380, 0x3F80), 0x4380);
  EXPECT_EQ(reduce<uint16_t>("add", BF16, 0x4380, 0x3F81), 0x4381);
  EXPECT_EQ(reduce<uint16_t>("add", BF16, 0x0001, 0x0001), 0x0002);
  EXPECT_EQ(reduce<uint16_t>("add", BF16, 0x7F7F, 0x0001), 0x7F7F);
}

TEST(ElementReduction, ComparesHalvesLikeTheInstructions) {
  for (int type : {F16, BF16}) {
    EXPECT_EQ(reduce<uint16_t>("min", type, 0x0000, 0x8000), 0x8000);
    EXPECT_EQ(reduce<uint16_t>("min", type, 0x8000, 0x0000), 0x8000);
    EXPECT_EQ(reduce<uint16_t>("max", type, 0x8000, 0x0000), 0x0000);
    EXPECT_EQ(reduce<uint16_t>("max", type, 0x0000, 0x8000), 0x0000);
    EXPECT_EQ(reduce<uint16_t>("max", type, 0x3C00, 0xBC00), 0x3C00);
    EXPECT_EQ(reduce<uint16_t>("min", type, 0x3C00, 0xBC00), 0xBC00);
    EXPECT_EQ(reduce<uint16_t>("max", type, 0x7FFE, 0xBC00), 0xBC00);
    EXPECT_EQ(reduce<uint16_t>("min", type, 0x3C00, 0xFFFF), 0x3C00);
    EXPECT_EQ(reduce<uint16_t>("min", type, 0x7FFE, 0xFFFF), 0x7FFF);
    EXPECT_EQ(reduce<uint16_t>("max", type, 0x0001, 0x0002), 0x0002);
  }
}

TEST(ElementReduction, TakesManyElements) {
  uint16_t target[4] = {1, 2, 3, 4}, source[4] = {10, 20, 30, 40};
  uint32_t words[2] = {1, kMax}, more[2] = {2, 1};
  EXPECT_THAT(
      getErrorText(reduceElements("add", S32, asBytes(words), asBytes(more))),
      testing::IsEmpty());
  EXPECT_THAT(words, testing::ElementsAre(3, kMin));
  // Subnormal halves add like integers.
  EXPECT_THAT(getErrorText(
                  reduceElements("add", F16, asBytes(target), asBytes(source))),
              testing::IsEmpty());
  EXPECT_THAT(target, testing::ElementsAre(11, 22, 33, 44));
}

/// PTX ISA, cp.reduce.async.bulk.tensor: the table of what there is.
TEST(ElementReduction, HasExactlyTheTableOfTensorCopies) {
  struct Row {
    const char *operation;
    std::vector<int> types;
  };
  const Row table[] = {{"add", {U32, S32, U64, F16, F32, BF16, F32Ftz}},
                       {"min", {U32, S32, U64, S64, F16, BF16}},
                       {"max", {U32, S32, U64, S64, F16, BF16}},
                       {"inc", {U32}},
                       {"dec", {U32}},
                       {"and", {U32, S32, U64, S64}},
                       {"or", {U32, S32, U64, S64}},
                       {"xor", {U32, S32, U64, S64}}};
  for (const Row &row : table)
    for (int type = -1; type < 17; ++type) {
      uint64_t target = 0, source = 0;
      llvm::Error error =
          reduceElements(row.operation, type, asBytes(target), asBytes(source));
      bool isThere = llvm::is_contained(row.types, type);
      EXPECT_EQ(!error, isThere) << row.operation << " " << type;
      std::string message = llvm::toString(std::move(error));
      if (!isThere) {
        EXPECT_THAT(message, HasSubstr("there it is for "));
      }
    }
}

TEST(ElementReduction, HasExactlyTheTableOfBulkCopies) {
  auto exists = [](const char *operation, Type type) {
    uint64_t target = 0, source = 0;
    llvm::Error error = reduceElements(operation, type, false, asBytes(target),
                                       asBytes(source));
    bool result = !error;
    llvm::consumeError(std::move(error));
    return result;
  };
  EXPECT_TRUE(exists("add", Type::F64));
  EXPECT_TRUE(exists("and", Type::B64));
  EXPECT_TRUE(exists("min", Type::S64));
  EXPECT_FALSE(exists("add", Type::S64));
  EXPECT_FALSE(exists("min", Type::F32));
  EXPECT_FALSE(exists("max", Type::F64));
  EXPECT_FALSE(exists("and", Type::U32));
  EXPECT_FALSE(exists("inc", Type::S32));
  EXPECT_FALSE(exists("add", Type::B32));
  EXPECT_FALSE(exists("add", Type::E4M3));
  double target = 0.1, source = 0.2;
  EXPECT_THAT(getErrorText(reduceElements("add", Type::F64, false,
                                          asBytes(target), asBytes(source))),
              testing::IsEmpty());
  EXPECT_EQ(target, 0.30000000000000004);
}

TEST(ElementReduction, RefusesWhatMakesNoSense) {
  uint32_t a = 0;
  uint64_t b = 0;
  EXPECT_THAT(getErrorText(reduceElements("mul", U32, asBytes(a), asBytes(a))),
              StrEq("unknown reduction '.mul', expected add, min, max, inc, "
                    "dec, and, or or xor"));
  EXPECT_THAT(getErrorText(reduceElements("add", U32, asBytes(a), asBytes(b))),
              StrEq("a reduction of elements of 4 bytes got 8 bytes for 4"));
  EXPECT_THAT(getErrorText(reduceElements("add", U64, asBytes(a), asBytes(a))),
              StrEq("a reduction of elements of 8 bytes got 4 bytes for 4"));
  EXPECT_THAT(
      getErrorText(reduceElements("add", TF32, asBytes(a), asBytes(a))),
      StrEq("the reduction '.add' does not exist for tensor maps of data type "
            "11; there it is for u32, s32, u64, f32, f16 and bf16 (others can "
            "be done element by element with atom or red)"));
  EXPECT_THAT(
      getErrorText(reduceElements("min", F32, asBytes(a), asBytes(a))),
      StrEq("the reduction '.min' does not exist for this type of element; "
            "there it is for u32, s32, u64, s64, f16 and bf16 (others can be "
            "done element by element with atom or red)"));
}

} // namespace
