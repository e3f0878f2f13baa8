//===- TensorCoreTest.cpp - Descriptors, boxes, tables ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/InverseMap.h"
#include "tessera/Layout/MatrixDescriptor.h"
#include "tessera/Layout/RegisterTile.h"
#include "tessera/Layout/Table.h"
#include "tessera/Layout/TmaBoxes.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace tessera::layout;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

TEST(MatrixDescriptorTest, KMajorAdvancesWithinTheSpan) {
  for (int64_t rows : {64, 96, 128, 176, 192, 256})
    for (int64_t k : {64, 128}) {
      Layout tile = get(getSharedTile({rows, k}, 2, Swizzle::B128));
      int64_t block = rows % 64 == 0 ? 64 : rows;
      MatrixDescriptor descriptor =
          get(getMatrixDescriptor(tile, 2, /*kDim=*/1, block));
      EXPECT_FALSE(descriptor.isTransposed);
      EXPECT_EQ(descriptor.swizzle, Swizzle::B128);
      EXPECT_EQ(descriptor.leadingBytes, 16);
      EXPECT_EQ(descriptor.strideBytes, 1024);
      EXPECT_EQ(descriptor.steps, k / 16);
      for (int64_t i = 0; i < rows / block; ++i)
        for (int64_t kk = 0; kk < k / 16; ++kk)
          EXPECT_EQ(descriptor.getStart(i, kk),
                    i * 64 * 128 + kk / 4 * rows * 128 + kk % 4 * 32);
    }
}

TEST(MatrixDescriptorTest, MnMajorAdvancesByRowsOfK) {
  for (int64_t kRows : {64, 128, 144, 160, 176, 192})
    for (int64_t n : {64, 128, 192, 256}) {
      Layout tile = get(getSharedTile({kRows, n}, 2, Swizzle::B128));
      MatrixDescriptor descriptor =
          get(getMatrixDescriptor(tile, 2, /*kDim=*/0, n));
      EXPECT_TRUE(descriptor.isTransposed);
      EXPECT_EQ(descriptor.swizzle, Swizzle::B128);
      EXPECT_EQ(descriptor.leadingBytes, n > 64 ? kRows * 128 : 16);
      EXPECT_EQ(descriptor.strideBytes, 1024);
      for (int64_t kk = 0; kk < kRows / 16; ++kk)
        EXPECT_EQ(descriptor.getStart(0, kk), kk * 2048);
    }
}

TEST(MatrixDescriptorTest, NarrowSpansServeWidthsThatAreNoMultiplesOf64) {
  for (auto [n, swizzle] :
       {std::pair(176, Swizzle::B32), {96, Swizzle::B64}, {80, Swizzle::B32}}) {
    Layout tile = get(getSharedTile({64, n}, 2, swizzle));
    for (unsigned kDim : {0, 1}) {
      MatrixDescriptor descriptor =
          get(getMatrixDescriptor(tile, 2, kDim, kDim == 0 ? n : 64));
      EXPECT_EQ(descriptor.swizzle, swizzle);
      EXPECT_EQ(descriptor.strideBytes, 8 * static_cast<int64_t>(swizzle));
    }
  }
}

TEST(MatrixDescriptorTest, OtherElementSizesAreKMajorOnly) {
  for (int64_t bytes : {1, 4}) {
    Layout tile = get(getSharedTile({128, 128 / bytes}, bytes, Swizzle::B128));
    MatrixDescriptor descriptor = get(getMatrixDescriptor(tile, bytes, 1, 64));
    EXPECT_THAT(descriptor.starts,
                ElementsAre(0, 32, 64, 96, 8192, 8224, 8256, 8288));
    EXPECT_EQ(getError(getMatrixDescriptor(tile, bytes, 0, 8)),
              "wgmma reads only 16-bit elements along MN; K must be contiguous "
              "for " +
                  std::to_string(8 * bytes) + "-bit ones");
  }
}

TEST(MatrixDescriptorTest, EncodesTheFields) {
  Layout tile = get(getSharedTile({128, 256}, 2, Swizzle::B128));
  MatrixDescriptor descriptor = get(getMatrixDescriptor(tile, 2, 0, 256));
  // The rank of CTA 3 in its cluster does not reach the LBO field.
  uint64_t bits = descriptor.encode(3u << 24 | 0x12400);
  EXPECT_EQ(bits & 0x3FFF, 0x1240u);
  EXPECT_EQ(bits >> 16 & 0x3FFF, 128 * 128u >> 4);
  EXPECT_EQ(bits >> 32 & 0x3FFF, 1024u >> 4);
  EXPECT_EQ(bits >> 62, 1u);
  EXPECT_EQ(bits & 0x3FFFC000C000C000, 0u);
  auto mode = [](Swizzle swizzle) {
    Layout narrow = get(getSharedTile({64, 64}, 2, swizzle));
    return get(getMatrixDescriptor(narrow, 2, 1, 64)).encode(0) >> 62;
  };
  EXPECT_EQ(mode(Swizzle::B64), 2u);
  EXPECT_EQ(mode(Swizzle::B32), 3u);
}

