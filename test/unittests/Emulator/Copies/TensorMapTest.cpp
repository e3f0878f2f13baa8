//===- TensorMapTest.cpp - Rules and bytes of tensor maps -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"

#include "tessera/Emulator/TensorMap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

/// A bf16 tensor of 300 x 200 in boxes of 64 x 64, with a swizzle of 128 bytes.
TensorMap makeMap() {
  TensorMap map;
  map.type = 9;
  map.rank = 2;
  map.address = 0x10000;
  map.dims = {200, 300};
  map.strides = {400};
  map.box = {64, 64};
  map.elementStrides = {1, 1};
  map.swizzle = 3;
  map.promotion = 3;
  return map;
}

struct Rule {
  const char *message;
  void (*change)(TensorMap &map);
};

TEST(TensorMap, RefusesWhatTheEncoderRefuses) {
  const Rule rules[] = {
      {"the rank is 0, expected 1 to 5", [](TensorMap &m) { m.rank = 0; }},
      {"the rank is 6, expected 1 to 5", [](TensorMap &m) { m.rank = 6; }},
      {"the data type is 16", [](TensorMap &m) { m.type = 16; }},
      {"the data type is -1", [](TensorMap &m) { m.type = -1; }},
      {"the address of the tensor is not a multiple of 16 bytes",
       [](TensorMap &m) { m.address += 8; }},
      {"the extent of dimension 1 is 0", [](TensorMap &m) { m.dims[1] = 0; }},
      {"the extent of dimension 0 is 4294967297, expected 1 to 2^32",
       [](TensorMap &m) { m.dims[0] = (uint64_t(1) << 32) + 1; }},
      {"the stride of dimension 1 is 408 bytes",
       [](TensorMap &m) { m.strides[0] = 408; }},
      {"the stride of dimension 1 is 1099511627776 bytes, expected a multiple "
       "of 16 below 2^40",
       [](TensorMap &m) { m.strides[0] = uint64_t(1) << 40; }},
      {"the box has 0 elements in dimension 1",
       [](TensorMap &m) { m.box[1] = 0; }},
      {"the box has 257 elements in dimension 1, expected 1 to 256",
       [](TensorMap &m) { m.box[1] = 257; }},
      {"the element stride of dimension 1 is 0, expected 1 to 8",
       [](TensorMap &m) { m.elementStrides[1] = 0; }},
      {"the element stride of dimension 1 is 9",
       [](TensorMap &m) { m.elementStrides[1] = 9; }},
      {"a row of the box has 120 bytes, expected a multiple of 16",
       [](TensorMap &m) { m.box[0] = 60; }},
      {"a row of the box has 144 bytes, expected at most the 128 within which "
       "the swizzle exchanges parts",
       [](TensorMap &m) { m.box[0] = 72; }},
      {"a row of the box has 128 bytes, expected at most the 64",
       [](TensorMap &m) { m.swizzle = 2; }},
      {"a row of the box has 128 bytes, expected at most the 32",
       [](TensorMap &m) { m.swizzle = 1; }},
      {"the swizzle is 7, expected 0 to 3",
       [](TensorMap &m) { m.swizzle = 7; }},
      {"the interleave is 3", [](TensorMap &m) { m.interleave = 3; }},
      {"the L2 promotion is 4, expected 0 to 3",
       [](TensorMap &m) { m.promotion = 4; }},
      {"the out-of-bounds fill is 2", [](TensorMap &m) { m.fill = 2; }},
      {"out-of-bounds elements can be NaN only in maps of a float type, and "
       "the data type is 1",
       [](TensorMap &m) {
         m.fill = 1;
         m.type = 1;
       }},
  };
  ASSERT_THAT(getErrorText(makeMap().verify()), testing::IsEmpty());
  for (const Rule &rule : rules) {
    TensorMap map = makeMap();
    rule.change(map);
    EXPECT_THAT(llvm::toString(map.verify()), HasSubstr(rule.message));
  }
}

TEST(TensorMap, RefusesWithAWayOut) {
  const Rule rules[] = {
      {"packed elements of 4 and 6 bits (data type 13) are not emulated: copy "
       "them as UINT8, data type 0",
       [](TensorMap &m) { m.type = 13; }},
      {"copy them as UINT8", [](TensorMap &m) { m.type = 15; }},
      {"data type 11 (TFLOAT32) is not emulated, because its copies round what "
       "they load: use FLOAT32, data type 7, which keeps all bits",
       [](TensorMap &m) { m.type = 11; }},
      {"interleaved layouts (interleave 1) are not emulated: make the channels "
       "of a group the innermost dimension of a map without interleave",
       [](TensorMap &m) { m.interleave = 1; }},
      {"swizzles of parts other than 16 bytes (swizzle 4) are not emulated, "
       "and machines before sm_100 do not have them: use 3, SWIZZLE_128B",
       [](TensorMap &m) { m.swizzle = 4; }},
      {"rows of 64 bytes are shorter than the 128 within which the swizzle "
       "exchanges parts, and how they lie in shared memory is not documented: "
       "use a swizzle of 64 bytes or wider boxes",
       [](TensorMap &m) { m.box[0] = 32; }},
  };
  for (const Rule &rule : rules) {
    TensorMap map = makeMap();
    rule.change(map);
    EXPECT_THAT(llvm::toString(map.verify()), HasSubstr(rule.message));
  }
}

