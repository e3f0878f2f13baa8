//===- TensorCopyOpsTest.cpp - Copies of boxes of tensors -----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include "tessera/Emulator/TensorMap.h"

using namespace tessera::emu;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// 10 rows of 8 words at `address`, in boxes of 4 x 4.
std::vector<uint8_t> makeMap(uint64_t address, int type = 2) {
  TensorMap map;
  map.type = type; // CU_TENSOR_MAP_DATA_TYPE_UINT32
  map.rank = 2;
  map.address = address;
  map.dims = {6, 10};
  map.strides = {32};
  map.box = {4, 4};
  map.elementStrides = {1, 1};
  EXPECT_EQ(llvm::toString(map.verify()), "");
  auto bytes = map.encode();
  return {bytes.begin(), bytes.end()};
}

constexpr const char *kStart = R"(
    mov.b64 %rd3, map;
    cvta.param.u64 %rd3, %rd3;
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 4, %r1;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem+1024], 1;
    mov.u32 %r10, 4;
    mov.u32 %r11, 8;
    mov.u32 %r12, -4;
    bar.sync 0;
)";

/// Returns a loaded box: rows of four, with zeros out of bounds. The tensor has
/// six columns, and rows of 32 bytes.
std::vector<uint32_t> getBox(llvm::ArrayRef<uint32_t> tensor, int x, int y) {
  return makeWords(16, [&](int i) {
    int column = x + i % 4, row = y + i / 4;
    bool isInside = column >= 0 && column < 6 && row >= 0 && row < 10;
    return isInside ? tensor[8 * row + column] : 0;
  });
}

TEST(TensorCopyOpsTest, LoadsABoxAlsoWhereItIsOutOfBounds) {
  KernelRun run(std::string(kStart) + R"(
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem+1024], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
      [smem], [%rd3, {%r10, %r11}], [smem+1024];
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
      [smem+128], [%rd3, {%r12, 1}], [smem+1024];
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem+1024], 0;
    @!%p2 bra WAIT;
    setp.ge.u32 %p3, %r0, 16;
    @%p3 ret;
    ld.shared.u32 %r3, [%r2];
    ld.shared.u32 %r4, [%r2+128];
    st.global.u32 [%rd2], %r3;
    st.global.u32 [%rd2+64], %r4;)");
  run.input = makeWords(80, [](uint32_t i) { return i + 100; });
  run.map = makeMap(run.getInputAddress());
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(take(result, 16), getBox(run.input, 4, 8));
  result.erase(result.begin(), result.begin() + 16);
  EXPECT_EQ(take(result, 16), getBox(run.input, -4, 1));
}

TEST(TensorCopyOpsTest, BarriersThatNobodyHasFenced) {
  auto body = [](const char *fence) {
    return std::string(kStart) + fence + R"(
    bar.sync 0;
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem+1024], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%rd3, {0, 0}], [smem+1024]; // here
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem+1024], 0;
    @!%p2 bra WAIT;)";
  };
  Options strict;
  strict.hasStrictMbarriers = true;
  auto countFindings = [&](const char *fence, const Options &options) {
    KernelRun run(body(fence), 64);
    run.input = makeWords(80, [](uint32_t i) { return i; });
    run.map = makeMap(run.getInputAddress());
    run.run(options);
    for (const Finding &finding : run.findings)
      EXPECT_THAT(finding.text,
                  HasSubstr("missing fence: a copy completes at an mbarrier "
                            "whose maker has not fenced it; expected a "
                            "fence.mbarrier_init after the mbarrier.init"));
    return run.findings.size();
  };
  EXPECT_EQ(countFindings("", {}), 0u);
  EXPECT_EQ(countFindings("", strict), 1u);
  EXPECT_EQ(countFindings("fence.mbarrier_init.release.cluster;", strict), 0u);
  EXPECT_EQ(countFindings("fence.proxy.async.shared::cta;", strict), 0u);
  // That of another warp is none.
  EXPECT_EQ(countFindings("setp.ge.u32 %p4, %r0, 32;\n"
                          "@%p4 fence.mbarrier_init.release.cluster;",
                          strict),
            1u);
}

TEST(TensorCopyOpsTest, OneCopyForTwoBlocks) {
  KernelRun run(std::string(kStart) + R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem+1024], 64;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r5, %cluster_ctarank;
    setp.eq.u32 %p4, %r5, 0;
    and.pred %p4, %p4, %p1;
    mov.b16 %h1, 3;
    @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
      [smem], [%rd3, {4, 2}], [smem+1024], %h1;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem+1024], 0;
    @!%p2 bra WAIT;
    setp.ge.u32 %p3, %r0, 16;
    ld.shared.u32 %r3, [smem+60];
    @!%p3 ld.shared.u32 %r3, [%r2];
    mul.wide.u32 %rd4, %r5, 64;
    add.s64 %rd4, %rd4, %rd2;
    @!%p3 st.global.u32 [%rd4], %r3;
    barrier.cluster.arrive;
    barrier.cluster.wait;)");
  run.config.grid[0] = run.config.cluster[0] = 2;
  run.input = makeWords(80, [](uint32_t i) { return i + 100; });
  run.map = makeMap(run.getInputAddress());
  std::vector<uint32_t> result = run.runAll();
  EXPECT_EQ(take(result, 16), getBox(run.input, 4, 2));
  result.erase(result.begin(), result.begin() + 16);
  EXPECT_EQ(take(result, 16), getBox(run.input, 4, 2));
}

