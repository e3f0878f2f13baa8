//===- TensorCopyTest.cpp - The pieces of tensor copies ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"

#include "tessera/Emulator/TensorCopyMode.h"
#include "tessera/Emulator/TensorMap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace tessera::emu;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// "global:shared:bytes", all in decimal; "-" for out of bounds.
std::vector<std::string> list(const TensorMap &map,
                              llvm::ArrayRef<int32_t> coordinates,
                              uint32_t shared) {
  std::vector<std::string> pieces;
  visitTensorCopy(map, coordinates, shared, [&](const TensorCopyPiece &piece) {
    pieces.push_back((piece.global ? std::to_string(*piece.global) : "-") +
                     ":" + std::to_string(piece.shared) + ":" +
                     std::to_string(piece.bytes));
  });
  return pieces;
}

/// f32, 10 columns and 4 rows at 1000, rows 48 bytes apart; boxes of 8 x 2.
TensorMap makeMatrix() {
  TensorMap map;
  map.type = 7;
  map.rank = 2;
  map.address = 1008;
  map.dims = {10, 4};
  map.strides = {48};
  map.box = {8, 2};
  map.elementStrides = {1, 1};
  return map;
}

TEST(TensorCopy, CutsRowsAtTheBounds) {
  TensorMap map = makeMatrix();
  EXPECT_THAT(list(map, {0, 0}, 128),
              ElementsAre("1008:128:32", "1056:160:32"));
  // Columns 4 to 11; the tensor has columns 4 to 9.
  EXPECT_THAT(list(map, {4, 1}, 128),
              ElementsAre("1072:128:24", "-:152:8", "1120:160:24", "-:184:8"));
  // Columns -3 to 4; row -1 is missing, and what is out of bounds joins.
  EXPECT_THAT(list(map, {-3, -1}, 128), ElementsAre("-:128:44", "1008:172:20"));
  EXPECT_THAT(list(map, {0, 3}, 128), ElementsAre("1152:128:32", "-:160:32"));
  EXPECT_THAT(list(map, {10, 0}, 128), ElementsAre("-:128:64"));
  EXPECT_THAT(list(map, {-8, 0}, 128), ElementsAre("-:128:64"));
  EXPECT_THAT(list(map, {INT32_MIN, INT32_MAX}, 128), ElementsAre("-:128:64"));
  // Both ends of a row.
  map.dims[0] = 5;
  EXPECT_THAT(
      list(map, {-1, 0}, 0),
      ElementsAre("-:0:4", "1008:4:20", "-:24:12", "1056:36:20", "-:56:8"));
}

TEST(TensorCopy, JoinsRowsThatLieSideBySide) {
  TensorMap map = makeMatrix();
  map.dims = {8, 4};
  map.strides = {32};
  EXPECT_THAT(list(map, {0, 1}, 256), ElementsAre("1040:256:64"));
}

TEST(TensorCopy, SkipsElementsOfAStride) {
  TensorMap map = makeMatrix();
  map.box = {4, 4};
  map.elementStrides = {5, 3}; // rows 0 and 3 of 4; columns are not skipped
  EXPECT_THAT(list(map, {0, 0}, 0), ElementsAre("1008:0:16", "1152:16:16"));
  EXPECT_THAT(list(map, {0, 1}, 0), ElementsAre("1056:0:16", "-:16:16"));
  EXPECT_THAT(list(map, {0, -3}, 0), ElementsAre("-:0:16", "1008:16:16"));
}

TEST(TensorCopy, ComputesAddressesModulo64Bits) {
  TensorMap map = makeMatrix();
  map.box = {4, 1};
  map.dims = {10, uint64_t(1) << 31};
  map.strides = {uint64_t(1) << 36};
  // 2^28 rows of 2^36 bytes are 2^64.
  EXPECT_THAT(list(map, {1, 1 << 28}, 0), ElementsAre("1012:0:16"));
}

