//===- SharedMemoryTest.cpp - Conflicts in shared memory --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <iostream>

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr int64_t kBytes = 4096;

struct SharedMemoryTest : testing::Test {
  SharedMemory memory{kBytes};
  Agent a{memory, 0, 4}, b{memory, 1, 4}, c{memory, 2, 4};

  static std::optional<Conflict::Kind>
  kindOf(const std::optional<Conflict> &conflict) {
    return conflict ? std::optional(conflict->kind) : std::nullopt;
  }
};

//===----------------------------------------------------------------------===//
// Every pair of accesses
//===----------------------------------------------------------------------===//

/// How the second side is ordered after the first.
enum class Order { None, Seen, Fenced };

struct Pair {
  Proxy firstProxy;
  bool firstWrites;
  Proxy secondProxy;
  bool secondWrites;

  /// The rules of docs/design/simulator.md, "Memory".
  std::optional<Conflict::Kind> expected(Order order) const {
    if (!firstWrites && !secondWrites)
      return std::nullopt;
    if (order == Order::None)
      return Conflict::Race;
    bool crosses = firstProxy == Proxy::Generic && secondProxy == Proxy::Async;
    if (order == Order::Seen && firstWrites && crosses)
      return Conflict::MissingFence;
    return std::nullopt;
  }
};

std::vector<Pair> makePairs() {
  std::vector<Pair> pairs;
  for (Proxy first : {Proxy::Generic, Proxy::Async})
    for (Proxy second : {Proxy::Generic, Proxy::Async})
      for (bool firstWrites : {false, true})
        for (bool secondWrites : {false, true})
          pairs.push_back({first, firstWrites, second, secondWrites});
  return pairs;
}

std::optional<Conflict> touch(Agent &agent, Proxy proxy, uint32_t async,
                              bool isWrite) {
  return proxy == Proxy::Async ? agent.issue(async, isWrite, int64_t(16), 64)
                               : agent.access(isWrite, int64_t(16), 64);
}

TEST_F(SharedMemoryTest, EveryPairOfAccesses) {
  for (const Pair &pair : makePairs())
    for (Order order : {Order::None, Order::Seen, Order::Fenced}) {
      SharedMemory memory(kBytes);
      Agent init(memory, 2, 4), first(memory, 0, 4), second(memory, 1, 4);
      ASSERT_FALSE(init.write(0, 128));
      init.clocks.fence();
      first.clocks.join(init.clocks);
      second.clocks.join(init.clocks);

      ASSERT_FALSE(touch(first, pair.firstProxy, 1, pair.firstWrites));
      if (order != Order::None) {
        if (pair.firstProxy == Proxy::Async)
          first.clocks.add(1);
        second.clocks.join(first.clocks);
      }
      if (order == Order::Fenced)
        second.clocks.fence();
      auto conflict = touch(second, pair.secondProxy, 2, pair.secondWrites);
      EXPECT_EQ(kindOf(conflict), pair.expected(order))
          << "proxies " << int(pair.firstProxy) << int(pair.secondProxy)
          << " writes " << pair.firstWrites << pair.secondWrites << " order "
          << int(order);
      if (!conflict)
        continue;
      EXPECT_EQ(conflict->place, 16);
      EXPECT_EQ(conflict->other.when, pair.firstProxy == Proxy::Async
                                          ? Moment::async(1)
                                          : Moment::step(0, 1));
      EXPECT_EQ(conflict->other.isWrite, pair.firstWrites);
      EXPECT_EQ(conflict->other.proxy, pair.firstProxy);
    }
}

//===----------------------------------------------------------------------===//
// Single rules
//===----------------------------------------------------------------------===//

TEST_F(SharedMemoryTest, FenceOnTheWritersSide) {
  EXPECT_FALSE(a.write(0, 64));
  a.clocks.fence();
  b.clocks.join(a.clocks);
  EXPECT_FALSE(b.issueRead(1, 0, 64));
}

TEST_F(SharedMemoryTest, FenceBeforeTheWriteIsNone) {
  a.clocks.fence();
  EXPECT_FALSE(a.write(0, 64));
  EXPECT_EQ(kindOf(a.issueRead(1, 0, 64)), Conflict::MissingFence);
}

