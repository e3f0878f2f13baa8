//===- WarpOpsTest.cpp - What threads of a warp tell each other -----------===//
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

/// The pseudo code of "shfl.sync" in the ISA, word by word.
struct Shuffled {
  uint32_t from;
  bool isValid;
};
Shuffled shuffle(llvm::StringRef mode, uint32_t lane, uint32_t b, uint32_t c) {
  uint32_t bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
  uint32_t maxLane = (lane & mask) | (cval & ~mask), minLane = lane & mask;
  int32_t j = 0;
  bool isValid = false;
  if (mode == "up") {
    j = int32_t(lane) - int32_t(bval);
    isValid = j >= int32_t(maxLane);
  } else if (mode == "down") {
    j = lane + bval;
    isValid = j <= int32_t(maxLane);
  } else if (mode == "bfly") {
    j = lane ^ bval;
    isValid = j <= int32_t(maxLane);
  } else {
    j = minLane | (bval & ~mask);
    isValid = j <= int32_t(maxLane);
  }
  return {isValid ? uint32_t(j) : lane, isValid};
}

TEST(WarpOpsTest, ShuffleInAllModes) {
  // Whole warps, segments of 8 and 16, clamps inside of them, and bits of the
  // operands that do not count.
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (uint32_t c :
         {0x1fu, 0x0u, 0x181fu, 0x1800u, 0x101fu, 0x1805u, 0x7u, 0xffffe01fu})
      for (uint32_t b : {0u, 1u, 3u, 8u, 31u, 33u}) {
        SCOPED_TRACE(std::string(mode) + " " + std::to_string(b) + " " +
                     std::to_string(c));
        KernelRun run("add.u32 %r1, %r0, 500;\n shfl.sync." +
                      llvm::Twine(mode) + ".b32 %r2|%p1, %r1, " +
                      llvm::Twine(b) + ", " + llvm::Twine(c) +
                      ", 0xffffffff;\n selp.u32 %r3, 1, 0, %p1;\n"
                      "st.global.u32 [%rd2], %r2;\n"
                      "st.global.u32 [%rd2+128], %r3;");
        std::vector<uint32_t> result = run.run();
        ASSERT_TRUE(run.findings.empty()) << run.findings.front().text;
        for (uint32_t i = 0; i < 32; ++i) {
          Shuffled expected = shuffle(mode, i, b, c);
          EXPECT_EQ(result[i], 500 + expected.from) << i;
          EXPECT_EQ(result[32 + i], uint32_t(expected.isValid)) << i;
        }
      }
}

TEST(WarpOpsTest, ShuffleByTheNumberThatEachThreadGives) {
  // Thread i reads from 31 - i, and overwrites its own value.
  KernelRun run(R"(
    mul.lo.u32 %r1, %r0, 3;
    sub.u32 %r2, 31, %r0;
    shfl.sync.idx.b32 %r1, %r1, %r2, 31, -1;
    st.global.u32 [%rd2], %r1;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t i) { return 3 * (31 - i); }));
}

TEST(WarpOpsTest, GroupsWithMasksOfTheirOwn) {
  // Eight threads at a time, as tiles of a warp do.
  KernelRun run(R"(
    and.b32 %r1, %r0, 24;
    shl.b32 %r2, 255, %r1;
    shfl.sync.bfly.b32 %r3, %r0, 1, 0x181f, %r2;
    setp.gt.u32 %p1, %r0, 12;
    vote.sync.ballot.b32 %r4, %p1, %r2;
    elect.sync %r5|%p2, %r2;
    redux.sync.add.u32 %r6, %r0, %r2;
    st.global.u32 [%rd2], %r3;
    st.global.u32 [%rd2+128], %r4;
    st.global.u32 [%rd2+256], %r5;
    st.global.u32 [%rd2+384], %r6;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t group = i / 8;
    EXPECT_EQ(result[i], i ^ 1);
    EXPECT_EQ(result[32 + i], 0xffffe000u & (0xffu << 8 * group));
    EXPECT_EQ(result[64 + i], 8 * group);
    EXPECT_EQ(result[96 + i], 64 * group + 28);
  }
}

