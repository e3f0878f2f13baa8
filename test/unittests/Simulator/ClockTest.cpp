//===- ClockTest.cpp - What has happened before -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Clock.h"

#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::sim;

namespace {

TEST(ClockTest, Steps) {
  Clock clock(2), other(2);
  EXPECT_TRUE(clock.knows(Moment()));
  EXPECT_FALSE(clock.knows(Moment::step(0, 1)));
  clock.setStep(0, 3);
  other.setStep(1, 5);
  other.setStep(0, 2);
  clock.join(other);
  EXPECT_TRUE(clock.knows(Moment::step(0, 3)));
  EXPECT_FALSE(clock.knows(Moment::step(0, 4)));
  EXPECT_TRUE(clock.knows(Moment::step(1, 5)));
  EXPECT_FALSE(other.knows(Moment::step(0, 3)));
}

TEST(ClockTest, AsynchronousOperationsInAnyOrder) {
  Clock clock(1);
  for (uint32_t number = 200; number >= 1; --number) {
    EXPECT_FALSE(clock.knows(Moment::async(number)));
    clock.add(number);
    EXPECT_TRUE(clock.knows(Moment::async(number)));
  }
  EXPECT_TRUE(clock.knows(Moment::async(200)));
  EXPECT_FALSE(clock.knows(Moment::async(201)));
}

/// Against sets, with numbers far from each other, so that what is dropped of
/// the one clock and not of the other meets.
TEST(ClockTest, JoinIsUnion) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Clock clocks[2] = {Clock(1), Clock(1)};
    std::set<uint32_t> sets[2];
    for (int side : {0, 1}) {
      uint32_t prefix = random() % 300;
      for (uint32_t number = 1; number <= prefix; ++number) {
        clocks[side].add(number);
        sets[side].insert(number);
      }
      for (int i = 0; i < 20; ++i) {
        uint32_t number = 1 + random() % 400;
        clocks[side].add(number);
        sets[side].insert(number);
      }
    }
    clocks[0].join(clocks[1]);
    sets[0].insert(sets[1].begin(), sets[1].end());
    for (uint32_t number = 1; number < 500; ++number)
      for (int side : {0, 1})
        ASSERT_EQ(clocks[side].knows(Moment::async(number)),
                  sets[side].count(number) == 1)
            << number;
  }
}

TEST(ClockTest, Fence) {
  Clocks clocks(1);
  clocks.seen.setStep(0, 1);
  clocks.add(1);
  EXPECT_FALSE(clocks.fenced.knows(Moment::step(0, 1)));
  EXPECT_TRUE(clocks.fenced.knows(Moment::async(1)));
  clocks.fence();
  EXPECT_TRUE(clocks.fenced.knows(Moment::step(0, 1)));
  // Not for global memory.
  EXPECT_FALSE(clocks.fencedGlobal.knows(Moment::step(0, 1)));
  EXPECT_TRUE(clocks.fencedGlobal.knows(Moment::async(1)));
  clocks.fenceGlobal();
  EXPECT_TRUE(clocks.fencedGlobal.knows(Moment::step(0, 1)));
}

} // namespace
