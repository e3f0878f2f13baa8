//===- RegisterTileTest.cpp - Fragments and what moves ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/Movement.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera::layout;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

/// Every n of wgmma, among them 80, 96, 112, 160, 176, 192.
class EveryWidth : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Wgmma, EveryWidth, testing::Range<int64_t>(8, 257, 8));

TEST_P(EveryWidth, AccumulatorIsTheFragmentOfTheManual) {
  int64_t n = GetParam();
  Layout layout = get(getAccumulator(64, n));
  EXPECT_THAT(layout.getShape(), ElementsAre(64, n));
  EXPECT_EQ(layout.getSize(kRegister), n / 2);
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(layout.getVectorWidth(kRegister), 2);
  for (int64_t i = 0; i < layout.getNumPlaces(); ++i) {
    Point place = layout.getPlace(i);
    int64_t d = place[0], lane = place[1], warp = place[2];
    int64_t j = d / 4, h = d / 2 % 2, e = d % 2;
    ASSERT_THAT(
        layout.evaluate(place),
        ElementsAre(16 * warp + lane / 4 + 8 * h, 8 * j + 2 * (lane % 4) + e));
  }
}

TEST_P(EveryWidth, AccumulatorInvertsAndPrints) {
  Layout layout = get(getAccumulator(128, GetParam(), 2));
  Layout inverse = get(invert(layout));
  for (int64_t i = 0; i < layout.getNumPlaces(); i += 7) {
    Point place = layout.getPlace(i), x = layout.evaluate(place);
    ASSERT_EQ(inverse.evaluate({{"d0", x[0]}, {"d1", x[1]}}), place);
  }
  EXPECT_EQ(parse(layout.str()), layout);
}

TEST_P(EveryWidth, AccumulatorIsTheOperandOf16BitProducts) {
  int64_t n = GetParam();
  if (n % 16 != 0) {
    EXPECT_EQ(getError(getOperandA(64, n, 2)),
              "expected columns in multiples of 16, got " + std::to_string(n));
    return;
  }
  Layout accumulator = get(getAccumulator(64, n)),
         operand = get(getOperandA(64, n, 2));
  EXPECT_EQ(accumulator, operand);
  EXPECT_EQ(get(getMovement(accumulator, operand)), Movement::None);
  // Step kk takes registers 8kk .. 8kk+7: the manual's a0..a7.
  for (int64_t r = 0; r < n / 2; ++r)
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t kk = r / 8, a = r % 8;
      ASSERT_THAT(
          operand.evaluate({r, lane, 1}),
          ElementsAre(16 + lane / 4 + (a / 2 % 2 ? 8 : 0),
                      16 * kk + 2 * (lane % 4) + a % 2 + (a >= 4 ? 8 : 0)));
    }
}

TEST_P(EveryWidth, RowReductionLeavesTwoRegisters) {
  Layout rows = get(getReduced(get(getAccumulator(64, GetParam())), 1));
  EXPECT_EQ(rows.str(), "64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]");
  EXPECT_EQ(rows.getNumCopies(), 4);
  // Columns: each quad has partial results of all of them.
  Layout columns = get(getReduced(get(getAccumulator(64, GetParam())), 0));
  EXPECT_EQ(columns.getSize(kRegister), GetParam() / 4);
  EXPECT_EQ(columns.getNumCopies(), 32);
}

TEST(RegisterTileTest, OperandsOfOtherWidths) {
  // m64k32, 8-bit: 4 neighbours to a register, row + 8, then 16 bytes on.
  Layout bytes = get(getOperandA(64, 64, 1));
  // m64k8, 32-bit: one to a register.
  Layout words = get(getOperandA(64, 16, 4));
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 16; ++i) {
      EXPECT_THAT(bytes.evaluate({i, lane, 2}),
                  ElementsAre(32 + lane / 4 + (i / 4 % 2) * 8,
                              4 * (lane % 4) + i % 4 + (i >= 8 ? 16 : 0)));
      if (i < 8)
        EXPECT_THAT(words.evaluate({i, lane, 2}),
                    ElementsAre(32 + lane / 4 + (i % 2) * 8,
                                lane % 4 + (i / 2 % 2) * 4 + i / 4 * 8));
    }
  // They are not the accumulator, but its quads hold what they need.
  EXPECT_EQ(get(getMovement(get(getAccumulator(64, 64)), bytes)),
            Movement::WithinWarp);
  EXPECT_EQ(get(getMovement(get(getAccumulator(64, 16)), words)),
            Movement::WithinWarp);
}

TEST(RegisterTileTest, AccumulatorSplitsRowsOverWarpgroups) {
  Layout layout = get(getAccumulator(384, 96, 3));
  EXPECT_EQ(layout.str(),
            "384x96 = register[2*(0,1) 2*(8,0) 12*(0,8) 2*(64,0)] "
            "lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 3*(128,0)]");
  EXPECT_EQ(getError(getAccumulator(192, 64, 2)),
            "expected rows in multiples of 64 for each of 2 warpgroups, or 1, "
            "2, 4, … 32, got "
            "192");
  EXPECT_EQ(getError(getAccumulator(64, 64, 0)),
            "expected at least one warpgroup, got 0");
  EXPECT_EQ(getError(getOperandA(64, 64, 8)),
            "expected elements of 1, 2 or 4 bytes, got 8");
}

