//===- SharedTileTest.cpp - Swizzles and shared accesses --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/InverseMap.h"
#include "tessera/Layout/RegisterTile.h"
#include "tessera/Layout/SharedAccess.h"
#include "tessera/Layout/SharedTile.h"

using namespace tessera::layout;
using testing::ElementsAre;

namespace {

constexpr Swizzle kSwizzles[] = {Swizzle::B128, Swizzle::B64, Swizzle::B32};

TEST(SharedTileTest, ChunksAreExchangedByRow) {
  for (Swizzle swizzle : kSwizzles)
    for (int64_t bytes : {1, 2, 4})
      for (int64_t rows : {8, 64, 96, 112, 160, 176, 192}) {
        int64_t span = static_cast<int64_t>(swizzle), inner = span / bytes;
        Layout tile = get(getSharedTile({rows, 3 * inner}, bytes, swizzle));
        EXPECT_TRUE(tile.isBijective());
        EXPECT_EQ(parse(tile.str()), tile);
        for (int64_t offset = 0; offset < tile.getNumPlaces(); ++offset) {
          // Box by box, row by row, chunk by chunk.
          int64_t byte = offset * bytes, box = byte / (rows * span);
          int64_t row = byte % (rows * span) / span;
          int64_t chunk = byte % span / 16;
          chunk ^= row * span / 128 % 8 % (span / 16);
          ASSERT_THAT(tile.evaluate(offset),
                      ElementsAre(row, box * inner + chunk * (16 / bytes) +
                                           byte % 16 / bytes))
              << tile.str();
        }
      }
}

TEST(SharedTileTest, SpansOuterDimensions) {
  EXPECT_EQ(get(getSharedTile({4, 2, 64}, 2, Swizzle::B128)).str(),
            "4x2x64 = offset[64*(0,0,1) 2*(0,1,8) 4*(1,0,16)]");
  EXPECT_EQ(get(getSharedTile({3, 40}, 2, Swizzle::None)).str(),
            "3x40 = offset[40*(0,1) 3*(1,0)]");
}

TEST(SharedTileTest, SwizzleNames) {
  for (Swizzle swizzle :
       {Swizzle::B128, Swizzle::B64, Swizzle::B32, Swizzle::None})
    EXPECT_EQ(parseSwizzle(getSwizzleName(swizzle)), swizzle);
  EXPECT_EQ(parseSwizzle("16B"), std::nullopt);
  EXPECT_EQ(getAlignment(Swizzle::B128), 1024);
  EXPECT_EQ(getAlignment(Swizzle::B32), 256);
}

TEST(SharedTileTest, Refuses) {
  EXPECT_EQ(getError(getSharedTile({}, 2, Swizzle::B128)),
            "expected a tile of at least one dimension");
  EXPECT_EQ(getError(getSharedTile({64, 64}, 3, Swizzle::B128)),
            "expected elements of 1, 2, 4, 8 or 16 bytes, got 3");
  EXPECT_EQ(getError(getSharedTile({64, 0}, 2, Swizzle::B128)),
            "expected extents of at least 1, got 0");
  EXPECT_EQ(getError(getSharedTile({64, 96}, 2, Swizzle::B128)),
            "expected rows in multiples of the swizzle span, 64 elements, got "
            "96");
  EXPECT_EQ(getError(getSharedTile({12, 64}, 2, Swizzle::B128)),
            "expected a multiple of 8 rows under a swizzle, got 12");
}

TEST(SharedAccessTest, StmatrixAddressesOfTheEpilogue) {
  // Row 16*warp + (L&7) + (L&8), chunk (2*jj + (L>>4)) ^ (L&7), 128 bytes to a
  // row; boxes of 64 columns one after the other.
  for (int64_t n : {64, 128, 192, 256}) {
    Layout registers = get(getAccumulator(64, n));
    Layout shared = get(getSharedTile({64, n}, 2, Swizzle::B128));
    MatrixAccess access =
        get(getMatrixAccess(registers, shared, 2, /*transposed=*/false));
    EXPECT_EQ(access.matrices, 4);
    EXPECT_EQ(access.instructions, n / 16);
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t i = 0; i < access.instructions; ++i)
        for (int64_t lane = 0; lane < 32; ++lane) {
          int64_t row = 16 * warp + (lane & 7) + (lane & 8);
          int64_t chunk = 2 * (i % 4) + (lane >> 4);
          int64_t byte =
              i / 4 * 64 * 128 + row * 128 + ((chunk ^ (lane & 7)) << 4);
          ASSERT_EQ(2 * access.getRows(warp, i)[lane], byte);
        }
    EXPECT_EQ(access.getBankUse().getConflicts(), 0);
    EXPECT_EQ(access.getBankUse().phases, 4 * n / 16 * 4);
  }
}

