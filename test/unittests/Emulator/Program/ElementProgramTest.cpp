//===- ElementProgramTest.cpp - The text of asm -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/ElementProgram.h"

#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

using namespace tessera::emu;

namespace {

constexpr Type F16 = Type::F16, BF16 = Type::BF16, F32 = Type::F32,
               F64 = Type::F64, S16 = Type::S16, S32 = Type::S32,
               S64 = Type::S64;

uint64_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// Runs a text on one element.
uint64_t run(StringRef text, Type result, ArrayRef<Type> types,
             std::initializer_list<uint64_t> words) {
  TextError error;
  auto program = ElementProgram::parse(text, result, types, error);
  if (!program) {
    ADD_FAILURE() << error.line << ":" << error.column << ": " << error.message;
    return ~0ull;
  }
  SmallVector<ArrayRef<uint64_t>> operands;
  for (const uint64_t &word : words)
    operands.push_back(word);
  uint64_t computed = 0;
  program->run(operands, computed);
  return computed;
}

/// Returns the error of a text: "2:1: message".
std::string getError(StringRef text, Type result = F32,
                     ArrayRef<Type> types = F32) {
  TextError error;
  if (ElementProgram::parse(text, result, types, error))
    return "no error";
  return std::to_string(error.line) + ":" + std::to_string(error.column) +
         ": " + error.message;
}

TEST(ElementProgram, ComputesElements) {
  TextError error;
  auto program =
      ElementProgram::parse("sub.f32 $0, $1, $2;", F32, {F32, F32}, error);
  ASSERT_TRUE(program) << error.message;
  uint64_t x[] = {bits(3), bits(5)}, y[] = {bits(1), bits(-1)}, results[2];
  program->run({x, y}, results);
  EXPECT_EQ(results[0], bits(2));
  EXPECT_EQ(results[1], bits(6));
  EXPECT_EQ(program->getInstructions().size(), 1u);
}

TEST(ElementProgram, HasTheTypesOfElements) {
  EXPECT_EQ(run("add.f16 $0, $1, $1;", F16, F16, {0x3c00}), 0x4000u);
  EXPECT_EQ(run("add.bf16 $0, $1, $1;", BF16, BF16, {0x3f80}), 0x4000u);
  EXPECT_EQ(run("neg.f64 $0, $1;", F64, F64, {1}), 0x8000000000000001u);
  EXPECT_EQ(run("add.u16 $0, $1, 1;", S16, S16, {0xffff}), 0u);
  EXPECT_EQ(run("lop3.b32 $0, $1, $2, 1, 0xea;", S32, {S32, S32}, {6, 12}), 5u);
  EXPECT_EQ(run("mul.wide.u32 $0, $1, $1;", S64, S32, {0xffffffff}),
            0xfffffffe00000001u);
  // Pairs of floats in an integer.
  EXPECT_EQ(run("add.f16x2 $0, $1, $1;", S32, S32, {0x3c003c00}), 0x40004000u);
  // Bits of a float.
  EXPECT_EQ(run("and.b32 $0, $1, 0x7fffffff;", F32, F32, {bits(-2)}), bits(2));
  EXPECT_EQ(run("mov.b32 $0, $1;", S32, F32, {bits(-2)}), bits(-2));
}

TEST(ElementProgram, HasRegistersConstantsAndGuards) {
  StringRef text = "{ .reg .pred p; .reg .b32 t<2>;\n"
                   "  mov.f32 $0, 1.5; // the other value\n"
                   "  setp.lt.f32 p, $1, 0f00000000;\n"
                   "  mov.b32 t0, $1; mov.b32 t1, t0;\n"
                   "  @p add.f32 $0, t1, $0; }";
  EXPECT_EQ(run(text, F32, F32, {bits(-2)}), bits(-0.5));
  EXPECT_EQ(run(text, F32, F32, {bits(2)}), bits(1.5));
  EXPECT_EQ(run(".reg .pred p; setp.eq.s32 p, $1, 3; mov.b32 $0, 7;"
                "@!p mov.b32 $0, -1;",
                S32, S32, {4}),
            0xffffffffu);
}

/// A conversion extends its result to the register.
TEST(ElementProgram, ExtendsNarrowResults) {
  EXPECT_EQ(run("cvt.s8.s32 $0, $1;", S32, S32, {0x80}), 0xffffff80u);
  EXPECT_EQ(run("cvt.s8.s32 $0, $1;", S16, S32, {0x80}), 0xff80u);
  EXPECT_EQ(run("cvt.u8.u32 $0, $1;", S32, S32, {0x180}), 0x80u);
}

TEST(ElementProgram, ErrorsOfTheText) {
  EXPECT_EQ(getError("rpc.approx.f32 $0, $1;"),
            "1:1: unknown instruction 'rpc.approx.f32'");
  EXPECT_EQ(getError("mov.f32 $0, $1;\n  rcp.aprox.f32 $0, $1;"),
            "2:3: unknown form 'rcp.aprox.f32': '.approx' or a rounding (.rn, "
            ".rz, .rm, .rp) is missing");
  EXPECT_EQ(getError("add.f32 $0, $1;"),
            "1:1: unknown form 'add.f32': takes 2 operands after the result, "
            "not 1");
  EXPECT_EQ(getError("neg.f32 $0, $1"),
            "1:15: expected ',' or ';' after an operand, found the end of the "
            "text");
  EXPECT_EQ(getError("{ neg.f32 $0, $1;"),
            "1:18: expected '}' at the end of 'asm', found the end of the "
            "text");
  EXPECT_EQ(getError("neg.f32 $0, $1;\nneg.f32 $0, y;"),
            "2:13: undeclared name 'y'");
  EXPECT_EQ(getError(""), "0:0: the text of `asm` has no instruction");
  for (StringRef text : {"} .reg .f32 t; { neg.f32 $0, $1;", "} {", "}"})
    EXPECT_EQ(getError(text), "0:0: a `}` in the text of `asm` closes no `{`");
  EXPECT_EQ(getError(".shared .b32 s; neg.f32 $0, $1;"),
            "0:0: `asm` has registers, but no variables in memory");
}

TEST(ElementProgram, ErrorsOfOperandNames) {
  EXPECT_EQ(getError("add.f32 $0, $1, $3;", F32, {F32, F32}),
            "1:17: there is no operand `$3`; the operands are `$1` to `$2`, "
            "and the result is `$0`");
  EXPECT_EQ(getError("neg.f32 $0, $x;"),
            "1:13: `$` begins the number of an operand, such as `$1`; names of "
            "registers are without it");
  EXPECT_EQ(getError(".reg .f32 t$1; neg.f32 $0, $1;"),
            "1:12: `$` begins the number of an operand, such as `$1`; names of "
            "registers are without it");
  EXPECT_EQ(getError(".reg .f32 %f1; neg.f32 $0, $1;"),
            "1:11: the name of a register in `asm` begins with a letter, since "
            "names that begin with `%` are the compiler's");
  EXPECT_EQ(getError("neg.f32 $0, $1;", F32, {F32, F32}),
            "0:0: the text does not use the operand `$2`; remove the argument");
  EXPECT_EQ(getError(".reg .f32 t; neg.f32 t, $1;"),
            "0:0: the text does not set the result `$0`");
  EXPECT_EQ(getError("add.f32 $0, $0, $1;"),
            "1:1: 'add.f32' reads `$0`, which no instruction before has set");
  EXPECT_EQ(getError("neg.f32 $1, $1; mov.f32 $0, $1;"),
            "1:1: 'neg.f32' changes the operand `$1`; write to `$0`, or to a "
            "register of your own, as in `.reg .b32 t;`");
  EXPECT_EQ(getError(".reg .pred p; setp.lt.f32 p, $1, 0.0;\n@p mov.f32 $0, "
                     "$1;"),
            "2:4: 'mov.f32' sets `$0` only if the guard holds, and no "
            "instruction before has set it");
  EXPECT_EQ(getError(".reg .pred p; mov.f32 $0, $1; @p neg.f32 $0, $1;"),
            "1:34: 'neg.f32' reads `p`, which no instruction before has set");
}

TEST(ElementProgram, ErrorsOfTypes) {
  EXPECT_EQ(getError("neg.f32 $0, $1;", F32, S32),
            "1:1: 'neg.f32' has `f32` here, but `$1` is an integer of 32 bits; "
            "`bits` converts");
  EXPECT_EQ(getError("add.s32 $0, $1, 1;", S32, F32),
            "1:1: 'add.s32' has an integer of 32 bits here, but `$1` is `f32`; "
            "`bits` converts, or `mov.b32` in the text");
  EXPECT_EQ(getError("neg.f32 $0, $1;", F64, F32),
            "1:1: 'neg.f32' has `f32` here, but `$0` is `f64`");
  EXPECT_EQ(getError("neg.f16 $0, $1;", F16, BF16),
            "1:1: 'neg.f16' has `f16` here, but `$1` is `bf16`; `bits` "
            "converts");
  EXPECT_EQ(getError("neg.bf16 $0, $1;", F16, BF16),
            "1:1: 'neg.bf16' has `bf16` here, but `$0` is `f16`; `bits` "
            "converts");
  EXPECT_EQ(getError(".reg .pred p; setp.lt.f32 p, $1, 0.0; mov.f32 $0, p;"),
            "1:39: 'mov.f32' has `f32` here, but `p` is a predicate");
  EXPECT_EQ(getError(".reg .u32 t; mov.b32 t, $1; add.f16x2 t, t, t; mov.b32 "
                     "$0, t;"),
            "1:29: 'add.f16x2' has `f16x2` here, but `t` is an integer of 32 "
            "bits");
  EXPECT_EQ(getError("add.f32 $0, $1, 1;"),
            "1:1: 'add.f32' has `f32` here, but the number is an integer; "
            "write it as `1.0` or `0f3F800000`");
  EXPECT_EQ(getError("and.b32 $0, $1, 1.0;"),
            "1:1: 'and.b32' has a register of 32 bits here, but the number is "
            "`f64`");
}

TEST(ElementProgram, ErrorsOfOperandKinds) {
  EXPECT_EQ(getError("neg.f32 $0, {$1};"),
            "1:1: an operand of 'neg.f32' is neither a register nor a number");
  EXPECT_EQ(getError("neg.f32 _, $1;"),
            "1:1: the result of 'neg.f32' is not a register");
  EXPECT_EQ(getError(".loc 1 2 3\nneg.f32 $0, $1;"),
            "0:0: `asm` has the place of its text, and no `.loc`");
  EXPECT_EQ(getError("neg.f32 $0, $1; /* open"),
            "1:17: comment without an end");
}

TEST(ElementProgram, ErrorsOfEffects) {
  EXPECT_EQ(getError("ld.global.f32 $0, [$1];", F32, S64),
            "1:1: 'ld.global.f32' accesses memory, but `asm` computes with "
            "registers; load a tile before, and store the result");
  EXPECT_EQ(getError("bar.sync 0; mov.f32 $0, $1;"),
            "1:1: 'bar.sync' synchronizes threads, but `asm` computes one "
            "element; the compiler adds barriers");
  EXPECT_EQ(getError("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;"),
            "1:1: 'shfl.sync.bfly.b32' depends on other threads, but `asm` "
            "computes one element; `reduce` combines elements");
  EXPECT_EQ(getError("setmaxnreg.inc.sync.aligned.u32 240; mov.f32 $0, $1;"),
            "1:1: 'setmaxnreg.inc.sync.aligned.u32' is an instruction of a "
            "warp, but `asm` computes one element; `@` multiplies tiles");
  EXPECT_EQ(getError("call ($0), f, ($1);"),
            "1:1: 'call' calls a device function, which is not linked; write "
            "an `fn` of the language");
  EXPECT_EQ(getError("mov.f32 $0, $1; bra end; end: neg.f32 $0, $1;"),
            "1:17: 'bra' is control flow, but `asm` computes an element "
            "without branches; select with `selp` or a guard");
  EXPECT_EQ(getError("mov.u32 $0, %tid.x; add.u32 $0, $0, $1;", S32, S32),
            "1:1: `%tid.x` depends on the thread or the machine, but `asm` "
            "computes one element; positions are `m.index` of a range");
  EXPECT_EQ(getError("mov.b32 {$0, _}, $1;", S16, S32),
            "1:1: 'mov.b32' packs or unpacks a vector, which `asm` does not "
            "have; use `prmt`, `shl` and `or`");
}

} // namespace
