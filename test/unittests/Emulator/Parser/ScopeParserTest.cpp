//===- ScopeParserTest.cpp - Names and labels of blocks in PTX ------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedText.h"

using namespace tessera::emu;

namespace {

using Places = SmallVector<unsigned, 1>;

TEST(ScopeParserTest, NamesOfBlocksHideOuterOnes) {
  auto module = parseModule(R"(
.global .b32 g;
.entry k(.param .b32 p) {
  .reg .b32 a; .shared .b32 s; .local .b32 g;
  mov.b32 a, 1;
  { .reg .b64 a; .shared .b64 s; mov.b64 a, s; }
  { .reg .pred a; .local .b32 p; mov.pred a, p; { mov.b32 a, s; } }
  mov.b32 a, s; mov.b32 a, g; mov.b32 a, p;
})");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.registers.size(), 3u);
  EXPECT_EQ(kernel.registers[0].type, Type::B32);
  EXPECT_EQ(kernel.registers[1].type, Type::B64);
  EXPECT_EQ(kernel.registers[2].type, Type::Pred);
  struct {
    unsigned reg;
    const char *symbol;
  } expected[] = {{0, ""},  {1, "s@1"}, {2, "p@1"}, {2, "s"},
                  {0, "s"}, {0, "g@1"}, {0, "p"}};
  ASSERT_EQ(kernel.body.size(), std::size(expected));
  for (unsigned i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(kernel.body[i]->operands[0].reg, expected[i].reg) << i;
    EXPECT_EQ(kernel.body[i]->operands[1].name, expected[i].symbol) << i;
  }
  // No two variables that the kernel sees have the same name.
  ASSERT_EQ(kernel.variables.size(), 4u);
  EXPECT_EQ(kernel.variables[0].name, "s");
  EXPECT_EQ(kernel.variables[1].name, "g@1");
  EXPECT_EQ(kernel.variables[1].space, Variable::Local);
  EXPECT_EQ(kernel.variables[2].name, "s@1");
  EXPECT_EQ(kernel.variables[2].bytes, 8u);
  EXPECT_EQ(kernel.variables[3].name, "p@1");
}

TEST(ScopeParserTest, RegistersByNumberAndByName) {
  auto module = parseModule(
      ".entry k() { .reg .b32 %r<3>, x; .reg .f16x2 "
      "%h<1>; .reg .pred p, q; .reg .b64 none<0>; mov.b32 %r2, x; }");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  const char *names[] = {"%r0", "%r1", "%r2", "x", "%h0", "p", "q"};
  ASSERT_EQ(kernel.registers.size(), std::size(names));
  for (unsigned i = 0; i < std::size(names); ++i)
    EXPECT_EQ(kernel.registers[i].name, names[i]);
  EXPECT_EQ(kernel.registers[4].type, Type::F16x2);
  EXPECT_EQ(kernel.body[0]->operands[0].reg, 2u);
  EXPECT_EQ(kernel.body[0]->operands[1].reg, 3u);
}

TEST(ScopeParserTest, LabelsBelongToTheirBlocks) {
  // As inline assembly writes it: the same names in one block after another.
  auto module = parseBody(R"(
{ .reg .pred p;
TRY: mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], %r2;
@p bra DONE; bra TRY; DONE:
}
{ .reg .pred p;
TRY:
mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], %r2; @p bra DONE;
bra TRY;
DONE:
}
@%p1 bra $L__BB0_2;
{ bra.uni OUT; { bra OUT; } OUT: }
{ bra OUT; }
$L__BB0_2: OUT:
bra.uni LAST;
LAST:)");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.body.size(), 11u);
  ASSERT_EQ(kernel.targets.size(), 11u);
  EXPECT_EQ(kernel.targets[0], Places());
  EXPECT_EQ(kernel.targets[1], Places{3});
  EXPECT_EQ(kernel.targets[2], Places{0});
  EXPECT_EQ(kernel.targets[4], Places{6});
  EXPECT_EQ(kernel.targets[5], Places{3});
  EXPECT_EQ(kernel.targets[6], Places{10});
  // The label inside comes after the branches, and hides the one outside.
  EXPECT_EQ(kernel.targets[7], Places{9});
  EXPECT_EQ(kernel.targets[8], Places{9});
  EXPECT_EQ(kernel.targets[9], Places{10});
  // After the last instruction.
  EXPECT_EQ(kernel.targets[10], Places{11});
  EXPECT_EQ(kernel.body[6]->operands[0].kind, Operand::Label);
  EXPECT_EQ(kernel.body[6]->operands[0].name, "$L__BB0_2");
}

TEST(ScopeParserTest, ListsOfBranchTargets) {
  auto module = parseBody(R"(
$L_brx_0: .branchtargets A, $L_1, A, N<2>;
brx.idx %r1, $L_brx_0;
A: mov.b32 %r1, 1;
$L_1: ret;
{ A: @%p1 brx.idx.uni %r2, $L_brx_0; }
N0: N1: ret;)");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.body.size(), 5u);
  EXPECT_EQ(kernel.targets[0], (Places{1, 2, 1, 4, 4}));
  EXPECT_EQ(kernel.targets[3], kernel.targets[0]);
  EXPECT_EQ(kernel.body[0]->operands[0].kind, Operand::Register);
  EXPECT_EQ(kernel.body[0]->operands[1].kind, Operand::Label);
}

TEST(ScopeParserTest, VariablesOfABodyThatLiveLonger) {
  auto module = parseBody(
      ".global .b32 g = 7; .const .b8 smem2[2]; .extern .shared .b8 d[];"
      "{ .global .b32 g; ld.b32 %r1, [g]; } ld.shared.b32 %r1, [d];");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(module->variables.size(), 3u);
  EXPECT_EQ(module->variables[0].name, "g");
  EXPECT_EQ(module->variables[2].name, "g@1");
  ASSERT_EQ(kernel.variables.size(), 2u);
  EXPECT_EQ(kernel.variables[0].name, "smem");
  EXPECT_TRUE(kernel.variables[1].isExtern);
  EXPECT_EQ(kernel.body[0]->operands[1].elements[0].name, "g@1");
}

TEST(ScopeParserTest, MuchNestingIsNoProblem) {
  std::string body;
  for (unsigned i = 0; i < 200; ++i)
    body += "{ .reg .b32 x; bra L; ";
  body += std::string(200, '}');
  auto module = parseBody(body + " L: ret;");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->kernels[0]->targets[0], Places{200});
  EXPECT_EQ(module->kernels[0]->targets[199], Places{200});
}

} // namespace