TEST(MatrixDescriptorTest, RefusesWithTheReason) {
  auto error = [](const Layout &tile, int64_t bytes = 2, unsigned kDim = 1,
                  int64_t block = 64) {
    return getError(getMatrixDescriptor(tile, bytes, kDim, block));
  };
  Layout tile = get(getSharedTile({64, 64}, 2, Swizzle::B128));
  EXPECT_EQ(error(get(getSharedTile({64, 64}, 2, Swizzle::None))),
            "the tile follows no swizzle of 128, 64 or 32 bytes over blocks of "
            "64");
  EXPECT_EQ(error(get(getSharedTile({2, 64, 64}, 2, Swizzle::B128))),
            "expected a matrix, got a tile of rank 3");
  EXPECT_EQ(error(get(getAccumulator(64, 64))),
            "expected a matrix in shared memory, got '" +
                get(getAccumulator(64, 64)).str() + "'");
  EXPECT_EQ(error(tile, 8),
            "wgmma multiplies elements of 1, 2 or 4 bytes, not of 8");
  EXPECT_EQ(error(parse("64x8 = offset[8*(0,1) 64*(1,0)]")),
            "expected K in multiples of 16 elements, got 8");
  EXPECT_EQ(error(tile, 2, 1, 48),
            "expected blocks of 8, 16, … 256 that divide 64, got 48");
  EXPECT_EQ(error(parse("64x64 = offset[2*(0,2) 2*(0,1) 16*(0,4) 64*(1,0)]")),
            "neither dimension is contiguous");
  // A column block that begins within a span.
  EXPECT_EQ(error(get(getSharedTile({64, 192}, 2, Swizzle::B128)), 2, 0, 96),
            "the tile follows no swizzle of 128, 64 or 32 bytes over blocks of "
            "96");
  // 8-row groups of 128 bytes, 2 MiB apart.
  EXPECT_EQ(error(parse("16x131072 = offset[64*(0,1) 8*(1,8) 2048*(0,64) "
                        "2*(8,0)]"),
                  2, 1, 16),
            "the strides between the parts of the tile, 16 and 2097152 bytes, "
            "do not fit the 14 bits of a descriptor");
}

TEST(TmaBoxesTest, BoxesOfTheKernels) {
  struct Case {
    Point shape;
    Swizzle swizzle;
    Point extents;
    size_t count;
  };
  for (const Case &c : {
           Case{{128, 64}, Swizzle::B128, {128, 64}, 1},        // A of a GEMM
           Case{{256, 64}, Swizzle::B128, {256, 64}, 1},        // B, K-major
           Case{{64, 256}, Swizzle::B128, {64, 64}, 4},         // B, MN-major
           Case{{176, 128}, Swizzle::B128, {176, 64}, 2},       // K, V
           Case{{1, 192, 128}, Swizzle::B128, {1, 192, 64}, 2}, // by head
           Case{{512, 64}, Swizzle::B128, {256, 64}, 2},
           Case{{320, 64}, Swizzle::B128, {160, 64}, 2},
           Case{{64, 96}, Swizzle::B64, {64, 32}, 3},
           Case{{64, 176}, Swizzle::B32, {64, 16}, 11},
           Case{{64, 176}, Swizzle::None, {64, 176}, 1},
           Case{{512}, Swizzle::None, {256}, 2}, // a vector
           // Few rows, in which a swizzle moves nothing: they may begin in the
           // middle of a pattern.
           Case{{2, 32}, Swizzle::None, {2, 32}, 1},
           Case{{1, 64}, Swizzle::None, {1, 64}, 1},
       }) {
    Layout tile = get(getSharedTile(c.shape, 2, c.swizzle));
    TmaBoxes boxes = get(getTmaBoxes(tile, 2));
    EXPECT_EQ(boxes.swizzle, c.swizzle) << tile.str();
    EXPECT_EQ(boxes.extents, c.extents) << tile.str();
    EXPECT_EQ(boxes.boxes.size(), c.count) << tile.str();
    EXPECT_EQ(boxes.getBytes(2) * int64_t(c.count), tile.getNumElements() * 2);
    for (auto [i, box] : llvm::enumerate(boxes.boxes))
      EXPECT_EQ(box.byte, boxes.getBytes(2) * int64_t(i));
  }
  TmaBoxes wide =
      get(getTmaBoxes(get(getSharedTile({64, 128}, 2, Swizzle::B128)), 2));
  EXPECT_THAT(wide.boxes[1].origin, ElementsAre(0, 64));
}

