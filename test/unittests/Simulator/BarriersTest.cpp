//===- BarriersTest.cpp - Phases and rounds ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Barriers.h"

#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::sim;

namespace {

Clocks at(unsigned warp, uint32_t step) {
  Clocks clocks(2);
  clocks.seen.setStep(warp, step);
  return clocks;
}

constexpr Mbarrier::Defect kNone = Mbarrier::Defect::None;

//===----------------------------------------------------------------------===//
// Mbarrier
//===----------------------------------------------------------------------===//

TEST(MbarrierTest, PhasesAlternate) {
  Mbarrier barrier(2, 2);
  // The phase before the first counts as complete: a producer's first wait.
  EXPECT_TRUE(barrier.isComplete(1));
  EXPECT_FALSE(barrier.isComplete(0));
  EXPECT_EQ(barrier.arrive(at(0, 1)), kNone);
  EXPECT_FALSE(barrier.isComplete(0));
  EXPECT_EQ(barrier.str(), "phase 0: 1 of 2 arrivals have come");
  EXPECT_EQ(barrier.arrive(at(1, 1)), kNone);
  EXPECT_TRUE(barrier.isComplete(0));
  EXPECT_FALSE(barrier.isComplete(1));
  EXPECT_EQ(barrier.arrive(at(0, 2)), kNone);
  EXPECT_EQ(barrier.arrive(at(0, 2)), kNone);
  EXPECT_TRUE(barrier.isComplete(1));
  EXPECT_EQ(barrier.getPhase(), 2u);
}

TEST(MbarrierTest, ClocksOfACompletePhaseOnly) {
  Mbarrier barrier(2, 2);
  EXPECT_EQ(barrier.arrive(at(0, 5)), kNone);
  EXPECT_FALSE(barrier.getClocks().seen.knows(Moment::step(0, 5)));
  EXPECT_EQ(barrier.arrive(at(1, 7)), kNone);
  EXPECT_TRUE(barrier.getClocks().seen.knows(Moment::step(0, 5)));
  EXPECT_TRUE(barrier.getClocks().seen.knows(Moment::step(1, 7)));
  EXPECT_EQ(barrier.arrive(at(1, 9)), kNone);
  EXPECT_FALSE(barrier.getClocks().seen.knows(Moment::step(1, 8)));
}

TEST(MbarrierTest, BytesAreAwaited) {
  Mbarrier barrier(1, 2);
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 300), kNone);
  EXPECT_FALSE(barrier.isComplete(0));
  EXPECT_EQ(barrier.complete(100, 1), kNone);
  EXPECT_EQ(barrier.str(),
            "phase 0: 1 of 1 arrivals have come, 200 bytes are to come");
  EXPECT_EQ(barrier.complete(200, 2), kNone);
  EXPECT_TRUE(barrier.isComplete(0));
  EXPECT_TRUE(barrier.getClocks().fenced.knows(Moment::async(1)));
  EXPECT_TRUE(barrier.getClocks().fenced.knows(Moment::async(2)));
}

TEST(MbarrierTest, BytesBeforeTheirExpectation) {
  Mbarrier barrier(2, 2);
  EXPECT_EQ(barrier.complete(64, 1), kNone);
  EXPECT_EQ(barrier.getBytesToCome(), -64);
  EXPECT_EQ(barrier.arrive(at(1, 1)), kNone);
  EXPECT_FALSE(barrier.isComplete(0));
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 64), kNone);
  EXPECT_TRUE(barrier.isComplete(0));
}

TEST(MbarrierTest, ExpectationOfNoBytes) {
  Mbarrier barrier(1, 2);
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 0), kNone);
  EXPECT_TRUE(barrier.isComplete(0));
}

TEST(MbarrierTest, TooManyArrivals) {
  Mbarrier barrier(1, 2);
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 64), kNone);
  EXPECT_EQ(barrier.arrive(at(1, 1)), Mbarrier::Defect::TooManyArrivals);
}

TEST(MbarrierTest, TooManyBytes) {
  Mbarrier barrier(1, 2);
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 64), kNone);
  EXPECT_EQ(barrier.complete(65, 1), Mbarrier::Defect::TooManyBytes);
  EXPECT_EQ(barrier.str(),
            "phase 0: 1 of 1 arrivals have come, 1 bytes too many have come");

  Mbarrier early(1, 2);
  EXPECT_EQ(early.complete(65, 1), kNone);
  EXPECT_EQ(early.arriveExpecting(at(0, 1), 64),
            Mbarrier::Defect::TooManyBytes);
}

TEST(MbarrierTest, BytesTooFewNeverComplete) {
  Mbarrier barrier(1, 2);
  EXPECT_EQ(barrier.arriveExpecting(at(0, 1), 64), kNone);
  EXPECT_EQ(barrier.complete(63, 1), kNone);
  EXPECT_FALSE(barrier.isComplete(0));
}

//===----------------------------------------------------------------------===//
// NamedBarrier
//===----------------------------------------------------------------------===//

TEST(NamedBarrierTest, Rounds) {
  NamedBarrier barrier(64, 2);
  uint64_t first = barrier.arrive(0, at(0, 1), 32);
  EXPECT_FALSE(barrier.isOver(first));
  EXPECT_EQ(barrier.str(), "32 of 64 threads have come");
  EXPECT_EQ(barrier.arrive(1, at(1, 1), 32), first);
  EXPECT_TRUE(barrier.isOver(first));
  EXPECT_TRUE(barrier.getClocks(first).seen.knows(Moment::step(0, 1)));
  EXPECT_TRUE(barrier.getClocks(first).seen.knows(Moment::step(1, 1)));

  uint64_t second = barrier.arrive(0, at(0, 2), 32);
  EXPECT_NE(second, first);
  EXPECT_FALSE(barrier.isOver(second));
}

TEST(NamedBarrierTest, ALateWaiterKnowsItsOwnRound) {
  NamedBarrier barrier(64, 2);
  uint64_t first = barrier.arrive(0, at(0, 1), 32);
  barrier.arrive(1, at(1, 1), 32);
  barrier.arrive(1, at(1, 2), 32);
  barrier.arrive(1, at(1, 3), 32);
  EXPECT_TRUE(barrier.isOver(first));
  EXPECT_TRUE(barrier.getClocks(first).seen.knows(Moment::step(1, 1)));
  EXPECT_FALSE(barrier.getClocks(first).seen.knows(Moment::step(1, 2)));
}

TEST(NamedBarrierTest, WarpsOfTheRoundAreKnown) {
  NamedBarrier barrier(64, 2);
  EXPECT_FALSE(barrier.hasCome(0));
  barrier.arrive(0, at(0, 1), 32);
  EXPECT_TRUE(barrier.hasCome(0));
  EXPECT_FALSE(barrier.hasCome(1));
  barrier.arrive(1, at(1, 1), 32);
  EXPECT_FALSE(barrier.hasCome(0));
  EXPECT_FALSE(barrier.hasCome(1));
}

TEST(NamedBarrierTest, WhatIsTooMuchBeginsTheNextRound) {
  NamedBarrier barrier(96, 2);
  uint64_t first = barrier.arrive(0, at(0, 1), 64);
  EXPECT_EQ(barrier.arrive(1, at(1, 1), 64), first);
  EXPECT_TRUE(barrier.isOver(first));
  EXPECT_EQ(barrier.getPresent(), 32);
}

} // namespace