/// PTX ISA, "Swizzling Modes": where the parts of 16 bytes of rows go, by row.
TEST(TensorCopy, SwizzlesLikeTheFigures) {
  TensorMap map;
  map.type = 0;
  map.rank = 2;
  map.dims = {128, 64};
  map.strides = {128};
  map.elementStrides = {1, 1};
  auto getParts = [&](uint32_t base) {
    std::vector<unsigned> parts;
    visitTensorCopy(map, {0, 0}, base, [&](const TensorCopyPiece &piece) {
      EXPECT_EQ(piece.bytes, 16u);
      EXPECT_EQ(piece.shared % 16, 0u);
      parts.push_back((piece.shared - base) / 16);
    });
    return parts;
  };
  map.swizzle = 3;
  map.box = {128, 3};
  EXPECT_THAT(getParts(1024), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7,       //
                                          9, 8, 11, 10, 13, 12, 15, 14, //
                                          18, 19, 16, 17, 22, 23, 20, 21));
  map.swizzle = 2;
  map.box = {64, 6};
  EXPECT_THAT(getParts(1024), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7,       //
                                          9, 8, 11, 10, 13, 12, 15, 14, //
                                          18, 19, 16, 17, 22, 23, 20, 21));
  map.swizzle = 1;
  map.box = {32, 10};
  EXPECT_THAT(getParts(1024), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7,       //
                                          9, 8, 11, 10, 13, 12, 15, 14, //
                                          16, 17, 18, 19));
  // The pattern belongs to the address: 128 bytes later, the second row is
  // first.
  map.swizzle = 3;
  map.box = {128, 1};
  EXPECT_THAT(getParts(1024 + 128), ElementsAre(1, 0, 3, 2, 5, 4, 7, 6));
  EXPECT_THAT(getParts(1024 + 7 * 128), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

/// Element by element, and byte by byte: nothing but the definition.
std::map<uint32_t, std::optional<uint64_t>>
copyByDefinition(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                 uint32_t base) {
  std::map<uint32_t, std::optional<uint64_t>> bytes;
  uint32_t counts[5], total = 1;
  for (unsigned dim = 0; dim < 5; ++dim) {
    counts[dim] = 1;
    if (dim < map.rank)
      counts[dim] = dim == 0 ? map.box[0]
                             : (map.box[dim] - 1) / map.elementStrides[dim] + 1;
    total *= counts[dim];
  }
  static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  unsigned size = sizes[map.type];
  for (uint32_t number = 0; number < total; ++number) {
    bool isInside = true;
    uint64_t global = map.address;
    for (uint32_t dim = 0, rest = number; dim < map.rank; ++dim) {
      int64_t x = coordinates[dim] + int64_t(rest % counts[dim]) *
                                         (dim ? map.elementStrides[dim] : 1);
      rest /= counts[dim];
      isInside &= x >= 0 && uint64_t(x) < map.dims[dim];
      global += x * (dim ? map.strides[dim - 1] : size);
    }
    for (unsigned byte = 0; byte < size; ++byte) {
      uint32_t address = base + number * size + byte;
      uint32_t lines = address >> 7;
      if (map.swizzle)
        address ^= (lines & ((2u << (map.swizzle - 1)) - 1)) << 4;
      EXPECT_TRUE(bytes
                      .try_emplace(address, isInside
                                                ? std::optional(global + byte)
                                                : std::nullopt)
                      .second);
    }
  }
  return bytes;
}

TEST(TensorCopy, DoesWhatTheDefinitionSays) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  for (unsigned round = 0; round < 400; ++round) {
    TensorMap map;
    map.type = pick(0, 9);
    map.rank = pick(1, 5);
    map.address = pick(0, 1000) * 16;
    map.swizzle = pick(0, 3);
    unsigned row = map.swizzle ? 16u << map.swizzle : pick(1, 6) * 16;
    llvm::SmallVector<int32_t, 5> coordinates;
    for (unsigned dim = 0; dim < map.rank; ++dim) {
      map.dims[dim] = pick(1, 20);
      if (dim > 0)
        map.strides[dim - 1] = pick(0, 40) * 16;
      map.box[dim] = dim == 0 ? row / sizes[map.type] : pick(1, 5);
      map.elementStrides[dim] = pick(1, 3);
      coordinates.push_back(pick(-6, 20));
    }
    ASSERT_THAT(getErrorText(map.verify()), testing::IsEmpty());
    uint32_t base = pick(0, 20) * 128;
    auto expected = copyByDefinition(map, coordinates, base);
    EXPECT_EQ(expected.size(), map.getBoxBytes());
    std::map<uint32_t, std::optional<uint64_t>> seen;
    visitTensorCopy(map, coordinates, base, [&](const TensorCopyPiece &piece) {
      ASSERT_GT(piece.bytes, 0u);
      if (map.swizzle) {
        ASSERT_LE(piece.bytes, 16u);
      }
      for (uint32_t i = 0; i < piece.bytes; ++i)
        EXPECT_TRUE(seen.try_emplace(piece.shared + i,
                                     piece.global
                                         ? std::optional(*piece.global + i)
                                         : std::nullopt)
                        .second);
    });
    EXPECT_EQ(seen, expected) << "round " << round;
  }
}

TEST(TensorCopyMode, AcceptsTiles) {
  EXPECT_THAT(getErrorText(verifyTensorCopyMode(
                  {"cp", "async", "bulk", "tensor", "2d", "shared::cluster",
                   "global", "tile", "mbarrier::complete_tx::bytes"})),
              testing::IsEmpty());
  EXPECT_THAT(
      getErrorText(verifyTensorCopyMode({"cp", "async", "bulk", "tensor"})),
      testing::IsEmpty());
}

TEST(TensorCopyMode, RefusesOthersWithAWayOut) {
  for (llvm::StringRef mode :
       {"im2col", "im2col_no_offs", "im2col::w", "im2col::w::128"})
    EXPECT_THAT(getErrorText(verifyTensorCopyMode(
                    {"cp", "async", "bulk", "tensor", "4d", mode})),
                testing::AllOf(HasSubstr("'." + mode.str() + "'"),
                               HasSubstr("cuTensorMapEncodeTiled")));
  for (llvm::StringRef mode : {"tile::gather4", "tile::scatter4"})
    EXPECT_THAT(getErrorText(verifyTensorCopyMode(
                    {"cp", "async", "bulk", "tensor", "2d", mode})),
                HasSubstr("boxes of one row"));
  EXPECT_THAT(getErrorText(verifyTensorCopyMode(
                  {"cp", "async", "bulk", "tensor", "tile::other"})),
              HasSubstr("unknown mode"));
}

} // namespace
