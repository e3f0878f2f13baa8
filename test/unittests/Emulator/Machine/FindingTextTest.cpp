//===- FindingTextTest.cpp - What findings say, word for word -------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for each defect that is told while a kernel runs, in all orders.
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"

#include "tessera/Emulator/TensorMap.h"

using namespace tessera::emu;
using testing::StrEq;

namespace {

struct Row {
  const char *body, *text;
  unsigned threads = 32, cluster = 1;
};

/// Each kernel has one finding, at its line with `// here`.
void expectFindings(llvm::ArrayRef<Row> rows) {
  for (const Row &row : rows) {
    SCOPED_TRACE(row.body);
    KernelRun run(row.body, row.threads);
    run.config.grid[0] = run.config.cluster[0] = row.cluster;
    run.input.assign(64, 0);
    run.expectFinding(StrEq(row.text));
  }
}

TEST(FindingTextTest, Barriers) {
  expectFindings({
      {"setp.lt.u32 %p1, %r0, 5;\n @%p1 barrier.sync 0; // here",
       "some threads of the warp execute this, and others do not; the emulator "
       "knows whole warps only, in warp 0"},
      {"setp.lt.u32 %p1, %r0, 5;\n @%p1 bar.sync 0; // here",
       "some threads of the warp execute this, and others do not; all must, "
       "together, in warp 0"},
      {"bar.sync 1, 33; // here",
       "the number of threads is 33, and must be a multiple of 32, in warp 0"},
      {"bar.sync 1, 0; // here",
       "the number of threads is 0, and must be a multiple of 32, in warp 0"},
      {"barrier.cluster.arrive;\n barrier.cluster.arrive; // here",
       "arrives at the barrier of the cluster a second time, without a wait "
       "between, in warp 0"},
      {"barrier.cluster.wait; // here",
       "waits at the barrier of the cluster without having arrived there, in "
       "warp 0"},
      {"trap; // here", "the kernel executes a trap, in warp 0"},
  });
  // The first warps wait before the last one asks for another number.
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bar.sync 1, 64;
    @!%p1 bar.sync 1, 96; // here)",
                96);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].text, "barrier 1 is used for 96 threads while "
                                  "others wait at it for 64, in warp 1");
}

TEST(FindingTextTest, RegistersOfThreads) {
  for (auto [body, text] : {
           std::pair("setmaxnreg.inc.sync.aligned.u32 40; // here",
                     "has 168 registers for each thread, and asks for more: "
                     "40, in warp 0"),
           std::pair("setmaxnreg.dec.sync.aligned.u32 232; // here",
                     "has 168 registers for each thread, and asks for fewer: "
                     "232, in warp 0"),
       }) {
    KernelRun run(body, 384);
    run.run();
    ASSERT_EQ(run.findings.size(), 1u);
    EXPECT_EQ(run.findings[0].text, text);
  }
}

TEST(FindingTextTest, Addresses) {
  expectFindings({
      {"mov.u64 %rd3, 0x100000400;\n ld.shared.u32 %r1, [%rd3]; // here",
       "0x100000400 is no address in shared memory, in thread 0 (warp 0)"},
      // The second CTA of a cluster of one.
      {"mov.u32 %r1, 0x2000400;\n ld.shared.u32 %r2, [%r1]; // here",
       "0x2000400 is no address in shared memory, in thread 0 (warp 0)"},
      {"ld.param.u32 %r1, [map+128]; // here",
       "4 bytes of the parameters at byte 192 are out of bounds: the kernel "
       "has 192 bytes of them, in thread 0 (warp 0)"},
      {"mov.u64 %rd3, -4;\n ld.param.u32 %r1, [%rd3]; // here",
       "4 bytes of the parameters at byte 18446744073709551612 are out of "
       "bounds: the kernel has 192 bytes of them, in thread 0 (warp 0)"},
      {"mov.u64 %rd3, -4;\n ld.global.u32 %r1, [%rd3]; // here",
       "4 bytes of global memory at 0xfffffffffffffffc are out of bounds: far "
       "from every allocation, in thread 0 (warp 0)"},
      {"mov.u64 %rd3, -8;\n st.v2.u32 [%rd3], {%r0, %r0}; // here",
       "8 bytes of global memory at 0xfffffffffffffff8 are out of bounds: far "
       "from every allocation, in thread 0 (warp 0)"},
  });
}