TEST(SharedAccessTest, StmatrixTransposesTheGradient) {
  // dS^T (rows are keys) goes to a tile whose rows are queries.
  Layout registers = get(permuteDims(get(getAccumulator(64, 64)), {1, 0}));
  Layout shared = get(getSharedTile({64, 64}, 2, Swizzle::B128));
  MatrixAccess access =
      get(getMatrixAccess(registers, shared, 2, /*transposed=*/true));
  EXPECT_TRUE(access.isTransposed);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t kk = 0; kk < 4; ++kk)
      for (int64_t lane = 0; lane < 32; ++lane) {
        int64_t row = (lane & 7) + 8 * ((lane >> 4) & 1) + 16 * kk;
        int64_t chunk = (2 * warp + ((lane >> 3) & 1)) ^ (lane & 7);
        ASSERT_EQ(2 * access.getRows(warp, kk)[lane], row * 128 + chunk * 16);
      }
  EXPECT_EQ(access.getBankUse().getConflicts(), 0);
  EXPECT_EQ(getError(getMatrixAccess(registers, shared, 2, false)),
            "registers 0 and 1 of warp 0 hold no 8x8 matrix with rows of 16 "
            "contiguous bytes in shared memory");
}

TEST(SharedAccessTest, SwizzlesAvoidConflictsAndPlainRowsDoNot) {
  Layout registers = get(getAccumulator(64, 64));
  for (Swizzle swizzle : kSwizzles) {
    Layout shared = get(getSharedTile({64, 64}, 2, swizzle));
    EXPECT_EQ(get(getMatrixAccess(registers, shared, 2, false))
                  .getBankUse()
                  .getConflicts(),
              0);
  }
  // Rows of 128 bytes without a swizzle: all 8 rows meet in 4 banks.
  Layout plain = get(getSharedTile({64, 64}, 2, Swizzle::None));
  BankUse use = get(getMatrixAccess(registers, plain, 2, false)).getBankUse();
  EXPECT_EQ(use.phases, 64);
  EXPECT_EQ(use.wavefronts, 8 * 64);
  // The same by plain stores of two elements, 32 lanes to a phase.
  EXPECT_EQ(get(getBankUse(registers, plain, 2, 2)).wavefronts, 8 * 64);
  EXPECT_EQ(
      get(getBankUse(registers, get(getSharedTile({64, 64}, 2, Swizzle::B128)),
                     2, 2))
          .getConflicts(),
      0);
}

TEST(SharedAccessTest, NarrowFragmentsTakeFewerMatrices) {
  for (auto [n, matrices] : {std::pair(8, 2), {16, 4}, {24, 2}, {176, 4}}) {
    Layout shared = get(getSharedTile({64, n}, 2, Swizzle::None));
    MatrixAccess access =
        get(getMatrixAccess(get(getAccumulator(64, n)), shared, 2, false));
    EXPECT_EQ(access.matrices, matrices);
    EXPECT_EQ(access.instructions * matrices, n / 4);
  }
  // One matrix: a register pair to a lane.
  EXPECT_EQ(get(getMatrixAccess(
                    parse("8x8 = register[2*(0,1)] lane[4*(0,2) 8*(1,0)]"),
                    get(getSharedTile({8, 8}, 2, Swizzle::None)), 2, false))
                .matrices,
            1);
}

