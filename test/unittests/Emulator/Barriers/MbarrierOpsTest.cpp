//===- MbarrierOpsTest.cpp - Barriers in shared memory --------------------===//
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

/// Thread 0 makes a barrier for some arrivals.
std::string make(unsigned arrivals) {
  return "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [smem], " +
         std::to_string(arrivals) +
         ";\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
}

TEST(MbarrierOpsTest, PhasesByParity) {
  // Warp 0 hands four numbers to warp 1 through one place; barrier 0 says that
  // it is full, barrier 1 that it is empty.
  KernelRun run(make(1) + R"(
    @%p1 mbarrier.init.shared.b64 [smem+8], 32;
    bar.sync 0;
    mov.u32 %r4, 0;
    setp.ge.u32 %p2, %r0, 32;
    @%p2 bra TAKES;
    @!%p1 ret;
  GIVE:
    and.b32 %r5, %r4, 1;
    xor.b32 %r5, %r5, 1;
  EMPTY:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem+8], %r5;
    @!%p3 bra EMPTY;
    mul.lo.u32 %r6, %r4, %r4;
    st.shared.u32 [smem+64], %r6;
    mbarrier.arrive.shared::cta.b64 %rd3, [smem];
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p4, %r4, 4;
    @%p4 bra GIVE;
    ret;
  TAKES:
    mov.u32 %r7, 0;
  TAKE:
    and.b32 %r5, %r4, 1;
  FULL:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem], %r5;
    @!%p3 bra FULL;
    ld.shared.u32 %r6, [smem+64];
    mad.lo.u32 %r7, %r7, 10, %r6;
    mbarrier.arrive.shared::cta.b64 _, [smem+8];
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p4, %r4, 4;
    @%p4 bra TAKE;
    st.global.u32 [%rd2], %r7;)",
                64);
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 32; i < 64; ++i)
    EXPECT_EQ(result[i], 149u);
}

TEST(MbarrierOpsTest, PhasesByState) {
  KernelRun run(make(64) + R"(
    mov.u32 %r4, 0;
  NEXT:
    mbarrier.arrive.shared.b64 %rd3, [smem];
  WAIT:
    mbarrier.test_wait.shared.b64 %p2, [smem], %rd3;
    @!%p2 bra WAIT;
    mbarrier.test_wait.shared.b64 %p3, [smem], %rd3;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p4, %r4, 3;
    @%p4 bra NEXT;
    selp.u32 %r5, 10, 20, %p3;
    add.u32 %r5, %r5, %r4;
    st.global.u32 [%rd2], %r5;)",
                64);
  EXPECT_EQ(take(run.runAll(), 64), std::vector<uint32_t>(64, 13));
}

TEST(MbarrierOpsTest, AWaitMayEndBeforeThePhase) {
  KernelRun run(make(1) + R"(
    setp.ge.u32 %p2, %r0, 32;
    @%p2 bra ARRIVE;
    mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    selp.u32 %r5, 1, 0, %p3;
    mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    selp.u32 %r6, 10, 0, %p3;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    @!%p3 bra WAIT;
    selp.u32 %r7, 100, 0, %p3;
    add.u32 %r5, %r5, %r6;
    add.u32 %r5, %r5, %r7;
    st.global.u32 [%rd2], %r5;
    ret;
  ARRIVE:
    setp.eq.u32 %p4, %r0, 32;
    @%p4 mbarrier.arrive.shared.b64 _, [smem];)",
                64);
  // Warp 0 is first, and gives way when its wait has ended early, as the first
  // one does where copies come late.
  EXPECT_EQ(take(run.run(tessera::sim::Order::Program), 32),
            std::vector<uint32_t>(32, 111));
  EXPECT_EQ(take(run.run(tessera::sim::Order::Late), 32),
            std::vector<uint32_t>(32, 110));
  EXPECT_TRUE(run.findings.empty());
}

TEST(MbarrierOpsTest, ArrivalsByNumber) {
  KernelRun run(make(7) + R"(
    @!%p1 bra WAIT;
    mbarrier.arrive.shared.b64 _, [smem], 3;
    mbarrier.test_wait.parity.shared.b64 %p2, [smem], 0;
    selp.u32 %r1, 1, 0, %p2;
    st.global.u32 [%rd0+256], %r1;
    mbarrier.arrive.shared.b64 _, [smem], 4;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0;
    @!%p2 bra WAIT;
    mbarrier.test_wait.parity.shared.b64 %p3, [smem], 1;
    selp.u32 %r1, 1, 0, %p3;
    st.global.u32 [%rd2], %r1;)");
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(result[64], 0u);
  // Phase 1 is the current one.
  EXPECT_EQ(take(result, 32), std::vector<uint32_t>(32, 0));
}

