//===- MatrixMemoryOpsTest.cpp - ldmatrix and stmatrix --------------------===//
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

/// Shared memory holds 16-bit numbers: 256 words, as 32 rows of 8.
constexpr const char *kFill = R"(
    mul.lo.u32 %r1, %r0, 16;
    mov.u32 %r2, smem;
    add.u32 %r3, %r1, %r2;
    shl.b32 %r4, %r0, 3;
    mad.lo.u32 %r5, %r4, 65537, 65536;
    add.u32 %r6, %r5, 131074;
    add.u32 %r7, %r6, 131074;
    add.u32 %r8, %r7, 131074;
    st.shared.v4.u32 [%r3], {%r5, %r6, %r7, %r8};
    bar.sync 0;
)";

TEST(MatrixMemoryOpsTest, LoadsRowsOfFourMatrices) {
  // Element (row, column) of matrix m is 64 m + 8 row + column. Rows come from
  // the threads in another order than they lie in.
  for (bool isTransposed : {false, true}) {
    KernelRun run(kFill + llvm::Twine(R"(
    xor.b32 %r9, %r0, 3;
    mad.lo.u32 %r9, %r9, 16, %r2;
    ldmatrix.sync.aligned.m8n8.x4)") +
                  (isTransposed ? ".trans" : "") + R"(.shared.b16
      {%r10, %r11, %r12, %r13}, [%r9];
    mul.wide.u32 %rd3, %r0, 16;
    add.s64 %rd3, %rd3, %rd0;
    st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};)");
    std::vector<uint32_t> result = run.runAll();
    auto element = [](uint32_t matrix, uint32_t row, uint32_t column) {
      return 64 * matrix + 8 * (row ^ 3) + column;
    };
    for (uint32_t t = 0; t < 32; ++t)
      for (uint32_t m = 0; m < 4; ++m) {
        uint32_t i = t / 4, j = 2 * (t % 4);
        uint32_t low = isTransposed ? element(m, j, i) : element(m, i, j);
        uint32_t high =
            isTransposed ? element(m, j + 1, i) : element(m, i, j + 1);
        EXPECT_EQ(result[4 * t + m], low | high << 16) << t << ", " << m;
      }
  }
}

TEST(MatrixMemoryOpsTest, OneAndTwoMatricesNeedFewerAddresses) {
  // The other threads give addresses that do not exist.
  KernelRun run(kFill + llvm::Twine(R"(
    setp.lt.u32 %p1, %r0, 8;
    setp.lt.u32 %p2, %r0, 16;
    selp.u32 %r9, %r3, 0, %p1;
    selp.u32 %r10, %r3, 0, %p2;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r9];
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r12, %r13}, [%r10];
    st.global.u32 [%rd2], %r11;
    st.global.u32 [%rd2+128], %r12;
    st.global.u32 [%rd2+256], %r13;)"));
  std::vector<uint32_t> result = run.runAll();
  for (uint32_t t = 0; t < 32; ++t) {
    uint32_t first = 2 * t;
    EXPECT_EQ(result[t], first | (first + 1) << 16);
    EXPECT_EQ(result[32 + t], result[t]);
    EXPECT_EQ(result[64 + t], (first + 64) | (first + 65) << 16);
  }
}

TEST(MatrixMemoryOpsTest, Stores) {
  for (bool isTransposed : {false, true}) {
    KernelRun run(llvm::Twine(R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 16, %r1;
    mad.lo.u32 %r3, %r0, 131074, 65536;
    add.u32 %r4, %r3, 4194368;
    stmatrix.sync.aligned.m8n8.x2)") +
                  (isTransposed ? ".trans" : "") + R"(.shared.b16
      [%r2], {%r3, %r4};
    mad.lo.u32 %r5, %r0, 4, %r1;
    ld.shared.u32 %r6, [%r5];
    ld.shared.u32 %r7, [%r5+128];
    st.global.u32 [%rd2], %r6;
    st.global.u32 [%rd2+128], %r7;)");
    std::vector<uint32_t> result = run.runAll();
    // Thread t brings 2 t and 2 t + 1: element 8 row + column of a fragment.
    for (uint32_t m = 0; m < 2; ++m)
      for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t column = 0; column < 8; column += 2) {
          auto value = [&](uint32_t r, uint32_t c) {
            return 64 * m + (isTransposed ? 8 * c + r : 8 * r + c);
          };
          EXPECT_EQ(result[32 * m + 4 * row + column / 2],
                    value(row, column) | value(row, column + 1) << 16);
        }
  }
}

TEST(MatrixMemoryOpsTest, WarpsThatStoreTheSame) {
  // Warps 0 and 1 give one row each the same address, and their values.
  auto storeBoth = [](const char *value) {
    return llvm::Twine("and.b32 %r4, %r0, 31;\n"
                       "mov.u32 %r1, smem;\n"
                       "mad.lo.u32 %r2, %r4, 16, %r1;\n")
               .str() +
           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {" + value +
           "}; // here";
  };
  KernelRun same(storeBoth("%r4"), 64);
  same.outputIsWritten = false;
  same.runAll();
  KernelRun(storeBoth("%r0"), 64).expectFinding(HasSubstr("race: "));
}

TEST(MatrixMemoryOpsTest, WhatIsWrong) {
  KernelRun(kFill + llvm::Twine(R"(
    add.u32 %r3, %r3, 8;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r3]; // here)"))
      .expectFinding(HasSubstr("not aligned to 16 bytes"));
  KernelRun(R"(
    mov.u32 %r3, smem;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r3]; // here)")
      .expectFinding(HasSubstr("which nobody has written"));
  EXPECT_THAT(KernelRun("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, "
                        "[%r2];")
                  .getError(),
              HasSubstr("expected 2 registers"));
  EXPECT_THAT(KernelRun("ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1,%r3}, "
                        "[%r2];")
                  .getError(),
              HasSubstr("unknown instruction"));
}

} // namespace