TEST(FindingTextTest, Mbarriers) {
  expectFindings({
      {"mbarrier.init.b64 [%rd0], 1; // here",
       "an mbarrier is made in the shared memory of the own CTA, in thread 0 "
       "(warp 0)",
       1},
      {"mbarrier.arrive.b64 _, [%rd0]; // here",
       "an mbarrier is in shared memory, in thread 0 (warp 0)", 1},
      {"mbarrier.init.shared.b64 [smem], 1;\n barrier.cluster.arrive;\n"
       "barrier.cluster.wait;\n mov.u32 %r1, smem;\n"
       "mov.u32 %r3, %cluster_ctarank;\n xor.b32 %r3, %r3, 1;\n"
       "mapa.shared::cluster.u32 %r2, %r1, %r3;\n setp.eq.u32 %p2, %r3, 1;\n"
       "@%p2 mbarrier.test_wait.parity.shared::cluster.b64 %p1, [%r2], 0; // "
       "here\n barrier.cluster.arrive;\n barrier.cluster.wait;",
       "waits at an mbarrier of another CTA, in thread 0 (warp 0 of CTA 0)", 1,
       2},
  });
}

TEST(FindingTextTest, CopiesOfThreads) {
  expectFindings({
      {"cp.async.ca.shared.global [smem], [%rd1+4], 8; // here",
       "the source is not aligned to 8 bytes, in thread 0 (warp 0)", 1},
  });
}

TEST(FindingTextTest, Memory) {
  KernelRun clusters("mov.u32 %r1, %ctaid.x;\n"
                     "st.global.u32 [%rd0], %r1; // here",
                     1);
  clusters.config.grid[0] = 2;
  clusters.expectFinding(
      StrEq("race: CTA 1 writes byte 0 of an allocation, which CTA 0 writes; "
            "programs of a grid are not ordered (use `barrier(grid)`, "
            "atomic operations with `order`, or two kernels), in warp 0"));
  KernelRun reader("mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, 0;\n"
                   "@%p1 st.global.u32 [%rd0], 9;\n"
                   "@!%p1 ld.global.u32 %r2, [%rd0]; // here",
                   1);
  reader.config.grid[0] = 2;
  reader.expectFinding(
      StrEq("race: CTA 1 reads byte 0 of an allocation, which CTA 0 writes; "
            "programs of a grid are not ordered (use `barrier(grid)`, "
            "atomic operations with `order`, or two kernels), in warp 0"));
  KernelRun fence("st.shared.u32 [smem], 1; // there\n"
                  "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [smem], "
                  "16; // here",
                  1);
  fence.run();
  ASSERT_EQ(fence.findings.size(), 1u);
  EXPECT_EQ(fence.findings[0].text,
            "missing fence: a copy in flight reads byte 0 of shared memory "
            "after a write by threads; expected a fence.proxy.async between, "
            "in warp 0");
}

TEST(FindingTextTest, ThreadsOfAWarp) {
  expectFindings({
      {"setp.ne.u32 %p1, %r0, 5;\n"
       "@%p1 vote.sync.any.pred %p2, %p1, -1; // here",
       "the mask has thread 5 of the warp, which does not execute this, or "
       "gives another mask, in warp 0"},
      {"setp.eq.u32 %p1, %r0, 5;\n"
       "@%p1 shfl.sync.idx.b32 %r1, %r0, 0, 31, 32; // here",
       "reads from thread 0 of the warp, which does not take part, in thread 5 "
       "(warp 0)"},
  });
}

/// The one finding of a product's kernel.
void expectProductFinding(const std::string &body, const char *text) {
  KernelRun run = makeProductRun(makeProductStart() + kProductFence + body +
                                 kProductCommit + kProductWait);
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].text, text);
}

