//===- SpecialRegisterTest.cpp - Which thread, block, cluster -------------===//
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

TEST(SpecialRegisterTest, ThreadsOfABlockAreNumberedAlongXFirst) {
  // 5 x 3 x 4 threads: 60, the last warp has 28.
  KernelRun run(R"(
    mov.u32 %r1, %tid.y;
    mov.u32 %r2, %tid.z;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ntid.y;
    mad.lo.u32 %r5, %r2, %r4, %r1;
    mad.lo.u32 %r5, %r5, %r3, %r0;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd3, %rd3, %rd0;
    mad.lo.u32 %r6, %r2, 10, %r1;
    mad.lo.u32 %r6, %r6, 10, %r0;
    mov.u32 %r7, %laneid;
    mov.u32 %r8, %warpid;
    mov.u32 %r9, %nwarpid;
    mov.u32 %r10, %ntid.z;
    mad.lo.u32 %r11, %r8, 100, %r7;
    mad.lo.u32 %r12, %r9, 100, %r10;
    mad.lo.u32 %r11, %r12, 1000, %r11;
    st.global.u32 [%rd3], %r6;
    st.global.u32 [%rd3+240], %r11;)",
                5);
  run.config.block[1] = 3;
  run.config.block[2] = 4;
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 60; ++i) {
    EXPECT_EQ(result[i], i / 15 * 100 + i / 5 % 3 * 10 + i % 5) << i;
    EXPECT_EQ(result[60 + i], 204000 + i / 32 * 100 + i % 32) << i;
  }
}

TEST(SpecialRegisterTest, BlocksAndClustersInThreeDimensions) {
  // A grid of 4 x 4 x 2 in clusters of 2 x 2 x 1; each block writes six words.
  KernelRun run(R"(
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %ctaid.z;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %nctaid.y;
    mad.lo.u32 %r6, %r3, %r5, %r2;
    mad.lo.u32 %r6, %r6, %r4, %r1;
    mul.wide.u32 %rd3, %r6, 24;
    add.s64 %rd3, %rd3, %rd0;
    mov.u32 %r7, %clusterid.x;
    mov.u32 %r8, %clusterid.y;
    mov.u32 %r9, %clusterid.z;
    mad.lo.u32 %r7, %r8, 10, %r7;
    mad.lo.u32 %r7, %r9, 100, %r7;
    st.global.u32 [%rd3], %r7;
    mov.u32 %r7, %cluster_ctaid.x;
    mov.u32 %r8, %cluster_ctaid.y;
    mov.u32 %r9, %cluster_ctaid.z;
    mad.lo.u32 %r7, %r8, 10, %r7;
    mad.lo.u32 %r7, %r9, 100, %r7;
    st.global.u32 [%rd3+4], %r7;
    mov.u32 %r7, %cluster_ctarank;
    st.global.u32 [%rd3+8], %r7;
    mov.u32 %r7, %cluster_nctarank;
    st.global.u32 [%rd3+12], %r7;
    mov.u32 %r7, %nclusterid.x;
    mov.u32 %r8, %nclusterid.y;
    mov.u32 %r9, %nclusterid.z;
    mad.lo.u32 %r7, %r8, 10, %r7;
    mad.lo.u32 %r7, %r9, 100, %r7;
    st.global.u32 [%rd3+16], %r7;
    mov.u32 %r7, %cluster_nctaid.x;
    mov.u32 %r8, %cluster_nctaid.y;
    mov.u32 %r9, %nctaid.z;
    mad.lo.u32 %r7, %r8, 10, %r7;
    mad.lo.u32 %r7, %r9, 100, %r7;
    st.global.u32 [%rd3+20], %r7;)",
                1);
  unsigned grid[] = {4, 4, 2}, cluster[] = {2, 2, 1};
  std::copy_n(grid, 3, run.config.grid);
  std::copy_n(cluster, 3, run.config.cluster);
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t x = i % 4, y = i / 4 % 4, z = i / 16;
    EXPECT_EQ(result[6 * i], x / 2 + y / 2 * 10 + z * 100) << i;
    EXPECT_EQ(result[6 * i + 1], x % 2 + y % 2 * 10) << i;
    EXPECT_EQ(result[6 * i + 2], x % 2 + y % 2 * 2) << i;
    EXPECT_EQ(result[6 * i + 3], 4u) << i;
    EXPECT_EQ(result[6 * i + 4], 222u) << i;
    EXPECT_EQ(result[6 * i + 5], 222u) << i;
  }
  EXPECT_EQ(run.statistics.ctas, 32u);
}

TEST(SpecialRegisterTest, MasksOfLanes) {
  KernelRun run(R"(
    mov.u32 %r1, %lanemask_eq;
    st.global.u32 [%rd2], %r1;
    mov.u32 %r1, %lanemask_le;
    st.global.u32 [%rd2+128], %r1;
    mov.u32 %r1, %lanemask_lt;
    st.global.u32 [%rd2+256], %r1;
    mov.u32 %r1, %lanemask_ge;
    st.global.u32 [%rd2+384], %r1;
    mov.u32 %r1, %lanemask_gt;
    st.global.u32 [%rd2+512], %r1;)");
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t eq = 0, le = 0, lt = 0, ge = 0, gt = 0;
    for (uint32_t j = 0; j < 32; ++j) {
      eq |= uint32_t(j == i) << j;
      le |= uint32_t(j <= i) << j;
      lt |= uint32_t(j < i) << j;
      ge |= uint32_t(j >= i) << j;
      gt |= uint32_t(j > i) << j;
    }
    EXPECT_EQ(result[i], eq);
    EXPECT_EQ(result[32 + i], le);
    EXPECT_EQ(result[64 + i], lt);
    EXPECT_EQ(result[96 + i], ge);
    EXPECT_EQ(result[128 + i], gt);
  }
}

TEST(SpecialRegisterTest, SharedMemoryWithoutWhatTheSystemKeeps) {
  KernelRun run(R"(
    mov.u32 %r1, %total_smem_size;
    mov.u32 %r2, %dynamic_smem_size;
    st.global.v2.u32 [%rd0], {%r1, %r2};)",
                1);
  run.config.dynamicSharedBytes = 512;
  EXPECT_THAT(take(run.runAll(), 2), ElementsAre(8192u + 512, 512u));
}

TEST(SpecialRegisterTest, LaunchesThatAreImpossible) {
  KernelRun run("ret;");
  run.config.block[0] = 1025;
  EXPECT_THAT(run.getError(), HasSubstr("1025 threads"));
  for (unsigned &extent : run.config.block)
    extent = 1u << 31;
  EXPECT_THAT(run.getError(), HasSubstr("threads"));
  run.config.block[0] = run.config.block[1] = run.config.block[2] = 1;
  run.config.grid[1] = 3;
  run.config.cluster[1] = 2;
  EXPECT_THAT(run.getError(), HasSubstr("no multiple of the cluster"));
  run.config.cluster[1] = 0;
  EXPECT_THAT(run.getError(), HasSubstr("empty"));
  run.config.cluster[1] = 1;
  run.config.dynamicSharedBytes = 232448;
  EXPECT_THAT(run.getError(), HasSubstr("240640 bytes of shared memory"));
}

} // namespace
