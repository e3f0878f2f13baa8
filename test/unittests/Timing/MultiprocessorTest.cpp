//===- MultiprocessorTest.cpp - Tests of shared units over time -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/Multiprocessor.h"

#include <gtest/gtest.h>

using namespace tessera::timing;

namespace {

/// Constants without fixed costs, so that results are easy to see.
TimingConstants getPlain() {
  TimingConstants constants;
  constants.mmaStart = constants.mmaLatency = 0;
  constants.mmaBesideIssue = 0;
  constants.issueBesideMma = 1;
  return constants;
}

Work getSpecial(double cycles) {
  Work work;
  work[Unit::Special] = cycles;
  return work;
}

TEST(Multiprocessor, AgentsShareAUnit) {
  Multiprocessor machine(getPlain());
  double alone = getSpecial(100).getTime();
  double first = 0, second = 0;
  auto a = machine.addAgent(), b = machine.addAgent();
  // Alone, stalls leave the unit idle for a part of the time. Two agents fill
  // it: 200 cycles of demand take 200 cycles, not twice the time of one.
  machine.work(a, getSpecial(100), [&] { first = machine.getTime(); });
  machine.work(b, getSpecial(100), [&] { second = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(first, 200, 1);
  EXPECT_NEAR(second, 200, 1);
  EXPECT_GT(alone, 100);
  EXPECT_LT(alone, 200);
}

TEST(Multiprocessor, OtherUnitsDoNotDisturb) {
  Multiprocessor machine(getPlain());
  Work shared;
  shared[Unit::Shared] = 100;
  double first = 0;
  auto a = machine.addAgent(), b = machine.addAgent();
  machine.work(a, getSpecial(100), [&] { first = machine.getTime(); });
  machine.work(b, shared, [] {});
  machine.run();
  EXPECT_NEAR(first, getSpecial(100).getTime(), 1e-3);
}

TEST(Multiprocessor, WarpgroupsTakeTurnsByInstructions) {
  Multiprocessor machine(getPlain());
  double first = 0, second = 0, third = 0;
  auto a = machine.addAgent(), b = machine.addAgent();
  machine.issue(a, 4, 128);
  machine.issue(b, 4, 128);
  machine.await(a, 0, [&] {
    first = machine.getTime();
    // Waits for the instruction of the other one that has begun.
    machine.after(10, [&] {
      machine.issue(a, 1, 128);
      machine.await(a, 0, [&] { third = machine.getTime(); });
    });
  });
  machine.await(b, 0, [&] { second = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(first, 7 * 128, 1);
  EXPECT_NEAR(second, 8 * 128, 1);
  EXPECT_NEAR(third, 9 * 128, 1);
  EXPECT_NEAR(machine.getTensorTime(), 9 * 128, 1);
}

TEST(Multiprocessor, GroupsRunInTheOrderOfTheirIssue) {
  Multiprocessor machine(getPlain(), Multiprocessor::Service::ByGroups);
  double first = 0, second = 0, begun = 0;
  auto a = machine.addAgent(), b = machine.addAgent();
  machine.issue(a, 8, 32);
  machine.await(a, 0, [&] { first = machine.getTime(); });
  machine.after(1, [&] {
    machine.issue(b, 4, 32, [&](double begin) { begun = begin; });
    machine.await(b, 0, [&] { second = machine.getTime(); });
  });
  machine.run();
  EXPECT_NEAR(first, 8 * 32, 1);
  EXPECT_NEAR(second, 12 * 32, 1);
  EXPECT_NEAR(begun, 8 * 32, 1);
  EXPECT_NEAR(machine.getTensorTime(), 12 * 32, 1);
}

TEST(Multiprocessor, IssueEndsWhenTheQueueHasPlaces) {
  TimingConstants constants = getPlain();
  Multiprocessor machine(constants);
  double issued = 0;
  auto a = machine.addAgent();
  machine.issue(a, 16, 32);
  machine.afterIssue(a, [&] { issued = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(issued, (16 - constants.mmaQueue) * 32, 1);
}

TEST(Multiprocessor, WorkGoesOnDuringTheIssue) {
  Multiprocessor machine(getPlain());
  double worked = 0, issued = 0;
  auto a = machine.addAgent();
  machine.issue(a, 100, 32);
  machine.work(a, getSpecial(100), [&] { worked = machine.getTime(); });
  machine.afterIssue(a, [&] { issued = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(worked, getSpecial(100).getTime(), 1);
  EXPECT_LT(worked, issued);
}

TEST(Multiprocessor, AwaitLeavesNewerGroups) {
  Multiprocessor machine(getPlain());
  double first = 0, both = 0;
  auto a = machine.addAgent();
  machine.issue(a, 2, 32);
  machine.issue(a, 3, 32);
  machine.await(a, 1, [&] {
    first = machine.getTime();
    machine.await(a, 0, [&] { both = machine.getTime(); });
  });
  machine.run();
  EXPECT_NEAR(first, 2 * 32, 1);
  EXPECT_NEAR(both, 5 * 32, 1);
}

TEST(Multiprocessor, ArithmeticSlowsMmas) {
  TimingConstants constants = getPlain();
  constants.mmaBesideIssue = 12;
  Multiprocessor machine(constants);
  Work busy;
  busy[Unit::Issue] = 10000;
  double done = 0;
  auto a = machine.addAgent(), b = machine.addAgent();
  machine.work(b, busy, [] {});
  machine.issue(a, 10, 32);
  machine.await(a, 0, [&] { done = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(done, 10 * (32 + 12), 2);
}

TEST(Multiprocessor, CopiesQueueUp) {
  Multiprocessor machine(getPlain());
  double first = 0, second = 0;
  machine.copy(6400, 64, 400, [&] { first = machine.getTime(); });
  machine.copy(6400, 64, 400, [&] { second = machine.getTime(); });
  machine.run();
  EXPECT_NEAR(first, 500, 1e-3);
  EXPECT_NEAR(second, 600, 1e-3);
}

} // namespace
