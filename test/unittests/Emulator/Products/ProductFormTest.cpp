//===- ProductFormTest.cpp - Forms of matrix products -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas 13.0 accepts the same forms.
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"
#include "ProductFixture.h"

#include "llvm/ADT/Twine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

constexpr const char *kRoot = "wgmma.mma_async.sync.aligned.";

llvm::Expected<ProductForm> read(llvm::StringRef name, unsigned accumulators,
                                 unsigned aRegisters,
                                 std::vector<int64_t> immediates) {
  return ProductForm::get(*makeProduct(kRoot + name.str(), accumulators,
                                       aRegisters, std::move(immediates)));
}

TEST(ProductForm, ReadsTheExistingOnes) {
  struct Row {
    const char *name;
    unsigned accumulators, aRegisters;
    std::vector<int64_t> immediates;
    unsigned n, k;
    Type d, a, b;
  };
  const Row rows[] = {
      {"m64n256k16.f32.bf16.bf16",
       128,
       0,
       {1, 1, 0, 0},
       256,
       16,
       Type::F32,
       Type::BF16,
       Type::BF16},
      {"m64n128k16.f32.bf16.bf16",
       64,
       4,
       {1, 1, 1},
       128,
       16,
       Type::F32,
       Type::BF16,
       Type::BF16},
      {"m64n8k16.f16.f16.f16",
       2,
       0,
       {-1, 1, 1, 0},
       8,
       16,
       Type::F16,
       Type::F16,
       Type::F16},
      {"m64n24k16.f32.f16.f16",
       12,
       4,
       {1, -1, 0},
       24,
       16,
       Type::F32,
       Type::F16,
       Type::F16},
      {"m64n8k8.f32.tf32.tf32",
       4,
       0,
       {1, 1},
       8,
       8,
       Type::F32,
       Type::TF32,
       Type::TF32},
      {"m64n40k8.f32.tf32.tf32",
       20,
       4,
       {1, 1},
       40,
       8,
       Type::F32,
       Type::TF32,
       Type::TF32},
      {"m64n128k32.f32.e4m3.e4m3",
       64,
       0,
       {1, 1},
       128,
       32,
       Type::F32,
       Type::E4M3,
       Type::E4M3},
      {"m64n16k32.f16.e5m2.e4m3",
       4,
       4,
       {1, 1},
       16,
       32,
       Type::F16,
       Type::E5M2,
       Type::E4M3},
      {"m64n8k32.s32.s8.u8", 4, 0, {}, 8, 32, Type::S32, Type::S8, Type::U8},
      {"m64n224k32.s32.u8.u8.satfinite",
       112,
       4,
       {},
       224,
       32,
       Type::S32,
       Type::U8,
       Type::U8},
  };
  for (const Row &row : rows) {
    auto form =
        read(row.name, row.accumulators, row.aRegisters, row.immediates);
    ASSERT_THAT(getErrorText(form), testing::IsEmpty());
    EXPECT_EQ(form->n, row.n);
    EXPECT_EQ(form->k, row.k);
    EXPECT_EQ(form->d, row.d);
    EXPECT_EQ(form->a, row.a);
    EXPECT_EQ(form->b, row.b);
    EXPECT_EQ(form->aInRegisters, row.aRegisters != 0);
    EXPECT_EQ(form->isSaturating,
              llvm::StringRef(row.name).ends_with("satfinite"));
    EXPECT_EQ(form->countAccumulators(), row.accumulators);
    EXPECT_EQ(form->countARegisters(), 4u);
    EXPECT_EQ(form->countOperands(), 4 + row.immediates.size());
  }
}

TEST(ProductForm, KnowsTheSizesOfN) {
  const std::set<unsigned> integers = {8,   16,  24,  32,  48,  64,
                                       80,  96,  112, 128, 144, 160,
                                       176, 192, 208, 224, 240, 256};
  for (unsigned n = 0; n <= 272; ++n) {
    std::string shape = "m64n" + std::to_string(n);
    auto floats = read(shape + "k16.f32.f16.f16", n / 2, 0, {1, 1, 0, 0});
    EXPECT_EQ(static_cast<bool>(floats), n >= 8 && n <= 256 && n % 8 == 0) << n;
    llvm::consumeError(floats.takeError());
    auto bytes = read(shape + "k32.s32.s8.s8", n / 2, 0, {});
    EXPECT_EQ(static_cast<bool>(bytes), integers.count(n) == 1) << n;
    llvm::consumeError(bytes.takeError());
  }
}

