//===- OperandParserTest.cpp - Instructions and operands of PTX -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedText.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera::emu;

namespace {

/// In another notation than PTX's, so that each kind shows.
std::string describe(const Kernel &kernel, const Operand &operand) {
  std::string elements;
  for (const Operand &element : operand.elements)
    elements += (elements.empty() ? "" : " ") + describe(kernel, element);
  std::string offset =
      operand.offset ? " at " + std::to_string(operand.offset) : "";
  switch (operand.kind) {
  case Operand::Register:
    return "reg " + kernel.registers[operand.reg].name;
  case Operand::Special:
    return "special " + operand.name;
  case Operand::Integer:
    return std::to_string(static_cast<int64_t>(operand.bits));
  case Operand::Float:
    return toString(operand.floatType).str() + ":" +
           llvm::utohexstr(operand.bits);
  case Operand::Symbol:
    return "symbol " + operand.name + offset;
  case Operand::Label:
    return "label " + operand.name;
  case Operand::Address:
    return "address(" + elements + offset + ")";
  case Operand::Vector:
    return "vector(" + elements + ")";
  case Operand::Pair:
    return "pair(" + elements + ")";
  case Operand::Negated:
    return "not(" + elements + ")";
  case Operand::Sink:
    return "sink";
  }
  return "unknown";
}

/// Of the last instruction of the body.
std::vector<std::string> getOperands(const llvm::Twine &body) {
  std::vector<std::string> result;
  if (std::unique_ptr<Module> module = parseBody(body))
    for (const Operand &operand : module->kernels[0]->body.back()->operands)
      result.push_back(describe(*module->kernels[0], operand));
  return result;
}

using Texts = std::vector<std::string>;

TEST(OperandParserTest, RegistersAndVectors) {
  EXPECT_EQ(getOperands("add.s32 %r1, %r7, %r0;"),
            (Texts{"reg %r1", "reg %r7", "reg %r0"}));
  EXPECT_EQ(getOperands("mov.b64 {%r1, _}, %rd1;"),
            (Texts{"vector(reg %r1 sink)", "reg %rd1"}));
  EXPECT_EQ(getOperands("st.global.v4.b32 [%rd1], {%r1, 2, -3, 0f00000000};"),
            (Texts{"address(reg %rd1)", "vector(reg %r1 2 -3 f32:0)"}));
  EXPECT_EQ(getOperands("mov.b64 %rd1, {smem, smem+4};"),
            (Texts{"reg %rd1", "vector(symbol smem symbol smem at 4)"}));
  EXPECT_EQ(getOperands("ret;"), Texts());
}

TEST(OperandParserTest, PairsAndPredicates) {
  EXPECT_EQ(getOperands("setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;"),
            (Texts{"pair(reg %p1 reg %p2)", "reg %r1", "3", "not(reg %p3)"}));
  EXPECT_EQ(getOperands("elect.sync _|%p1, -1;"),
            (Texts{"pair(sink reg %p1)", "-1"}));
  EXPECT_EQ(getOperands("elect.sync %r1 | _, 0xFFFFFFFF;"),
            (Texts{"pair(reg %r1 sink)", "4294967295"}));
  EXPECT_EQ(getOperands("vote.sync.any.pred %p1, ! %p2, -1;"),
            (Texts{"reg %p1", "not(reg %p2)", "-1"}));
}

TEST(OperandParserTest, Addresses) {
  EXPECT_EQ(getOperands("ld.b32 %r1, [%rd1];"),
            (Texts{"reg %r1", "address(reg %rd1)"}));
  EXPECT_EQ(getOperands("ld.b32 %r1, [%rd1+16];"),
            (Texts{"reg %r1", "address(reg %rd1 at 16)"}));
  EXPECT_EQ(getOperands("ld.b32 %r1, [ %rd1 + -4 ];"),
            (Texts{"reg %r1", "address(reg %rd1 at -4)"}));
  EXPECT_EQ(getOperands("ld.b32 %r1, [%rd1+0x10];"),
            (Texts{"reg %r1", "address(reg %rd1 at 16)"}));
  // The offset is the address's, not the symbol's.
  EXPECT_EQ(getOperands("ld.shared.b32 %r1, [smem+4+4*3];"),
            (Texts{"reg %r1", "address(symbol smem at 16)"}));
  EXPECT_EQ(getOperands("ld.param.b64 %rd1, [p];"),
            (Texts{"reg %rd1", "address(symbol p)"}));
  EXPECT_EQ(
      getOperands("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                  "complete_tx::bytes [%r1], [%rd1, {%r2, 3}], [%r4+8];"),
      (Texts{"address(reg %r1)", "address(reg %rd1 vector(reg %r2 3))",
             "address(reg %r4 at 8)"}));
  EXPECT_EQ(getOperands("mov.b64 %rd1, smem+64;"),
            (Texts{"reg %rd1", "symbol smem at 64"}));
  EXPECT_EQ(getOperands("mov.b64 %rd1, smem;"),
            (Texts{"reg %rd1", "symbol smem"}));
}

TEST(OperandParserTest, SpecialRegisters) {
  EXPECT_EQ(getOperands("mov.u32 %r1, %tid.x;"),
            (Texts{"reg %r1", "special %tid.x"}));
  EXPECT_EQ(getOperands("mov.u32 %r1, %cluster_nctaid.z;"),
            (Texts{"reg %r1", "special %cluster_nctaid.z"}));
  EXPECT_EQ(getOperands("mov.u64 %rd1, %clock64;"),
            (Texts{"reg %rd1", "special %clock64"}));
  EXPECT_EQ(getOperands("mov.b32 %r1, %envreg31;"),
            (Texts{"reg %r1", "special %envreg31"}));
  EXPECT_EQ(getOperands("mov.u64 %rd1, %pm3_64;"),
            (Texts{"reg %rd1", "special %pm3_64"}));
  // It has no meaning of its own in a body that declares it.
  EXPECT_EQ(getOperands(".reg .b32 %clock; mov.u32 %r1, %clock;"),
            (Texts{"reg %r1", "reg %clock"}));
}

TEST(OperandParserTest, IntegerLiterals) {
  EXPECT_EQ(getOperands("x 0, 017, 0x1f, 0X1F, 0b101, 0U, 12U, 07U, 0xFFU;"),
            (Texts{"0", "15", "31", "31", "5", "0", "12", "7", "255"}));
  EXPECT_EQ(getOperands("x -1, -2147483648, -9223372036854775808;"),
            (Texts{"-1", "-2147483648", "-9223372036854775808"}));
  EXPECT_EQ(getOperands("x 0xFFFFFFFFFFFFFFFF, 18446744073709551615;"),
            (Texts{"-1", "-1"}));
  EXPECT_EQ(getOperands("x WARP_SZ, WARP_SZ-1, ~0, !0, !5, +3;"),
            (Texts{"32", "31", "-1", "1", "0", "3"}));
}

TEST(OperandParserTest, FloatLiterals) {
  EXPECT_EQ(getOperands("x 0f3F800000, 0F7fc00000, 0f80000000;"),
            (Texts{"f32:3F800000", "f32:7FC00000", "f32:80000000"}));
  EXPECT_EQ(getOperands("x 0dBFF0000000000000, 0d0000000000000001;"),
            (Texts{"f64:BFF0000000000000", "f64:1"}));
  EXPECT_EQ(getOperands("x 1.5, -1.5, 1., 1e3, 25e-2, 1E+1, -0.0;"),
            (Texts{"f64:3FF8000000000000", "f64:BFF8000000000000",
                   "f64:3FF0000000000000", "f64:408F400000000000",
                   "f64:3FD0000000000000", "f64:4024000000000000",
                   "f64:8000000000000000"}));
}

TEST(OperandParserTest, ConstantExpressions) {
  EXPECT_EQ(
      getOperands("x 1+2*3, (1+2)*3, 1+2*3<<1, 10-4-3, 7/2, -7/2, -7 % 3;"),
      (Texts{"7", "9", "14", "3", "3", "-3", "-1"}));
  EXPECT_EQ(getOperands("x 6&3|8, 6^3, 1<<4>>2, 1<2, 2<=1, 3==3, 3!=3;"),
            (Texts{"10", "5", "4", "1", "0", "1", "0"}));
  EXPECT_EQ(getOperands("x 1&&0, 0||2, 1?2:3, 0?2:0?3:4, 2>1 ? 5 : 6;"),
            (Texts{"0", "1", "2", "4", "5"}));
  // Unsigned if one side is: -1 is then the largest number.
  EXPECT_EQ(getOperands("x -1<1, -1<1U, -1/2, -1/2U, -2>>1, (.u64)-2>>1;"),
            (Texts{"1", "0", "0", "9223372036854775807", "-1",
                   "9223372036854775807"}));
  EXPECT_EQ(getOperands("x (.s64)(.u64)-2/2, (-9223372036854775807-1)/-1;"),
            (Texts{"-1", "-9223372036854775808"}));
}

TEST(OperandParserTest, NamesAreSplitAtDots) {
  auto module = parseBody(
      "@!%p3 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], "
      "%r2;\n"
      "ld.global.L2::128B.b32 %r1, [%rd1]; add .s32 %r1, %r1, 1;");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.body.size(), 3u);
  const Instruction &arrive = *kernel.body[0];
  EXPECT_EQ(arrive.name,
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64");
  EXPECT_EQ(std::vector<StringRef>(arrive.parts.begin(), arrive.parts.end()),
            (std::vector<StringRef>{"mbarrier", "arrive", "expect_tx",
                                    "release", "cta", "shared::cta", "b64"}));
  ASSERT_TRUE(arrive.guard);
  EXPECT_TRUE(arrive.guard->isNegated);
  EXPECT_EQ(kernel.registers[arrive.guard->reg].name, "%p3");
  EXPECT_TRUE(kernel.body[1]->has("L2::128B"));
  EXPECT_FALSE(kernel.body[1]->guard);
  EXPECT_EQ(kernel.body[2]->name, "add.s32");
}

TEST(OperandParserTest, InstructionsOverLinesAndCommentsHaveTheirPlaces) {
  auto module = parseBody("/* a\n b */ add.s32 // c ; }\n\t%r1,\n %r2 /**/,\n"
                          " 1\n;\tret; // }\n ret;");
  ASSERT_TRUE(module);
  const Kernel &kernel = *module->kernels[0];
  ASSERT_EQ(kernel.body.size(), 3u);
  EXPECT_EQ(kernel.body[0]->where.line, 6u);
  EXPECT_EQ(kernel.body[0]->where.column, 7u);
  EXPECT_EQ(kernel.body[0]->operands.size(), 3u);
  EXPECT_EQ(kernel.body[1]->where.line, 10u);
  EXPECT_EQ(kernel.body[1]->where.column, 3u);
  EXPECT_EQ(kernel.body[2]->where.line, 11u);
}

} // namespace
