//===- SharedMemoryTest.cpp - Races of all kinds ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/SharedMemory.h"

#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr unsigned kWarps = 4;
constexpr int64_t kBytes = 4096;

/// A warp with its clocks, whose accesses each are a step of their own.
struct Warp {
  Warp(SharedMemory &memory, unsigned number)
      : memory(memory), number(number), clocks(kWarps) {}

  std::optional<Conflict> access(bool isWrite, ArrayRef<int64_t> starts,
                                 int64_t count) {
    clocks.seen.setStep(number, ++step);
    return memory.record(
        {nullptr, Moment::step(number, step), Proxy::Generic, isWrite}, clocks,
        starts, count);
  }
  std::optional<Conflict> write(int64_t start, int64_t count) {
    return access(true, start, count);
  }
  std::optional<Conflict> read(int64_t start, int64_t count) {
    return access(false, start, count);
  }
  /// As an asynchronous operation of this number.
  std::optional<Conflict> issue(uint32_t async, bool isWrite, int64_t start,
                                int64_t count) {
    clocks.seen.setStep(number, ++step);
    return memory.record({nullptr, Moment::async(async), Proxy::Async, isWrite},
                         clocks, start, count);
  }

  SharedMemory &memory;
  unsigned number;
  Clocks clocks;
  uint32_t step = 0;
};

struct SharedMemoryTest : testing::Test {
  SharedMemory memory{kBytes};
  Warp a{memory, 0}, b{memory, 1}, c{memory, 2};

  static Conflict::Kind kindOf(const std::optional<Conflict> &conflict) {
    EXPECT_TRUE(conflict);
    return conflict ? conflict->kind : Conflict::OutOfBounds;
  }
};

TEST_F(SharedMemoryTest, ReadsOfUnwrittenBytes) {
  EXPECT_FALSE(a.write(0, 64));
  EXPECT_FALSE(a.read(0, 64));
  auto conflict = a.read(32, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::Unwritten);
  EXPECT_EQ(conflict->byte, 64);
}

TEST_F(SharedMemoryTest, WriteThenReadNeedsOrder) {
  EXPECT_FALSE(a.write(0, 64));
  auto conflict = b.read(60, 8);
  EXPECT_EQ(kindOf(conflict), Conflict::Race);
  EXPECT_EQ(conflict->byte, 60);
  EXPECT_EQ(conflict->other.when, Moment::step(0, 1));
  EXPECT_TRUE(conflict->other.isWrite);
  b.clocks.join(a.clocks);
  EXPECT_FALSE(b.read(0, 64));
}

TEST_F(SharedMemoryTest, OutOfBounds) {
  EXPECT_FALSE(a.write(kBytes - 64, 64));
  auto conflict = a.read(kBytes - 64, 65);
  EXPECT_EQ(kindOf(conflict), Conflict::OutOfBounds);
  EXPECT_EQ(conflict->byte, kBytes);
  EXPECT_EQ(a.read(-1, 1)->byte, -1);
  EXPECT_EQ(a.write(kBytes + 7, 1)->byte, kBytes + 7);
}

} // namespace
