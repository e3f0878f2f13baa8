//===- AccessFindingsTest.cpp - Accesses that are wrong -------------------===//
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

TEST(AccessFindingsTest, GlobalMemory) {
  // 256 words are there.
  KernelRun("ld.global.u32 %r1, [%rd0+1024]; // here", 1)
      .expectFinding(HasSubstr("4 bytes of global memory at 0x10000000400 are "
                               "out of bounds: right after an allocation of "
                               "1024 bytes, in thread 0 (warp 0)"));
  KernelRun("add.s64 %rd3, %rd0, -8;\n st.global.v2.u32 [%rd3], {%r0, %r0}; "
            "// here",
            1)
      .expectFinding(HasSubstr("8 bytes before an allocation of 1024 bytes"));
  KernelRun("ld.global.v2.u32 {%r1, %r2}, [%rd0+1016];\n"
            "st.global.v4.u32 [%rd0+1008], {%r1, %r1, %r1, %r1};",
            1)
      .runAll();
  // An index of 32 bits that went around, by 2^32 bytes.
  KernelRun("add.s64 %rd3, %rd2, 0x100000000;\n st.global.u32 [%rd3], %r0; "
            "// here")
      .expectFinding(HasSubstr("4294966272 bytes after an allocation"));
  KernelRun("sub.s64 %rd3, %rd2, 0x100000000;\n st.global.u32 [%rd3], %r0; "
            "// here")
      .expectFinding(HasSubstr("4294967296 bytes before an allocation"));
  KernelRun("st.global.u32 [%rd2+900], %r0; // here")
      .expectFinding(HasSubstr("in thread 31 (warp 0)"));
  KernelRun("mov.u64 %rd3, 0;\n ld.u32 %r1, [%rd3]; // here", 1)
      .expectFinding(HasSubstr("far from every allocation"));
}

TEST(AccessFindingsTest, OnlyTheThreadsThatAccessAreChecked) {
  KernelRun("setp.lt.u32 %p1, %r0, 31;\n @%p1 st.global.u32 [%rd2+900], %r0;")
      .runAll();
}

TEST(AccessFindingsTest, SharedMemory) {
  KernelRun("st.shared.u32 [smem+8192], %r0; // here", 1)
      .expectFinding(HasSubstr("byte 8192 of shared memory is out of bounds: "
                               "the CTA has 8192 bytes, in thread 0"));
  KernelRun("mov.u32 %r1, smem;\n st.shared.u32 [%r1+-4], %r0; // here", 1)
      .expectFinding(HasSubstr("byte -4 of shared memory is out of bounds"));
  // Addresses whose end is 2^64.
  KernelRun("mov.u32 %r1, 0;\n ld.shared.u32 %r2, [%r1+-4]; // here", 1)
      .expectFinding(HasSubstr("0xfffffffffffffffc is no address in shared"));
  KernelRun("mov.u32 %r1, 0;\n st.shared.u32 [%r1+-4], %r0; // here", 1)
      .expectFinding(HasSubstr("0xfffffffffffffffc is no address in shared"));
  KernelRun("st.shared.u32 [smem+8188], %r0;", 1).runAll();
  KernelRun(
      "mov.u32 %r1, smem;\n mapa.shared::cluster.u32 %r2, %r1, 1; // here", 1)
      .expectFinding(
          HasSubstr("there is no CTA 1 in the cluster, which has 1"));
}

TEST(AccessFindingsTest, Parameters) {
  KernelRun("mov.b64 %rd3, map;\n ld.param.u32 %r1, [%rd3+128]; // here", 1)
      .expectFinding(
          HasSubstr("4 bytes of the parameters at byte 192 are out of bounds"));
  KernelRun("mov.b64 %rd3, map;\n cvta.param.u64 %rd3, %rd3;\n"
            "st.u32 [%rd3], 1; // here",
            1)
      .expectFinding(HasSubstr("writes to parameters"));
}

