//===- BarrierOpsTest.cpp - Barriers of blocks and clusters, registers ----===//
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

TEST(BarrierOpsTest, ProducersArriveAndConsumersWait) {
  // Warp 0 fills a buffer twice, warp 1 reads it; two barriers of 64 threads.
  KernelRun run(R"(
    mov.u32 %r1, smem;
    and.b32 %r2, %r0, 31;
    mad.lo.u32 %r1, %r2, 4, %r1;
    mov.u32 %r4, 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra CONSUMER;
  PRODUCER:
    bar.sync 1, 64;
    mad.lo.u32 %r3, %r4, 100, %r2;
    st.shared.u32 [%r1], %r3;
    bar.arrive 2, 64;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 3;
    @%p2 bra PRODUCER;
    ret;
  CONSUMER:
    bar.arrive 1, 64;
    mov.u32 %r6, 0;
  NEXT:
    barrier.sync.aligned 2, 64;
    ld.shared.u32 %r5, [%r1];
    add.u32 %r6, %r6, %r5;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 3;
    @%p2 bar.arrive 1, 64;
    @%p2 bra NEXT;
    st.global.u32 [%rd2], %r6;)",
                64);
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(result[32 + i], 3 * i + 300);
}

TEST(BarrierOpsTest, WaitingForTheLaunchBefore) {
  const std::string store = "st.global.u32 [%rd2], %r0; // here\n";
  KernelRun run(store);
  run.runAll();
  run.config.overlapsPrevious = true;
  run.expectFinding(HasSubstr(
      "the launch may overlap the one before, and the CTA uses global "
      "memory without waiting for that; expected a "
      "griddepcontrol.wait"));
  KernelRun begins("griddepcontrol.launch_dependents;\n" + store);
  begins.config.overlapsPrevious = true;
  begins.expectFinding(HasSubstr("expected a griddepcontrol.wait"));
  for (const std::string &body :
       {"griddepcontrol.wait;\n" + store, std::string("mov.u32 %r1, 1;")}) {
    KernelRun waits(body);
    waits.config.overlapsPrevious = true;
    waits.runAll();
  }
}

TEST(BarrierOpsTest, NumbersFromRegisters) {
  // Two pairs of warps with a barrier each.
  KernelRun run(R"(
    shr.u32 %r1, %r0, 6;
    add.u32 %r1, %r1, 3;
    mov.u32 %r2, 64;
    mov.u32 %r3, smem;
    mad.lo.u32 %r4, %r0, 4, %r3;
    xor.b32 %r5, %r0, 32;
    mad.lo.u32 %r5, %r5, 4, %r3;
    st.shared.u32 [%r4], %r0;
    barrier.sync %r1, %r2;
    ld.shared.u32 %r6, [%r5];
    st.global.u32 [%rd2], %r6;)",
                128);
  EXPECT_EQ(take(run.runAll(), 128),
            makeWords(128, [](uint32_t i) { return i ^ 32; }));
}

TEST(BarrierOpsTest, TheBarrierOfAClusterInTwoHalves) {
  KernelRun run(R"(
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, smem;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    mad.lo.u32 %r3, %r1, 128, %r3;
    mad.lo.u32 %r3, %r0, 4, %r3;
    mad.lo.u32 %r4, %r1, 100, %r0;
    st.shared::cluster.u32 [%r3], %r4;
    barrier.cluster.arrive.release;
    setp.ne.u32 %p1, %r1, 0;
    barrier.cluster.wait.acquire;
    @%p1 ret;
    ld.shared.u32 %r5, [%r3];
    ld.shared.u32 %r6, [%r3+128];
    add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd2], %r5;)");
  run.config.grid[0] = run.config.cluster[0] = 2;
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t i) { return 100 + 2 * i; }));
}

TEST(BarrierOpsTest, ThreadsThatHaveEndedAreNotWaitedForByACluster) {
  // PTX ISA, "barrier.cluster": wait is for all threads that have not exited.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 40;
    @!%p1 ret;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.lt.u32 %p1, %r0, 32;
    @!%p1 ret;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.global.u32 [%rd2], 1;)",
                128);
  run.config.grid[0] = run.config.cluster[0] = 1;
  EXPECT_EQ(take(run.runAll(), 33),
            makeWords(33, [](uint32_t i) { return i < 32; }));
}

TEST(BarrierOpsTest, RegistersAreGivenAndTaken) {
  // 384 threads begin with 168 registers each: 24 * 128 for one group are there
  // only when another one has given some.
  KernelRun run(R"(
    shr.u32 %r1, %r0, 7;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra GIVES;
    setmaxnreg.inc.sync.aligned.u32 232;
    bra END;
  GIVES:
    setmaxnreg.dec.sync.aligned.u32 40;
  END:
    setp.eq.u32 %p1, %r0, 0;
    @%p1 st.global.u32 [%rd0], 1;)",
                384);
  EXPECT_EQ(run.runAll()[0], 1u);
}

