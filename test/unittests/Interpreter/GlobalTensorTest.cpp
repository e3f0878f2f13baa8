//===- GlobalTensorTest.cpp - The shadow of a tensor ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which orders of accesses are conflicts, and tensors with strides.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/GlobalTensor.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tessera::interp;
using tessera::array::NDArray;

namespace {

class ShadowTest : public testing::Test {
protected:
  static constexpr float old = 1, other = 2;

  ShadowTest() : tensor("x", makeContents(), /*isWritable=*/true) {}

  static NDArray makeContents() {
    NDArray contents(ElementType::F32, {2});
    contents.setFloat(0, old);
    return contents;
  }

  AccessStamp at(uint32_t program) { return {program, ++time, barrier}; }

  GlobalTensor tensor;
  uint64_t time = 0;
  uint64_t barrier = 0;
};

TEST_F(ShadowTest, ReadsConflictWithWritesOfOthers) {
  EXPECT_FALSE(tensor.store(0, other, at(1)));
  std::optional<Conflict> conflict = tensor.recordRead(0, at(2));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::ReadOfOther);
  EXPECT_EQ(conflict->other, 1u);
  EXPECT_FALSE(tensor.recordRead(1, at(2)));
}

TEST_F(ShadowTest, WritesConflictWithReadsOfOthers) {
  EXPECT_FALSE(tensor.recordRead(0, at(1)));
  // The value that is there already may be written.
  EXPECT_FALSE(tensor.store(0, old, at(2)));
  std::optional<Conflict> conflict = tensor.store(0, other, at(2));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::WriteAfterRead);
  EXPECT_EQ(conflict->other, 1u);
}

TEST_F(ShadowTest, AProgramMayOverwriteWhatItRead) {
  EXPECT_FALSE(tensor.recordRead(0, at(1)));
  EXPECT_FALSE(tensor.store(0, other, at(1)));
}

TEST_F(ShadowTest, RemembersThatThereWereSeveralReaders) {
  EXPECT_FALSE(tensor.recordRead(0, at(1)));
  EXPECT_FALSE(tensor.recordRead(0, at(2)));
  std::optional<Conflict> conflict = tensor.store(0, other, at(2));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::WriteAfterRead);
}

TEST_F(ShadowTest, ReadsOfOwnWritesNeedABarrier) {
  EXPECT_FALSE(tensor.store(0, other, at(1)));
  std::optional<Conflict> conflict = tensor.recordRead(0, at(1));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::ReadOfOwn);
  barrier = ++time;
  EXPECT_FALSE(tensor.recordRead(0, at(1)));
}

TEST_F(ShadowTest, StoresOfTwoProgramsMustAgree) {
  EXPECT_FALSE(tensor.store(0, other, at(1)));
  EXPECT_FALSE(tensor.store(0, other, at(2)));
  std::optional<Conflict> conflict = tensor.store(0, 3.0f, at(3));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::WriteOfOther);
}

TEST_F(ShadowTest, LanesOfOneStoreMustAgree) {
  AccessStamp stamp = at(1);
  EXPECT_FALSE(tensor.store(0, other, stamp));
  EXPECT_FALSE(tensor.store(0, other, stamp));
  std::optional<Conflict> conflict = tensor.store(0, 3.0f, stamp);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::WriteOfOtherLane);
  // A later store of the same program may overwrite.
  EXPECT_FALSE(tensor.store(1, other, at(1)));
  EXPECT_FALSE(tensor.store(1, 3.0f, at(1)));
}

TEST_F(ShadowTest, AtomicsAreOrderedAmongThemselvesOnly) {
  EXPECT_FALSE(tensor.atomicAdd(0, 1.0f, at(1)));
  EXPECT_FALSE(tensor.atomicAdd(0, 1.0f, at(2)));
  EXPECT_EQ(tensor.toArray().getFloat(0), 3);
  std::optional<Conflict> conflict = tensor.store(0, 9.0f, at(3));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::MixedAtomics);
  // Two programs have added: even the last of them may not read.
  EXPECT_FALSE(tensor.atomicAdd(1, 1.0f, at(1)));
  EXPECT_FALSE(tensor.atomicAdd(1, 1.0f, at(2)));
  barrier = ++time;
  conflict = tensor.recordRead(1, at(2));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::ReadOfOther);
}