TEST(ProductForm, RefusesOthersWithTheReason) {
  struct Row {
    const char *message;
    const char *name;
    unsigned accumulators, aRegisters;
    std::vector<int64_t> immediates;
  };
  const Row rows[] = {
      {"no products of these types",
       "m64n8k16.f16.bf16.bf16",
       2,
       0,
       {1, 1, 0, 0}},
      {"no products of these types",
       "m64n8k16.f32.bf16.f16",
       4,
       0,
       {1, 1, 0, 0}},
      {"no products of these types", "m64n8k32.f32.s8.s8", 4, 0, {}},
      {"no products of these types", "m64n8k32.s32.e4m3.s8", 4, 0, {}},
      {"no products of these types", "m64n8k16.s32.f16.f16", 4, 0, {}},
      {"the shape m64n*k8", "m64n8k16.f32.tf32.tf32", 4, 0, {1, 1}},
      {"the shape m64n*k16", "m16n8k16.f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"a multiple of 8 up to 256",
       "m64n12k16.f32.f16.f16",
       6,
       0,
       {1, 1, 0, 0}},
      {"a multiple of 16 up to 256", "m64n40k32.s32.s8.s8", 20, 0, {}},
      {"'.satfinite' is for integer",
       "m64n8k16.f32.f16.f16.satfinite",
       4,
       0,
       {1, 1, 0, 0}},
      {"single bits", "m64n8k256.s32.b1.b1.and.popc", 4, 0, {}},
      {"sparse", "sp.m64n8k32.f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"unknown part '.f64'", "m64n8k16.f64.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"unknown part '.'", "m64n8k16..f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"unknown part '.m64'", "m64n8k16.m64.f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"expected a shape", "f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"expected a shape", "m64n8k16x.f32.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"expected a shape",
       "m64n99999999999k16.f32.f16.f16",
       4,
       0,
       {1, 1, 0, 0}},
      {"the types of D, A and B", "m64n8k16.f32.f16", 4, 0, {1, 1, 0, 0}},
      {"expected 8 operands, got 6", "m64n8k16.f32.f16.f16", 4, 0, {1, 1}},
      {"expected 7 operands, got 8",
       "m64n8k16.f32.f16.f16",
       4,
       4,
       {1, 1, 0, 0}},
      {"expected 6 operands, got 8",
       "m64n8k8.f32.tf32.tf32",
       4,
       0,
       {1, 1, 0, 0}},
      {"expected 4 operands, got 6", "m64n8k32.s32.s8.s8", 4, 0, {1, 1}},
      {"D has to be a vector of 4", "m64n8k16.f32.f16.f16", 3, 0, {1, 1, 0, 0}},
      {"D has to be a vector of 2", "m64n8k16.f16.f16.f16", 4, 0, {1, 1, 0, 0}},
      {"A has to be a vector of 4", "m64n8k16.f32.f16.f16", 4, 2, {1, 1, 0}},
      {"imm-scale-a has to be the constant 1 or -1",
       "m64n8k16.f32.f16.f16",
       4,
       0,
       {0, 1, 0, 0}},
      {"imm-scale-b has to be the constant 1 or -1",
       "m64n8k16.f32.f16.f16",
       4,
       0,
       {1, 2, 0, 0}},
      {"imm-trans-a has to be the constant 0 or 1",
       "m64n8k16.f32.f16.f16",
       4,
       0,
       {1, 1, 2, 0}},
      {"imm-trans-b has to be the constant 0 or 1",
       "m64n8k16.f32.f16.f16",
       4,
       0,
       {1, 1, 0, -1}},
  };
  for (const Row &row : rows)
    EXPECT_THAT(getErrorText(read(row.name, row.accumulators, row.aRegisters,
                                  row.immediates)),
                HasSubstr(row.message))
        << row.name;
}

TEST(ProductForm, RefusesOperandsOfOtherKinds) {
  auto check = [](const char *message, auto change) {
    auto product = makeProduct(std::string(kRoot) + "m64n8k16.f32.f16.f16", 4,
                               0, {1, 1, 0, 0});
    change(*product);
    EXPECT_THAT(getErrorText(ProductForm::get(*product)), HasSubstr(message));
  };
  using Kind = Operand::Kind;
  check("'.sync.aligned'",
        [](Instruction &i) { i.parts.erase(i.parts.begin() + 3); });
  check("expected 'wgmma.mma_async'",
        [](Instruction &i) { i.parts.resize(1); });
  check("expected 'wgmma.mma_async'", [](Instruction &i) { i.parts.clear(); });
  check("got 0", [](Instruction &i) { i.operands.clear(); });
  check("operand D", [](Instruction &i) {
    i.operands[0] = makeProductOperand(Kind::Register);
  });
  check("no register", [](Instruction &i) {
    i.operands[0].elements[2] = makeProductOperand(Kind::Sink);
  });
  check("operand A", [](Instruction &i) {
    i.operands[1] = makeProductOperand(Kind::Float);
  });
  check("operand B", [](Instruction &i) { i.operands[2] = makeRegisters(1); });
  check("scale-d", [](Instruction &i) {
    i.operands[3] = makeProductOperand(Kind::Symbol);
  });
  check("imm-trans-b", [](Instruction &i) {
    i.operands[7] = makeProductOperand(Kind::Register);
  });
}

TEST(ProductImmediates, SayWhatIsNegatedAndTransposed) {
  for (int bits = 0; bits < 16; ++bits) {
    bool negatesA = bits & 1, negatesB = bits & 2, transposesA = bits & 4,
         transposesB = bits & 8;
    auto product = makeProduct(
        std::string(kRoot) + "m64n8k16.f32.bf16.bf16", 4, 0,
        {negatesA ? -1 : 1, negatesB ? -1 : 1, transposesA, transposesB});
    auto form = ProductForm::get(*product);
    ASSERT_THAT(getErrorText(form), testing::IsEmpty());
    auto immediates = ProductImmediates::get(*form, *product);
    ASSERT_THAT(getErrorText(immediates), testing::IsEmpty());
    EXPECT_EQ(immediates->negatesA, negatesA);
    EXPECT_EQ(immediates->negatesB, negatesB);
    EXPECT_EQ(immediates->transposesA, transposesA);
    EXPECT_EQ(immediates->transposesB, transposesB);
  }
  // With A in registers, the third is that of B.
  auto product = makeProduct(std::string(kRoot) + "m64n8k16.f32.bf16.bf16", 4,
                             4, {1, -1, 1});
  auto form = ProductForm::get(*product);
  ASSERT_THAT(getErrorText(form), testing::IsEmpty());
  auto immediates = ProductImmediates::get(*form, *product);
  ASSERT_THAT(getErrorText(immediates), testing::IsEmpty());
  EXPECT_TRUE(immediates->negatesB);
  EXPECT_FALSE(immediates->transposesA);
  EXPECT_TRUE(immediates->transposesB);
}

} // namespace
