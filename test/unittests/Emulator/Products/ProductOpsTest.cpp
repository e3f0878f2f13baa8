//===- ProductOpsTest.cpp - Products of a warpgroup -----------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"

using namespace tessera::emu;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string kStart = makeProductStart();

TEST(ProductOpsTest, AFromSharedMemory) {
  KernelRun run =
      makeProductRun(kStart + kProductFence + makeProduct(1, "%p3") +
                     kProductCommit + kProductWait + makeProductEnd(1));
  expectProduct(run.runAll(), 1);
}

TEST(ProductOpsTest, AFromRegisters) {
  KernelRun run = makeProductRun(
      kStart + kProductFence +
      makeProduct(1, "%p3", "{%r10, %r11, %r12, %r13}", "%rd5", "") +
      kProductCommit + kProductWait + makeProductEnd(1));
  expectProduct(run.runAll(), 1);
}

TEST(ProductOpsTest, ProductsThatAddToEachOther) {
  // Of the old value only where scale-d says so; no fence is needed between.
  KernelRun run = makeProductRun(
      kStart +
      "mov.f32 %f1, 0f40000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; "
      "mov.f32 %f4, %f1;\n" +
      kProductFence + makeProduct(1, "0") + makeProduct(1, "1") +
      makeProduct(1, "!%p3", "{%r10, %r11, %r12, %r13}", "%rd5", "") +
      kProductCommit + kProductWait + makeProductEnd(1));
  expectProduct(run.runAll(), 3);
}

TEST(ProductOpsTest, TwoGroupsInFlight) {
  KernelRun run = makeProductRun(
      kStart + kProductFence + makeProduct(1, "%p3") + kProductCommit +
      makeProduct(5, "%p3") + makeProduct(5, "%p2") + kProductCommit +
      "wgmma.wait_group.sync.aligned 1;\n" + makeProductEnd(1) + kProductWait +
      makeProductEnd(5, 512));
  std::vector<uint32_t> result = run.runAll();
  expectProduct(result, 1);
  expectProduct(result, 2, 512);
}

TEST(ProductOpsTest, TwoWarpgroups) {
  // The second one reads what the first one wrote and fenced.
  KernelRun run =
      makeProductRun("setp.ge.u32 %p4, %r0, 128;\n@%p4 bra SECOND;\n" + kStart +
                         kProductFence + makeProduct(1, "0") + kProductCommit +
                         kProductWait + makeProductEnd(1) + R"(
    ret;
  SECOND:
    bar.sync 0;
    mov.u32 %r1, smem;
    shr.u32 %r3, %r1, 4;
    cvt.u64.u32 %rd4, %r3;
    or.b64 %rd4, %rd4, 0x1000080000;
    add.s64 %rd5, %rd4, 128;
)" + kProductFence + makeProduct(5, "0") +
                         kProductCommit + kProductWait + makeProductEnd(5),
                     256);
  std::vector<uint32_t> result = run.runAll();
  expectProduct(result, 1);
  expectProduct(result, 1, 512);
}

TEST(ProductOpsTest, AccumulatorsOfAProductInFlight) {
  KernelRun read = makeProductRun(
      kStart + kProductFence + makeProduct(1, "0") + kProductCommit +
      "add.f32 %f9, %f2, %f2; // here\n" + kProductWait);
  read.run();
  ASSERT_EQ(read.findings.size(), 1u);
  EXPECT_THAT(read.findings[0].text,
              HasSubstr("reads the register '%f2', which a product in flight "
                        "writes; expected a wgmma.wait_group before"));
  KernelRun written =
      makeProductRun(kStart + "mov.f32 %f3, 0f00000000;\n" + kProductFence +
                     makeProduct(1, "0") + kProductCommit +
                     "mov.f32 %f3, 0f00000000; // here\n" + kProductWait);
  written.run();
  ASSERT_EQ(written.findings.size(), 1u);
  EXPECT_THAT(written.findings[0].text,
              HasSubstr("writes the register '%f3', which a product in flight "
                        "uses"));
  // An operand may be read, and not written.
  std::string issue =
      kStart + kProductFence +
      makeProduct(1, "0", "{%r10, %r11, %r12, %r13}", "%rd5", "") +
      kProductCommit;
  makeProductRun(issue + "add.u32 %r20, %r11, 1;\n" + kProductWait).runAll();
  KernelRun operand =
      makeProductRun(issue + "mov.u32 %r11, 1;\n" + kProductWait);
  operand.run();
  ASSERT_EQ(operand.findings.size(), 1u);
  EXPECT_THAT(operand.findings[0].text,
              HasSubstr("writes the register '%r11'"));
}

