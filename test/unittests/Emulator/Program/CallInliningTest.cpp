//===- CallInliningTest.cpp - Calls of functions
//-----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Halves a number that is even, and counts another way round; two results in
/// one structure, as compilers pass it.
const char *kStep = R"(
.func (.param .align 4 .b8 result[8]) step(.param .b32 number,
                                           .param .b32 limit) {
  .reg .b32 %r<5>; .reg .pred %p<3>;
  ld.param.u32 %r1, [number];
  ld.param.u32 %r2, [limit];
  setp.gt.u32 %p1, %r1, %r2;
  @!%p1 bra SMALL;
  shr.u32 %r3, %r1, 1;
  st.param.v2.b32 [result], {%r3, 1};
  ret;
SMALL:
  add.u32 %r3, %r1, 100;
  st.param.b32 [result+0], %r3;
  st.param.b32 [result+4], 2;
  ret;
}
)";

const char *kCallStep = R"(
  { .param .b32 a; .param .b32 b; .param .align 4 .b8 r[8];
    st.param.b32 [a], %r1;
    st.param.b32 [b], 10;
    call.uni (r), step, (a, b);
    ld.param.v2.b32 {%r1, %r2}, [r];
  }
)";

TEST(CallInliningTest, ThreadsReturnFromOtherPlacesAndMeet) {
  KernelRun run("mov.u32 %r1, %r0;" + std::string(kCallStep) + kCallStep +
                    "bar.sync 0;\n mad.lo.u32 %r1, %r2, 1000, %r1;\n"
                    "st.global.u32 [%rd2], %r1;",
                64);
  run.variables = kStep;
  EXPECT_EQ(take(run.runAll(), 64), makeWords(64, [](uint32_t t) {
              uint32_t kind = 0;
              for (int i = 0; i < 2; ++i) {
                kind = t > 10 ? 1 : 2;
                t = t > 10 ? t / 2 : t + 100;
              }
              return 1000 * kind + t;
            }));
}

TEST(CallInliningTest, FunctionsCallFunctions) {
  // Each thread but one adds its number twice, from its own local memory.
  KernelRun run(R"(
    { .param .b32 a;
      st.param.b32 [a], %r0;
      call outer, (a);
      call outer, (a);
    }
    ld.global.u32 %r1, [count];
    st.global.u32 [%rd2], %r1;)");
  run.variables = R"(
    .global .u32 count = 5;
    .func inner(.param .b64 from) {
      .reg .b64 %rd<2>; .reg .b32 %r<2>;
      ld.param.u64 %rd1, [from];
      ld.u32 %r1, [%rd1];
      red.global.add.u32 [count], %r1;
      ret;
    }
    .func outer(.param .b32 number) {
      .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;
      .local .b32 copy;
      ld.param.u32 %r1, [number];
      setp.eq.u32 %p1, %r1, 3;
      @%p1 ret;
      st.local.u32 [copy], %r1;
      mov.u64 %rd1, copy;
      cvta.local.u64 %rd1, %rd1;
      { .param .b64 p; st.param.b64 [p], %rd1; call inner, (p); }
    }
  )";
  EXPECT_EQ(run.runAll()[7], 5u + 2 * (31 * 32 / 2 - 3));
}

TEST(CallInliningTest, AGuardedCall) {
  KernelRun run(R"(
    setp.lt.u32 %p1, %r0, 5;
    mov.u32 %r1, %r0;
    { .param .b32 a; .param .b32 b; .param .align 4 .b8 r[8];
      st.param.b32 [a], 30; st.param.b32 [b], 10;
      st.param.v2.b32 [r], {7, 7};
      @!%p1 call (r), step, (a, b);
      ld.param.b32 %r1, [r];
    }
    st.global.u32 [%rd2], %r1;)");
  run.variables = kStep;
  EXPECT_EQ(take(run.runAll(), 32),
            makeWords(32, [](uint32_t t) { return t < 5 ? 7 : 15; }));
}

