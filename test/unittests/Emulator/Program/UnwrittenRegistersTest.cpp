//===- UnwrittenRegistersTest.cpp - Values without uses ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

TEST(UnwrittenRegistersTest, MayBeComputedWith) {
  // Only the first four threads load, and only their results are stored; the
  // others take part in the shuffle and the sum.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 4;
    @%p1 ld.global.u32 %r1, [%rd2];
    add.u32 %r2, %r1, 5;
    shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
    mov.b64 %rd3, {%r3, %r2};
    mov.b64 {%r4, %r5}, %rd3;
    setp.gt.u32 %p2, %r4, %r5;
    selp.u32 %r6, %r4, %r5, %p2;
    @%p1 st.global.u32 [%rd2], %r6;)");
  run.output = makeWords(256, [](uint32_t i) { return 7 * i; });
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(take(result, 4), (std::vector<uint32_t>{12, 12, 26, 26}));
  EXPECT_EQ(result[4], 28u);
}

TEST(UnwrittenRegistersTest, AreFoundWhereTheyAreUsed) {
  KernelRun run("setp.lt.u32 %p1, %r0, 4;\n"
                "@%p1 mov.u32 %r1, 3;\n"
                "add.u32 %r2, %r1, 5; // here\n"
                "shl.b32 %r3, %r2, 1;\n"
                "st.global.u32 [%rd2], %r3;");
  run.expectFinding(HasSubstr("reads the register '%r1', which nobody has "
                              "written, in thread 4 (warp 0)"));
  ASSERT_EQ(run.findings[0].notes.size(), 1u);
  EXPECT_EQ(run.findings[0].notes[0].text, "what comes of it is used here");
  EXPECT_EQ(run.findings[0].notes[0].where.line,
            run.findings[0].where.line + 2);
}

TEST(UnwrittenRegistersTest, ComeFromTheThreadThatIsRead) {
  // Thread 0 has written its own, and reads that of thread 16.
  KernelRun("setp.lt.u32 %p1, %r0, 16;\n"
            "@%p1 mov.u32 %r1, 3;\n"
            "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; // here\n"
            "@%p1 st.global.u32 [%rd2], %r2;")
      .expectFinding(HasSubstr("'%r1', which nobody has written, in thread 0"));
  KernelRun run("setp.lt.u32 %p1, %r0, 16;\n"
                "@%p1 mov.u32 %r1, 3;\n"
                "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"
                "@!%p1 st.global.u32 [%rd2], %r2;");
  EXPECT_EQ(run.runAll()[20], 3u);
}

TEST(UnwrittenRegistersTest, AsAddressesAndGuards) {
  KernelRun("setp.lt.u32 %p1, %r0, 4;\n"
            "@%p1 mov.u64 %rd3, %rd2;\n"
            "add.s64 %rd4, %rd3, 4; // here\n"
            "ld.global.u32 %r1, [%rd4];")
      .expectFinding(HasSubstr("'%rd3', which nobody has written"));
  KernelRun("setp.lt.u32 %p1, %r0, 4;\n"
            "@%p1 mov.u32 %r1, 1;\n"
            "setp.eq.u32 %p2, %r1, 1;\n"
            "@%p2 st.global.u32 [%rd2], 1; // here")
      .expectFinding(
          HasSubstr("the guard is a predicate that nobody has written"));
}

} // namespace
