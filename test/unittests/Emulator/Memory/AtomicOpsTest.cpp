//===- AtomicOpsTest.cpp - atom and red -----------------------------------===//
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

/// One thread; the words before, and the result of the atom at word 8.
std::vector<uint32_t> apply(llvm::StringRef name, llvm::StringRef operands,
                            std::vector<uint32_t> before) {
  KernelRun run("atom.global." + llvm::Twine(name) + " %r1, [%rd0], " +
                    operands + ";\n st.global.u32 [%rd0+32], %r1;",
                1);
  before.resize(9, 0);
  run.output = before;
  std::vector<uint32_t> result = run.runAll();
  return {result[0], result[8]};
}

TEST(AtomicOpsTest, EachOperationAndWhatItReturns) {
  EXPECT_THAT(apply("add.u32", "7", {0xfffffffe}), ElementsAre(5u, ~1u));
  EXPECT_THAT(apply("add.s32", "-7", {3}), ElementsAre(uint32_t(-4), 3u));
  EXPECT_THAT(apply("relaxed.gpu.global.add.u32", "1", {3}),
              ElementsAre(4u, 3u));
  EXPECT_THAT(apply("exch.b32", "9", {3}), ElementsAre(9u, 3u));
  EXPECT_THAT(apply("cas.b32", "3, 8", {3}), ElementsAre(8u, 3u));
  EXPECT_THAT(apply("cas.b32", "4, 8", {3}), ElementsAre(3u, 3u));
  EXPECT_THAT(apply("min.s32", "-1", {5}), ElementsAre(~0u, 5u));
  EXPECT_THAT(apply("min.u32", "-1", {5}), ElementsAre(5u, 5u));
  EXPECT_THAT(apply("max.s32", "-1", {5}), ElementsAre(5u, 5u));
  EXPECT_THAT(apply("max.u32", "-1", {5}), ElementsAre(~0u, 5u));
  EXPECT_THAT(apply("max.s32", "5", {0x80000000}),
              ElementsAre(5u, 0x80000000u));
  EXPECT_THAT(apply("and.b32", "12", {10}), ElementsAre(8u, 10u));
  EXPECT_THAT(apply("or.b32", "12", {10}), ElementsAre(14u, 10u));
  EXPECT_THAT(apply("xor.b32", "12", {10}), ElementsAre(6u, 10u));
  // inc: (old >= b) ? 0 : old + 1; dec: (old == 0 || old > b) ? b : old - 1.
  EXPECT_THAT(apply("inc.u32", "3", {2}), ElementsAre(3u, 2u));
  EXPECT_THAT(apply("inc.u32", "3", {3}), ElementsAre(0u, 3u));
  EXPECT_THAT(apply("inc.u32", "3", {9}), ElementsAre(0u, 9u));
  EXPECT_THAT(apply("dec.u32", "3", {3}), ElementsAre(2u, 3u));
  EXPECT_THAT(apply("dec.u32", "3", {0}), ElementsAre(3u, 0u));
  EXPECT_THAT(apply("dec.u32", "3", {4}), ElementsAre(3u, 4u));
}

TEST(AtomicOpsTest, FloatsAndWideWords) {
  KernelRun run(R"(
    mov.f32 %f1, 0f40000000;
    atom.global.add.f32 %f2, [%rd0], %f1;
    mov.f64 %d1, 0d3FF0000000000000;
    atom.global.add.f64 %d2, [%rd0+8], %d1;
    mov.b32 %r1, 0x3c004000;
    atom.global.add.noftz.f16x2 %r2, [%rd0+16], %r1;
    mov.b32 %r3, 0x3f804000;
    red.global.add.noftz.bf16x2 [%rd0+20], %r3;
    atom.global.add.u64 %rd3, [%rd0+24], 1;
    atom.global.cas.b64 %rd4, [%rd0+32], 0x200000001, -1;
    atom.global.max.s64 %rd5, [%rd0+40], 5;
    mov.b16 %h1, 0x3c00;
    atom.global.add.noftz.f16 %h2, [%rd0+50], %h1;
    st.global.f32 [%rd0+64], %f2;
    st.global.f64 [%rd0+72], %d2;
    st.global.b32 [%rd0+80], %r2;
    st.global.b64 [%rd0+88], %rd3;
    st.global.b64 [%rd0+96], %rd4;
    st.global.b64 [%rd0+104], %rd5;)",
                1);
  run.output.assign(32, 0);
  run.output[0] = 0x3f800000; // 1
  run.output[3] = 0x40000000; // 2 of f64
  run.output[4] = 0x40003c00; // 2, 1 of f16
  run.output[5] = 0x40003f80; // 2, 1 of bf16
  run.output[6] = 0xffffffff;
  run.output[8] = 1;
  run.output[9] = 2;
  run.output[10] = run.output[11] = 0xffffffff;
  run.output[12] = 0x40000000;
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(result[0], 0x40400000u);
  EXPECT_EQ(result[3], 0x40080000u);
  EXPECT_EQ(result[4], 0x42004200u); // 3, 3
  EXPECT_EQ(result[5], 0x40404040u); // 3, 3
  EXPECT_EQ(result[6], 0u);
  EXPECT_EQ(result[7], 1u);
  EXPECT_EQ(result[8], ~0u);
  EXPECT_EQ(result[9], ~0u);
  EXPECT_EQ(result[10], 5u);
  EXPECT_EQ(result[11], 0u);
  EXPECT_EQ(result[12], 0x42000000u);
  EXPECT_EQ(result[16], 0x3f800000u);
  EXPECT_EQ(result[19], 0x40000000u);
  EXPECT_EQ(result[20], 0x40003c00u);
  EXPECT_EQ(result[22], ~0u);
  EXPECT_EQ(result[24], 1u);
  EXPECT_EQ(result[26], ~0u);
}

