//===- PaddedShapeTest.cpp - Extents that spread over threads ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/PaddedShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace tessera::layout;

namespace {

Point pad(llvm::ArrayRef<int64_t> shape, int64_t elementBytes = 4,
          int64_t warps = 4) {
  llvm::SmallVector<bool> all(shape.size(), true);
  return getPaddedShape(shape, all, elementBytes, warps);
}

int64_t count(llvm::ArrayRef<int64_t> shape, int64_t elementBytes = 4,
              int64_t warps = 4) {
  return countElementsOfThread(shape, elementBytes, warps).value_or(0);
}

Point roundUp(llvm::ArrayRef<int64_t> shape) {
  Point rounded;
  for (int64_t extent : shape)
    rounded.push_back(llvm::PowerOf2Ceil(extent));
  return rounded;
}

TEST(PaddedShape, OddFactorsAreSpread) {
  EXPECT_EQ(count({1, 1000}), 500);
  EXPECT_EQ(pad({1, 1000}), Point({1, 1024}));
  EXPECT_EQ(count({1, 1024}), 8);
  EXPECT_EQ(pad({1, 997}, /*elementBytes=*/2), Point({1, 1024}));
  EXPECT_EQ(pad({16, 72}, /*elementBytes=*/2), Point({16, 128}));
}

TEST(PaddedShape, SmallestOfEqualShapesIsTaken) {
  // 3072 = 3 * 1024 leaves a thread fewer elements than 4096.
  EXPECT_EQ(pad({1, 2880}, /*elementBytes=*/2), Point({1, 3072}));
}

TEST(PaddedShape, ShapesThatSpreadStay) {
  for (Point shape : {Point({1024}), Point({4, 1536}), Point({64, 96}),
                      Point({1, 1}), Point({16, 64})})
    EXPECT_EQ(pad(shape), shape);
}

TEST(PaddedShape, OnlyExtentsThatMayGrowDo) {
  EXPECT_EQ(getPaddedShape({9, 1000}, {false, true}, 4, 4), Point({9, 1024}));
  EXPECT_EQ(getPaddedShape({1, 1000}, {false, false}, 4, 4), Point({1, 1000}));
}

/// No tile takes more than twice the registers of the next powers of two, and
/// no tile grows beyond them.
TEST(PaddedShape, EveryTileIsSpread) {
  for (int64_t elementBytes : {2, 4})
    for (int64_t warps : {4, 12})
      for (int64_t rows : {1, 3, 16})
        for (int64_t columns = 1; rows * columns < (1 << 14);
             columns += columns < 300 ? 1 : 37)
          for (Point shape : {Point({rows, columns}), Point({columns, rows})}) {
            Point padded = pad(shape, elementBytes, warps);
            Point rounded = roundUp(shape);
            ASSERT_LE(count(padded, elementBytes, warps),
                      2 * count(rounded, elementBytes, warps))
                << formatPoint(shape);
            for (auto [from, to, most] :
                 llvm::zip_equal(shape, padded, rounded))
              ASSERT_TRUE(from <= to && to <= most) << formatPoint(shape);
          }
}

} // namespace