TEST(WarpOpsTest, AMaskIsWaitedFor) {
  // Threads that come another way to the same shuffle.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 8;
    setp.lt.u32 %p2, %r0, 4;
    mov.u32 %r1, 1;
    @!%p1 bra MEET;
    mov.u32 %r1, 2;
    @%p2 ret;
  MEET:
    redux.sync.add.u32 %r2, %r1, -1;
    st.global.u32 [%rd2], %r2;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t i) { return i < 4 ? 0 : 4 * 2 + 24; }));
}

TEST(WarpOpsTest, VotesAndReductions) {
  KernelRun run(R"(
    setp.gt.u32 %p1, %r0, 4;
    setp.lt.u32 %p2, %r0, 99;
    vote.sync.all.pred %p3, %p1, -1;
    vote.sync.any.pred %p4, %p1, -1;
    vote.sync.uni.pred %p5, %p1, -1;
    vote.sync.uni.pred %p6, !%p2, -1;
    vote.sync.all.pred %p7, %p2, -1;
    vote.sync.ballot.b32 %r1, !%p1, -1;
    selp.u32 %r2, 1, 0, %p3;
    selp.u32 %r3, 1, 0, %p4;
    selp.u32 %r4, 1, 0, %p5;
    selp.u32 %r5, 1, 0, %p6;
    selp.u32 %r6, 1, 0, %p7;
    sub.s32 %r7, %r0, 5;
    redux.sync.min.s32 %r8, %r7, -1;
    redux.sync.min.u32 %r9, %r7, -1;
    redux.sync.max.s32 %r10, %r7, -1;
    redux.sync.max.u32 %r11, %r7, -1;
    redux.sync.add.s32 %r12, %r7, -1;
    or.b32 %r13, %r0, 64;
    redux.sync.and.b32 %r14, %r13, -1;
    redux.sync.or.b32 %r15, %r13, -1;
    redux.sync.xor.b32 %r16, %r13, -1;
    elect.sync %r17|%p8, -1;
    @%p8 st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
    @%p8 st.global.v2.u32 [%rd0+16], {%r5, %r6};
    @%p8 st.global.v4.u32 [%rd0+32], {%r8, %r9, %r10, %r11};
    @%p8 st.global.v4.u32 [%rd0+48], {%r12, %r14, %r15, %r16};
    @%p8 st.global.u32 [%rd0+64], %r17;)");
  EXPECT_THAT(take(run.runAll(), 17),
              ElementsAre(0x1fu, 0u, 1u, 0u, 1u, 1u, 0u, 0u, uint32_t(-5), 0u,
                          26u, uint32_t(-1), 31u * 16 - 5 * 32, 64u, 95u, 0u,
                          0u));
}

TEST(WarpOpsTest, PartOfAWarp) {
  // Masks name threads that have ended, or are not there at all.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 2;
    @%p1 ret;
    redux.sync.add.u32 %r1, 1, -1;
    elect.sync %r2|%p2, -1;
    shfl.sync.down.b32 %r3, %r0, 1, 9, -1;
    mad.lo.u32 %r1, %r1, 100, %r2;
    mad.lo.u32 %r1, %r1, 100, %r3;
    st.global.u32 [%rd2], %r1;)",
                10);
  EXPECT_EQ(take(run.runAll(), 10), makeWords(10, [](uint32_t i) {
              return i < 2 ? 0 : 80200 + std::min(i + 1, 9u);
            }));
}

TEST(WarpOpsTest, WhatAMaskMustHave) {
  KernelRun(R"(
    shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xfffffff7; // here)")
      .expectFinding(AllOf(HasSubstr("the mask does not have the thread "
                                     "itself"),
                           HasSubstr("thread 3 (warp 0)")));
  KernelRun(R"(
    setp.ne.u32 %p1, %r0, 5;
    @%p1 vote.sync.any.pred %p2, %p1, -1; // here)")
      .expectFinding(HasSubstr("the mask has thread 5"));
  KernelRun(R"(
    setp.ne.u32 %p1, %r0, 5;
    @!%p1 bra OTHER;
    vote.sync.any.pred %p2, %p1, -1; // here
    bra END;
  OTHER:
    st.global.u32 [%rd2], %r0;
  END:
    ret;)")
      .expectFinding(HasSubstr("deadlock"));
  KernelRun(R"(
    setp.eq.u32 %p1, %r0, 5;
    @%p1 shfl.sync.idx.b32 %r1, %r0, 0, 31, 32; // here)")
      .expectFinding(HasSubstr("reads from thread 0"));
}

} // namespace
