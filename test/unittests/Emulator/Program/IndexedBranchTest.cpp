//===- IndexedBranchTest.cpp - Branches by a number
//--------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

TEST(IndexedBranchTest, ThreadsOfAWarpGoManyWaysAndMeetAgain) {
  KernelRun run(R"(
    and.b32 %r1, %r0, 3;
    WAYS: .branchtargets A, B, C, B;
    brx.idx %r1, WAYS;
  A:
    mov.u32 %r2, 10;
    bra.uni MEET;
  B:
    mov.u32 %r2, 20;
    bra.uni MEET;
  C:
    mov.u32 %r2, 30;
  MEET:
    bar.sync 0;
    st.global.u32 [%rd2], %r2;)",
                64);
  const uint32_t values[] = {10, 20, 30, 20};
  EXPECT_EQ(take(run.runAll(), 64),
            makeWords(64, [&](uint32_t t) { return values[t % 4]; }));
}

TEST(IndexedBranchTest, InALoopThatThreadsLeave) {
  // Each thread counts its number down, by two while it is above 4.
  KernelRun run(R"(
    mov.u32 %r1, %r0;
    mov.u32 %r3, 0;
    WAYS: .branchtargets DONE, ONE, TWO;
  NEXT:
    min.u32 %r2, %r1, 5;
    setp.gt.u32 %p1, %r2, 4;
    selp.u32 %r4, 2, 1, %p1;
    setp.eq.u32 %p2, %r2, 0;
    @%p2 mov.u32 %r4, 0;
    brx.idx %r4, WAYS;
  TWO:
    sub.u32 %r1, %r1, 1;
  ONE:
    sub.u32 %r1, %r1, 1;
    add.u32 %r3, %r3, 1;
    bra.uni NEXT;
  DONE:
    st.global.u32 [%rd2], %r3;)");
  EXPECT_EQ(take(run.runAll(), 32), makeWords(32, [](uint32_t t) {
              uint32_t steps = 0;
              for (; t > 0; ++steps)
                t -= t > 4 ? 2 : 1;
              return steps;
            }));
}

TEST(IndexedBranchTest, AGuardLeavesThreadsThere) {
  KernelRun run(R"(
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r0, 10;
    WAYS: .branchtargets A;
    @%p1 brx.idx.uni %r2, WAYS;
    mov.u32 %r2, 5;
  A:
    st.global.u32 [%rd2], %r2;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t t) { return t < 10 ? 0 : 5; }));
}

TEST(IndexedBranchTest, NumbersOfNoTarget) {
  KernelRun("WAYS: .branchtargets A, A;\n"
            "brx.idx %r0, WAYS; // here\nA: ret;")
      .expectFinding(HasSubstr("goes to target 2 of 2, in thread 2 (warp 0)"));
  KernelRun("WAYS: .branchtargets A;\n setp.eq.u32 %p1, %r0, 1;\n"
            "@%p1 mov.u32 %r1, 0;\n"
            "brx.idx %r1, WAYS; // here\nA: ret;")
      .expectFinding(HasSubstr("reads the register '%r1', which nobody has "
                               "written, in thread 0"));
  EXPECT_THAT(
      KernelRun("WAYS: .branchtargets A;\n brx.none %r0, WAYS;\nA: ret;")
          .getError(),
      HasSubstr("unknown instruction 'brx.none'"));
}

} // namespace
