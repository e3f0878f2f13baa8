//===- ParserTest.cpp - Modules of PTX ------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedText.h"

using namespace tessera::emu;

namespace {

using Bytes = std::vector<uint8_t>;

TEST(ParserTest, SignaturesOfKernels) {
  auto module = parseModule(R"(
.extern .shared .align 1024 .b8 smem[];
.weak .entry first(
  .param .u64 .ptr .global .align 16 a, .param .u64 .ptr.shared.align 8 b,
  .param .u64 .ptr .align 1 c, .param .u64 .ptr d, .param .f32 e,
  .param .align 64 .b8 map[128], .param .align 8 .b8 f[2][3], .param .s8 g
)
.reqntid 128, 2
.minnctapersm 3
.maxnreg 168
.explicitcluster
.reqnctapercluster 2, 1, 1
.maxclusterrank 8
.blocksareclusters
.pragma "nounroll";
{ ret; }
.entry second() .maxntid 64 { }
.visible .entry third { }
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->target, "sm_90a");
  EXPECT_EQ(module->majorVersion, 8u);
  EXPECT_EQ(module->minorVersion, 8u);
  ASSERT_EQ(module->kernels.size(), 3u);
  const Kernel &first = *module->kernels[0];
  EXPECT_EQ(module->findKernel("first"), &first);
  struct {
    const char *name;
    uint64_t bytes, alignment;
  } parameters[] = {{"a", 8, 8}, {"b", 8, 8},      {"c", 8, 8}, {"d", 8, 8},
                    {"e", 4, 4}, {"map", 128, 64}, {"f", 6, 8}, {"g", 1, 1}};
  ASSERT_EQ(first.parameters.size(), std::size(parameters));
  for (unsigned i = 0; i < std::size(parameters); ++i) {
    EXPECT_EQ(first.parameters[i].name, parameters[i].name);
    EXPECT_EQ(first.parameters[i].space, Variable::Param);
    EXPECT_EQ(first.parameters[i].bytes, parameters[i].bytes);
    EXPECT_EQ(first.parameters[i].alignment, parameters[i].alignment);
  }
  EXPECT_EQ(first.maxThreads[0], 128u);
  EXPECT_EQ(first.maxThreads[1], 2u);
  EXPECT_EQ(first.maxThreads[2], 1u);
  EXPECT_TRUE(first.hasExactThreads);
  EXPECT_EQ(first.minBlocks, 3u);
  EXPECT_EQ(first.maxRegisters, 168u);
  EXPECT_EQ(first.cluster[0], 2u);
  EXPECT_TRUE(first.blocksAreClusters);
  EXPECT_EQ(first.where.line, 6u);
  const Kernel &second = *module->kernels[1];
  EXPECT_EQ(second.maxThreads[0], 64u);
  EXPECT_EQ(second.maxThreads[2], 1u);
  EXPECT_FALSE(second.hasExactThreads);
  EXPECT_FALSE(second.blocksAreClusters);
  EXPECT_EQ(module->kernels[2]->maxThreads[0], 0u);
  EXPECT_TRUE(module->kernels[2]->parameters.empty());
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_TRUE(module->variables[0].isExtern);
  EXPECT_EQ(module->variables[0].bytes, 0u);
  EXPECT_EQ(module->variables[0].alignment, 1024u);
}

TEST(ParserTest, VariablesAndInitialValues) {
  auto module = parseModule(R"(
.global .align 4 .b32 a[3] = {1, -2, 0f3F800000};
.visible .const .f32 b[3] = {1.5, 0dBFF8000000000000, 0f7F800001};
.global .u8 c[3] = {300, -2, 255};
.global .b8 d[2][3] = {{1, 2}, {3}};
.global .u64 e = -9;
.global .v2 .f32 f[2] = {{1.5, 2.5}, {3.5, 4.5}};
.global .b8 g[] = {7, 8, 9};
.global .f64 h = 1.5;
.global .s16 i, j[4], k = 3 + 4 * 2;
.shared .align 16 .b8 l[2][8];
.global .attribute(.managed) .b128 m = -1;
.extern .global .b32 n;
.global .b32 n = 1;
.extern .global .b32 n;
.extern .shared .b32 o;
)");
  ASSERT_TRUE(module);
  struct {
    const char *name;
    uint64_t bytes, alignment;
    Bytes initializer;
  } expected[] = {
      {"a", 12, 4, {1, 0, 0, 0, 254, 255, 255, 255, 0, 0, 128, 63}},
      // Bits stay what they are, those of a signaling NaN too.
      {"b", 12, 4, {0, 0, 192, 63, 0, 0, 192, 191, 1, 0, 128, 127}},
      {"c", 3, 1, {44, 254, 255}},
      {"d", 6, 1, {1, 2, 0, 3}},
      {"e", 8, 8, {247, 255, 255, 255, 255, 255, 255, 255}},
      {"f", 16, 8, {0, 0, 192, 63, 0, 0, 32, 64, 0, 0, 96, 64, 0, 0, 144, 64}},
      {"g", 3, 1, {7, 8, 9}},
      {"h", 8, 8, {0, 0, 0, 0, 0, 0, 248, 63}},
      {"i", 2, 2, {}},
      {"j", 8, 2, {}},
      {"k", 2, 2, {11, 0}},
      {"l", 16, 16, {}},
      {"m", 16, 16, Bytes(16, 255)},
      {"n", 4, 4, {1, 0, 0, 0}},
      {"o", 4, 4, {}},
  };
  ASSERT_EQ(module->variables.size(), std::size(expected));
  for (unsigned i = 0; i < std::size(expected); ++i) {
    const Variable &variable = module->variables[i];
    EXPECT_EQ(variable.name, expected[i].name);
    EXPECT_EQ(variable.bytes, expected[i].bytes) << variable.name;
    EXPECT_EQ(variable.alignment, expected[i].alignment) << variable.name;
    EXPECT_EQ(variable.initializer, expected[i].initializer) << variable.name;
    EXPECT_FALSE(variable.isExtern) << variable.name;
  }
  EXPECT_EQ(module->variables[1].space, Variable::Const);
  EXPECT_EQ(module->variables[11].space, Variable::Shared);
}

TEST(ParserTest, PlacesInTheSource) {
  auto module = parseModule(R"(
.file 1 "a.tile"
.entry k() {
  ret;
  .loc 1 12 3
  ret; ret;
  .loc 2 7 1, function_name $L__info_string0, inlined_at 1 13 27
  ret;
  .loc 2 8 1, function_name $L__info_string0+47, inlined_at 1 13 27
L: ret;
  .loc 1 0 62
  ret;
}
.entry l() { ret; }
.file 3 "dir\\b \"c\".cu", 1700000000, 12
.section .debug_str
{
$L__info_string0:
.b8 95,90,0
.b32 $L__tmp1-$L__tmp0 // }
.b64 .debug_abbrev
}
.section .debug_macinfo { })");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->files,
            (std::vector<std::string>{"", "a.tile", "", "dir\\b \"c\".cu"}));
  struct {
    unsigned file, line, column;
  } expected[] = {{0, 0, 0}, {1, 12, 3}, {1, 12, 3},
                  {2, 7, 1}, {2, 8, 1},  {0, 0, 0}};
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.body.size(), std::size(expected));
  for (unsigned i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(kernel.body[i]->where.file, expected[i].file) << i;
    EXPECT_EQ(kernel.body[i]->where.sourceLine, expected[i].line) << i;
    EXPECT_EQ(kernel.body[i]->where.sourceColumn, expected[i].column) << i;
  }
  EXPECT_EQ(module->kernels[1]->body[0]->where.file, 0u);
}

