//===- DivergenceTest.cpp - Threads of a warp that part ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;

namespace {

TEST(DivergenceTest, BothSidesOfABranchMeetAgain) {
  // Where they meet, all of them take part in a vote.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 10;
    @%p1 bra THEN;
    mov.u32 %r1, 100;
    bra MEET;
  THEN:
    activemask.b32 %r2;
    st.global.u32 [%rd0+200], %r2;
    mov.u32 %r1, 200;
  MEET:
    activemask.b32 %r3;
    add.u32 %r1, %r1, %r0;
    st.global.u32 [%rd2], %r1;
    st.global.u32 [%rd0+204], %r3;)");
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(take(result, 32),
            makeWords(32, [](uint32_t i) { return (i < 10 ? 200 : 100) + i; }));
  EXPECT_EQ(result[50], 0x3ffu);
  EXPECT_EQ(result[51], 0xffffffffu);
}

TEST(DivergenceTest, NestedBranches) {
  KernelRun run(R"(
    and.b32 %r1, %r0, 1;
    and.b32 %r2, %r0, 2;
    and.b32 %r3, %r0, 4;
    setp.ne.u32 %p1, %r1, 0;
    setp.ne.u32 %p2, %r2, 0;
    setp.ne.u32 %p3, %r3, 0;
    mov.u32 %r4, 0;
    @!%p1 bra ELSE1;
    add.u32 %r4, %r4, 1;
    @!%p2 bra END2;
    add.u32 %r4, %r4, 10;
    @%p3 bra END2;
    add.u32 %r4, %r4, 100;
  END2:
    activemask.b32 %r5;
    bra END1;
  ELSE1:
    @%p3 bra A;
    add.u32 %r4, %r4, 1000;
    bra B;
  A:
    add.u32 %r4, %r4, 2000;
  B:
    activemask.b32 %r5;
  END1:
    st.global.u32 [%rd2], %r4;
    st.global.u32 [%rd2+128], %r5;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t expected = 0;
    if (i & 1)
      expected = 1 + (i & 2 ? 10 + (i & 4 ? 0 : 100) : 0);
    else
      expected = i & 4 ? 2000 : 1000;
    EXPECT_EQ(result[i], expected) << i;
    EXPECT_EQ(result[32 + i], i & 1 ? 0xaaaaaaaau : 0x55555555u) << i;
  }
}

TEST(DivergenceTest, ThreadsLeaveALoopAtDifferentTimes) {
  // Thread i runs it i + 1 times; all vote after it.
  KernelRun run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r2, %r2, %r1;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p1, %r1, %r0;
    @%p1 bra LOOP;
    activemask.b32 %r3;
    st.global.u32 [%rd2], %r2;
    st.global.u32 [%rd2+128], %r3;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i * (i + 1) / 2) << i;
    EXPECT_EQ(result[32 + i], 0xffffffffu) << i;
  }
}

TEST(DivergenceTest, ALoopWithAWayOutInTheMiddle) {
  // Threads leave at the break (i mod 3 == 0, in round i / 3) or at the end.
  KernelRun run(R"(
    mov.u32 %r1, 0;
    rem.u32 %r3, %r0, 3;
    div.u32 %r4, %r0, 3;
    setp.eq.u32 %p2, %r3, 0;
  LOOP:
    setp.eq.u32 %p1, %r1, %r4;
    and.pred %p1, %p1, %p2;
    @%p1 bra DONE;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, 20;
    @%p3 bra LOOP;
  DONE:
    bar.sync 0;
    st.global.u32 [%rd2], %r1;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t i) { return i % 3 ? 20 : i / 3; }));
}

TEST(DivergenceTest, ThreadsThatEndEarlyAreNotWaitedFor) {
  KernelRun run(R"(
    setp.ge.u32 %p1, %r0, 48;
    @%p1 ret;
    bar.sync 0;
    activemask.b32 %r1;
    st.global.u32 [%rd2], %r1;)",
                64);
  EXPECT_EQ(take(run.runAll(), 64), makeWords(64, [](uint32_t i) {
              return i < 32 ? 0xffffffff : i < 48 ? 0xffff : 0;
            }));
}