// The parts of all CTAs are the tile, each byte once.
TEST(TmaBoxesTest, PartsMakeTheWhole) {
  struct Case {
    Point shape;
    Swizzle swizzle;
    int64_t parts;
    Point extents;
    size_t count;
  };
  for (const Case &c : {
           Case{{64, 256}, Swizzle::B128, 1, {64, 64}, 4},
           Case{{64, 256}, Swizzle::B128, 2, {64, 64}, 2}, // whole boxes
           Case{{64, 256}, Swizzle::B128, 4, {64, 64}, 1},
           Case{{64, 256}, Swizzle::B128, 8, {8, 64}, 4}, // rows of boxes
           Case{{256, 64}, Swizzle::B128, 2, {128, 64}, 1},
           Case{{64, 192}, Swizzle::B128, 2, {32, 64}, 3},
           Case{{1, 192, 128}, Swizzle::B128, 4, {1, 48, 64}, 2},
           Case{{320, 64}, Swizzle::B128, 2, {160, 64}, 1},
       }) {
    Layout tile = get(getSharedTile(c.shape, 2, c.swizzle));
    TmaBoxes whole = get(getTmaBoxes(tile, 2));
    TmaParts parts = get(getTmaParts(whole, 2, c.parts));
    EXPECT_EQ(parts.first.extents, c.extents) << tile.str();
    EXPECT_EQ(parts.first.boxes.size(), c.count) << tile.str();
    // Boxes of the same rows lie one after the other: by byte, all are there.
    int64_t bytes = parts.first.getBytes(2);
    std::set<int64_t> starts;
    for (int64_t part = 0; part < c.parts; ++part)
      for (const TmaBoxes::Box &box : parts.first.boxes) {
        int64_t byte = box.byte + part * parts.byteStep;
        EXPECT_EQ(byte % bytes, 0);
        EXPECT_TRUE(starts.insert(byte).second) << tile.str();
        // Where the tile has the first element of the moved box.
        Point origin = box.origin;
        for (auto [x, step] : llvm::zip_equal(origin, parts.step))
          x += part * step;
        EXPECT_EQ(InverseMap(tile).getPlace(origin).front() * 2, byte);
      }
    EXPECT_EQ(int64_t(starts.size()) * bytes, tile.getNumElements() * 2);
  }
  TmaBoxes row =
      get(getTmaBoxes(get(getSharedTile({8, 64}, 2, Swizzle::B128)), 2));
  EXPECT_EQ(getError(getTmaParts(row, 2, 2)),
            "the 1 boxes of the tile cannot be shared out to 2 CTAs");
}

TEST(TmaBoxesTest, Refuses) {
  EXPECT_EQ(getError(getTmaBoxes(parse("scalar ="), 2)),
            "TMA copies tiles of 1 to 5 dimensions, not of 0");
  EXPECT_EQ(getError(getTmaBoxes(parse("4 = lane[4*(1)]"), 2)),
            "expected a tile in shared memory, got '4 = lane[4*(1)]'");
  EXPECT_EQ(getError(getTmaBoxes(parse("4 = offset[4*(1)]"), 16)),
            "TMA copies elements of 1, 2, 4 or 8 bytes, not of 16");
  const char *reason = "no box of at most 256 along each dimension, with rows "
                       "of a multiple of 16 bytes, lies in shared memory as "
                       "TMA writes it";
  // Rows of 6 bytes; a transposed tile; two rows exchanged.
  EXPECT_EQ(getError(getTmaBoxes(parse("8x3 = offset[3*(0,1) 8*(1,0)]"), 2)),
            reason);
  EXPECT_EQ(
      getError(getTmaBoxes(parse("64x64 = offset[64*(1,0) 64*(0,1)]"), 2)),
      reason);
  EXPECT_EQ(getError(getTmaBoxes(
                parse("8x64 = offset[64*(0,1) 2*(2,16) 2*(1,8) 2*(4,32)]"), 2)),
            reason);
}

TEST(TableTest, NamesPlacesAndCopies) {
  auto table = [](llvm::StringRef text) {
    std::string result;
    llvm::raw_string_ostream os(result);
    printTable(parse(text), os);
    return "\n" + result;
  };
  EXPECT_EQ(table("2x4 = register[2*(0,1)] lane[2*(0,2) 2*(1,0)]"), R"(
  |    0    1    2    3
--+--------------------
0 | r0l0 r1l0 r0l1 r1l1
1 | r0l2 r1l2 r0l3 r1l3
)");
  EXPECT_EQ(table("3 = register[3*(1)] lane[4*(0)]"), R"(
  |      0      1      2
--+---------------------
0 | r0l0+3 r1l0+3 r2l0+3
)");
  EXPECT_EQ(table("2x1x2 = offset[2*(0,0,1) 2*(1,0,0)]"), R"(
at (0)
  |  0  1
--+------
0 | o0 o1
at (1)
  |  0  1
--+------
0 | o2 o3
)");
  EXPECT_EQ(table("scalar = lane[32*()]"), R"(
  |     0
--+------
0 | l0+31
)");
}

} // namespace
