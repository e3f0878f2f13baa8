//===- test/unittests/Simulator/AccessHistoryTest.cpp - Rules of memories -*-
// C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the differences of global memory from shared memory: initial contents,
// atomic writes, no proxy fence.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/AccessHistory.h"

#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr AccessHistory::Rules kGlobal{/*startsWritten=*/true,
                                       /*hasFences=*/false};

/// A warp of three; each access is a step of its own.
struct Warp {
  Warp(AccessHistory &history, unsigned number)
      : history(history), number(number), clocks(3) {}

  std::optional<Conflict> access(bool isWrite, bool isAtomic,
                                 uint32_t async = 0) {
    clocks.seen.setStep(number, ++step);
    Access access;
    access.when = async ? Moment::async(async) : Moment::step(number, step);
    access.proxy = async ? Proxy::Async : Proxy::Generic;
    access.isWrite = isWrite;
    access.isAtomic = isAtomic;
    return history.record(access, clocks, {0, 1}, 1);
  }
  std::optional<Conflict> read() { return access(false, false); }
  std::optional<Conflict> write() { return access(true, false); }
  std::optional<Conflict> add() { return access(true, true); }

  AccessHistory &history;
  unsigned number;
  Clocks clocks;
  uint32_t step = 0;
};

struct AccessHistoryTest : testing::Test {
  AccessHistory history{4, kGlobal};
  Warp a{history, 0}, b{history, 1}, c{history, 2};
};

void expectRace(const std::optional<Conflict> &conflict, const Warp &other) {
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::Race);
  EXPECT_EQ(conflict->place, 0);
  EXPECT_EQ(conflict->other.when.warp, other.number);
}

TEST_F(AccessHistoryTest, WhatNobodyWroteMayBeRead) {
  EXPECT_FALSE(a.read());
  AccessHistory shared(4, AccessHistory::Rules());
  Warp other(shared, 0);
  ASSERT_EQ(other.read()->kind, Conflict::Unwritten);
}

TEST_F(AccessHistoryTest, AtomicWritesDoNotRaceWithEachOther) {
  EXPECT_FALSE(a.add());
  EXPECT_FALSE(b.add());
  EXPECT_FALSE(a.add());
}

TEST_F(AccessHistoryTest, AtomicAndOtherWritesDo) {
  EXPECT_FALSE(a.add());
  expectRace(b.write(), a);
  expectRace(c.add(), b);
}

TEST_F(AccessHistoryTest, AReaderMustKnowAllAtomicWrites) {
  EXPECT_FALSE(a.add());
  EXPECT_FALSE(b.add());
  c.clocks.join(b.clocks);
  expectRace(c.read(), a);
  c.clocks.join(a.clocks);
  EXPECT_FALSE(c.read());
}

TEST_F(AccessHistoryTest, AtomicWritesMustKnowReadsBefore) {
  EXPECT_FALSE(a.read());
  expectRace(b.add(), a);
  c.clocks.join(a.clocks);
  EXPECT_FALSE(c.add());
}

TEST_F(AccessHistoryTest, AnAtomicWriteDoesNotHideAReadThatItKnows) {
  EXPECT_FALSE(a.read());
  b.clocks.join(a.clocks);
  EXPECT_FALSE(b.add());
  // It may follow the write at once, but not the read.
  expectRace(c.add(), a);
}

TEST_F(AccessHistoryTest, AReadDoesNotHideAnAtomicWriteThatItKnows) {
  EXPECT_FALSE(a.add());
  b.clocks.join(a.clocks);
  EXPECT_FALSE(b.read());
  expectRace(c.read(), a);
}

TEST_F(AccessHistoryTest, WithoutFencesProxiesStayApart) {
  EXPECT_FALSE(a.write());
  a.clocks.fence();
  std::optional<Conflict> conflict = a.access(false, false, /*async=*/1);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind, Conflict::MissingFence);

  AccessHistory shared(4, AccessHistory::Rules());
  Warp other(shared, 0);
  EXPECT_FALSE(other.write());
  other.clocks.fence();
  EXPECT_FALSE(other.access(false, false, /*async=*/1));
}

TEST_F(AccessHistoryTest, NobodyKnowsTheLastNumbers) {
  EXPECT_FALSE(a.access(true, false, ~0u));
  for (uint32_t i = 1; i < 1000; ++i)
    a.clocks.add(i);
  ASSERT_EQ(a.read()->kind, Conflict::Race);
}

} // namespace