TEST(CallInliningTest, FindingsAreInTheFunction) {
  KernelRun run(kCallStep);
  run.variables = kStep;
  run.run();
  ASSERT_EQ(run.findings.size(), 1u);
  // %r1 of the kernel; then a register of the function that it does not write.
  EXPECT_THAT(run.findings[0].text,
              HasSubstr("reads the register '%r1', which"));
  KernelRun other("call wrong;");
  other.variables = ".func wrong() {\n .reg .b32 %a<2>; .reg .pred %p;\n"
                    "setp.ne.u32 %p, 1, 1;\n @%p mov.b32 %a0, 1;\n"
                    "st.shared.b32 [%a0], 1;\n}";
  other.run();
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_THAT(other.findings[0].text,
              HasSubstr("reads the register '%a0' of 'wrong', which nobody"));
}

TEST(CallInliningTest, FailedAssertions) {
  KernelRun run("setp.eq.u32 %p1, %r0, 9;\n { .param .b64 a; st.param.b64 [a], "
                "0;\n @%p1 call.uni __assertfail, (a); // here\n }");
  run.variables = ".extern .func __assertfail(.param .b64 _) .noreturn;\n";
  run.expectFinding(HasSubstr("the kernel executes a trap"));
}

TEST(CallInliningTest, CallsThatCannotBeMade) {
  auto getError = [](const char *body, const char *variables = "") {
    KernelRun run(body);
    run.variables = variables;
    return run.getError();
  };
  EXPECT_THAT(getError("{ .param .b64 a; .param .b32 r;\n"
                       "call (r), vprintf, (a, a); }",
                       ".extern .func (.param .b32 r) vprintf (.param .b64 a, "
                       ".param .b64 b);\n"),
              HasSubstr("call of 'vprintf', which the module does not define"));
  EXPECT_THAT(getError("call %rd0, proto;\n proto: .callprototype _ ();"),
              HasSubstr("call through a register; the emulator knows calls of "
                        "functions by their names"));
  EXPECT_THAT(getError("call f;", ".func h();\n .func g() { call h; }\n"
                                  ".func f() { call g; }\n"),
              HasSubstr("call of 'h', which the module does not define"));
  EXPECT_THAT(getError("call f;", ".func f();\n .func g() { call f; }\n"
                                  ".func f() { call g; }\n"),
              HasSubstr("'f' calls itself; the emulator knows no recursion"));
  EXPECT_THAT(getError("call f, (%r0);", ".func f(.reg .b32 %a) { ret; }\n"),
              HasSubstr("'f' has parameters in registers; the emulator knows "
                        "'.param' variables only"));
  EXPECT_THAT(getError("call f, (%r0);", ".func f(.param .b32 a) { ret; }\n"),
              HasSubstr("parameter 0 of 'f' is no '.param' variable; the "
                        "emulator passes no others"));
  EXPECT_THAT(getError("call f;", ".func f(.param .b32 a) { ret; }\n"),
              HasSubstr("'f' has 1 parameters, got 0"));
  EXPECT_THAT(
      getError("{ .param .b64 a;\n call (a), f; }",
               ".func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }\n"),
      HasSubstr("result 0 of 'f' has 4 bytes, got 8"));
}

TEST(CallInliningTest, TooManyInstructions) {
  // Each function calls the one before it sixteen times.
  std::string functions = ".func f0() { .reg .b32 %a;\n";
  for (int i = 0; i < 64; ++i)
    functions += "mov.b32 %a, 1;";
  functions += "}\n";
  for (int i = 1; i < 5; ++i) {
    functions += ".func f" + std::to_string(i) + "() {";
    for (int j = 0; j < 16; ++j)
      functions += "call f" + std::to_string(i - 1) + ";";
    functions += "}\n";
  }
  KernelRun run("call f4;");
  run.variables = functions;
  EXPECT_THAT(run.getError(),
              HasSubstr("more than 1048576 instructions, with those of the "
                        "functions that are called"));
}

} // namespace
