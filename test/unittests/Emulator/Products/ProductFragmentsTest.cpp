//===- ProductFragmentsTest.cpp - Matrices in registers ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/MatrixProduct.h"

#include "gtest/gtest.h"

#include <set>

using namespace tessera::emu;

namespace {

ProductForm makeForm(unsigned n, unsigned k, Type d, Type a) {
  ProductForm form;
  form.n = n;
  form.k = k;
  form.d = d;
  form.a = form.b = a;
  return form;
}

/// Figures of the accumulator: d0 d1 side by side, d2 d3 8 rows below, d4 8
/// columns to the right; 4 lanes to a row, 16 rows to a warp.
TEST(ProductFragments, PlaceAccumulatorsLikeTheFigures) {
  ProductForm form = makeForm(96, 16, Type::F32, Type::BF16);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned j = 0; j < 96 / 8; ++j)
      for (unsigned h = 0; h < 2; ++h)
        for (unsigned e = 0; e < 2; ++e) {
          FragmentPlace place =
              getAccumulatorPlace(form, thread, 4 * j + 2 * h + e, 0);
          EXPECT_EQ(place.row, 16 * (thread / 32) + thread % 32 / 4 + 8 * h);
          EXPECT_EQ(place.column, 8 * j + 2 * (thread % 4) + e);
        }
  // Two halves to a register.
  form.d = Type::F16;
  FragmentPlace place = getAccumulatorPlace(form, 33, 5, 1);
  EXPECT_EQ(place.row, 16u + 8 + 0);
  EXPECT_EQ(place.column, 16u + 2 + 1);
  form.d = Type::S32;
  place = getAccumulatorPlace(form, 127, 47, 0);
  EXPECT_EQ(place.row, 63u);
  EXPECT_EQ(place.column, 95u);
}

TEST(ProductFragments, PlaceALikeTheFigures) {
  // bf16: as the accumulators of the same 16 columns, packed in pairs.
  ProductForm form = makeForm(64, 16, Type::F32, Type::BF16);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 8; ++i) {
      FragmentPlace place = getAPlace(form, thread, i / 2, i % 2);
      FragmentPlace like = getAccumulatorPlace(form, thread, i, 0);
      EXPECT_EQ(place.row, like.row);
      EXPECT_EQ(place.column, like.column);
    }
  // f8: four neighbours in a register, the second half of k in the last two.
  form = makeForm(64, 32, Type::F32, Type::E4M3);
  FragmentPlace place = getAPlace(form, 32 + 6, 3, 2);
  EXPECT_EQ(place.row, 16u + 1 + 8);
  EXPECT_EQ(place.column, 16u + 4 * 2 + 2);
  EXPECT_EQ(getAPlace(form, 0, 1, 0).row, 8u);
  EXPECT_EQ(getAPlace(form, 0, 2, 0).column, 16u);
  // tf32: one in a register, 4 columns apart.
  form = makeForm(64, 8, Type::F32, Type::TF32);
  EXPECT_EQ(getAPlace(form, 3, 0, 0).column, 3u);
  EXPECT_EQ(getAPlace(form, 3, 1, 0).row, 8u);
  EXPECT_EQ(getAPlace(form, 3, 2, 0).row, 0u);
  EXPECT_EQ(getAPlace(form, 3, 2, 0).column, 7u);
  EXPECT_EQ(getAPlace(form, 3, 3, 0).row, 8u);
}

TEST(ProductFragments, HoldEachElementOnce) {
  for (Type d : {Type::F32, Type::F16, Type::S32}) {
    ProductForm form = makeForm(40, 32, d, Type::S8);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned reg = 0; reg < form.countAccumulators(); ++reg)
        for (unsigned half = 0; half < form.countInAccumulator(); ++half) {
          FragmentPlace place = getAccumulatorPlace(form, thread, reg, half);
          EXPECT_LT(place.row, 64u);
          EXPECT_LT(place.column, 40u);
          EXPECT_TRUE(seen.emplace(place.row, place.column).second);
        }
    EXPECT_EQ(seen.size(), 64u * 40);
  }
  for (auto [type, k] : {std::pair(Type::TF32, 8u), std::pair(Type::F16, 16u),
                         std::pair(Type::U8, 32u)}) {
    ProductForm form = makeForm(8, k, Type::F32, type);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned reg = 0; reg < form.countARegisters(); ++reg)
        for (unsigned part = 0; part < form.countInARegister(); ++part) {
          FragmentPlace place = getAPlace(form, thread, reg, part);
          EXPECT_LT(place.row, 64u);
          EXPECT_LT(place.column, k);
          EXPECT_TRUE(seen.emplace(place.row, place.column).second);
        }
    EXPECT_EQ(seen.size(), 64u * k);
  }
}

} // namespace
