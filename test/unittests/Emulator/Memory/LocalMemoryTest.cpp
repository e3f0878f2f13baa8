//===- LocalMemoryTest.cpp - Memory of one thread
//----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

TEST(LocalMemoryTest, EachThreadHasItsOwn) {
  // Eight words, each thread with other values at other places.
  KernelRun run(R"(
    .local .align 16 .b8 depot[32];
    mov.u64 %rd3, depot;
    mov.u32 %r1, 0;
  NEXT:
    add.u32 %r2, %r0, %r1;
    and.b32 %r3, %r2, 7;
    mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd4, %rd3, %rd4;
    mad.lo.u32 %r4, %r0, 100, %r1;
    st.local.u32 [%rd4], %r4;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra NEXT;
    ld.local.v2.u32 {%r5, %r6}, [depot+8];
    st.global.u32 [%rd2], %r6;)",
                64);
  // Place 3 has what was stored for i with (thread + i) mod 8 = 3.
  EXPECT_EQ(take(run.runAll(), 64), makeWords(64, [](uint32_t t) {
              return 100 * t + (3 + 64 - t) % 8;
            }));
}

TEST(LocalMemoryTest, HasGenericAddresses) {
  KernelRun run(R"(
    .local .b32 a; .local .b64 b;
    mov.u64 %rd3, b;
    cvta.local.u64 %rd3, %rd3;
    isspacep.local %p1, %rd3;
    isspacep.global %p2, %rd3;
    isspacep.local %p3, %rd0;
    selp.u32 %r1, 1, 0, %p1;
    @%p2 add.u32 %r1, %r1, 2;
    @%p3 add.u32 %r1, %r1, 4;
    cvt.u64.u32 %rd4, %r0;
    st.local.u32 [a], 7;
    st.u64 [%rd3], %rd4;
    cvta.to.local.u64 %rd5, %rd3;
    ld.local.u32 %r2, [%rd5];
    mad.lo.u32 %r1, %r2, 10, %r1;
    st.global.u32 [%rd2], %r1;)");
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t t) { return 10 * t + 1; }));
}

TEST(LocalMemoryTest, EndsWhereItsVariablesEnd) {
  KernelRun(".local .b8 a[6];\n ld.local.u32 %r1, [a+4]; // here", 1)
      .expectFinding(HasSubstr("byte 4 of local memory is out of bounds: the "
                               "thread has 6 bytes, in thread 0"));
  KernelRun("mov.u64 %rd3, -4;\n st.local.u32 [%rd3], 1; // here", 1)
      .expectFinding(HasSubstr("byte -4 of local memory is out of bounds: the "
                               "thread has 0 bytes"));
  KernelRun(".local .b8 a[8];\n ld.local.u32 %r1, [a+2]; // here", 1)
      .expectFinding(HasSubstr("is not aligned to 4 bytes"));
}

} // namespace