TEST(ProductOpsTest, AMissingFenceOfRegisters) {
  auto expect = [](const std::string &body, const char *text) {
    KernelRun run = makeProductRun(body + kProductCommit + kProductWait);
    run.run();
    ASSERT_EQ(run.findings.size(), 1u);
    EXPECT_THAT(run.findings[0].text, HasSubstr(text));
  };
  expect(kStart + makeProduct(1, "0"),
         "expected a wgmma.fence before the first product");
  expect(kStart + kProductFence + "mov.f32 %f2, 0f00000000;\n" +
             makeProduct(1, "0"),
         "the accumulator '%f2' was written after the last wgmma.fence");
  // Products of one form may follow each other; other accesses lie between.
  std::string first = kStart + kProductFence + makeProduct(1, "0");
  makeProductRun(first + makeProduct(1, "1") + kProductCommit + kProductWait)
      .runAll();
  std::string read =
      first + kProductCommit + kProductWait + "add.f32 %f9, %f2, %f2;\n";
  makeProductRun(read + kProductFence + makeProduct(1, "1") + kProductCommit +
                 kProductWait)
      .runAll();
  expect(read + makeProduct(1, "1"),
         "the accumulator '%f2' was read after the last wgmma.fence; "
         "expected a wgmma.fence between the read and the product");
  expect(kStart + kProductFence + "add.u32 %r12, %r12, 0;\n" +
             makeProduct(1, "0", "{%r10, %r11, %r12, %r13}", "%rd5", ""),
         "the operand '%r12' was written after the last wgmma.fence");
}

TEST(ProductOpsTest, AccumulatorsThatNobodyWrote) {
  KernelRun run = makeProductRun(kStart + kProductFence + makeProduct(1, "1") +
                                 kProductCommit + kProductWait);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text,
              HasSubstr("adds to the accumulator '%f1', which nobody has "
                        "written"));
}

TEST(ProductOpsTest, WhatThreadsWroteNeedsAFence) {
  std::string start = makeProductStart("");
  const std::string write = "st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7};";
  start.insert(start.find(write) + write.size(), " // there");
  KernelRun run = makeProductRun(start + kProductFence + makeProduct(1, "0") +
                                 " // here\n" + kProductCommit + kProductWait);
  run.expectFinding(AllOf(HasSubstr("missing fence: the tensor cores read "
                                    "byte"),
                          HasSubstr("expected a fence.proxy.async between")));
}

TEST(ProductOpsTest, AnOperandThatIsWrittenBeforeTheProductIsDone) {
  auto body = [](const char *wait) {
    return kStart + kProductFence + makeProduct(1, "0") + "\n" +
           kProductCommit + wait + "bar.sync 0;\n" +
           "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n" + kProductWait;
  };
  KernelRun run = makeProductRun(body(""));
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text,
              AllOf(HasSubstr("race"), HasSubstr("the tensor cores read")));
  makeProductRun(body(kProductWait)).runAll();
}

TEST(ProductOpsTest, WarpsThatBringOtherProducts) {
  // Another place of B, and another number of products.
  KernelRun other = makeProductRun(
      kStart + "setp.lt.u32 %p5, %r0, 32;\n@%p5 add.s64 %rd5, %rd5, -8;\n" +
      kProductFence + makeProduct(1, "0") + " // here\n" + kProductCommit +
      kProductWait);
  other.expectFinding(HasSubstr("another product than that of the other warps "
                                "of the warpgroup"));
  KernelRun few =
      makeProductRun(kStart + kProductFence +
                     "setp.ge.u32 %p5, %r0, 32;\n@%p5 " + makeProduct(1, "0") +
                     "\n" + kProductCommit + kProductWait + makeProductEnd(1));
  few.run();
  ASSERT_FALSE(few.findings.empty());
  KernelRun lanes = makeProductRun(
      kStart + "setp.eq.u32 %p5, %r0, 3;\n@%p5 add.s64 %rd5, %rd5, -8;\n" +
      kProductFence + makeProduct(1, "0") + " // here\n" + kProductCommit +
      kProductWait);
  lanes.expectFinding(
      HasSubstr("threads of the warp give other descriptors or scales"));
}

TEST(ProductOpsTest, TheEndBeforeAProductWasWaitedFor) {
  KernelRun run = makeProductRun(kStart + kProductFence + makeProduct(1, "0") +
                                 " // here\n" + kProductCommit);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text,
              HasSubstr("the CTA ends before anyone has waited for this "
                        "product"));
}

TEST(ProductOpsTest, FewerWarpsThanAWarpgroup) {
  KernelRun(std::string(kProductFence) + kProductCommit + kProductWait, 32)
      .runAll();
  KernelRun run("mov.b64 %rd4, 64;\n" + std::string(kProductFence) +
                    makeProduct(1, "0", "%rd4", "%rd4") + " // here",
                64);
  run.expectFinding(HasSubstr("a product takes the four warps of a warpgroup, "
                              "and the CTA has 2 warps"));
}

} // namespace