TEST(RegisterTileTest, AccumulatorSplitsColumnsOfFewRows) {
  EXPECT_EQ(get(getAccumulator(64, 128, 2)).str(),
            "64x128 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] "
            "warp[4*(16,0) 2*(0,64)]");
  EXPECT_EQ(get(getAccumulator(64, 24, 3)).str(),
            "64x24 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] "
            "warp[4*(16,0) 3*(0,8)]");
  EXPECT_EQ(get(getAccumulator(128, 48, 6)).str(),
            "128x48 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] "
            "warp[8*(16,0) 3*(0,16)]");
  EXPECT_EQ(getError(getAccumulator(64, 24, 2)),
            "expected columns in multiples of 16, got 24");
  // Neither divides the other, and operand a is wanted as a whole.
  EXPECT_EQ(getError(getAccumulator(128, 96, 3)),
            "expected rows in multiples of 64 for each of 3 warpgroups, or 1, "
            "2, 4, … 32, got 128");
  EXPECT_EQ(getError(getOperandA(64, 64, 2, 2)),
            "expected rows in multiples of 64 for each of 2 warpgroups, or 1, "
            "2, 4, … 32, got 64");
}

TEST(RegisterTileTest, BlockedKeepsVectorsAndShares) {
  for (int64_t columns : {8, 16, 64, 80, 96, 112, 160, 176, 192, 256})
    for (int64_t rows : {1, 3, 16, 80, 128})
      for (int64_t warps : {1, 3, 4, 12}) {
        Layout layout = get(getBlocked({rows, columns}, 8, warps));
        EXPECT_THAT(layout.getShape(), ElementsAre(rows, columns));
        EXPECT_EQ(layout.getVectorWidth(kRegister) % 8, 0);
        EXPECT_EQ(layout.getSize(kLane), 32);
        EXPECT_EQ(layout.getSize(kWarp), warps);
      }
  EXPECT_EQ(get(getBlocked({64, 96}, 8, 4)).str(),
            "64x96 = register[8*(0,1) 3*(0,32) 2*(32,0)] lane[4*(0,8) 8*(1,0)] "
            "warp[4*(8,0)]");
  EXPECT_EQ(get(getBlocked({2, 4, 8}, 2, 1)).str(),
            "2x4x8 = register[2*(0,0,1)] lane[4*(0,0,2) 4*(0,1,0) 2*(1,0,0)]");
  EXPECT_EQ(getError(getBlocked({}, 8, 4)),
            "expected a tile of at least one dimension");
  EXPECT_EQ(getError(getBlocked({64, 100}, 8, 4)),
            "expected rows in multiples of the vector of 8 elements, got 100");
  EXPECT_EQ(getError(getBlocked({0, 64}, 8, 4)),
            "expected extents of at least 1, got 0");
  EXPECT_EQ(getError(getBlocked({64, 64}, 8, 0)),
            "expected at least one warp, got 0");
}

TEST(MovementTest, ClassifiesTheFarthestElement) {
  auto movement = [](llvm::StringRef from, llvm::StringRef to) {
    return get(getMovement(parse(from), parse(to)));
  };
  EXPECT_EQ(movement("4x2 = register[4*(1,0) 2*(0,1)]",
                     "4x2 = register[2*(0,1) 4*(1,0)]"),
            Movement::WithinThread);
  EXPECT_EQ(movement("8 = lane[8*(1)]", "8 = lane[2*(4) 4*(1)]"),
            Movement::WithinWarp);
  EXPECT_EQ(
      movement("8 = lane[4*(1)] warp[2*(4)]", "8 = lane[4*(2)] warp[2*(1)]"),
      Movement::WithinCta);
  EXPECT_EQ(
      movement("8 = lane[4*(1)] cta[2*(4)]", "8 = lane[4*(1)] warp[2*(4)]"),
      Movement::AcrossCtas);
  // Copies: the nearest holder counts.
  EXPECT_EQ(movement("4 = register[4*(1)] lane[4*(0)]", "4 = lane[4*(1)]"),
            Movement::WithinThread);
  EXPECT_EQ(movement("4 = lane[4*(1)]", "4 = register[4*(1)] lane[4*(0)]"),
            Movement::WithinWarp);
  EXPECT_EQ(movement("4 = lane[4*(1)] warp[2*(0)]", "4 = lane[4*(1)]"),
            Movement::None);
  // Radices that interleave have no composition but do have an answer.
  EXPECT_EQ(movement("6 = register[3*(1)] lane[2*(3)]",
                     "6 = register[2*(1)] lane[3*(2)]"),
            Movement::WithinWarp);
}

TEST(MovementTest, FromLoadsToFragments) {
  EXPECT_EQ(get(getMovement(get(getBlocked({64, 96}, 8, 4)),
                            get(getAccumulator(64, 96)))),
            Movement::WithinCta);
  Layout halves = get(repeat(get(getAccumulator(64, 96)), kCta, 2, 0));
  Layout sides = get(repeat(get(getAccumulator(128, 48)), kCta, 2, 1));
  EXPECT_EQ(get(getMovement(halves, sides)), Movement::AcrossCtas);
  // A row vector under the accumulator it scales stays in its threads, be it
  // reduced from a wider one.
  Layout rows = get(getReduced(get(getAccumulator(64, 176)), 1));
  Layout wanted = get(sliceDim(get(getAccumulator(64, 64)), 1));
  EXPECT_EQ(get(getMovement(rows, wanted)), Movement::WithinThread);
  // Under a blocked tile it does not.
  EXPECT_EQ(
      get(getMovement(rows, get(sliceDim(get(getBlocked({64, 64}, 4, 4)), 1)))),
      Movement::WithinCta);
}

TEST(MovementTest, Refuses) {
  EXPECT_EQ(
      getError(getMovement(parse("4 = lane[4*(1)]"), parse("8 = lane[8*(1)]"))),
      "a change of layout keeps the tile, but (4) is not (8)");
  EXPECT_EQ(getError(getMovement(parse("4 = lane[4*(1)]"),
                                 parse("4 = offset[4*(1)]"))),
            "expected a register layout, got '4 = offset[4*(1)]'");
}

} // namespace
