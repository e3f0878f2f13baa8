//===- LoopClockTest.cpp - Steady state of a pipelined loop ---------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/LoopClock.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tessera;
using namespace tessera::timing;

namespace {

/// Constants without delays.
TimingConstants getPlain() {
  TimingConstants constants;
  constants.mmaLatency = constants.mmaStart = constants.mmaBesideIssue = 0;
  constants.issueBesideMma = 1;
  constants.readyWait = constants.meeting = constants.ownMeeting = 0;
  return constants;
}

LoopStep issue(double count, double cycles) {
  return {LoopStep::Issue, Work(), count, cycles};
}

LoopStep await(double left) { return {LoopStep::Await, Work(), left}; }

LoopStep compute(double cycles) {
  Work work;
  work[Unit::Issue] = cycles;
  return {LoopStep::Compute, work};
}

TEST(LoopClock, WorkAfterAnAwaitAddsUp) {
  double period =
      timeIteration({issue(4, 32), await(0), compute(300)}, 1, getPlain());
  EXPECT_NEAR(period, 4 * 32 + 300, 1);
}

TEST(LoopClock, WorkBeforeAnAwaitOverlaps) {
  double period =
      timeIteration({issue(4, 32), compute(100), await(0)}, 1, getPlain());
  EXPECT_NEAR(period, 4 * 32, 1);
}

TEST(LoopClock, WarpgroupsShareTheTensorCores) {
  double period = timeIteration({issue(4, 32), await(0)}, 2, getPlain());
  EXPECT_NEAR(period, 2 * 4 * 32, 1);
}

TEST(LoopClock, ASlotIsFreeAsManyIterationsLaterAsTheRingHasSlots) {
  int ring = 0;
  // Each slot is released 500 cycles after its signal.
  auto time = [&](double slots) {
    return timeIteration({{LoopStep::Wait, Work(), slots, 500, &ring},
                          compute(100),
                          {LoopStep::Signal, Work(), 0, 0, &ring}},
                         1, getPlain());
  };
  EXPECT_NEAR(time(1), 600, 1);
  EXPECT_NEAR(time(2), 300, 1);
}

TEST(LoopClock, AWaitThatNothingEndsIsInfinite) {
  int ring = 0;
  EXPECT_TRUE(std::isinf(timeIteration(
      {{LoopStep::Wait, Work(), 0, 0, &ring}, compute(1)}, 1, getPlain())));
}

} // namespace