TEST(MbarrierOpsTest, ArrivalsFromAnotherBlock) {
  KernelRun run(make(32) + R"(
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p2, %r1, 0;
    mov.u32 %r2, smem;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    @%p2 bra WAIT;
    mad.lo.u32 %r4, %r0, 4, %r3;
    st.shared::cluster.u32 [%r4+256], %r0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
    ret;
  WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra WAIT;
    mad.lo.u32 %r4, %r0, 4, %r2;
    ld.shared.u32 %r5, [%r4+256];
    st.global.u32 [%rd2], %r5;)");
  run.config.grid[0] = run.config.cluster[0] = 2;
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t i) { return i; }));
}

TEST(MbarrierOpsTest, AnArrivalThatNobodyWaitsFor) {
  // The other block may have ended.
  KernelRun run(make(32) + R"(
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 ret;
    mov.u32 %r2, smem;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; // here)");
  run.config.grid[0] = run.config.cluster[0] = 2;
  run.expectFinding(testing::AnyOf(
      HasSubstr("nothing keeps CTA 0 from ending before another one arrives at "
                "its barrier"),
      HasSubstr("uses the shared memory of CTA 0, which has ended")));
}

TEST(MbarrierOpsTest, TooManyArrivals) {
  KernelRun(make(1) +
            "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], "
            "16;\n @%p1 mbarrier.arrive.shared.b64 _, [smem]; // here")
      .expectFinding(HasSubstr(
          "all arrivals of the phase have come: phase 0: 1 of 1 arrivals have "
          "come, 16 bytes are to come"));
}

TEST(MbarrierOpsTest, SeveralPhasesAtOnce) {
  // Eight threads end the first phase, and sixteen a second one.
  KernelRun half(make(16) + "@%p1 mbarrier.arrive.shared.b64 _, [smem], 8;\n"
                            "setp.lt.u32 %p2, %r0, 24;\n"
                            "@%p2 mbarrier.arrive.shared.b64 _, [smem]; "
                            "// here");
  half.expectFinding(
      HasSubstr("one instruction completes several phases of the mbarrier"));
  KernelRun(make(8) + "mbarrier.arrive.shared.b64 _, [smem]; // here")
      .expectFinding(
          HasSubstr("one instruction completes several phases of "
                    "the mbarrier, and nobody can wait for each: phase"));
}

TEST(MbarrierOpsTest, BarriersThatAreNone) {
  KernelRun("mbarrier.arrive.shared.b64 _, [smem+24]; // here", 1)
      .expectFinding(HasSubstr("there is no mbarrier at byte 24 of shared "
                               "memory; expected an mbarrier.init before"));
  KernelRun(make(1) + "bar.sync 0;\n @%p1 mbarrier.inval.shared.b64 [smem];\n"
                      "@%p1 mbarrier.arrive.shared.b64 _, [smem]; // here")
      .expectFinding(HasSubstr("there is no mbarrier at byte 0"));
  KernelRun("mbarrier.init.shared.b64 [smem+4], 1; // here", 1)
      .expectFinding(HasSubstr("not aligned to 8 bytes"));
  KernelRun("mbarrier.init.shared.b64 [smem], 0; // here", 1)
      .expectFinding(HasSubstr("expected from 1 to 2^20 - 1 arrivals, got 0"));
  KernelRun parity(make(32) +
                   "mov.u32 %r4, -1;\n"
                   "mbarrier.try_wait.parity.shared.b64 %p2, [smem], %r4;");
  parity.run();
  EXPECT_TRUE(parity.findings.empty());
  Options strict;
  strict.hasStrictMbarriers = true;
  parity.run(strict);
  ASSERT_EQ(parity.findings.size(), 1u);
  EXPECT_THAT(parity.findings[0].text,
              HasSubstr("expected a parity of 0 or 1, got 4294967295"));
  for (const char *text :
       {"mbarrier.arrive_drop.expect_tx.shared.b64 _, [smem], 16;",
        "mbarrier.arrive_drop.shared.b64 _, [smem];",
        "mbarrier.arrive.noComplete.shared.b64 _, [smem], 1;",
        "mbarrier.complete_tx.shared.b64 [smem], 1;",
        "mbarrier.pending_count.b64 %r1, %rd3;"})
    EXPECT_THAT(KernelRun(text).getError(), HasSubstr("unknown instruction"));
}

TEST(MbarrierOpsTest, ABarrierThatIsUsedBeforeItsMakerSaysSo) {
  KernelRun run(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 1;  // there
    setp.eq.u32 %p2, %r0, 32;
    @%p2 mbarrier.arrive.shared.b64 _, [smem]; // here)",
                64);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text, HasSubstr("race"));
}

TEST(MbarrierOpsTest, ADeadlockSaysWhatIsMissing) {
  KernelRun run(make(2) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 128;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0; // here
    @!%p2 bra WAIT;)",
                64);
  run.expectFinding(HasSubstr("deadlock"));
  ASSERT_EQ(run.findings[0].notes.size(), 1u);
  EXPECT_EQ(run.findings[0].notes[0].text,
            "warps 0 to 1 wait for the mbarrier at byte 0: phase 0: 1 of 2 "
            "arrivals have come, 128 bytes are to come");
}

} // namespace
