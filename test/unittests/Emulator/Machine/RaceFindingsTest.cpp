//===- RaceFindingsTest.cpp - Accesses that nothing orders ----------------===//
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

/// Warps 0 and 1 do one thing each at thread 0 and 32.
std::string makeSides(const char *first, const char *second,
                      const char *between = "") {
  return std::string("setp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r0, 32;\n"
                     "@%p1 ") +
         first + " // there\n" + between + "\n@%p2 " + second + " // here\n";
}

TEST(RaceFindingsTest, WritesOfTwoWarps) {
  for (const char *space : {"global.u32 [%rd0]", "shared.u32 [smem]"}) {
    std::string first = std::string("st.") + space + ", 1;";
    std::string second = std::string("st.") + space + ", 2;";
    KernelRun(makeSides(first.c_str(), second.c_str()), 64)
        .expectFinding(AllOf(HasSubstr("race: warp"),
                             HasSubstr("writes byte 0 of"),
                             HasSubstr("nothing orders this and what warp"),
                             HasSubstr("writes there")));
    KernelRun(makeSides(first.c_str(), second.c_str(), "bar.sync 0;"), 64)
        .runAll();
  }
}

TEST(RaceFindingsTest, ReadsAndWritesOfTwoWarps) {
  KernelRun(makeSides("st.global.u32 [%rd0], 1;", "ld.global.u32 %r1, [%rd0];"),
            64)
      .expectFinding(HasSubstr("race"));
  KernelRun(makeSides("st.global.u32 [%rd0], 1;", "ld.global.u32 %r1, [%rd0];",
                      "bar.sync 0;"),
            64)
      .runAll();
  const std::string init = "st.shared.u32 [smem], 0;\nbar.sync 0;\n";
  KernelRun(init + makeSides("st.shared.u32 [smem], 1;",
                             "ld.shared.u32 %r1, [smem];"),
            64)
      .expectFinding(HasSubstr("byte 0 of shared memory"));
  KernelRun(init + makeSides("st.shared.u32 [smem], 1;",
                             "ld.shared.u32 %r1, [smem];", "bar.sync 0;"),
            64)
      .runAll();
  // Another byte.
  KernelRun(
      makeSides("st.global.u8 [%rd0+3], 1;", "ld.global.u8 %r1, [%rd0+2];"), 64)
      .runAll();
}

TEST(RaceFindingsTest, EqualValuesSideBySide) {
  // As warps do that hold copies of an element.
  KernelRun("st.global.u32 [%rd0], 7;\n st.shared.u32 [smem], 7;", 128)
      .runAll();
  KernelRun run("mov.u32 %r1, %ctaid.x;\n mul.lo.u32 %r1, %r1, 0;\n"
                "st.global.u32 [%rd0], %r1;",
                64);
  run.config.grid[0] = 3;
  run.runAll();
}

TEST(RaceFindingsTest, AtomicAndOtherAccesses) {
  KernelRun both(makeSides("red.global.add.u32 [%rd0], 1;",
                           "red.global.add.u32 [%rd0], 2;"),
                 64);
  EXPECT_EQ(both.runAll()[0], 3u);
  KernelRun(
      makeSides("red.global.add.u32 [%rd0], 1;", "ld.global.u32 %r1, [%rd0];"),
      64)
      .expectFinding(HasSubstr("race"));
  KernelRun(
      makeSides("red.global.add.u32 [%rd0], 1;", "st.global.u32 [%rd0], 5;"),
      64)
      .expectFinding(HasSubstr("race"));
}

TEST(RaceFindingsTest, ClustersRunSideBySide) {
  auto expect = [](const char *body, unsigned cluster, const char *text) {
    KernelRun run(body, 32);
    run.config.grid[0] = 4;
    run.config.cluster[0] = cluster;
    run.expectFinding(AllOf(HasSubstr(text), HasSubstr("programs of a grid "
                                                       "are not ordered")));
  };
  expect("mov.u32 %r1, %ctaid.x;\n st.global.u32 [%rd0], %r1; // here", 1,
         "race: CTA 1 writes byte 0 of an allocation, which CTA 0 writes");
  expect(
      "mov.u32 %r1, %clusterid.x;\n st.global.u32 [%rd0], %r1; // here", 2,
      "race: cluster 1 writes byte 0 of an allocation, which cluster 0 writes");
  expect("mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, 2;\n"
         "ld.global.u32 %r2, [%rd0];\n @%p1 st.global.u32 [%rd0], 9; // here",
         1, "which several other CTAs read");
  // Each its own.
  KernelRun run("mov.u32 %r1, %ctaid.x;\n mul.wide.u32 %rd3, %r1, 128;\n"
                "add.s64 %rd3, %rd3, %rd2;\n st.global.u32 [%rd3], %r1;\n"
                "ld.global.u32 %r2, [%rd3];");
  run.config.grid[0] = 4;
  EXPECT_EQ(run.runAll(),
            makeWords(256, [](uint32_t i) { return i < 128 ? i / 32 : 0; }));
}

TEST(RaceFindingsTest, BlocksOfOneCluster) {
  KernelRun run("mov.u32 %r1, %ctaid.x;\n st.global.u32 [%rd0], %r1; // here",
                32);
  run.config.grid[0] = run.config.cluster[0] = 2;
  run.expectFinding(AllOf(HasSubstr("race"), HasSubstr("of CTA")));
  // Ordered by the barrier of the cluster, unless it is relaxed.
  for (bool isRelaxed : {false, true}) {
    std::string arrive = std::string("barrier.cluster.arrive") +
                         (isRelaxed ? ".relaxed" : "") + ";\n";
    KernelRun ordered("mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, 0;\n"
                      "@%p1 st.global.u32 [%rd0], 1;\n" +
                          arrive +
                          "barrier.cluster.wait;\n"
                          "@!%p1 st.global.u32 [%rd0], 2; // here",
                      32);
    ordered.config.grid[0] = ordered.config.cluster[0] = 2;
    if (isRelaxed) {
      ordered.run();
      ASSERT_EQ(ordered.findings.size(), 1u);
      EXPECT_THAT(ordered.findings[0].text, HasSubstr("race"));
    } else {
      EXPECT_EQ(ordered.runAll()[0], 2u);
    }
  }
}

TEST(RaceFindingsTest, SharedMemoryOfABlockThatHasEnded) {
  KernelRun run(R"(
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r2, smem;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    @%p1 ret;
    st.shared::cluster.u32 [%r3], 1; // here)",
                1);
  run.config.grid[0] = run.config.cluster[0] = 2;
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].text,
              HasSubstr("uses the shared memory of CTA 0, which has ended"));
}

TEST(RaceFindingsTest, RepairedByAnMbarrier) {
  auto body = [](bool waits) {
    return std::string(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 32;
    bar.sync 0;
    setp.ge.u32 %p2, %r0, 32;
    @%p2 bra READS;
    st.global.u32 [%rd2], %r0; // there
    mbarrier.arrive.shared.b64 _, [smem];
    ret;
  READS:
    )") +
           (waits ? R"(mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    @!%p3 bra READS;)"
                  : "") +
           R"(
    ld.global.u32 %r1, [%rd2+-128]; // here
    st.global.u32 [%rd2], %r1;)";
  };
  EXPECT_EQ(take(KernelRun(body(true), 64).runAll(), 64),
            makeWords(64, [](uint32_t i) { return i % 32; }));
  KernelRun(body(false), 64).expectFinding(HasSubstr("race"));
}

} // namespace
