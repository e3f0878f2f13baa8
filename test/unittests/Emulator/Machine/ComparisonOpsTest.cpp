//===- ComparisonOpsTest.cpp - Comparisons with two results
//------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

/// p and q of an instruction as bits 0 and 1, where %r1 is the thread's number
/// modulo 4 and %p3 holds in threads from 16 on.
std::vector<uint32_t> compare(llvm::StringRef instruction) {
  KernelRun run("and.b32 %r1, %r0, 3;\n setp.ge.u32 %p3, %r0, 16;\n" +
                instruction.str() +
                "\n selp.u32 %r2, 1, 0, %p1;\n @%p2 add.u32 %r2, %r2, 2;\n"
                "st.global.u32 [%rd2], %r2;");
  return take(run.runAll(), 32);
}

template <typename Function>
std::vector<uint32_t> expect(Function function) {
  return makeWords(32, [&](uint32_t t) {
    bool holds = t % 4 < 2, c = t >= 16;
    return function(holds, c) + 2 * function(!holds, c);
  });
}

TEST(ComparisonOpsTest, TheSecondResultIsOfTheOppositeRelation) {
  EXPECT_EQ(compare("setp.lt.u32 %p1|%p2, %r1, 2;"),
            expect([](bool a, bool) { return a; }));
}

TEST(ComparisonOpsTest, BothAreJoined) {
  EXPECT_EQ(compare("setp.lt.and.u32 %p1|%p2, %r1, 2, %p3;"),
            expect([](bool a, bool c) { return a && c; }));
  EXPECT_EQ(compare("setp.lt.or.s32 %p1|%p2, %r1, 2, %p3;"),
            expect([](bool a, bool c) { return a || c; }));
  EXPECT_EQ(compare("setp.lt.xor.u32 %p1|%p2, %r1, 2, !%p3;"),
            expect([](bool a, bool c) { return a != !c; }));
}

TEST(ComparisonOpsTest, OneMayBeLeftOut) {
  EXPECT_EQ(compare("mov.pred %p2, 0;\n"
                    "setp.lt.and.u32 %p1, %r1, 2, !%p3;"),
            makeWords(32, [](uint32_t t) { return t % 4 < 2 && t < 16; }));
  EXPECT_EQ(compare("mov.pred %p1, 0;\n setp.lt.u32 _|%p2, %r1, 2;"),
            makeWords(32, [](uint32_t t) { return t % 4 < 2 ? 0 : 2; }));
}

TEST(ComparisonOpsTest, Errors) {
  EXPECT_THAT(KernelRun("setp.lt.and.u32 %p1|%p2, %r0, 2;").getError(),
              HasSubstr("expected 4 operands of 'setp.lt.and.u32', got 3"));
  EXPECT_THAT(KernelRun("setp.u32 %p1|%p2, %r0, 2;").getError(),
              HasSubstr("the comparison is missing"));
}

} // namespace