TEST(TensorMap, AcceptsTheLimits) {
  TensorMap map = makeMap();
  map.rank = 5;
  map.dims.fill(uint64_t(1) << 32);
  map.strides = {(uint64_t(1) << 40) - 16, 16, 0, 32}; // in any order
  map.box = {64, 256, 1, 1, 1};
  map.elementStrides = {8, 8, 1, 2, 1};
  EXPECT_THAT(getErrorText(map.verify()), testing::IsEmpty());
  map.swizzle = 0;
  map.box[0] = 256;
  EXPECT_THAT(getErrorText(map.verify()), testing::IsEmpty());
  // The values of dimensions beyond the rank do not matter.
  map = makeMap();
  map.strides[3] = 1;
  EXPECT_THAT(getErrorText(map.verify()), testing::IsEmpty());
  // One short row cannot lie in two ways.
  map = makeMap();
  map.box = {32, 1};
  EXPECT_THAT(getErrorText(map.verify()), testing::IsEmpty());
}

TEST(TensorMap, CountsTheBytesOfABox) {
  TensorMap map = makeMap();
  EXPECT_EQ(map.getBoxBytes(), 64u * 64 * 2);
  map.elementStrides = {7, 3}; // every third of 64 rows; the first is ignored
  EXPECT_EQ(map.getBoxExtent(0), 64u);
  EXPECT_EQ(map.getBoxExtent(1), 22u);
  EXPECT_EQ(map.getBoxBytes(), 64u * 22 * 2);
  const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  for (int type = 0; type < 13; ++type) {
    map.type = type;
    EXPECT_EQ(map.getElementBytes(), bytes[type]) << type;
  }
}

TEST(TensorMap, KeepsAllFieldsInItsBytes) {
  TensorMap map;
  map.type = 7;
  map.rank = 5;
  map.address = 0xFEDCBA9876543210;
  map.dims = {uint64_t(1) << 32, 2, 3, 4, 5};
  map.strides = {(uint64_t(1) << 40) - 16, 48, 64, 80};
  map.box = {256, 255, 254, 253, 252};
  map.elementStrides = {1, 2, 3, 4, 8};
  map.promotion = 2;
  map.fill = 1;
  llvm::Expected<TensorMap> read = TensorMap::decode(map.encode());
  ASSERT_THAT(getErrorText(read), testing::IsEmpty());
  EXPECT_EQ(read->type, map.type);
  EXPECT_EQ(read->rank, map.rank);
  EXPECT_EQ(read->address, map.address);
  EXPECT_EQ(read->dims, map.dims);
  EXPECT_EQ(read->strides, map.strides);
  EXPECT_EQ(read->box, map.box);
  EXPECT_EQ(read->elementStrides, map.elementStrides);
  EXPECT_EQ(read->interleave, 0);
  EXPECT_EQ(read->swizzle, 0);
  EXPECT_EQ(read->promotion, 2);
  EXPECT_EQ(read->fill, 1);
  read = TensorMap::decode(makeMap().encode());
  ASSERT_THAT(getErrorText(read), testing::IsEmpty());
  EXPECT_EQ(read->swizzle, 3);
}

TEST(TensorMap, NoticesDamage) {
  const auto bytes = makeMap().encode();
  for (unsigned bit = 0; bit < 8 * TensorMap::kBytes; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= 1 << bit % 8;
    llvm::Expected<TensorMap> map = TensorMap::decode(damaged);
    EXPECT_FALSE(static_cast<bool>(map)) << "bit " << bit;
    EXPECT_THAT(
        llvm::toString(map.takeError()),
        HasSubstr(bit < 64
                      ? "these bytes are none"
                      : "some of its bytes were changed after it was encoded"));
  }
}

TEST(TensorMap, SaysThatBytesAreNoMap) {
  std::array<uint8_t, TensorMap::kBytes> zeros{};
  EXPECT_THAT(getErrorText(TensorMap::decode(zeros)), HasSubstr("are none"));
  auto bytes = makeMap().encode();
  EXPECT_THAT(
      getErrorText(TensorMap::decode(llvm::ArrayRef(bytes).drop_back())),
      HasSubstr("127 bytes, expected 128"));
  // Encoded whole, but never verified.
  TensorMap map = makeMap();
  map.address += 4;
  EXPECT_THAT(getErrorText(TensorMap::decode(map.encode())),
              HasSubstr("the address"));
}

TEST(TensorMap, FillsWithZerosOrNan) {
  TensorMap map = makeMap();
  uint8_t bytes[8];
  std::fill(std::begin(bytes), std::end(bytes), 0xAA);
  map.fillOutOfBounds(bytes);
  EXPECT_THAT(bytes, testing::Each(0));
  map.fill = 1;
  map.fillOutOfBounds(bytes);
  uint16_t half;
  float single;
  double wide;
  memcpy(&half, bytes, 2);
  memcpy(&single, bytes, 4);
  memcpy(&wide, bytes, 8);
  EXPECT_GT(half & 0x7FFF, 0x7F80) << "NaN of bf16, and of f16";
  EXPECT_NE(single, single);
  EXPECT_NE(wide, wide);
}

} // namespace
