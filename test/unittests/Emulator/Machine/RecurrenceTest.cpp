//===- RecurrenceTest.cpp - Loops that wait for other programs ------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

constexpr const char *kText = "deadlock: the loop waits for another program";

/// Polls word 0 until it is 0, and takes it.
constexpr const char *kTake = "AGAIN:\n"
                              "atom.acquire.gpu.global.cas.b32 %r1, [%rd0], "
                              "0, 1; // here\n"
                              "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra AGAIN;\n";

TEST(RecurrenceTest, LockThatNobodyReleases) {
  KernelRun run(kTake, 1);
  run.config.grid[0] = 2;
  run.expectFinding(HasSubstr(kText));
}

/// The other warps wait at a barrier, run the same loop, or have ended.
TEST(RecurrenceTest, OtherWarps) {
  std::string first = "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra TAKEN;\n";
  for (const std::string &body :
       {first + kTake + "TAKEN:\nbar.sync 0;\n", first + kTake + "TAKEN:\n",
        // Each iteration of one warp has a barrier with the others.
        std::string(
            "LOOP:\nmov.u32 %r2, %r0;\nsetp.ne.u32 %p1, %r2, 0;\n"
            "@%p1 bra OTHER;\n"
            "atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1; // "
            "here\nst.shared.u32 [smem], %r1;\n"
            "OTHER:\nbar.sync 0;\nld.shared.u32 %r1, [smem];\n"
            "bar.sync 0;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra LOOP;\n")}) {
    SCOPED_TRACE(body);
    KernelRun run(body, 96);
    run.config.grid[0] = 2;
    run.expectFinding(HasSubstr(kText));
  }
}

/// Both CTAs of a cluster take the lock. The holder counts to `count`, and
/// releases the lock.
KernelRun makeHolder(unsigned count, const char *work) {
  KernelRun run(std::string(kTake) + "mov.u32 %r3, 0;\nWORK:\n" + work +
                    "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p4, %r3, " +
                    std::to_string(count) +
                    ";\n@%p4 bra WORK;\n"
                    "red.relaxed.gpu.global.add.u32 [%rd0+4], %r3;\n"
                    "atom.release.gpu.global.exch.b32 %r5, [%rd0], 0;\n",
                1);
  run.config.grid[0] = run.config.cluster[0] = 2;
  return run;
}

TEST(RecurrenceTest, LockThatIsReleasedLater) {
  // The holder takes many steps, which other agents may observe.
  EXPECT_EQ(
      makeHolder(3000, "ld.volatile.global.u32 %r6, [%rd0+8];\n").runAll()[1],
      6000u);
  EXPECT_EQ(makeHolder(3000, "st.shared.u32 [smem], 7;\n").runAll()[1], 6000u);
  EXPECT_EQ(makeHolder(3000, "").runAll()[1], 6000u);
}

/// Warp 0 polls a word of shared memory, which warp 1 writes after a long loop
/// of loads that may be polls.
TEST(RecurrenceTest, PollOfSharedMemory) {
  KernelRun run("st.shared.u32 [smem], 0;\nbar.sync 0;\n"
                "setp.ge.u32 %p1, %r0, 32;\nmov.u32 %r3, 0;\n"
                "@%p1 bra WRITER;\n"
                "POLL:\natom.shared.cas.b32 %r1, [smem], 9, 9;\n"
                "setp.ne.u32 %p2, %r1, 9;\n@%p2 bra POLL;\n"
                "st.global.u32 [%rd0], %r1;\nbra.uni END;\n"
                "WRITER:\nadd.u32 %r3, %r3, 1;\n"
                "ld.volatile.global.u32 %r6, [%rd0+8];\n"
                "setp.lt.u32 %p2, %r3, 3000;\n@%p2 bra WRITER;\n"
                "setp.eq.u32 %p3, %r0, 32;\n"
                "@%p3 atom.shared.exch.b32 %r7, [smem], 9;\nEND:\n",
                64);
  EXPECT_EQ(run.runAll()[0], 9u);
}

/// Each attempt changes a word, in memory or in a register.
TEST(RecurrenceTest, AttemptsThatCount) {
  KernelRun memory("AGAIN:\natom.relaxed.gpu.global.add.u32 %r1, [%rd0], 1;\n"
                   "setp.lt.u32 %p1, %r1, 9999;\n@%p1 bra AGAIN;\n",
                   1);
  EXPECT_EQ(memory.runAll()[0], 10000u);
  KernelRun registers("mov.u32 %r2, 0;\nAGAIN:\n"
                      "atom.relaxed.gpu.global.cas.b32 %r1, [%rd0], 7, 1;\n"
                      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9999;\n"
                      "@%p1 bra AGAIN;\nst.global.u32 [%rd0+4], %r2;\n",
                      1);
  EXPECT_EQ(registers.runAll()[1], 9999u);
}

/// A second loop of the same warp polls for ever, after one that has ended.
TEST(RecurrenceTest, SecondLoop) {
  KernelRun run("mov.u32 %r2, 0;\nCOUNT:\n"
                "atom.relaxed.gpu.global.cas.b32 %r1, [%rd0+4], 7, 1;\n"
                "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5000;\n"
                "@%p1 bra COUNT;\n" +
                    std::string(kTake),
                1);
  run.config.grid[0] = 2;
  run.expectFinding(HasSubstr(kText));
}

} // namespace
