//===- DecodeErrorTest.cpp - Instructions that cannot be executed ---------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests diagnostics of the decoder. ScalarErrorTest.cpp has those of scalar
// instructions.
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;

namespace {

struct Row {
  const char *body, *message;
};

/// The last line of each body is an error.
void expectErrors(llvm::ArrayRef<Row> rows) {
  for (auto [body, message] : rows) {
    KernelRun run(body);
    run.variables = ".global .b32 word[4]; ";
    size_t line = 5 + StringRef(body).count('\n');
    EXPECT_EQ(run.getError(), std::to_string(line) + ":1: " + message) << body;
  }
}

TEST(DecodeErrorTest, Operands) {
  expectErrors({
      {"add.s32 %r1, {%r2, %r3}, 1;",
       "an operand of 'add.s32' is of another kind than expected"},
      {"add.s32 3, %r1, %r2;", "expected a register for the result of "
                               "'add.s32'"},
      {"ld.global.u32 %r1, %rd1;",
       "expected an address in brackets as an operand of 'ld.global.u32'"},
      {"mov.u64 %rd3, word+4;",
       "an address inside a variable in global memory is not known; add the "
       "offset to it in a register"},
      {"mov.u64 %rd3, %clock64;", "unknown special register '%clock64'"},
      {"mbarrier.arrive.shared.b64;", "expected operands"},
      {"bar.sync;", "expected 1 to 2 operands of 'bar.sync', got 0"},
  });
}

TEST(DecodeErrorTest, NamesOfInstructions) {
  const char *instructions[] = {
      "wrong.u32 %r1, %r2;",
      "atom.async.global.add.u32 %r1, [%rd0], 1;",
      "atom.global.min.f32 %f1, [%rd0], %f2;",
      "bar.red.wrong.u32 %r1, 0, %p1;",
      "cp.wrong [smem], [%rd0], 4;",
      "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd0], "
      "[smem], 16, [smem];",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], "
      "[smem], 16;",
      "fence.proxy.wrong;",
      "isspacep.const %p1, %rd0;",
      "ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r1}, [smem];",
      "mbarrier.arrive_drop.shared.b64 _, [smem];",
      "mbarrier.arrive.noComplete.shared.b64 %rd3, [smem], 1;",
      "mbarrier.pending_count.b64 %r1, %rd3;",
      "redux.sync.wrong.u32 %r1, %r2, -1;",
      "shfl.sync.wrong.b32 %r1, %r2, 0, 31, -1;",
      "st.async.shared::cluster.u32 [smem], %r1, [smem];",
      "vote.sync.wrong.pred %p1, %p2, -1;",
      "wgmma.wrong.sync.aligned;",
  };
  for (StringRef instruction : instructions)
    EXPECT_EQ(
        KernelRun(instruction).getError(),
        ("5:1: unknown instruction '" +
         instruction.take_until([](char c) { return c == ' ' || c == ';'; }) +
         "'")
            .str());
}

TEST(DecodeErrorTest, Moves) {
  expectErrors({
      {"mov %r1, %r2;", "expected a type at the end of 'mov'"},
      {"mov.b64 {%r1, %r2}, {%r3, %r4};", "expected one vector"},
      {"mov.b64 {%r1, %r2, %r3}, %rd3;", "'mov.b64' of a vector is not known"},
  });
}

TEST(DecodeErrorTest, Memory) {
  expectErrors({
      {"ld.global %r1, [%rd0];",
       "expected a type of 8 to 64 bits in 'ld.global'"},
      {"st.global.b128 [%rd0], %rd3;",
       "expected a type of 8 to 64 bits in 'st.global.b128'"},
      {"ld.global.v4.u64 {%rd3, %rd4, %rd5, %rd6}, [%rd0];",
       "'ld.global.v4.u64' has more than 16 bytes"},
      {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd0];",
       "expected 2 elements, got 3"},
      {"atom.global.cas.b32 %r1, [%rd0], %r2;", "expected another operand"},
      {"atom.global.add.v2.f32 {%f1}, [%rd0], {%f2, %f3};",
       "expected 2 elements, got 1"},
      {"atom.global.cas.v2.b32 {%r1, %r2}, [%rd0], {%r3, %r4}, {%r5};",
       "expected 2 elements, got 1"},
      {"red.global.add.v4.u64 [%rd0], {%rd3, %rd4, %rd5, %rd6};",
       "'red.global.add.v4.u64' has more than 16 bytes"},
  });
}

TEST(DecodeErrorTest, CopiesOfThreads) {
  expectErrors({
      {"cp.async.wait_group %r1;", "expected a number of groups"},
      {"cp.async.mbarrier.arrive.shared.b64 [smem];",
       "'cp.async.mbarrier.arrive.shared.b64' is known with '.noinc' only"},
      {"cp.async.ca.shared.global [smem], [%rd0], 5;",
       "expected 4, 8 or 16 bytes"},
      {"cp.async.ca.shared.global [smem], [%rd0], %r1;",
       "expected 4, 8 or 16 bytes"},
  });
}

TEST(DecodeErrorTest, CopiesOfTensors) {
  expectErrors({
      {"cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::"
       "complete_tx::bytes [smem], [%rd3, {%r1, %r2}], [smem], {%h1};",
       "the mode '.im2col' of tensor copies is not emulated, only '.tile': "
       "encode the map with cuTensorMapEncodeTiled and copy one box for each "
       "row of the filter"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
       "complete_tx::bytes [smem], [%rd3, {%r1, %r2, %r3, %r4, %r5}], [smem];",
       "the mode '.tile::gather4' of tensor copies is not emulated, and "
       "machines before sm_100 do not have it: copy the four rows by four "
       "copies with boxes of one row"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.tiles.mbarrier::complete_tx"
       "::bytes [smem], [%rd3, {%r1, %r2}], [smem];",
       "unknown mode '.tiles' of a tensor copy"},
      {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {%r1, "
       "%r2, %r3}], [smem];",
       "unknown form of "
       "'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group'"},
  });
}

TEST(DecodeErrorTest, WarpsAndGroups) {
  expectErrors({
      {"wgmma.wait_group.sync.aligned %r1;", "expected a number of groups"},
      {"elect.sync %r1, -1;", "expected two results of 'elect.sync'"},
      {"setmaxnreg.inc.sync.aligned.u32 100;",
       "expected a multiple of 8 from 24 to 256 as the number of registers"},
      {"setmaxnreg.inc.sync.aligned.u32 %r1;",
       "expected a multiple of 8 from 24 to 256 as the number of registers"},
      {".reg .b128 %q<2>;\nmov.b128 %q0, %q1;",
       "registers of 128 bits are not emulated"},
  });
}

} // namespace
