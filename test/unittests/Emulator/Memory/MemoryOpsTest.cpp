//===- MemoryOpsTest.cpp - Loads and stores -------------------------------===//
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

TEST(MemoryOpsTest, LoadsExtendByTheirType) {
  KernelRun run(R"(
    ld.global.u8 %r1, [%rd1];
    ld.global.s8 %r2, [%rd1];
    ld.global.u16 %r3, [%rd1+2];
    ld.global.s16 %r4, [%rd1+2];
    ld.global.s8 %h1, [%rd1+1];
    cvt.u32.u16 %r5, %h1;
    ld.global.s32 %rd3, [%rd1];
    ld.global.u32 %rd4, [%rd1];
    ld.global.b8 %r6, [%rd1+3];
    st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
    st.global.v2.b32 [%rd0+16], {%r5, %r6};
    st.global.v2.u64 [%rd0+32], {%rd3, %rd4};)",
                1);
  run.input = {0xfedc80f1};
  EXPECT_THAT(take(run.runAll(), 12),
              ElementsAre(0xf1u, 0xfffffff1u, 0xfedcu, 0xfffffedcu, 0xff80u,
                          0xfeu, 0u, 0u, 0xfedc80f1u, 0xffffffffu, 0xfedc80f1u,
                          0u));
}

TEST(MemoryOpsTest, StoresTakeTheLowBits) {
  KernelRun run(R"(
    mov.u32 %r1, 0x12345678;
    mov.b64 %rd3, 0x1122334455667788;
    st.global.u8 [%rd0+1], %r1;
    st.global.u16 [%rd0+6], %r1;
    st.global.v4.u8 [%rd0+8], {%r1, %rd3, %r1, %rd3};
    st.global.v2.b16 [%rd0+12], {%r1, %rd3};
    st.global.b64 [%rd0+16], %rd3;
    st.global.u32 [%rd0+24], %rd3;
    st.global.f32 [%rd0+28], 0f3F800000;
    st.global.f64 [%rd0+32], 0d3FF0000000000000;)",
                1);
  EXPECT_THAT(take(run.runAll(), 10),
              ElementsAre(0x7800u, 0x56780000u, 0x88788878u, 0x77885678u,
                          0x55667788u, 0x11223344u, 0x55667788u, 0x3f800000u,
                          0u, 0x3ff00000u));
}

TEST(MemoryOpsTest, Vectors) {
  KernelRun run(R"(
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    ld.global.v2.b64 {%rd3, %rd4}, [%rd1+16];
    ld.global.nc.v2.u32 {%r1, _}, [%rd1+8];
    ld.global.v4.u8 {%r2, %r3, %r4, %r5}, [%rd1+4];
    ld.global.v2.s16 {%r6, %r7}, [%rd1+20];
    st.shared.v4.f32 [smem], {%f4, %f3, %f2, %f1};
    st.shared.v2.b64 [smem+16], {%rd4, %rd3};
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [smem+16];
    st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [smem];
    st.global.v4.u32 [%rd0+16], {%r10, %r11, %r12, %r13};
    st.global.v4.u32 [%rd0+32], {%r2, %r3, %r4, %r5};
    st.global.v2.u32 [%rd0+48], {%r6, %r7};
    st.global.u32 [%rd0+56], %r1;)",
                1);
  run.input = {1, 0x04030201, 3, 4, 5, 0x80017fff, 7, 8};
  EXPECT_THAT(take(run.runAll(), 15),
              ElementsAre(7u, 8u, 5u, 0x80017fffu, 4u, 3u, 0x04030201u, 1u, 1u,
                          2u, 3u, 4u, 0x7fffu, 0xffff8001u, 3u));
}

TEST(MemoryOpsTest, ParametersConstantsAndGlobals) {
  KernelRun run(R"(
    mov.b64 %rd3, map;
    ld.param.b32 %r1, [map+124];
    cvta.param.u64 %rd4, %rd3;
    ld.b32 %r2, [%rd4+124];
    ld.param::entry.b32 %r3, [%rd3+124];
    ld.const.u32 %r4, [table+4];
    mov.u64 %rd5, table;
    cvta.const.u64 %rd6, %rd5;
    ld.u32 %r5, [%rd6+8];
    ld.global.u32 %r6, [counter];
    add.u32 %r7, %r6, 5;
    st.global.u32 [counter], %r7;
    cvta.global.u64 %rd7, %rd5;
    mov.u64 %rd8, counter;
    ld.volatile.global.u32 %r8, [%rd8];
    ld.global.u32 %r9, [zeros+12];
    st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
    st.global.v4.u32 [%rd0+16], {%r5, %r6, %r8, %r9};)",
                1);
  run.variables = ".const .align 4 .u32 table[3] = {11, 22, 33};\n"
                  ".global .align 4 .u32 counter = 40;\n"
                  ".global .align 4 .b8 zeros[16];\n";
  run.map[124] = 77;
  EXPECT_THAT(take(run.runAll(), 8),
              ElementsAre(77u, 77u, 77u, 22u, 33u, 40u, 45u, 0u));
}