TEST(GlobalTensorTest, OutputsArePoisoned) {
  GlobalTensor tensor =
      GlobalTensor::getPoisoned("y", ElementType::BF16, {2, 3});
  int64_t first = -1;
  EXPECT_EQ(tensor.countUnwritten(&first), 6);
  EXPECT_EQ(first, 0);
  EXPECT_TRUE(std::isnan(tensor.toArray().getFloat(5)));
  EXPECT_FALSE(tensor.store(0, 1.0f, {0, 1, 0}));
  EXPECT_EQ(tensor.countUnwritten(&first), 5);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(GlobalTensor::getPoisoned("y", ElementType::I32, {1})
                .toArray()
                .getInteger(0),
            -1);
}

// A transposed view: element (i, j) lies at i + 2 j.
TEST(GlobalTensorTest, Strides) {
  Tile memory(ElementType::I32, {6});
  for (auto [i, element] : llvm::enumerate(memory.mutableIntegers()))
    element = i;
  GlobalTensor tensor("x", memory, {2, 3}, {1, 2}, /*isWritable=*/false);
  NDArray array = tensor.toArray();
  const int64_t expected[] = {0, 2, 4, 1, 3, 5};
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(array.getInteger(i), expected[i]);
}

TEST(GlobalTensorTest, BorrowsElementsOfTheCaller) {
  // Rows of two bf16 elements, three apart.
  const uint16_t elements[] = {0x3f80, 0x4000, 0, 0x4040, 0x4080};
  GlobalTensor tensor = GlobalTensor::getBorrowed("x", ElementType::BF16,
                                                  elements, {2, 2}, {3, 1});
  EXPECT_EQ(tensor.getBytes(), elements);
  EXPECT_EQ(tensor.getStridesOfBytes()[0], 3);
  auto check = [&] {
    NDArray array = tensor.toArray();
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(array.getFloat(i), i + 1);
  };
  check();
  EXPECT_FALSE(tensor.isWritable());
  // As numbers, the rows are dense.
  EXPECT_EQ(tensor.getStrides()[0], 2);
  EXPECT_EQ(tensor.getMemory().get<float>()[2], 3);
  check();
}

TEST(GlobalTensorTest, TakesResultsOfOtherExecutors) {
  GlobalTensor tensor =
      GlobalTensor::getPoisoned("y", ElementType::F16, {2, 2});
  NDArray results = tensor.copyBytes();
  for (int64_t i = 0; i < 4; ++i)
    results.setFloat(i, i);
  int64_t first = -1;
  tensor.takeResults(results, {1, 1, 0, 1});
  EXPECT_EQ(tensor.countUnwritten(&first), 1);
  EXPECT_EQ(first, 2);
  EXPECT_TRUE(std::isnan(tensor.toArray().getFloat(2)));
  EXPECT_EQ(tensor.toArray().getFloat(3), 3);
  tensor.takeResults(results, {1, 1, 1, 1});
  EXPECT_EQ(tensor.countUnwritten(), 0);
  EXPECT_EQ(tensor.takeArray().getFloat(2), 2);
}

// Contents in the form of memory, then as numbers, and back.
TEST(GlobalTensorTest, ConvertsItsContents) {
  NDArray contents(ElementType::I8, {3});
  for (int64_t i = 0; i < 3; ++i)
    contents.setInteger(i, -i);
  GlobalTensor tensor("x", contents, /*isWritable=*/true);
  EXPECT_EQ(static_cast<const int8_t *>(tensor.getBytes())[2], -2);
  EXPECT_FALSE(tensor.store(2, int64_t(-7), {0, 1, 0}));
  EXPECT_EQ(tensor.toArray().getInteger(2), -7);
  EXPECT_EQ(tensor.copyBytes().getInteger(2), -7);
  EXPECT_EQ(static_cast<const int8_t *>(tensor.getBytes())[2], -7);
  EXPECT_EQ(tensor.getMemory().integers()[1], -1);
}

