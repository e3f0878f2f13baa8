//===- ClusterOrderTest.cpp - Locks between CTAs --------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Two warps of three CTAs increment word 0. Word 1 is the lock: thread 0 takes
/// it, thread 32 increments, and thread 0 releases the lock.
KernelRun makeLock(const char *acquire, const char *release,
                   const char *barrierAfterAcquire = "bar.sync 0;",
                   const char *barrierBeforeRelease = "bar.sync 0;") {
  std::string text = "setp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r0, 32;\n"
                     "@!%p1 bra TAKEN;\n"
                     "AGAIN:\n"
                     "atom." +
                     std::string(acquire) +
                     ".global.cas.b32 %r1, [%rd0+4], 0, 1;\n"
                     "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra AGAIN;\n"
                     "TAKEN:\n" +
                     barrierAfterAcquire +
                     "\n@%p2 ld.global.u32 %r2, [%rd0]; // here\n"
                     "@%p2 add.u32 %r2, %r2, 1;\n"
                     "@%p2 st.global.u32 [%rd0], %r2;\n" +
                     barrierBeforeRelease + "\n@%p1 atom." + release +
                     ".global.exch.b32 %r3, [%rd0+4], 0;\n";
  KernelRun run(text, 64);
  run.config.grid[0] = 3;
  return run;
}

void expectRace(KernelRun run) {
  run.expectFinding(
      AllOf(HasSubstr("race: CTA 1 reads byte 0"), HasSubstr("CTA 0 writes")));
}

TEST(ClusterOrderTest, Lock) {
  EXPECT_EQ(makeLock("acquire.gpu", "release.gpu").runAll()[0], 3u);
  EXPECT_EQ(makeLock("acq_rel.sys", "acq_rel.sys").runAll()[0], 3u);
}

TEST(ClusterOrderTest, EachOrderIsNecessary) {
  expectRace(makeLock("relaxed.gpu", "release.gpu"));
  expectRace(makeLock("acquire.gpu", "relaxed.gpu"));
  expectRace(makeLock("release.gpu", "acquire.gpu"));
}

TEST(ClusterOrderTest, ScopeOfACtaIsTooSmall) {
  expectRace(makeLock("acquire.cta", "release.gpu"));
  expectRace(makeLock("acquire.gpu", "release.cluster"));
}

TEST(ClusterOrderTest, EachBarrierIsNecessary) {
  expectRace(makeLock("acquire.gpu", "release.gpu", ""));
  expectRace(makeLock("acquire.gpu", "release.gpu", "bar.sync 0;", ""));
}

/// The last CTA reads what all CTAs have added without an order.
TEST(ClusterOrderTest, LastOfSeveral) {
  KernelRun run("red.relaxed.gpu.global.add.u32 [%rd0], 5;\n"
                "atom.acq_rel.gpu.global.add.u32 %r1, [%rd0+4], 1;\n"
                "setp.eq.u32 %p1, %r1, 2;\n"
                "@%p1 ld.global.u32 %r2, [%rd0];\n"
                "@%p1 st.global.u32 [%rd0+8], %r2;\n",
                1);
  run.config.grid[0] = 3;
  EXPECT_EQ(run.runAll()[2], 15u);
}

} // namespace
