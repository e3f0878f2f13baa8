//===- RearrangementTest.cpp - Layouts of rearranged tiles ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Rearrangement.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace tessera::layout;

namespace {

Layout parse(llvm::StringRef text) {
  return llvm::cantFail(Layout::parse(text));
}

std::string transfer(const Layout &layout, llvm::ArrayRef<int64_t> steps,
                     llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> otherSteps) {
  llvm::Expected<Layout> made =
      transferLayout(layout, steps, shape, otherSteps);
  return made ? made->str() : "error: " + llvm::toString(made.takeError());
}

const char rows[] = "8x64 = register[4*(0,1) 2*(4,0)] lane[16*(0,4) 2*(1,0)] "
                    "warp[2*(2,0)]";

TEST(Rearrangement, HalvesDropRegisters) {
  // Every second element.
  EXPECT_EQ(transfer(parse(rows), {64, 1}, {8, 32}, {64, 2}),
            "8x32 = register[2*(0,1) 2*(4,0)] lane[16*(0,2) 2*(1,0)] "
            "warp[2*(2,0)]");
  // The halves of rows are in different lanes.
  EXPECT_EQ(transfer(parse(rows), {64, 1}, {8, 32}, {64, 1}),
            "error: a thread has no element of the tile");
}

TEST(Rearrangement, NotEveryLayoutHasATransfer) {
  // Columns of 2 x 2 elements lie along a diagonal of lanes.
  Layout diagonal = parse("2x2 = lane[2*(1,1) 2*(0,1) 8*(0,0)]");
  EXPECT_EQ(transfer(diagonal, {2, 1}, {4}, {1}),
            "error: a digit moves along several dimensions");
  // Both dimensions in steps of one element.
  Layout square = parse("2x2 = register[2*(0,1) 2*(1,0)] lane[32*(0,0)]");
  EXPECT_EQ(transfer(square, {1, 1}, {4}, {1}),
            "error: digits of a dimension overlap");
  // 48 elements as 3 x 16 and as 16 x 3.
  Layout odd = parse("3x16 = register[3*(1,0)] lane[16*(0,1) 2*(0,0)]");
  EXPECT_EQ(transfer(odd, {16, 1}, {16, 3}, {3, 1}),
            "error: a thread has no element of the tile");
}

TEST(Rearrangement, WholesAddRegisters) {
  Layout half = parse("8x32 = register[2*(0,1) 2*(4,0)] lane[16*(0,2) "
                      "2*(1,0)] warp[2*(2,0)]");
  // `half` has the even columns of a tile, whose layout follows.
  EXPECT_EQ(transfer(half, {64, 2}, {8, 64}, {64, 1}), rows);
  // Pairs of two such tiles.
  EXPECT_EQ(transfer(half, {32, 1}, {256, 2}, {1, 256}),
            "256x2 = register[2*(0,1) 2*(1,0) 2*(128,0)] lane[32*(2,0)] "
            "warp[2*(64,0)]");
}

TEST(Rearrangement, ShapesKeepPlaces) {
  EXPECT_EQ(transfer(parse(rows), {64, 1}, {8, 4, 16}, {64, 16, 1}),
            "8x4x16 = register[4*(0,0,1) 2*(4,0,0)] lane[4*(0,0,4) 4*(0,1,0) "
            "2*(1,0,0)] warp[2*(2,0,0)]");
  // 3 x 32 elements as 6 x 16: the count of 3 stays one.
  Layout odd = parse("96 = register[3*(32)] lane[32*(1)] warp[2*(0)]");
  EXPECT_EQ(transfer(odd, {1}, {6, 16}, {16, 1}),
            "6x16 = register[3*(2,0)] lane[16*(0,1) 2*(1,0)] warp[2*(0,0)]");
}

TEST(Rearrangement, SourcesInTheSameThread) {
  Layout layout = parse(rows);
  std::vector<int64_t> numbers(512);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto same = findRegisterSources(layout, layout, numbers);
  ASSERT_TRUE(same);
  for (auto [reg, source] : llvm::enumerate(*same)) {
    EXPECT_EQ(source.reg, int64_t(reg));
    EXPECT_EQ(source.laneToggle, 0);
  }
  // The second of two sources.
  for (int64_t &number : numbers)
    number += 512;
  auto second = findRegisterSources({layout, layout}, layout, numbers);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->front().source, 1u);
}

TEST(Rearrangement, SourcesInOtherLanes) {
  Layout layout = parse(rows);
  // Rows of 64 in reverse: registers 3 to 0 of the lane with 16 - 1 inverted.
  std::vector<int64_t> numbers(512);
  for (int64_t i = 0; i < 512; ++i)
    numbers[i] = i / 64 * 64 + 63 - i % 64;
  auto found = findRegisterSources(layout, layout, numbers);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().reg, 3);
  EXPECT_EQ(found->front().laneToggle, 15);
  // Rows in reverse are in other warps.
  for (int64_t i = 0; i < 512; ++i)
    numbers[i] = 511 - i;
  EXPECT_FALSE(findRegisterSources(layout, layout, numbers));
}

} // namespace
