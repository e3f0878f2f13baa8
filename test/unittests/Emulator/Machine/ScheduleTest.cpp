//===- ScheduleTest.cpp - Orders of warps and of effects ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using tessera::sim::Order;

/// Each warp takes a number.
KernelRun makeQueue() {
  return KernelRun(R"(
    and.b32 %r1, %r0, 31;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    shr.u32 %r2, %r0, 5;
    atom.global.add.u32 %r3, [%rd0+64], 1;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd3, %rd3, %rd0;
    st.global.u32 [%rd3], %r2;)",
                   96);
}

TEST(ScheduleTest, TheFirstOrTheLastWarpComesFirst) {
  KernelRun run = makeQueue();
  EXPECT_THAT(take(run.run(Order::Program), 3), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(take(run.run(Order::Early), 3), ElementsAre(2u, 1u, 0u));
  EXPECT_TRUE(run.findings.empty());
}

TEST(ScheduleTest, RandomOrdersFollowFromTheSeed) {
  KernelRun run = makeQueue();
  std::set<std::vector<uint32_t>> results;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<uint32_t> first = run.run(Order::Random, seed);
    EXPECT_EQ(run.run(Order::Random, seed), first);
    results.insert(take(first, 3));
  }
  EXPECT_GT(results.size(), 3u);
}

TEST(ScheduleTest, ChosenOrdersAreSearched) {
  // All six orders of three warps.
  KernelRun run = makeQueue();
  tessera::sim::ScheduleSearch search(2, 1000);
  std::set<std::vector<uint32_t>> results;
  Options options;
  options.order = Order::Chosen;
  do {
    options.deviations.assign(search.getSchedule().begin(),
                              search.getSchedule().end());
    results.insert(take(run.run(options), 3));
    ASSERT_TRUE(run.findings.empty());
  } while (search.advance(run.statistics.choices));
  EXPECT_EQ(results.size(), 6u);
  EXPECT_FALSE(search.isCut());
}

TEST(ScheduleTest, DeviationsOfAnotherRun) {
  KernelRun run = makeQueue();
  Options options;
  options.order = Order::Chosen;
  options.deviations = {{10000, 1}};
  EXPECT_TRUE(run.run(options).empty());
}

/// Asks once whether a copy has come.
constexpr const char *kPoll = R"(
    mbarrier.init.shared.b64 [smem], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+16], [%rd1], 16, [smem];
    mbarrier.test_wait.parity.shared.b64 %p1, [smem], 0;
    selp.u32 %r1, 1, 0, %p1;
    st.global.u32 [%rd0], %r1;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [smem], 0;
    @!%p1 bra WAIT;)";

TEST(ScheduleTest, EffectsComeAtOnceOrAsLateAsPossible) {
  KernelRun run(kPoll, 1);
  run.input.assign(4, 1);
  EXPECT_EQ(run.run(Order::Program)[0], 1u);
  EXPECT_EQ(run.run(Order::Early)[0], 1u);
  EXPECT_EQ(run.run(Order::Late)[0], 0u);
  bool early = false, late = false;
  for (uint64_t seed = 0; seed < 20; ++seed)
    (run.run(Order::Random, seed)[0] ? early : late) = true;
  EXPECT_TRUE(early);
  EXPECT_TRUE(late);
}

TEST(ScheduleTest, WhoPollsGivesWay) {
  // By memory, from the first and from the last warp.
  for (unsigned writer : {0u, 32u}) {
    KernelRun run("setp.eq.u32 %p1, %r0, " + llvm::Twine(writer) + R"(;
    setp.eq.u32 %p2, %r0, )" +
                      llvm::Twine(32 - writer) +
                      R"(;
    @%p1 red.release.gpu.global.add.u32 [%rd0], 5;
    @!%p2 ret;
  AGAIN:
    atom.acquire.gpu.global.add.u32 %r1, [%rd0], 0;
    setp.eq.u32 %p3, %r1, 0;
    @%p3 bra AGAIN;
    st.global.u32 [%rd0+4], %r1;)",
                  64);
    Options options;
    options.stepLimit = 10000;
    for (Order order : {Order::Program, Order::Late, Order::Early}) {
      options.order = order;
      EXPECT_EQ(run.run(options)[1], 5u);
      EXPECT_TRUE(run.findings.empty());
    }
    EXPECT_EQ(run.runAll()[1], 5u);
  }
}

} // namespace
