//===- CopyOpsTest.cpp - Asynchronous copies of bytes ---------------------===//
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

TEST(CopyOpsTest, CopiesOfThreadsInGroups) {
  // Two groups; the second may be in flight when the first is used. zfill takes
  // 8, 4 or no bytes, and a predicate ignores the source.
  KernelRun run(R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 16, %r1;
    mul.wide.u32 %rd3, %r0, 16;
    add.s64 %rd3, %rd3, %rd1;
    cp.async.cg.shared.global [%r2], [%rd3], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+512], [%rd3], 8;
    and.b32 %r3, %r0, 1;
    mul.lo.u32 %r3, %r3, 8;
    cp.async.ca.shared.global [%r2+520], [%rd3+8], 8, %r3;
    cp.async.commit_group;
    setp.lt.u32 %p1, %r0, 16;
    cp.async.ca.shared.global [%r2+1024], [%rd3+4], 4, %p1;
    cp.async.wait_group 1;
    ld.shared.u32 %r4, [%r2+12];
    cp.async.wait_group 0;
    ld.shared.u32 %r5, [%r2+512];
    ld.shared.u32 %r6, [%r2+524];
    cp.async.wait_all;
    ld.shared.u32 %r7, [%r2+1024];
    st.global.u32 [%rd2], %r4;
    st.global.u32 [%rd2+128], %r5;
    st.global.u32 [%rd2+256], %r6;
    st.global.u32 [%rd2+384], %r7;)");
  run.input = makeWords(128, [](uint32_t i) { return 7 * i + 1; });
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], run.input[4 * i + 3]);
    EXPECT_EQ(result[32 + i], run.input[4 * i]);
    EXPECT_EQ(result[64 + i], i & 1 ? run.input[4 * i + 3] : 0);
    EXPECT_EQ(result[96 + i], i < 16 ? 0 : run.input[4 * i + 1]);
  }
}

TEST(CopyOpsTest, ASourceOfNoBytesMayBeAnywhere) {
  KernelRun run(R"(
    cp.async.cg.shared.global [smem], [%rd1+4096], 16, 0;
    cp.async.wait_all;
    ld.shared.u32 %r1, [smem+12];
    st.global.u32 [%rd2], %r1;)",
                1);
  run.input = {1};
  run.output = {5};
  EXPECT_EQ(run.runAll()[0], 0u);
}

TEST(CopyOpsTest, CopiesOfThreadsThatArrive) {
  KernelRun run(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 64;
    bar.sync 0;
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 4, %r1;
    sub.u32 %r4, 63, %r0;
    mad.lo.u32 %r3, %r4, 4, %r1;
    mul.wide.u32 %rd3, %r0, 4;
    add.s64 %rd3, %rd3, %rd1;
    cp.async.ca.shared.global [%r2+64], [%rd3], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [smem];
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0;
    @!%p2 bra WAIT;
    ld.shared.u32 %r5, [%r3+64];
    st.global.u32 [%rd2], %r5;)",
                64);
  run.input = makeWords(64, [](uint32_t i) { return i * i; });
  EXPECT_EQ(take(run.runAll(), 64),
            makeWords(64, [](uint32_t i) { return (63 - i) * (63 - i); }));
}

TEST(CopyOpsTest, ACopyThatWasNotWaitedFor) {
  auto body = [](const char *wait) {
    return std::string(R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 4, %r1;
    cp.async.ca.shared.global [%r2], [%rd1], 4; // there
    cp.async.commit_group;
    )") + wait +
           R"(
    ld.shared.u32 %r3, [%r2]; // here
    st.global.u32 [%rd2], %r3;)";
  };
  KernelRun run(body("cp.async.wait_group 1;"));
  run.input = {1};
  run.expectFinding(AllOf(HasSubstr("race: warp 0 reads byte 0 of shared"),
                          HasSubstr("a copy in flight writes")));
  KernelRun repaired(body("cp.async.wait_group 0;"));
  repaired.input = {1};
  repaired.runAll();
}

/// Thread 0 makes a barrier, and loads `bytes` after announcing `announced`.
std::string load(unsigned bytes, unsigned announced) {
  return R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 1;
    bar.sync 0;
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem], )" +
         std::to_string(announced) + R"(;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+128], [%rd1], )" +
         std::to_string(bytes) + R"(, [smem]; // here
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0;
    @!%p2 bra WAIT;
)";
}

TEST(CopyOpsTest, BulkCopiesToSharedMemory) {
  KernelRun run(load(256, 256) + R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 4, %r1;
    ld.shared.u32 %r3, [%r2+128];
    st.global.u32 [%rd2], %r3;)",
                64);
  run.input = makeWords(64, [](uint32_t i) { return ~i; });
  EXPECT_EQ(take(run.runAll(), 64), run.input);
}

TEST(CopyOpsTest, OtherBytesThanWereAnnounced) {
  KernelRun few(load(128, 144));
  few.input.assign(64, 1);
  few.run();
  ASSERT_EQ(few.findings.size(), 1u);
  EXPECT_THAT(few.findings[0].text, HasSubstr("deadlock"));
  EXPECT_THAT(few.findings[0].notes.at(0).text,
              HasSubstr("16 bytes are to come"));
  KernelRun many(load(128, 112));
  many.input.assign(64, 1);
  many.expectFinding(HasSubstr("more bytes have come than were announced: "
                               "phase 0: 1 of 1 arrivals have come, 16 bytes "
                               "too many have come"));
}

