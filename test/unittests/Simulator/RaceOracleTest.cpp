//===- RaceOracleTest.cpp - Races against their definition ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of a few warps with locks, fences, copies and products. The
// races that shared memory reports are compared with the definition of a race:
// two unordered accesses to a byte, at least one of them a write. The
// definition is applied to the whole history of a byte since its last write.
// The findings of different interleavings of the warps are compared with each
// other.
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include <random>

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr unsigned kWarps = 3;
constexpr int64_t kBytes = 6;
constexpr unsigned kRings = 3;

struct Action {
  enum Kind { Read, Write, IssueRead, IssueWrite, Await, Fence, Send, Receive };
  Kind kind;
  int64_t start = 0, count = 0;
  unsigned channel = 0;
  /// Whether the completion of an asynchronous operation is sent on, as by a
  /// barrier that gets its bytes.
  bool isSignalled = false;

  bool isAccess() const { return kind <= IssueWrite; }
  bool isWrite() const { return kind == Write || kind == IssueWrite; }
  bool isAsync() const { return kind == IssueRead || kind == IssueWrite; }
};

using Program = std::vector<Action>;

/// Each channel is sent to by one warp and received from by another.
std::vector<Program> makePrograms(std::mt19937 &random) {
  std::vector<Program> programs(kWarps);
  unsigned sent[kRings] = {};
  for (int i = 0; i < 14; ++i) {
    unsigned warp = random() % kWarps;
    Action action;
    // More reads than writes, and more receipts than sendings, which
    // completions are too.
    constexpr Action::Kind kKinds[] = {
        Action::Read,      Action::Read,      Action::Write,
        Action::IssueRead, Action::IssueRead, Action::IssueWrite,
        Action::Await,     Action::Fence,     Action::Send,
        Action::Receive,   Action::Receive,   Action::Receive};
    action.kind = kKinds[random() % std::size(kKinds)];
    action.start = random() % kBytes;
    action.count = 1 + random() % std::min<int64_t>(3, kBytes - action.start);
    action.isSignalled = action.isAsync() && random() % 2;
    if (action.kind == Action::Send || action.isSignalled) {
      action.channel = warp;
      ++sent[warp];
    }
    if (action.kind == Action::Receive) {
      action.channel = (warp + 1) % kWarps;
      if (sent[action.channel] == 0)
        continue;
      --sent[action.channel];
    }
    programs[warp].push_back(action);
  }
  return programs;
}

/// By byte, what has touched it since it was written, and what has written it.
using History = std::vector<Access>[kBytes];

/// The definition, without states, runs or forgetting of reads.
bool conflicts(const History &history, const Access &access,
               const Clocks &clocks, const Action &action) {
  for (int64_t byte = action.start; byte < action.start + action.count; ++byte)
    for (const Access &past : history[byte]) {
      if (!past.isWrite && !access.isWrite)
        continue;
      bool crosses = past.isWrite && past.proxy == Proxy::Generic &&
                     access.proxy == Proxy::Async;
      if (!(crosses ? clocks.fenced : clocks.seen).knows(past.when))
        return true;
    }
  return false;
}

/// Runs the programs in an order drawn from `random`; `found` says whether an
/// access had a conflict. Up to that one each must be judged as by the oracle.
void run(ArrayRef<Program> programs, std::mt19937 &random, bool &found) {
  SharedMemory memory(kBytes);
  std::vector<Agent> agents;
  for (unsigned warp = 0; warp < kWarps; ++warp)
    agents.emplace_back(memory, warp, kWarps);
  // All bytes are written before, so that only order can be wrong.
  ASSERT_FALSE(agents[0].write(0, kBytes));
  agents[0].clocks.fence();
  History history;
  for (std::vector<Access> &byte : history)
    byte = {{nullptr, Moment::step(0, 1), Proxy::Generic, true}};
  for (Agent &agent : agents)
    agent.clocks.join(agents[0].clocks);

  size_t next[kWarps] = {};
  std::vector<Clocks> channels[kRings];
  size_t received[kRings] = {};
  std::vector<uint32_t> inFlight[kWarps];
  found = false;
  while (true) {
    SmallVector<unsigned> ready;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if (next[warp] == programs[warp].size())
        continue;
      const Action &action = programs[warp][next[warp]];
      if (action.kind != Action::Receive ||
          received[action.channel] < channels[action.channel].size())
        ready.push_back(warp);
    }
    if (ready.empty())
      return;
    unsigned warp = ready[random() % ready.size()];
    const Action &action = programs[warp][next[warp]++];
    Agent &agent = agents[warp];
    agent.advance();
    switch (action.kind) {
    case Action::Await:
      for (uint32_t number : inFlight[warp])
        agent.clocks.add(number);
      continue;
    case Action::Fence:
      agent.clocks.fence();
      continue;
    case Action::Send:
      channels[action.channel].push_back(agent.clocks);
      continue;
    case Action::Receive:
      agent.clocks.join(channels[action.channel][received[action.channel]++]);
      continue;
    default:
      break;
    }
    // Numbers that do not depend on the order.
    uint32_t number = 1 + warp + kWarps * next[warp];
    Access access{nullptr,
                  action.isAsync() ? Moment::async(number)
                                   : Moment::step(warp, agent.step),
                  action.isAsync() ? Proxy::Async : Proxy::Generic,
                  action.isWrite()};
    if (action.isAsync())
      inFlight[warp].push_back(number);
    if (action.isSignalled) {
      channels[warp].emplace_back(kWarps);
      channels[warp].back().add(number);
    }
    bool expected = conflicts(history, access, agent.clocks, action);
    auto conflict =
        memory.record(access, agent.clocks, action.start, action.count);
    ASSERT_EQ(bool(conflict), expected);
    if (expected) {
      found = true;
      return;
    }
    for (int64_t i = 0; i < action.count; ++i) {
      std::vector<Access> &byte = history[action.start + i];
      if (access.isWrite)
        byte.clear();
      byte.push_back(access);
    }
  }
}

TEST(RaceOracleTest, EveryOrderFindsTheRace) {
  std::mt19937 random(7);
  int racy = 0;
  constexpr int kPrograms = 20000;
  for (int i = 0; i < kPrograms; ++i) {
    std::vector<Program> programs = makePrograms(random);
    bool first = false;
    run(programs, random, first);
    ASSERT_FALSE(HasFatalFailure());
    racy += first;
    for (int order = 0; order < 4; ++order) {
      bool found = false;
      run(programs, random, found);
      ASSERT_FALSE(HasFatalFailure());
      ASSERT_EQ(found, first) << "program " << i;
    }
  }
  // Programs of both kinds were drawn.
  EXPECT_GT(racy, kPrograms / 10);
  EXPECT_LT(racy, kPrograms * 9 / 10);
}

} // namespace