/// Stores, or adds, a box with the numbers 1 to 16.
std::string makeStore(const char *name, const char *fence,
                      const char *place = "{%r10, %r11}") {
  return std::string(kStart) + R"(
    add.u32 %r3, %r0, 1;
    st.shared.u32 [%r2], %r3; // there
    )" + fence +
         R"(
    bar.sync 0;
    @!%p1 ret;
    )" + name +
         " [%rd3, " + place + R"(], [%r1]; // here
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;)";
}
constexpr const char *kFence = "fence.proxy.async.shared::cta;";

TEST(TensorCopyOpsTest, ASourceThatMayBeGone) {
  std::string body = makeStore(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", kFence);
  const std::string wait = "cp.async.bulk.wait_group 0;";
  KernelRun run(body.replace(body.find(wait), wait.size(), ""));
  run.map = makeMap(KernelRun::kOutput);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].text,
            "the CTA ends before anyone has waited for this copy");
}

TEST(TensorCopyOpsTest, StoresWhatIsInBounds) {
  KernelRun run(makeStore(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", kFence));
  run.output.assign(80, 9);
  run.map = makeMap(KernelRun::kOutput);
  std::vector<uint32_t> expected(80, 9);
  expected[8 * 8 + 4] = 1;
  expected[8 * 8 + 5] = 2;
  expected[8 * 9 + 4] = 5;
  expected[8 * 9 + 5] = 6;
  EXPECT_EQ(run.runAll(), expected);
}

TEST(TensorCopyOpsTest, Reductions) {
  auto run = [](const char *operation) {
    KernelRun kernel(makeStore(
        (llvm::Twine("cp.reduce.async.bulk.tensor.2d.global.shared::cta.") +
         operation + ".tile.bulk_group")
            .str()
            .c_str(),
        kFence, "{0, 0}"));
    kernel.output.assign(80, 6);
    kernel.map = makeMap(KernelRun::kOutput);
    return take(kernel.runAll(), 4);
  };
  EXPECT_THAT(run("add"), ElementsAre(7u, 8u, 9u, 10u));
  EXPECT_THAT(run("min"), ElementsAre(1u, 2u, 3u, 4u));
  EXPECT_THAT(run("max"), ElementsAre(6u, 6u, 6u, 6u));
  EXPECT_THAT(run("xor"), ElementsAre(7u, 4u, 5u, 2u));
  EXPECT_THAT(run("and"), ElementsAre(0u, 2u, 2u, 4u));
}

TEST(TensorCopyOpsTest, ReductionsOfManyBlocks) {
  KernelRun kernel(makeStore(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
      kFence, "{0, 0}"));
  kernel.config.grid[0] = 3;
  kernel.output.assign(80, 0);
  kernel.map = makeMap(KernelRun::kOutput);
  EXPECT_THAT(take(kernel.runAll(), 4), ElementsAre(3u, 6u, 9u, 12u));
}

TEST(TensorCopyOpsTest, WhatThreadsWroteNeedsAFence) {
  KernelRun run(makeStore(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", ""));
  run.output.assign(80, 9);
  run.map = makeMap(KernelRun::kOutput);
  run.expectFinding(HasSubstr("missing fence: a copy in flight reads byte 0"));
}

TEST(TensorCopyOpsTest, WhatIsWrong) {
  auto expect = [](std::string body, std::vector<uint8_t> map,
                   const char *text) {
    KernelRun run(std::string(kStart) + body, 1);
    run.output.assign(80, 9);
    run.map = std::move(map);
    run.expectFinding(HasSubstr(text));
  };
  const char *load = "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes ";
  std::vector<uint8_t> map = makeMap(KernelRun::kOutput);
  expect(llvm::Twine(load)
             .concat("[smem+64], [%rd3, {0, 0}], [smem+1024]; // here")
             .str(),
         map, "is not aligned to 128 bytes");
  expect(llvm::Twine(load)
             .concat("[smem], [%rd3, {0, 0}], [smem+2048]; // here")
             .str(),
         map, "there is no mbarrier at byte 2048");
  expect(llvm::Twine(load)
             .concat("[smem+8192], [%rd3, {0, 0}], [smem+1024]; // here")
             .str(),
         map, "byte 8192 of shared memory is out of bounds");
  expect(llvm::Twine(load)
             .concat("[smem], [%rd3, {-3, 0}], [smem+1024]; // here")
             .str(),
         map,
         "the box begins at byte -12 of a row, which is not a multiple of 16");
  expect("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, "
         "{2, 0}], [smem]; // here",
         map,
         "the box begins at byte 8 of a row, which is not a multiple of 16");
  expect("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd3, "
         "{0}], [smem]; // here",
         map, "the tensor map has 2 dimensions");
  expect(llvm::Twine(load)
             .concat("[smem], [%rd3, {0, 0}], [smem+1024]; // here")
             .str(),
         std::vector<uint8_t>(128, 0), "tensor map");
  // A map whose tensor is longer than the allocation.
  std::vector<uint8_t> beyond = makeMap(KernelRun::kOutput + 32);
  expect("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
         ".mbarrier::complete_tx::bytes [smem], [%rd3, {0, 8}], [smem+1024]; "
         "// here",
         beyond, "of global memory at");
  EXPECT_THAT(KernelRun("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                        ".mbarrier::complete_tx::bytes [smem], [%rd3, {0}], "
                        "[smem+1024];")
                  .getError(),
              HasSubstr("unknown form"));
}

} // namespace
