//===- ProductKernel.h - A product of two small matrices --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with 64 x 16 elements of A and 8 x 16 of B, both of bf16 and K-major
// without swizzle, in shared memory, and their descriptors in %rd4 and %rd5.
// Core matrices of 8 rows of 16 bytes lie side by side along k (PTX ISA,
// "Asynchronous warpgroup matrix shared memory layout").
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTKERNEL_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTKERNEL_H

#include "KernelRun.h"

#include <cstring>

namespace tessera::emu {

inline constexpr unsigned kProductM = 64, kProductN = 8, kProductK = 16;

inline int getProductA(unsigned row, unsigned k) {
  return int(row * 7 + k * 3) % 11 - 5;
}
inline int getProductB(unsigned column, unsigned k) {
  return int(column * 5 + k) % 7 - 3;
}
inline int getProductD(unsigned row, unsigned column) {
  int sum = 0;
  for (unsigned k = 0; k < kProductK; ++k)
    sum += getProductA(row, k) * getProductB(column, k);
  return sum;
}

/// An integer as the bits of a bf16.
inline uint16_t toBF16(int value) {
  float real = value;
  uint32_t bits;
  std::memcpy(&bits, &real, 4);
  return bits >> 16;
}
inline float toFloat(uint32_t bits) {
  float real;
  std::memcpy(&real, &bits, 4);
  return real;
}

/// The words of A and B in shared memory, then the four registers of A of each
/// thread.
inline std::vector<uint32_t> makeProductInput() {
  std::vector<uint16_t> halves(1024 + 128 + 1024);
  auto place = [](unsigned row, unsigned k) {
    return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8;
  };
  for (unsigned k = 0; k < kProductK; ++k) {
    for (unsigned row = 0; row < kProductM; ++row)
      halves[place(row, k)] = toBF16(getProductA(row, k));
    for (unsigned column = 0; column < kProductN; ++column)
      halves[1024 + place(column, k)] = toBF16(getProductB(column, k));
  }
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < 8; ++i) {
      // "Register Fragments for wgmma.mma_async.m64nNk16": a0 to a7.
      unsigned row = 16 * (t / 32) + t % 32 / 4 + (i / 2 % 2 ? 8 : 0);
      unsigned k = t % 4 * 2 + i % 2 + (i < 4 ? 0 : 8);
      halves[1152 + 8 * t + i] = toBF16(getProductA(row, k));
    }
  std::vector<uint32_t> words(halves.size() / 2);
  std::memcpy(words.data(), halves.data(), 2 * halves.size());
  return words;
}

/// Before the product: by 128 threads. `fence` is after their writes.
inline std::string
makeProductStart(const char *fence = "fence.proxy.async.shared::cta;") {
  return std::string(R"(
    mov.u32 %r1, smem;
    mad.lo.u32 %r2, %r0, 16, %r1;
    mul.wide.u32 %rd3, %r0, 16;
    add.s64 %rd3, %rd3, %rd1;
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];
    st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7};
    setp.lt.u32 %p1, %r0, 16;
    @%p1 ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3+2048];
    @%p1 st.shared.v4.u32 [%r2+2048], {%r4, %r5, %r6, %r7};
    ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3+2304];
    )") + fence +
         R"(
    bar.sync 0;
    shr.u32 %r3, %r1, 4;
    cvt.u64.u32 %rd4, %r3;
    or.b64 %rd4, %rd4, 0x1000080000;
    add.s64 %rd5, %rd4, 128;
    setp.ne.u32 %p2, %r1, 0;
    setp.eq.u32 %p3, %r1, 0;
)";
}

/// D of a product: registers from %f<first> on; p is scale-d.
inline std::string makeProduct(unsigned first, const char *p,
                               const char *a = "%rd4", const char *b = "%rd5",
                               const char *transA = "0, ") {
  auto reg = [&](unsigned i) { return "%f" + std::to_string(first + i); };
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {" + reg(0) +
         ", " + reg(1) + ", " + reg(2) + ", " + reg(3) + "}, " + a + ", " + b +
         ", " + p + ", 1, 1, " + transA + "0;";
}
inline constexpr const char *kProductFence = "wgmma.fence.sync.aligned;\n";
inline constexpr const char *kProductCommit =
    "wgmma.commit_group.sync.aligned;\n";
inline constexpr const char *kProductWait =
    "wgmma.wait_group.sync.aligned 0;\n";

/// Stores four registers of each thread from `word` on.
inline std::string makeProductEnd(unsigned first, unsigned word = 0) {
  std::string text = "mul.wide.u32 %rd6, %r0, 16;\nadd.s64 %rd6, %rd6, %rd0;\n";
  return text + "st.global.v4.f32 [%rd6+" + std::to_string(4 * word) +
         "], {%f" + std::to_string(first) + ", %f" + std::to_string(first + 1) +
         ", %f" + std::to_string(first + 2) + ", %f" +
         std::to_string(first + 3) + "};\n";
}

inline KernelRun makeProductRun(const std::string &body,
                                unsigned threads = 128) {
  KernelRun run(body, threads);
  run.input = makeProductInput();
  run.output.assign(2048, 0);
  return run;
}

/// Expects `factor` times the product there.
inline void expectProduct(const std::vector<uint32_t> &words, int factor,
                          unsigned word = 0) {
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = 16 * (t / 32) + t % 32 / 4 + (i / 2 ? 8 : 0);
      unsigned column = t % 4 * 2 + i % 2;
      EXPECT_EQ(toFloat(words[word + 4 * t + i]),
                float(factor * getProductD(row, column)))
          << row << ", " << column;
    }
}

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTKERNEL_H