TEST_F(SharedMemoryTest, FenceOfOneWarpDoesNotFenceAnother) {
  EXPECT_FALSE(a.write(0, 32));
  EXPECT_FALSE(b.write(32, 32));
  a.clocks.fence();
  c.clocks.join(a.clocks);
  c.clocks.join(b.clocks);
  auto conflict = c.issueRead(1, 0, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::MissingFence);
  EXPECT_EQ(conflict->place, 32);
}

TEST_F(SharedMemoryTest, ReadsOfUnwrittenBytes) {
  EXPECT_FALSE(a.write(0, 64));
  EXPECT_FALSE(a.read(0, 64));
  auto conflict = a.read(32, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::Unwritten);
  EXPECT_EQ(conflict->place, 64);
  EXPECT_EQ(kindOf(a.issueRead(1, 512, 1)), Conflict::Unwritten);
}

TEST_F(SharedMemoryTest, ReadOfUnwrittenBytesThenWrite) {
  EXPECT_EQ(kindOf(a.read(0, 8)), Conflict::Unwritten);
  EXPECT_EQ(kindOf(b.write(0, 8)), Conflict::Race);
}

TEST_F(SharedMemoryTest, OutOfBounds) {
  EXPECT_FALSE(a.write(kBytes - 64, 64));
  auto conflict = a.read(kBytes - 64, 65);
  EXPECT_EQ(kindOf(conflict), Conflict::OutOfBounds);
  EXPECT_EQ(conflict->place, kBytes);
  EXPECT_EQ(a.read(-1, 1)->place, -1);
  EXPECT_EQ(a.write(kBytes + 7, 1)->place, kBytes + 7);
}

TEST_F(SharedMemoryTest, FirstByteOfAConflict) {
  EXPECT_FALSE(a.write(100, 1));
  EXPECT_EQ(b.access(true, {0, 64, 128}, 64)->place, 100);
}

TEST_F(SharedMemoryTest, OnlyTheBytesOfThePiecesAreTouched) {
  EXPECT_FALSE(a.access(true, {0, 32, 48}, 16));
  EXPECT_FALSE(b.write(16, 16));
  EXPECT_EQ(kindOf(b.write(48, 1)), Conflict::Race);
}

TEST_F(SharedMemoryTest, BytesOfOneMomentDoNotConflict) {
  EXPECT_FALSE(a.access(true, {0, 0, 8}, 16));
  // The pieces of one tensor copy.
  EXPECT_FALSE(b.issueWrite(1, 64, 64));
  EXPECT_FALSE(b.issueWrite(1, 100, 64));
}

TEST_F(SharedMemoryTest, ReadersOfAllWarpsAreKept) {
  EXPECT_FALSE(a.write(0, 64));
  b.clocks.join(a.clocks);
  c.clocks.join(a.clocks);
  EXPECT_FALSE(b.read(0, 64));
  EXPECT_FALSE(c.read(0, 64));
  a.clocks.join(c.clocks);
  auto conflict = a.write(0, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::Race);
  EXPECT_EQ(conflict->other.when, Moment::step(1, 1));
}

TEST_F(SharedMemoryTest, ReadThatALaterReadKnows) {
  EXPECT_FALSE(a.write(0, 64));
  b.clocks.join(a.clocks);
  EXPECT_FALSE(b.read(0, 64));
  c.clocks.join(b.clocks);
  EXPECT_FALSE(c.read(0, 64));
  a.clocks.join(c.clocks);
  EXPECT_FALSE(a.write(0, 64));
}

TEST_F(SharedMemoryTest, SlotReleasedBeforeItsProductIsComplete) {
  EXPECT_FALSE(a.issueWrite(1, 0, 64));
  b.clocks.add(1);
  EXPECT_FALSE(b.issueRead(2, 0, 64));
  // Released at once: the next copy knows that the product was issued only.
  a.clocks.join(b.clocks);
  auto conflict = a.issueWrite(3, 0, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::Race);
  EXPECT_EQ(conflict->other.when, Moment::async(2));
}

TEST_F(SharedMemoryTest, ProductDoesNotStandForReadsOfItsIssuers) {
  EXPECT_FALSE(a.write(0, 64));
  a.clocks.fence();
  b.clocks.join(a.clocks);
  c.clocks.join(a.clocks);
  EXPECT_FALSE(b.read(0, 64));
  EXPECT_FALSE(b.issueRead(1, 0, 64));
  EXPECT_FALSE(c.issueRead(1, 0, 64));
  c.clocks.add(1);
  auto conflict = c.write(0, 64);
  EXPECT_EQ(kindOf(conflict), Conflict::Race);
  EXPECT_EQ(conflict->other.when, Moment::step(1, 1));
}