TEST(CopyOpsTest, WhatBulkCopiesMustBe) {
  KernelRun odd(load(120, 120));
  odd.input.assign(64, 1);
  odd.expectFinding(HasSubstr("expected a multiple of 16 bytes, got 120"));
  KernelRun beyond(load(272, 272));
  beyond.input.assign(64, 1);
  beyond.expectFinding(HasSubstr(
      "272 bytes of global memory at 0x11000100000 are out of bounds"));
}

TEST(CopyOpsTest, TheEndBeforeACopyWasWaitedFor) {
  KernelRun run(R"(
    mbarrier.init.shared.b64 [smem], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+128], [%rd1], 64, [smem]; // here)",
                1);
  run.input.assign(16, 1);
  run.expectFinding(
      HasSubstr("the CTA ends before anyone has waited for this copy"));
}

/// All threads write a word, and thread 0 stores them.
std::string store(const char *fence, const char *wait = "") {
  return std::string(R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 4, %r1;
    mul.lo.u32 %r3, %r0, 3;
    st.shared.u32 [%r2], %r3; // there
    )") + fence +
         R"(
    bar.sync 0;
    setp.eq.u32 %p1, %r0, 0;
    @!%p1 bra END;
    cp.async.bulk.global.shared::cta.bulk_group [%rd0], [smem], 256; // here
    cp.async.bulk.commit_group;
    )" + wait +
         R"(
  END:
)";
}

TEST(CopyOpsTest, BulkCopiesToGlobalMemory) {
  KernelRun run(
      store("fence.proxy.async.shared::cta;", "cp.async.bulk.wait_group 0;"),
      64);
  EXPECT_EQ(take(run.runAll(), 64),
            makeWords(64, [](uint32_t i) { return 3 * i; }));
}

TEST(CopyOpsTest, WhatThreadsWroteNeedsAFence) {
  KernelRun(store("", "cp.async.bulk.wait_group 0;"), 64)
      .expectFinding(AllOf(HasSubstr("missing fence: a copy in flight reads "
                                     "byte 0 of shared memory after a write "
                                     "by threads"),
                           HasSubstr("fence.proxy.async")));
}

/// Threads write to both memories of a copy; the one that lacks a fence has the
/// comment.
std::string overwrite(const char *fences, bool lacksGlobal) {
  std::string both = "st.global.u32 [%rd2], 1; // there\n" +
                     store(fences, "cp.async.bulk.wait_group 0;");
  size_t place = lacksGlobal ? both.rfind("// there") : both.find("// there");
  return both.erase(place, strlen("// there"));
}

TEST(CopyOpsTest, AFenceIsForTheMemoryThatItNames) {
  for (const char *fences :
       {"fence.proxy.async;",
        "fence.proxy.async.shared::cta;\nfence.proxy.async.global;"})
    KernelRun(overwrite(fences, false), 64).runAll();
  KernelRun(overwrite("fence.proxy.async.shared::cta;", true), 64)
      .expectFinding(AllOf(HasSubstr("missing fence: a copy in flight writes "
                                     "byte 0 of"),
                           HasSubstr("fence.proxy.async")));
  KernelRun(overwrite("fence.proxy.async.global;", false), 64)
      .expectFinding(AllOf(HasSubstr("missing fence: a copy in flight reads "
                                     "byte 0 of shared memory"),
                           HasSubstr("fence.proxy.async")));
}

TEST(CopyOpsTest, ASourceThatIsWrittenBeforeItWasRead) {
  auto body = [](const char *wait) {
    return store("fence.proxy.async;", wait) + "bar.sync 0;\n"
                                               "st.shared.u32 [%r2], 1;";
  };
  KernelRun run(body(""), 64);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text,
              AllOf(HasSubstr("race"), HasSubstr("a copy in flight reads")));
  KernelRun(body("cp.async.bulk.wait_group.read 0;"), 64).runAll();
}

TEST(CopyOpsTest, CopiesOfThreadsThatNobodyWaitsFor) {
  auto body = [](const char *wait) {
    return std::string("cp.async.ca.shared.global [smem], [%rd1], 4; // here\n"
                       "cp.async.commit_group;\n") +
           wait;
  };
  KernelRun run(body(""), 1);
  run.input = {1};
  run.expectFinding(
      HasSubstr("the CTA ends before anyone has waited for this copy"));
  KernelRun repaired(body("cp.async.wait_group 0;"), 1);
  repaired.input = {1};
  repaired.runAll();
}

TEST(CopyOpsTest, ASourceThatMayBeGone) {
  for (tessera::sim::Order order :
       {tessera::sim::Order::Program, tessera::sim::Order::Late}) {
    KernelRun run(store("fence.proxy.async;"), 64);
    run.run(order);
    ASSERT_EQ(run.findings.size(), 1u);
    EXPECT_EQ(run.findings[0].text,
              "the CTA ends before anyone has waited for this copy");
  }
}

TEST(CopyOpsTest, WhatIsRefused) {
  for (const char *text :
       {"cp.async.ca.shared.global [%r1], [%rd1], 12;",
        "cp.async.mbarrier.arrive.shared.b64 [smem];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%r1], [%rd1], 16, [%r2], %h1;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], "
        "[%r1], 16;"})
    EXPECT_THAT(KernelRun(text).getError(), testing::StartsWith("5:1: "))
        << text;
}

} // namespace