TEST(FindingTextTest, Products) {
  std::string first = makeProduct(1, "0") + kProductCommit;
  expectProductFinding(
      first + "mov.f32 %f3, 0f00000000;\n",
      "writes the register '%f3', which a product in flight uses; expected a "
      "wgmma.wait_group before, in warp 0");
  // A from the accumulator of a product in flight.
  expectProductFinding(
      first + makeProduct(5, "0", "{%f1, %f2, %f3, %f4}", "%rd5", ""),
      "reads the register '%f1', which a product in flight writes; expected a "
      "wgmma.wait_group before, in warp 0");
  // Descriptors: past the end of shared memory, and malformed.
  expectProductFinding(
      "or.b64 %rd5, %rd5, 0x3f00;\n" + makeProduct(1, "0"),
      "reads byte 260096 of shared memory; the CTA has 8192 bytes, in warp "
      "0");
  expectProductFinding(
      "or.b64 %rd5, %rd5, 0x4000;\n" + makeProduct(1, "0"),
      "the matrix descriptor 0x10000840c0 has bits outside of its fields, "
      "0x4000: mask addresses and offsets with 0x3FFFF before the shift, in "
      "warp 0");
  expectProductFinding(
      "or.b64 %rd5, %rd5, 0x2000000000000;\n" + makeProduct(1, "0"),
      "the matrix descriptor 0x20010000800c0 has a base offset without a "
      "swizzle, in warp 0");
}

/// A box of `rows` rows of 16 bytes, from the words to read.
std::vector<uint8_t> makeMap(uint64_t address, uint32_t rows,
                             uint32_t planes = 1) {
  TensorMap map;
  map.type = 0; // CU_TENSOR_MAP_DATA_TYPE_UINT8
  map.rank = 4;
  map.address = address;
  map.dims = {256, 256, 256, 256};
  map.strides = {256, 1 << 16, 1 << 24};
  map.box = {16, rows, planes, planes};
  map.elementStrides = {1, 1, 1, 1};
  EXPECT_EQ(llvm::toString(map.verify()), "");
  auto bytes = map.encode();
  return {bytes.begin(), bytes.end()};
}

void expectTensorCopyFinding(llvm::Twine operands, const char *multicast,
                             std::vector<uint8_t> map, const char *text) {
  KernelRun run("mov.b64 %rd3, map;\n cvta.param.u64 %rd3, %rd3;\n"
                "mbarrier.init.shared.b64 [smem+1024], 1;\n mov.b16 %h1, 5;\n"
                "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::"
                "complete_tx::bytes" +
                    llvm::Twine(multicast) + " " + operands + "; // here",
                1);
  run.map = std::move(map);
  run.input.assign(64, 0);
  run.expectFinding(StrEq(text));
}

TEST(FindingTextTest, CopiesOfTensors) {
  uint64_t tensor = KernelRun::kOutput;
  expectTensorCopyFinding(
      "[smem], [%rd3, {0, 0, 0, 0}], [smem+1024], %h1", ".multicast::cluster",
      makeMap(tensor, 1),
      "the mask has CTA 2, which the cluster does not have, in thread 0 (warp "
      "0)");
  expectTensorCopyFinding(
      "[smem], [%rd3, {0, 0, 0, 0}], [smem+1024]", "",
      std::vector<uint8_t>(128, 0),
      "tensor map: these bytes are none (the wrong parameter or address, or a "
      "map that the emulator did not encode), in thread 0 (warp 0)");
  // 2^28 bytes, and 2^32, which are none in 32 bits.
  for (uint32_t row : {16, 256}) {
    std::vector<uint8_t> map = makeMap(tensor, 256, 256);
    TensorMap large = llvm::cantFail(TensorMap::decode(map));
    large.box[0] = row;
    auto bytes = large.encode();
    expectTensorCopyFinding(
        "[smem], [%rd3, {0, 0, 0, 0}], [smem+1024]", "",
        {bytes.begin(), bytes.end()},
        row == 16 ? "the box has 268435456 bytes, and the CTA has 8192 bytes "
                    "of shared memory, in thread 0 (warp 0)"
                  : "the box has 4294967296 bytes, and the CTA has 8192 bytes "
                    "of shared memory, in thread 0 (warp 0)");
  }
}

} // namespace