TEST_F(SharedMemoryTest, SlotReleasedAfterItsProduct) {
  EXPECT_FALSE(a.issueWrite(1, 0, 64));
  b.clocks.add(1);
  EXPECT_FALSE(b.issueRead(2, 0, 64));
  b.clocks.add(2);
  a.clocks.join(b.clocks);
  EXPECT_FALSE(a.issueWrite(3, 0, 64));
}

TEST_F(SharedMemoryTest, Poison) {
  EXPECT_FALSE(a.write(0, 64));
  memory.poison(16, 16);
  EXPECT_EQ(a.read(0, 20)->place, 16);
  EXPECT_FALSE(b.write(20, 12));
}

TEST_F(SharedMemoryTest, Contents) {
  memory.write(8, {1, 2, 3});
  EXPECT_EQ(memory.read(9, 2), ArrayRef<uint8_t>({2, 3}));
}

//===----------------------------------------------------------------------===//
// Speed
//===----------------------------------------------------------------------===//

/// Records of bytes in a second, of what `round` does `rounds` times.
template <typename Fn>
double measure(const char *what, int rounds, Fn round) {
  auto begin = std::chrono::steady_clock::now();
  int64_t bytes = 0;
  for (int i = 0; i < rounds; ++i)
    bytes += round(i);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  double rate = bytes / time.count();
  std::cout << what << ": " << int(rate * 1e-6) << " M bytes/s\n";
  return rate;
}

// A measurement, for a machine that does nothing else:
// --gtest_also_run_disabled_tests --gtest_filter=*Speed*
TEST_F(SharedMemoryTest, DISABLED_Speed) {
  constexpr int64_t kStage = 32768, kStages = 6;
  constexpr unsigned kWarps = 12;
  SharedMemory memory(227 * 1024);
  std::vector<Agent> agents;
  for (unsigned warp = 0; warp < kWarps; ++warp)
    agents.emplace_back(memory, warp, kWarps);
  uint32_t async = 0;

  double ring = measure("ring of copies and products", 2000, [&](int i) {
    int64_t start = i % kStages * kStage;
    EXPECT_FALSE(agents[0].issueWrite(++async, start, kStage));
    uint32_t copy = async;
    for (unsigned warp : {4, 8}) {
      agents[warp].clocks.add(copy);
      EXPECT_FALSE(agents[warp].issueRead(++async, start, kStage));
      agents[warp].clocks.add(async);
      agents[0].clocks.join(agents[warp].clocks);
    }
    return 3 * kStage;
  });
  EXPECT_GT(ring, 200e6);

  memory.poison(0, memory.getSize());
  double whole = measure("tile that 12 warps read", 200, [&](int i) {
    EXPECT_FALSE(agents[0].write(0, kStage));
    for (Agent &agent : agents) {
      agent.clocks.join(agents[0].clocks);
      EXPECT_FALSE(agent.read(0, kStage));
    }
    for (Agent &agent : agents)
      agents[0].clocks.join(agent.clocks);
    return (1 + kWarps) * kStage;
  });
  EXPECT_GT(whole, 200e6);

  // As `stmatrix` does it: 16 bytes of 32 lanes in swizzled order.
  memory.poison(0, memory.getSize());
  std::vector<std::vector<int64_t>> starts(kWarps);
  for (int64_t piece = 0; piece < kStage / 16; ++piece)
    starts[piece * kWarps / (kStage / 16)].push_back(
        16 *
        (piece / 8 % 8 * 8 + (piece % 8 ^ piece / 8 % 8) + piece / 64 * 64));
  double pieces = measure("tile in swizzled pieces of 16 bytes", 200, [&](int) {
    for (auto [agent, part] : llvm::zip(agents, starts)) {
      EXPECT_FALSE(agent.access(true, part, 16));
      EXPECT_FALSE(agent.access(false, part, 16));
    }
    return 2 * kStage;
  });
  EXPECT_GT(pieces, 200e6);
}

} // namespace
