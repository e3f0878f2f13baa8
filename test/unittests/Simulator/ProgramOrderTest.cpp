//===- ProgramOrderTest.cpp - Order between programs ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/ProgramOrder.h"

#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::sim;

namespace {

using Kind = ProgramOrder::Kind;

/// Programs with two warps each. Their barriers are joins of clocks.
struct ProgramOrderTest : testing::Test {
  ProgramOrder order;
  int memory = 0;
  enum { data, lock, other };

  struct Agent {
    uint32_t program;
    unsigned warp;
    Clocks clocks{2};

    Moment step() {
      uint32_t number = clocks.seen.getStep(warp) + 1;
      clocks.seen.setStep(warp, number);
      return Moment::step(warp, number);
    }
  };

  /// Records an access. Returns the program with which it races, or -1.
  int access(Agent &agent, int place, Kind kind) {
    ProgramOrder::Access access{agent.program, agent.step(), kind};
    auto race = order.find(&memory, place, access, agent.clocks);
    order.record(&memory, place, access, agent.clocks);
    return race ? int(race->program) : -1;
  }
  void synchronize(Agent &agent, AtomicOrder atomic, bool changes = true) {
    EXPECT_EQ(access(agent, lock, Kind::Atomic), -1);
    order.synchronize(&memory, lock, atomic, changes, agent.program,
                      agent.clocks, agent.clocks.others);
  }
  void acquire(Agent &agent) { synchronize(agent, {true, false}); }
  void release(Agent &agent) { synchronize(agent, {false, true}); }
};

TEST_F(ProgramOrderTest, AcquireOrdersAfterRelease) {
  Agent first{1, 0}, second{2, 0};
  EXPECT_EQ(access(first, data, Kind::Write), -1);
  EXPECT_EQ(access(second, data, Kind::Read), 1);
  release(first);
  acquire(second);
  EXPECT_EQ(access(second, data, Kind::Read), -1);
  EXPECT_EQ(access(second, data, Kind::Write), -1);
  // A write of the first program after its release is not ordered.
  EXPECT_EQ(access(first, data, Kind::Write), 2);
}

TEST_F(ProgramOrderTest, EachSideIsNecessary) {
  Agent first{1, 0}, second{2, 0}, third{3, 0};
  EXPECT_EQ(access(first, data, Kind::Write), -1);
  synchronize(first, {false, false});
  acquire(second);
  EXPECT_EQ(access(second, data, Kind::Read), 1);
  release(first);
  synchronize(third, {false, false});
  EXPECT_EQ(access(third, data, Kind::Read), 1);
}

TEST_F(ProgramOrderTest, OrderIsTransitive) {
  Agent first{1, 0}, second{2, 0}, third{3, 0};
  EXPECT_EQ(access(first, data, Kind::Write), -1);
  release(first);
  synchronize(second, {true, true});
  acquire(third);
  EXPECT_EQ(access(third, data, Kind::Write), -1);
}

TEST_F(ProgramOrderTest, AtomicOperationsKeepARelease) {
  Agent first{1, 0}, second{2, 0}, third{3, 0};
  EXPECT_EQ(access(first, data, Kind::Write), -1);
  release(first);
  synchronize(second, {false, false});
  acquire(third);
  EXPECT_EQ(access(third, data, Kind::Read), -1);
  // A store does not.
  Agent fourth{4, 0};
  EXPECT_EQ(access(third, lock, Kind::Write), 2);
  order.synchronize(&memory, lock, {true, false}, true, 4, fourth.clocks,
                    fourth.clocks.others);
  EXPECT_EQ(access(fourth, data, Kind::Write), 1);
}

/// An acquire may have read the value that the first release has written.
TEST_F(ProgramOrderTest, ReleaseWithoutAChange) {
  Agent first{1, 0}, second{2, 0};
  EXPECT_EQ(access(first, other, Kind::Write), -1);
  release(first);
  EXPECT_EQ(access(first, data, Kind::Write), -1);
  synchronize(first, {false, true}, /*changes=*/false);
  acquire(second);
  EXPECT_EQ(access(second, other, Kind::Read), -1);
  EXPECT_EQ(access(second, data, Kind::Read), 1);
}

/// A release covers other warps of its program only after a barrier.
TEST_F(ProgramOrderTest, ReleaseOfOneWarp) {
  Agent writer{1, 0}, releaser{1, 1}, second{2, 0}, other{2, 1};
  EXPECT_EQ(access(writer, data, Kind::Write), -1);
  release(releaser);
  acquire(second);
  EXPECT_EQ(access(second, data, Kind::Read), 1);
  releaser.clocks.join(writer.clocks);
  release(releaser);
  acquire(second);
  EXPECT_EQ(access(second, data, Kind::Read), -1);
  EXPECT_EQ(access(other, data, Kind::Read), 1);
  other.clocks.join(second.clocks);
  EXPECT_EQ(access(other, data, Kind::Read), -1);
}

/// The last of several programs that add reads the sum.
TEST_F(ProgramOrderTest, EachAdditionIsOrdered) {
  Agent first{1, 0}, second{2, 0}, last{3, 0};
  for (Agent *agent : {&first, &second}) {
    EXPECT_EQ(access(*agent, data, Kind::Atomic), -1);
    if (agent == &second)
      acquire(last);
    else
      release(*agent);
  }
  EXPECT_EQ(access(last, data, Kind::Read), 2);
  release(second);
  acquire(last);
  EXPECT_EQ(access(last, data, Kind::Read), -1);
}

/// A write is ordered after all readers, not only after the last one.
TEST_F(ProgramOrderTest, EachReaderIsOrdered) {
  Agent first{1, 0}, second{2, 0}, writer{3, 0};
  EXPECT_EQ(access(first, data, Kind::Read), -1);
  EXPECT_EQ(access(second, data, Kind::Read), -1);
  release(second);
  acquire(writer);
  EXPECT_EQ(access(writer, data, Kind::Write), 1);
  release(first);
  acquire(writer);
  EXPECT_EQ(access(writer, data, Kind::Write), -1);
}

} // namespace