TEST(SharedAccessTest, FragmentOrderNeedsNoSwizzle) {
  // fp32 staging: 8 rounds of [128 threads][16 bytes].
  Layout registers = get(getAccumulator(64, 64));
  Layout staging = parse("64x64 = offset[2*(0,1) 2*(8,0) 4*(0,2) 8*(1,0) "
                         "4*(16,0) 8*(0,8)]");
  EXPECT_EQ(get(getAccessWidth(registers, staging, 4)), 4);
  BankUse use = get(getBankUse(registers, staging, 4, 4));
  EXPECT_EQ(use.phases, 4 * 8 * 4);
  EXPECT_EQ(use.getConflicts(), 0);
}

TEST(SharedAccessTest, RowStatisticsFromASwizzledTile) {
  // A quad reads its rows in 16-byte chunks q + 4*(i ^ (row & 1)).
  Layout shared = get(getSharedTile({16, 64}, 2, Swizzle::B128));
  Layout toggled = parse("16x64 = register[8*(0,1) 2*(0,32) 2*(8,0)] "
                         "lane[4*(0,8) 2*(1,32) 4*(2,0)]");
  Layout straight = parse("16x64 = register[8*(0,1) 2*(0,32) 2*(8,0)] "
                          "lane[4*(0,8) 8*(1,0)]");
  EXPECT_EQ(get(getAccessWidth(toggled, shared, 2)), 8);
  EXPECT_EQ(get(getBankUse(toggled, shared, 2, 8)).getConflicts(), 0);
  EXPECT_GT(get(getBankUse(straight, shared, 2, 8)).getConflicts(), 0);
}

TEST(SharedAccessTest, CopiesReadTheSameWord) {
  // A column vector under the accumulator: a broadcast is no conflict.
  Layout columns = get(getReduced(get(getAccumulator(64, 176)), 0));
  Layout line = get(getSharedTile({176}, 4, Swizzle::None));
  EXPECT_EQ(get(getAccessWidth(columns, line, 4)), 2);
  EXPECT_EQ(get(getBankUse(columns, line, 4, 2)).getConflicts(), 0);
}

TEST(SharedAccessTest, Refuses) {
  Layout registers = get(getAccumulator(64, 64));
  Layout shared = get(getSharedTile({64, 64}, 2, Swizzle::B128));
  EXPECT_EQ(getError(getAccessWidth(get(getAccumulator(64, 32)), shared, 2)),
            "registers hold a tile of (64, 32), shared memory one of (64, 64)");
  EXPECT_EQ(getError(getAccessWidth(shared, shared, 2)),
            "expected a layout over register, lane and warp, got '" +
                shared.str() + "'");
  EXPECT_EQ(getError(getAccessWidth(parse("8 = lane[8*(1)]"),
                                    parse("8 = offset[8*(1)]"), 2)),
            "expected all 32 lanes of a warp, got 8");
  EXPECT_EQ(getError(getAccessWidth(registers, registers, 2)),
            "expected a layout that puts each element at one offset, got '" +
                registers.str() + "'");
  EXPECT_EQ(getError(getAccessWidth(registers, shared, 5)),
            "expected elements of 1, 2, 4, 8 or 16 bytes, got 5");
  EXPECT_EQ(getError(getBankUse(registers, shared, 2, 4)),
            "expected accesses of at most 2 elements, a power of two, got 4");
  EXPECT_EQ(getError(getMatrixAccess(registers, shared, 4, false)),
            "stmatrix and ldmatrix move 16-bit elements, not 32-bit ones");
  EXPECT_EQ(getError(getMatrixAccess(parse("32 = lane[32*(1)]"),
                                     parse("32 = offset[32*(1)]"), 2, false)),
            "expected an even number of registers to pack, got 1");
  // Rows of 12 elements are not aligned to 16 bytes.
  EXPECT_EQ(getError(getMatrixAccess(
                parse("8x24 = register[2*(0,1) 3*(0,8)] lane[4*(0,2) 8*(1,0)]"),
                parse("8x24 = offset[12*(0,1) 8*(1,0) 2*(0,12)]"), 2, false)),
            "registers 0 and 1 of warp 0 hold no 8x8 matrix with rows of 16 "
            "contiguous bytes in shared memory");
}

} // namespace