// Integers have no sign in the kernel and the sign of their array outside.
TEST(GlobalTensorTest, KeepsTheUnsignedTypeOfItsArray) {
  const uint8_t elements[] = {255, 1};
  GlobalTensor input =
      GlobalTensor::getBorrowed("x", ElementType::U8, elements, {2}, {1});
  EXPECT_EQ(input.toArray().getInteger(0), 255);
  EXPECT_EQ(input.getType(), ElementType::I8);
  EXPECT_EQ(input.getMemory().integers()[0], -1);
  EXPECT_EQ(input.toArray().getInteger(0), 255);

  GlobalTensor result = GlobalTensor::getPoisoned("y", ElementType::U8, {2});
  NDArray bytes = result.copyBytes();
  EXPECT_EQ(bytes.getType(), ElementType::U8);
  bytes.setInteger(0, 200);
  result.takeResults(bytes, {1, 0});
  EXPECT_EQ(result.getMemory().integers()[0], -56);
  EXPECT_EQ(result.toArray().getInteger(0), 200);
  EXPECT_EQ(result.toArray().getInteger(1), 255);
  EXPECT_FALSE(result.store(1, int64_t(-2), {0, 1, 0}));
  EXPECT_EQ(result.copyBytes().getInteger(1), 254);
  EXPECT_EQ(static_cast<const uint8_t *>(result.getBytes())[1], 254);
  EXPECT_EQ(result.takeArray().getType(), ElementType::U8);
}

TEST(TileTest, CopiesShareUntilWritten) {
  Tile tile = Tile::getFloat(ElementType::F32, 1);
  Tile copy = tile;
  EXPECT_EQ(tile.get<float>().data(), copy.get<float>().data());
  copy.getMutable<float>()[0] = 2;
  EXPECT_EQ(tile.getFloat(), 1);
  EXPECT_EQ(copy.getFloat(), 2);
}

TEST(TileTest, IntegersWrap) {
  EXPECT_EQ(wrap(ElementType::I8, 128), -128);
  EXPECT_EQ(wrap(ElementType::I32, int64_t(1) << 32), 0);
  EXPECT_EQ(wrap(ElementType::I1, -1), 1);
  EXPECT_EQ(asSigned(ElementType::I1, 1), -1);
  EXPECT_EQ(asUnsigned(ElementType::I8, -1), 255u);
}

TEST(TileTest, DoublesKeepAllDigits) {
  NDArray source(ElementType::F64, {2});
  source.setFloat(0, 0.1);
  Tile tile = Tile::fromArray(source);
  EXPECT_EQ(tile.getFloat(0), 0.1);
  EXPECT_EQ(tile.getBits(0), 0x3fb999999999999au);
  tile.setBits(1, 0x3ff0000000000001u);
  EXPECT_EQ(tile.get<double>()[1], 1 + 0x1p-52);
  tile.normalize();
  EXPECT_EQ(tile.getElement(1).getFloat(), 1 + 0x1p-52);
  tile.fill(Tile::getPoison(ElementType::F64));
  EXPECT_TRUE(std::isnan(tile.getFloat(0)));
  GlobalTensor tensor("x", source, /*isWritable=*/true);
  EXPECT_FALSE(tensor.atomicAdd(0, 0.2, {0, 1, 0}));
  EXPECT_EQ(tensor.toArray().getFloat(0), 0.1 + 0.2);
}

TEST(TileTest, Bits) {
  Tile tile(ElementType::F8E4M3FN, {1});
  tile.setBits(0, 0x7e);
  EXPECT_EQ(tile.get<float>()[0], 448);
  EXPECT_EQ(tile.getBits(0), 0x7eu);
}

} // namespace