TEST(DivergenceTest, ThreadsThatEndOnOneSideAreNotWaitedFor) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 8;
    @!%p1 bra MEET;
    setp.lt.u32 %p2, %r0, 4;
    @%p2 exit;
    mov.u32 %r2, 7;
    st.global.u32 [%rd2], %r2;
  MEET:
    bar.sync 0;
    activemask.b32 %r1;
    st.global.u32 [%rd2+128], %r1;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i >= 4 && i < 8 ? 7u : 0u) << i;
    EXPECT_EQ(result[32 + i], i < 4 ? 0 : 0xfffffff0u) << i;
  }
}

TEST(DivergenceTest, AGuardedRetThatNoThreadTakesEndsAtTheMeetingPoint) {
  // The ret is the last instruction before the place where threads meet.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 8;
    setp.gt.u32 %p2, %r0, 100;
    @!%p1 bra MEET;
    mov.u32 %r2, 7;
    @%p2 ret;
  MEET:
    bar.sync 0;
    activemask.b32 %r1;
    st.global.u32 [%rd2], %r1;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t) { return 0xffffffff; }));
}

TEST(DivergenceTest, SidesOfABranchMayWaitForEachOther) {
  // Thread 0 waits for an arrival of the others, which come after it in either
  // branch.
  for (llvm::StringRef guard : {"@%p1", "@!%p1"}) {
    KernelRun run(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 31;
    @%p1 mbarrier.init.shared.b64 [smem+8], 1;
    bar.sync 0;
    )" + llvm::Twine(guard) +
                  R"( bra SECOND;
    setp.eq.u32 %p2, %r0, 0;
    @%p2 bra WAITS;
    bra ARRIVES;
  SECOND:
    setp.eq.u32 %p2, %r0, 0;
    @!%p2 bra ARRIVES;
  WAITS:
    mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    @!%p3 bra WAITS;
    mbarrier.arrive.shared.b64 _, [smem+8];
    mov.u32 %r1, 5;
    bra MEET;
  ARRIVES:
    mbarrier.arrive.shared.b64 _, [smem];
  AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p3, [smem+8], 0;
    @!%p3 bra AGAIN;
    mov.u32 %r1, 6;
  MEET:
    st.global.u32 [%rd2], %r1;)");
    EXPECT_EQ(take(run.runAll(), 32),
              makeWords(32, [](uint32_t i) { return i ? 6 : 5; }));
  }
}

TEST(DivergenceTest, ASideThatPollsGivesWay) {
  // Both sides ask with test_wait, which does not wait.
  for (llvm::StringRef guard : {"@%p1", "@!%p1"}) {
    KernelRun run(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 31;
    bar.sync 0;
    setp.ne.u32 %p2, %r0, 0;
    )" + llvm::Twine(guard) +
                  R"( bra ONE;
    @%p2 bra ARRIVES;
    bra WAITS;
  ONE:
    @%p2 bra ARRIVES;
  WAITS:
    mbarrier.test_wait.parity.shared.b64 %p3, [smem], 0;
    @!%p3 bra WAITS;
    mov.u32 %r1, 5;
    bra MEET;
  ARRIVES:
    mbarrier.arrive.shared.b64 _, [smem];
    mov.u32 %r1, 6;
  MEET:
    st.global.u32 [%rd2], %r1;)");
    Options options;
    options.stepLimit = 10000;
    run.run(options);
    ASSERT_TRUE(run.findings.empty()) << run.findings.front().text;
    EXPECT_EQ(take(run.runAll(), 32),
              makeWords(32, [](uint32_t i) { return i ? 6 : 5; }));
  }
}

TEST(DivergenceTest, GuardsHoldByThread) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 3;
    mov.u32 %r1, 1;
    @%p1 mov.u32 %r1, 2;
    @!%p1 add.u32 %r1, %r1, 8;
    @%p1 st.global.u32 [%rd2], %r1;
    @!%p1 st.global.u32 [%rd2+128], %r1;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i < 3 ? 2u : 0u);
    EXPECT_EQ(result[32 + i], i < 3 ? 0u : 9u);
  }
}

} // namespace