TEST(MemoryOpsTest, GenericAddresses) {
  KernelRun run(R"(
    mov.u32 %r1, smem;
    cvt.u64.u32 %rd3, %r1;
    cvta.shared.u64 %rd4, %rd3;
    mov.u32 %r2, 99;
    st.u32 [%rd4+8], %r2;
    ld.shared.u32 %r3, [smem+8];
    cvta.to.shared.u64 %rd5, %rd4;
    ld.shared.u32 %r4, [%rd5+8];
    cvta.to.global.u64 %rd6, %rd0;
    ld.u32 %r5, [%rd1];
    isspacep.shared %p1, %rd4;
    isspacep.shared::cta %p2, %rd0;
    isspacep.global %p3, %rd0;
    isspacep.global %p4, %rd4;
    selp.u32 %r6, 1, 0, %p1;
    selp.u32 %r7, 1, 0, %p2;
    selp.u32 %r8, 1, 0, %p3;
    selp.u32 %r9, 1, 0, %p4;
    st.u32 [%rd6], %r3;
    st.u32 [%rd0+4], %r4;
    st.u32 [%rd0+8], %r5;
    st.global.v4.u32 [%rd0+16], {%r6, %r7, %r8, %r9};)",
                1);
  run.input = {123};
  EXPECT_THAT(take(run.runAll(), 8),
              ElementsAre(99u, 99u, 123u, 0u, 1u, 0u, 1u, 0u));
}

TEST(MemoryOpsTest, SharedMemoryOfAnotherBlock) {
  // Each block of a cluster of four writes into the next one.
  KernelRun run(R"(
    mov.u32 %r1, %cluster_ctarank;
    add.u32 %r2, %r1, 1;
    and.b32 %r2, %r2, 3;
    mov.u32 %r3, smem;
    mapa.shared::cluster.u32 %r4, %r3, %r2;
    mul.lo.u32 %r5, %r1, 111;
    st.shared::cluster.u32 [%r4+16], %r5;
    cvt.u64.u32 %rd3, %r3;
    cvta.shared.u64 %rd3, %rd3;
    mapa.u64 %rd4, %rd3, %r2;
    add.u32 %r6, %r5, 1;
    st.u32 [%rd4+20], %r6;
    mapa.shared::cluster.u32 %r7, %r3, %r1;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %r8, [smem+16];
    ld.shared::cluster.u32 %r9, [%r7+20];
    mul.wide.u32 %rd5, %r1, 8;
    add.s64 %rd5, %rd5, %rd0;
    st.global.v2.u32 [%rd5], {%r8, %r9};
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;)",
                1);
  run.config.grid[0] = run.config.cluster[0] = 4;
  EXPECT_THAT(take(run.runAll(), 8),
              ElementsAre(333u, 334u, 0u, 1u, 111u, 112u, 222u, 223u));
}

TEST(MemoryOpsTest, ExternArraysComeAfterTheStaticOnes) {
  KernelRun run(R"(
    mov.u32 %r1, smem;
    mov.u32 %r2, dyn;
    sub.u32 %r3, %r2, %r1;
    mov.u32 %r4, 3;
    st.shared.u32 [dyn+60], %r4;
    ld.shared.u32 %r5, [%r1+8252];
    st.global.v2.u32 [%rd0], {%r3, %r5};)",
                1);
  run.variables = ".extern .shared .align 128 .b8 dyn[];\n";
  run.config.dynamicSharedBytes = 64;
  EXPECT_THAT(take(run.runAll(), 2), ElementsAre(8192u, 3u));
}

TEST(MemoryOpsTest, WhatIsRefused) {
  const char *refused[] = {
      "ld.global.b128 %rd3, [%rd0];",
      "st.global.b128 [%rd0], %rd3;",
      "ld.global.v4.b64 {%rd3, %rd4, %rd5, %rd6}, [%rd0];",
      "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd0];",
      "ld.global.v2.u32 %r1, [%rd0];",
      "ld.global.u32 %r1, %rd0;",
      "st.async.shared::cluster.b32 [%r1], %r2, [%r3];",
      "atom.global.cas.b128 %rd3, [%rd0], %rd4, %rd5;",
      "red.global.add.v8.f32 [%rd0], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
      "mov.b128 %rd3, {%rd4, %rd5};"};
  for (const char *text : refused)
    EXPECT_THAT(KernelRun(text).getError(), testing::StartsWith("5:1: "))
        << text;
}

} // namespace
