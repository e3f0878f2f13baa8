//===- ProductArithmeticTest.cpp - Sums of products -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Rounding.h"
#include "tessera/Emulator/MatrixProduct.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tessera;
using namespace tessera::emu;
using array::ElementType;

namespace {

constexpr uint32_t kNan32 = 0x7FFFFFFF, kNan16 = 0x7FFF;

/// A product of n = 8 with chosen first elements; everything else is zero.
struct Product {
  Product(Type d, Type a, Type b) {
    form.n = 8;
    form.d = d;
    form.a = a;
    form.b = b;
    form.k = a == Type::TF32 ? 8 : a == Type::F16 || a == Type::BF16 ? 16 : 32;
    left.assign(64 * form.k, 0);
    right.assign(8 * form.k, 0);
    result.assign(64 * 8, 0);
  }

  /// Element (row 0, column 0).
  uint32_t get(uint32_t d = 0) {
    result[0] = d;
    multiply(form, scales, left, right, result);
    return result[0];
  }

  ProductForm form;
  ProductScales scales;
  std::vector<uint32_t> left, right, result;
};

uint32_t bits(float value) { return array::getBits(value); }

TEST(ProductArithmetic, RoundsTheSumOnce) {
  Product p(Type::F32, Type::F16, Type::F16);
  p.left[0] = 0x0C00;  // 2^-12
  p.right[0] = 0x0C00; // 2^-12
  EXPECT_EQ(p.get(bits(1.0f)), bits(1.0f)) << "a tie, to even";
  EXPECT_EQ(p.get(bits(0x1.000002p0f)), bits(0x1.000004p0f));
  p.left[1] = 0x0001; // 2^-24
  p.right[1] = 0x0001;
  EXPECT_EQ(p.get(bits(1.0f)), bits(0x1.000002p0f)) << "2^-24 + 2^-48 is more";
  // 16 summands that are each too small to change 1 in f32.
  Product q(Type::F32, Type::BF16, Type::BF16);
  for (unsigned i = 0; i < 16; ++i) {
    q.left[i] = 0x3F80;  // 1
    q.right[i] = 0x3280; // 2^-26
  }
  EXPECT_EQ(q.get(bits(1.0f)), bits(0x1.000004p0f));
}

TEST(ProductArithmetic, ReadsAllValuesOfEachType) {
  struct Row {
    Type type;
    ElementType element;
    unsigned values, one;
  };
  const Row rows[] = {{Type::F16, ElementType::F16, 1 << 16, 0x3C00},
                      {Type::BF16, ElementType::BF16, 1 << 16, 0x3F80},
                      {Type::E4M3, ElementType::F8E4M3FN, 256, 0x38},
                      {Type::E5M2, ElementType::F8E5M2, 256, 0x3C}};
  for (const Row &row : rows) {
    Product p(Type::F32, row.type, row.type);
    p.scales.keepsD = false;
    p.right[0] = row.one;
    for (unsigned first = 0; first < row.values; first += 64) {
      for (unsigned i = 0; i < 64; ++i)
        p.left[i * p.form.k] = first + i;
      p.get();
      for (unsigned i = 0; i < 64; ++i) {
        float expected = array::decode(row.element, first + i);
        uint32_t actual = p.result[i * 8];
        if (std::isnan(expected))
          EXPECT_EQ(actual, kNan32);
        else if (expected == 0)
          EXPECT_EQ(array::fromBits(actual), 0.0f); // sums begin at +0
        else
          EXPECT_EQ(actual, bits(expected)) << first + i;
      }
    }
  }
}

TEST(ProductArithmetic, WritesAllHalves) {
  Product p(Type::F16, Type::F16, Type::F16);
  p.scales.keepsD = false;
  p.right[0] = 0x3C00;
  for (unsigned first = 0; first < 1 << 16; first += 64) {
    for (unsigned i = 0; i < 64; ++i)
      p.left[i * 16] = first + i;
    p.get();
    for (unsigned i = 0; i < 64; ++i) {
      unsigned value = first + i;
      unsigned expected = (value & 0x7FFF) > 0x7C00 ? kNan16
                          : value == 0x8000         ? 0
                                                    : value;
      EXPECT_EQ(p.result[i * 8], expected);
    }
  }
}

TEST(ProductArithmetic, RoundsToHalves) {
  Product p(Type::F16, Type::F16, Type::F16);
  p.left[0] = 0x3C00;
  p.right[0] = 0x3C00;               // 1
  EXPECT_EQ(p.get(0x6800), 0x6800u); // 2049 is a tie
  EXPECT_EQ(p.get(0x6801), 0x6802u); // also 2051
  p.left[1] = 0x0400;
  p.right[1] = 0x0001;               // 2^-14 * 2^-24
  EXPECT_EQ(p.get(0x6800), 0x6801u); // just above the tie
  p.left[1] = p.right[1] = 0;
  p.left[0] = p.right[0] = 0x5C00;   // 256 * 256
  EXPECT_EQ(p.get(0), 0x7C00u);      // infinity
  EXPECT_EQ(p.get(0xD000), 0x7BFFu); // 65536 - 32, the largest number
  EXPECT_EQ(p.get(0xCC00), 0x7C00u); // 65536 - 16: a tie
  EXPECT_EQ(p.get(0xCC01), 0x7BFFu); // a little less
  p.left[0] = 0x0001;                // 2^-24
  p.right[0] = 0x3800;               // 1/2: a tie between 0 and 2^-24
  EXPECT_EQ(p.get(0), 0u);
  EXPECT_EQ(p.get(1), 2u);
  p.right[0] = 0xBE00; // -1.5
  EXPECT_EQ(p.get(0), 0x8002u);
}

TEST(ProductArithmetic, KnowsNanAndInfinity) {
  Product p(Type::F32, Type::E5M2, Type::E4M3);
  p.left[0] = 0x7C; // infinity
  p.right[0] = 0x38;
  EXPECT_EQ(p.get(bits(5)), 0x7F800000u);
  p.scales.negatesA = true;
  EXPECT_EQ(p.get(bits(5)), 0xFF800000u);
  EXPECT_EQ(p.get(0x7F800000), kNan32) << "infinity - infinity";
  p.right[0] = 0;
  EXPECT_EQ(p.get(), kNan32) << "infinity * 0";
  p.scales.keepsD = false;
  p.left[0] = 0x3C;
  p.right[0] = 0x38;
  EXPECT_EQ(p.get(kNan32), bits(-1)) << "D is not read";
  p.right[0] = 0xFF; // the only NaN of e4m3, with a sign
  EXPECT_EQ(p.get(), kNan32);
  EXPECT_EQ(p.result[1], 0x00000000u) << "other columns are not touched by it";
}

TEST(ProductArithmetic, OverflowsOnlyInTheSum) {
  Product p(Type::F32, Type::BF16, Type::BF16);
  p.left[0] = p.left[1] = 0x7F00; // 2^127
  p.right[0] = 0x4000;            // 2
  p.right[1] = 0xC000;            // -2
  EXPECT_EQ(p.get(bits(3)), bits(3)) << "2^128 - 2^128 + 3";
  p.right[1] = 0;
  EXPECT_EQ(p.get(), 0x7F800000u);
  p.left[0] = 0x0001;  // 2^-133
  p.right[0] = 0x3780; // 2^-16
  EXPECT_EQ(p.get(), 1u) << "subnormal results are kept";
}

TEST(ProductArithmetic, DropsTheLowBitsOfTf32) {
  Product p(Type::F32, Type::TF32, Type::TF32);
  p.left[0] = bits(1.0f) | 0x1FFF;
  p.right[0] = bits(3.0f) | 0x1000;
  EXPECT_EQ(p.get(), bits(3.0f));
  p.left[0] = bits(1.0f) | 0x2000;
  EXPECT_EQ(p.get(), bits(3.0f * 0x1.004p0f));
}

TEST(ProductArithmetic, Negates) {
  Product p(Type::F32, Type::F16, Type::F16);
  p.left[0] = 0x4200;  // 3
  p.right[0] = 0x4000; // 2
  EXPECT_EQ(p.get(bits(1)), bits(7));
  p.scales.negatesA = true;
  EXPECT_EQ(p.get(bits(1)), bits(-5));
  p.scales.negatesB = true;
  EXPECT_EQ(p.get(bits(1)), bits(7));
  p.scales.negatesA = false;
  EXPECT_EQ(p.get(bits(1)), bits(-5));
}

TEST(ProductArithmetic, IsExactInIntegers) {
  Product p(Type::S32, Type::S8, Type::S8);
  for (unsigned i = 0; i < 32; ++i)
    p.left[i] = p.right[i] = 0x80; // -128
  EXPECT_EQ(p.get(), 32u * 128 * 128);
  EXPECT_EQ(p.get(0x7FFFFFFF), 0x7FFFFFFFu + 524288) << "wraps";
  p.form.isSaturating = true;
  EXPECT_EQ(p.get(0x7FFFFFFF), 0x7FFFFFFFu);
  EXPECT_EQ(p.get(0x80000000), 0x80000000u + 524288);
  for (unsigned i = 0; i < 32; ++i)
    p.right[i] = 0x7F;
  EXPECT_EQ(p.get(0x80000000), 0x80000000u);
  p.scales.keepsD = false;
  EXPECT_EQ(p.get(0x80000000), uint32_t(-32 * 128 * 127));
  Product q(Type::S32, Type::U8, Type::S8);
  for (unsigned i = 0; i < 32; ++i)
    q.left[i] = q.right[i] = 0xFF; // 255 * -1
  EXPECT_EQ(q.get(7), uint32_t(7 - 32 * 255));
  Product r(Type::S32, Type::U8, Type::U8);
  for (unsigned i = 0; i < 32; ++i)
    r.left[i] = r.right[i] = 0xFF;
  EXPECT_EQ(r.get(1), 32u * 255 * 255 + 1);
}

TEST(ProductArithmetic, MultipliesMatrices) {
  std::mt19937 random(3);
  for (Type type : {Type::S8, Type::U8, Type::E4M3, Type::BF16, Type::TF32})
    for (unsigned n : {8u, 24u, 256u}) {
      Product p(type == Type::S8 || type == Type::U8 ? Type::S32 : Type::F32,
                type, type);
      p.form.n = n;
      p.right.resize(n * p.form.k);
      p.result.resize(64 * n);
      // Small integers, which all types hold exactly.
      std::vector<int> a(p.left.size()), b(p.right.size());
      auto fill = [&](std::vector<int> &values, std::vector<uint32_t> &to) {
        for (size_t i = 0; i < values.size(); ++i) {
          int value = int(random() % 17) - (type == Type::U8 ? 0 : 8);
          values[i] = value;
          to[i] = type == Type::BF16   ? bits(value) >> 16
                  : type == Type::TF32 ? bits(value)
                  : type == Type::E4M3
                      ? array::encode(ElementType::F8E4M3FN, value)
                      : value & 0xFF;
        }
      };
      fill(a, p.left);
      fill(b, p.right);
      for (uint32_t &d : p.result)
        d = p.form.d == Type::S32 ? 5 : bits(5);
      multiply(p.form, p.scales, p.left, p.right, p.result);
      for (unsigned i = 0; i < 64; ++i)
        for (unsigned j = 0; j < n; ++j) {
          int sum = 5;
          for (unsigned l = 0; l < p.form.k; ++l)
            sum += a[i * p.form.k + l] * b[j * p.form.k + l];
          EXPECT_EQ(p.result[i * n + j],
                    p.form.d == Type::S32 ? uint32_t(sum) : bits(sum));
        }
    }
}

} // namespace
