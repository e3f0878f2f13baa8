//===- AccessToggleTest.cpp - Lanes that give way ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/AccessToggle.h"
#include "tessera/Layout/RegisterTile.h"
#include "tessera/Layout/SharedAccess.h"
#include "tessera/Layout/SharedTile.h"

using namespace tessera::layout;

namespace {

/// A chunk of an f32 accumulator in rows of one swizzle span.
struct Chunk {
  explicit Chunk(Swizzle swizzle)
      : registers(get(getAccumulator(64, static_cast<int64_t>(swizzle) / 4))),
        shared(get(getSharedTile({64, static_cast<int64_t>(swizzle) / 4}, 4,
                                 swizzle))) {}
  Layout registers, shared;
};

TEST(AccessToggleTest, OddRowsOf128BytesGiveWay) {
  Chunk chunk(Swizzle::B128);
  BankUse plain = get(getBankUse(chunk.registers, chunk.shared, 4, 2));
  EXPECT_EQ(plain.phases, 4 * 8 * 2);
  EXPECT_EQ(plain.wavefronts, 2 * plain.phases);

  auto toggle = get(getAccessToggle(chunk.registers, chunk.shared, 4));
  ASSERT_TRUE(toggle);
  EXPECT_EQ(get(getBankUse(toggle->layout, chunk.shared, 4, 2)).getConflicts(),
            0);
  // The toggle and the layout agree.
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < 16; ++reg) {
        int64_t other =
            lane & toggle->laneBit ? reg ^ toggle->registerBit : reg;
        EXPECT_EQ(toggle->layout.evaluate(
                      {{kRegister, reg}, {kLane, lane}, {kWarp, warp}}),
                  chunk.registers.evaluate(
                      {{kRegister, other}, {kLane, lane}, {kWarp, warp}}));
      }
}

TEST(AccessToggleTest, NarrowerRows) {
  Chunk half(Swizzle::B64);
  auto toggle = get(getAccessToggle(half.registers, half.shared, 4));
  ASSERT_TRUE(toggle);
  EXPECT_EQ(get(getBankUse(toggle->layout, half.shared, 4, 2)).getConflicts(),
            0);
  // Rows of 32 bytes follow each other, four to all banks.
  Chunk quarter(Swizzle::B32);
  EXPECT_FALSE(get(getAccessToggle(quarter.registers, quarter.shared, 4)));
}

TEST(AccessToggleTest, NothingToToggle) {
  Layout line = get(getSharedTile({32}, 4, Swizzle::None));
  EXPECT_FALSE(get(getAccessToggle(parse("32 = lane[32*(1)]"), line, 4)));
  // All rows meet in one bank, and a lane has one register.
  Layout column = get(getSharedTile({32, 32}, 4, Swizzle::None));
  EXPECT_FALSE(get(getAccessToggle(
      parse("32x32 = lane[32*(1,0)] warp[32*(0,1)]"), column, 4)));
  EXPECT_EQ(getError(getAccessToggle(parse("32 = lane[32*(1)]"), column, 4)),
            "registers hold a tile of (32), shared memory one of (32, 32)");
}

} // namespace
