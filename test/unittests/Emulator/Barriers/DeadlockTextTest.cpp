//===- DeadlockTextTest.cpp - What warps wait for -------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"

using namespace tessera::emu;

namespace {

/// The notes of a deadlock, which is the one finding.
std::vector<std::string> getNotes(KernelRun run) {
  run.run();
  std::vector<std::string> notes;
  EXPECT_EQ(run.findings.size(), 1u);
  for (const Finding &finding : run.findings) {
    EXPECT_EQ(finding.text, "deadlock: nothing in CTA 0 can go on");
    for (const Finding::Note &note : finding.notes)
      notes.push_back(note.text);
  }
  return notes;
}

/// Threads 0 to 4 wait where the sides of a branch meet; the others are at
/// `instruction`.
std::string branchTo(const char *instruction) {
  return std::string("setp.lt.u32 %p1, %r0, 5;\n @%p1 bra SIDE;\n") +
         instruction +
         "\n bra END;\n SIDE: st.global.u32 [%rd0], 1;\n END: ret;";
}

TEST(DeadlockTextTest, PartsOfAWarp) {
  using testing::ElementsAre;
  EXPECT_THAT(
      getNotes(KernelRun(branchTo("bar.sync 0;"))),
      ElementsAre("warp 0 waits for the other threads of the warp, which have "
                  "gone another way; all must execute this together"));
  EXPECT_THAT(
      getNotes(KernelRun(branchTo("barrier.sync 0;"))),
      ElementsAre("warp 0 waits for the other threads of the warp, which have "
                  "gone another way; the emulator knows whole warps only"));
  EXPECT_THAT(
      getNotes(KernelRun(branchTo("vote.sync.any.pred %p2, %p1, -1;"))),
      ElementsAre("warp 0 waits for thread 0 of the warp, which is in the mask "
                  "and has gone another way"));
}

TEST(DeadlockTextTest, OtherWarps) {
  using testing::ElementsAre;
  EXPECT_THAT(getNotes(KernelRun("setp.lt.u32 %p1, %r0, 32;\n"
                                 "@%p1 barrier.cluster.arrive;\n"
                                 "@%p1 barrier.cluster.wait;\n"
                                 "@!%p1 bar.sync 1, 64;",
                                 64)),
              ElementsAre("warp 0 waits for the barrier of the cluster: 32 of "
                          "64 threads have come",
                          "warp 1 waits for barrier 1: 32 of 64 threads have "
                          "come"));
  // The last warp brings nothing.
  EXPECT_THAT(getNotes(makeProductRun(makeProductStart() +
                                      "setp.lt.u32 %p4, %r0, 96;\n"
                                      "@!%p4 bar.sync 1;\n" +
                                      kProductFence + makeProduct(1, "0") +
                                      kProductCommit + kProductWait)),
              ElementsAre("warps 0 to 2 wait for products that not all warps "
                          "of the warpgroup have issued",
                          "warp 3 waits for barrier 1: 32 of 128 threads have "
                          "come"));
}

TEST(DeadlockTextTest, AnMbarrierThatIsGone) {
  KernelRun run(R"(
    mbarrier.init.shared.b64 [smem], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+128], [%rd1], 64, [smem]; // here
    mbarrier.inval.shared.b64 [smem];)",
                1);
  run.input.assign(16, 1);
  run.run(tessera::sim::Order::Late);
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].text, "the mbarrier is gone at which this copy "
                                  "completes, in warp 0");
}

} // namespace