TEST(ParserTest, Functions) {
  auto module = parseModule(R"(
.extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b) ;
.extern .func __assertfail(.param .b64 _, .param .b64 _) .noreturn;
.func (.reg .u32 %out) helper (.reg .u32 %in, .param .b8 rest[]) {
  .reg .b32 %r<2>;
  { .param .b64 param0; .param .b32 retval0;
    st.param.b64 [param0+0], 1;
    call.uni (retval0), vprintf, (param0, param0);
    prototype_0 : .callprototype ()_ (.param .b64 _);
    call %r1, (param0), prototype_0;
    call helper;
  }
  mov.u32 %out, %in;
}
.visible .global .align 8 .u64 table[3] = {generic(helper)+4, 3, helper};
.global .u8 parts[2] = {0xFF(generic(table)+8), 0xFF00(table)};
.entry k();
.entry k() { ret; }
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->kernels.size(), 1u);
  EXPECT_TRUE(module->variables.empty());
  // Functions with bodies.
  ASSERT_EQ(module->functions.size(), 1u);
  const Kernel &function = *module->functions.front();
  EXPECT_EQ(function.name, "helper");
  EXPECT_TRUE(function.hasRegisterParameters);
  EXPECT_EQ(function.parameters.size(), 1u);
  ASSERT_EQ(function.body.size(), 5u);
  const Instruction &call = *function.body[1];
  ASSERT_EQ(call.operands.size(), 3u);
  EXPECT_EQ(call.operands[0].elements.size(), 1u);
  EXPECT_EQ(call.operands[1].kind, Operand::Label);
  EXPECT_EQ(call.operands[1].name, "vprintf");
  EXPECT_EQ(call.operands[2].elements.size(), 2u);
  EXPECT_EQ(function.body[2]->operands[1].kind, Operand::Register);
}

} // namespace