TEST(AtomicOpsTest, SubnormalSumsAreFlushedInGlobalMemoryOnly) {
  KernelRun run(R"(
    mov.b32 %r1, 0x80000001;
    st.shared.u32 [smem], 0x00000003;
    red.shared.add.f32 [smem], 0f80000001;
    red.global.add.f32 [%rd0], 0f80000001;
    ld.shared.u32 %r2, [smem];
    st.global.u32 [%rd0+4], %r2;)",
                1);
  run.output[0] = 3;
  EXPECT_THAT(take(run.runAll(), 2), ElementsAre(0u, 2u));
}

TEST(AtomicOpsTest, ThreadsAndWarpsAddUp) {
  KernelRun run(R"(
    setp.eq.u32 %p1, %r0, 0;
    mov.u32 %r1, 0;
    @%p1 st.shared.u32 [smem], %r1;
    bar.sync 0;
    atom.shared.add.u32 %r2, [smem], 1;
    red.global.add.u32 [%rd0+512], %r0;
    bar.sync 0;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd3, %rd3, %rd0;
    st.global.u32 [%rd3], 1;
    ld.shared.u32 %r3, [smem];
    @%p1 st.global.u32 [%rd0+516], %r3;)",
                128);
  std::vector<uint32_t> result = run.runAll();
  // Each number was given once.
  EXPECT_EQ(take(result, 128), std::vector<uint32_t>(128, 1));
  EXPECT_EQ(result[128], 127u * 64);
  EXPECT_EQ(result[129], 128u);
}

TEST(AtomicOpsTest, BlocksOfTheGridMayAddToOnePlace) {
  KernelRun run("red.global.add.u32 [%rd0], 1;");
  run.config.grid[0] = 5;
  EXPECT_EQ(run.runAll()[0], 160u);
}

TEST(AtomicOpsTest, Vectors) {
  KernelRun run(R"(
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, 0f40000000;
    red.global.add.v4.f32 [%rd0], {%f1, %f2, %f1, %f2};
    atom.global.v2.f32.add {%f3, %f4}, [%rd0+16], {%f1, %f2};
    st.global.v2.f32 [%rd0+32], {%f3, %f4};)",
                1);
  std::fill_n(run.output.begin(), 6, 0x3f800000);
  EXPECT_THAT(take(run.runAll(), 10),
              ElementsAre(0x40000000u, 0x40400000u, 0x40000000u, 0x40400000u,
                          0x40000000u, 0x40400000u, 0u, 0u, 0x3f800000u,
                          0x3f800000u));
}

TEST(AtomicOpsTest, ALockIsAskedForUntilItIsFree) {
  // One thread of each of four warps; who has the lock lets others come.
  KernelRun run(R"(
    and.b32 %r1, %r0, 31;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
  TRY:
    atom.acquire.gpu.global.cas.b32 %r2, [%rd0], 0, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra TRY;
    red.global.add.u32 [%rd0+4], 1;
    red.global.add.u32 [%rd0+4], 1;
    atom.release.gpu.global.exch.b32 %r4, [%rd0], 0;)",
                128);
  Options options;
  for (auto order : {tessera::sim::Order::Program, tessera::sim::Order::Late,
                     tessera::sim::Order::Early, tessera::sim::Order::Chosen}) {
    options.order = order;
    options.stepLimit = 10000;
    std::vector<uint32_t> result = run.run(options);
    ASSERT_TRUE(run.findings.empty()) << run.findings[0].text;
    EXPECT_THAT(take(result, 2), ElementsAre(0u, 8u));
  }
  EXPECT_THAT(take(run.runAll(), 2), ElementsAre(0u, 8u));
}

} // namespace