TEST(AccessFindingsTest, Alignment) {
  KernelRun("st.global.u32 [%rd0+2], %r0; // here", 1)
      .expectFinding(HasSubstr("is not aligned to 4 bytes"));
  KernelRun("st.global.v4.u32 [%rd0+8], {%r0, %r0, %r0, %r0}; // here", 1)
      .expectFinding(HasSubstr("is not aligned to 16 bytes"));
  KernelRun("st.shared.u64 [smem+4], %rd0; // here", 1)
      .expectFinding(HasSubstr("is not aligned to 8 bytes"));
  KernelRun("red.global.add.u32 [%rd0+1], 1; // here", 1)
      .expectFinding(HasSubstr("is not aligned to 4 bytes"));
}

TEST(AccessFindingsTest, MemoryThatNobodyWrote) {
  KernelRun run("ld.global.u32 %r1, [%rd0+4]; // here", 1);
  run.outputIsWritten = false;
  run.expectFinding(
      HasSubstr("reads byte 4 of an allocation, which nobody has written"));
  KernelRun written("st.global.u32 [%rd0+4], 3;\n ld.global.u32 %r1, [%rd0+4];",
                    1);
  written.outputIsWritten = false;
  written.runAll();
  KernelRun atomic("red.global.add.u32 [%rd0+4], 1; // here", 1);
  atomic.outputIsWritten = false;
  atomic.expectFinding(HasSubstr("which nobody has written"));
  KernelRun("st.shared.u16 [smem], 1;\n ld.shared.u32 %r1, [smem]; // here", 1)
      .expectFinding(HasSubstr("reads byte 2 of shared memory, which nobody "
                               "has written, in warp 0"));
}

TEST(AccessFindingsTest, RegistersThatNobodyWrote) {
  KernelRun(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 mov.u32 %r1, 1;
    add.u32 %r2, %r1, 1; // here
    st.global.u32 [%rd2], %r2;)")
      .expectFinding(AllOf(HasSubstr("reads the register '%r1', which nobody "
                                     "has written"),
                           HasSubstr("thread 5 (warp 0)")));
  KernelRun(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 setp.lt.u32 %p2, %r0, 2;
    @%p2 mov.u32 %r1, 1; // here)")
      .expectFinding(HasSubstr("the guard is a predicate that nobody has "
                               "written"));
  KernelRun(R"(
    setp.lt.u32 %p1, %r0, 5;
    @%p1 mov.u32 %r1, 1;
    @%p1 add.u32 %r2, %r1, 1;)")
      .runAll();
}

TEST(AccessFindingsTest, ThreadsThatWriteOtherValuesToOnePlace) {
  KernelRun("st.global.u32 [%rd0], %r0; // here")
      .expectFinding(HasSubstr("two threads of the warp write different values "
                               "to byte 0 of an allocation"));
  KernelRun("shr.u32 %r1, %r0, 1;\n mul.wide.u32 %rd3, %r1, 4;\n"
            "add.s64 %rd3, %rd3, %rd0;\n st.global.u32 [%rd3], %r0; // here")
      .expectFinding(HasSubstr("two threads of the warp write different"));
  KernelRun("shr.u32 %r1, %r0, 1;\n mul.wide.u32 %rd3, %r1, 4;\n"
            "add.s64 %rd3, %rd3, %rd0;\n st.global.u32 [%rd3], %r1;")
      .runAll();
  KernelRun("st.shared.u8 [smem+5], %r0; // here")
      .expectFinding(HasSubstr("two threads of the warp write different values "
                               "to byte 5 of shared memory"));
}

TEST(AccessFindingsTest, TheLimitOfSteps) {
  KernelRun run("LOOP:\n bra LOOP; // here");
  Options options;
  options.stepLimit = 1000;
  run.run(options);
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(
      run.findings[0].text,
      HasSubstr("the step limit of 1000 executed instructions is reached"));
  KernelRun("trap; // here").expectFinding(HasSubstr("a trap"));
}

TEST(AccessFindingsTest, TheLineOfTheSourceIsKept) {
  KernelRun run(".loc 1 42 7\n st.global.u32 [%rd0+2], %r0; // here", 1);
  run.variables = ".file 1 \"dir/kernel.tile\"\n";
  run.expectFinding(HasSubstr("not aligned"));
  EXPECT_EQ(run.findings.at(0).where.sourceLine, 42u);
  EXPECT_EQ(run.findings.at(0).where.sourceColumn, 7u);
}

} // namespace