TEST(BarrierOpsTest, RegistersThatNobodyGives) {
  KernelRun run(R"(
    setmaxnreg.inc.sync.aligned.u32 232; // here)",
                384);
  run.expectFinding(HasSubstr("deadlock"));
  ASSERT_FALSE(run.findings.front().notes.empty());
  EXPECT_THAT(run.findings.front().notes.back().text,
              HasSubstr("registers; the CTA has"));
  KernelRun("setmaxnreg.inc.sync.aligned.u32 40; // here", 384)
      .expectFinding(HasSubstr("asks for more: 40"));
  KernelRun("setmaxnreg.dec.sync.aligned.u32 232; // here", 384)
      .expectFinding(HasSubstr("asks for fewer: 232"));
  EXPECT_THAT(KernelRun("setmaxnreg.inc.sync.aligned.u32 100;").getError(),
              HasSubstr("a multiple of 8 from 24 to 256"));
}

TEST(BarrierOpsTest, TwoCountsAtOnce) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bar.sync 1, 64; // there
    @!%p1 bar.sync 1, 96; // here)",
                96);
  for (auto order :
       {tessera::sim::Order::Program, tessera::sim::Order::Early}) {
    run.run(order);
    ASSERT_EQ(run.findings.size(), 1u);
    EXPECT_THAT(run.findings[0].text, HasSubstr("barrier 1 is used for"));
  }
}

TEST(BarrierOpsTest, DivergentAlignedInstructions) {
  KernelRun(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 bar.sync 0; // here)")
      .expectFinding(HasSubstr("some threads of the warp execute this"));
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 bra SIDE;
    bar.sync 0; // here
    bra END;
  SIDE:
    st.global.u32 [%rd0], 1;
  END:
    ret;)");
  run.expectFinding(HasSubstr("deadlock"));
  EXPECT_THAT(run.findings.front().notes.front().text,
              HasSubstr("warp 0 waits for the other threads of the warp"));
  KernelRun(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 barrier.sync 0; // here)")
      .expectFinding(HasSubstr("the emulator knows whole warps only"));
}

TEST(BarrierOpsTest, NumbersThatDoNotExist) {
  KernelRun("bar.sync 16; // here")
      .expectFinding(HasSubstr("there is no barrier 16; a CTA has 16"));
  KernelRun("bar.sync 1, 33; // here")
      .expectFinding(HasSubstr("must be a multiple of 32"));
  KernelRun("bar.sync 1, 64; // here")
      .expectFinding(HasSubstr("waits for 64 threads, and the CTA has 32"));
  KernelRun("and.b32 %r1, %r0, 1;\n bar.sync %r1; // here")
      .expectFinding(HasSubstr("threads of the warp give other barriers"));
}

TEST(BarrierOpsTest, Deadlocks) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 32;
    @%p1 ret;
    bar.sync 0; // here)",
                128);
  run.expectFinding(testing::StrEq("deadlock: nothing in CTA 0 can go on"));
  const auto &notes = run.findings.front().notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].text, "warp 0 has ended");
  EXPECT_EQ(notes[1].text,
            "warps 1 to 3 wait for barrier 0: 96 of 128 threads have come");
  KernelRun("barrier.cluster.wait; // here")
      .expectFinding(HasSubstr("without having arrived there"));
  KernelRun("barrier.cluster.arrive;\n barrier.cluster.arrive; // here")
      .expectFinding(HasSubstr("a second time"));
}

TEST(BarrierOpsTest, AReductionCountsThreads) {
  // Twice, with other predicates; then of the first 64 threads alone.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 50;
    bar.red.popc.u32 %r1, 0, %p1;
    setp.lt.u32 %p2, %r0, 95;
    barrier.cta.red.popc.aligned.u32 %r2, 0, 96, !%p2;
    mad.lo.u32 %r1, %r1, 100, %r2;
    setp.ge.u32 %p3, %r0, 64;
    @%p3 bra DONE;
    bar.red.popc.u32 %r3, 1, 64, %p1;
    mad.lo.u32 %r1, %r3, 10000, %r1;
  DONE:
    st.global.u32 [%rd2], %r1;)",
                96);
  EXPECT_EQ(take(run.runAll(), 96), makeWords(96, [](uint32_t t) {
              return 5001 + (t < 64 ? 500000 : 0);
            }));
}

TEST(BarrierOpsTest, AReductionAsksWhetherAllOrAnyAgree) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 70;
    setp.lt.u32 %p2, %r0, 69;
    setp.gt.u32 %p3, %r0, 69;
    bar.red.and.pred %p4, 0, %p1;
    bar.red.and.pred %p5, 0, %p2;
    bar.red.or.pred %p6, 0, !%p2;
    bar.red.or.pred %p7, 0, %p3;
    selp.u32 %r1, 1, 0, %p4;
    @%p5 add.u32 %r1, %r1, 2;
    @%p6 add.u32 %r1, %r1, 4;
    @%p7 add.u32 %r1, %r1, 8;
    st.global.u32 [%rd2], %r1;)",
                70);
  EXPECT_EQ(take(run.runAll(), 70), makeWords(70, [](uint32_t) { return 5; }));
}

TEST(BarrierOpsTest, ReductionsThatDoNotExist) {
  EXPECT_THAT(KernelRun("setp.lt.u32 %p1, %r0, 5;\n"
                        "bar.red.add.u32 %r1, 0, %p1;")
                  .getError(),
              HasSubstr("unknown instruction 'bar.red.add.u32'"));
  EXPECT_THAT(KernelRun("bar.red.popc.u32 %r1, 0;").getError(),
              HasSubstr("expected 3 to 4 operands of 'bar.red.popc.u32'"));
}

} // namespace
