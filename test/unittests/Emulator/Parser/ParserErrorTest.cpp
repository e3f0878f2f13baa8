//===- ParserErrorTest.cpp - What is wrong with a PTX text, and where -----===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedText.h"

using namespace tessera::emu;

namespace {

std::string getError(llvm::StringRef text) {
  auto module = parse(text, "t.ptx");
  return module ? "no error" : llvm::toString(module.takeError());
}

TEST(ParserErrorTest, Headers) {
  EXPECT_EQ(getError(""),
            "t.ptx:1:1: expected '.version' first, found the end of the file");
  EXPECT_EQ(getError("// c\n  .target sm_90a"),
            "t.ptx:2:3: expected '.version' first, found '.target'");
  EXPECT_EQ(getError(".version sm_90a"),
            "t.ptx:1:10: expected the version of PTX, found 'sm_90a'");
  EXPECT_EQ(getError(".version 8.8 .entry"),
            "t.ptx:1:14: expected '.target' after '.version', found '.entry'");
  EXPECT_EQ(getError(".version 8.x"), "t.ptx:1:10: malformed version '8.x'");
  EXPECT_EQ(getError(".version 8.8\n.target"),
            "t.ptx:2:8: expected the name of a target, found the end of the "
            "file");
  EXPECT_EQ(getError(".version 8.8 .target gfx90a"),
            "t.ptx:1:22: unknown target 'gfx90a'");
  EXPECT_EQ(getError(".version 8.8 .target sm_90a, map_f64_to_f32"),
            "t.ptx:1:30: option 'map_f64_to_f32' of '.target' is not "
            "supported");
  EXPECT_EQ(getError(".version 8.8 .target sm_90a .address_size 32"),
            "t.ptx:1:43: the size of addresses must be an integer from 64 to "
            "64");
}

TEST(ParserErrorTest, Characters) {
  EXPECT_EQ(getModuleError("#define x"), "t.ptx:4:1: unexpected character '#'");
  EXPECT_EQ(getModuleError("\x80"), "t.ptx:4:1: unexpected character 0x80");
  EXPECT_EQ(getModuleError(StringRef("\0", 1)),
            "t.ptx:4:1: unexpected character 0x00");
  EXPECT_EQ(getModuleError("/* no end *"), "t.ptx:4:1: comment without an end");
  EXPECT_EQ(getModuleError(".file 1 \"abc\n\""),
            "t.ptx:4:9: string without an end");
  EXPECT_EQ(getBodyError("mov.b32 %r1, 'a';"),
            "t.ptx:5:14: unexpected character '''");
}

TEST(ParserErrorTest, Directives) {
  EXPECT_EQ(getModuleError(".alias f, g;"),
            "t.ptx:4:1: unknown directive '.alias'");
  EXPECT_EQ(getModuleError("add.s32 a, b, c;"),
            "t.ptx:4:1: expected a directive, found 'add'");
  EXPECT_EQ(getModuleError(".reg .b32 %r1;"),
            "t.ptx:4:1: directive '.reg' is only supported in functions");
  EXPECT_EQ(getModuleError(".visible x"),
            "t.ptx:4:10: expected a function or a variable, found 'x'");
  EXPECT_EQ(getModuleError(".section .debug_str { .b8 1"),
            "t.ptx:4:28: expected '}' at the end of section '.debug_str', "
            "found the end of the file");
  EXPECT_EQ(getModuleError(".entry k() .maxthreads 4 { }"),
            "t.ptx:4:12: unknown directive '.maxthreads'");
  EXPECT_EQ(getModuleError(".func f() .maxntid 4 { }"),
            "t.ptx:4:11: unknown directive '.maxntid'");
  EXPECT_EQ(getModuleError(".entry k() .maxntid 4 .reqntid 4 { }"),
            "t.ptx:4:23: '.reqntid' says again what a directive before it has "
            "said");
  EXPECT_EQ(getModuleError(".entry k() .maxntid 0 { }"),
            "t.ptx:4:21: a size must be an integer from 1 to 4294967295");
  EXPECT_EQ(getModuleError(".entry k() { }\n.entry k() { }"),
            "t.ptx:5:8: kernel 'k' is defined twice");
  EXPECT_EQ(getModuleError(".entry k(.reg .b32 x) { }"),
            "t.ptx:4:10: expected '.param', found '.reg'");
  EXPECT_EQ(getModuleError(".entry k(.param .b32 x, .param .b32 x) { }"),
            "t.ptx:4:37: 'x' is defined twice");
  EXPECT_EQ(getBodyError(".unknown 4;"),
            "t.ptx:5:1: unknown directive '.unknown'");
  EXPECT_EQ(getBodyError(".loc 1 2"),
            "t.ptx:6:1: expected a column, found '}'");
  EXPECT_EQ(getBodyError(".loc 1 2 3, somewhere 4"),
            "t.ptx:5:13: unknown attribute 'somewhere' of '.loc'");
}

TEST(ParserErrorTest, FilesAndSections) {
  EXPECT_EQ(getModuleError(".file 1 2"),
            "t.ptx:4:9: expected the name of a file, found '2'");
  EXPECT_EQ(getModuleError(".section 3 { }"),
            "t.ptx:4:10: expected the name of a section, found '3'");
  EXPECT_EQ(getModuleError(".pragma nounroll;"),
            "t.ptx:4:9: expected a string after '.pragma', found 'nounroll'");
}

TEST(ParserErrorTest, Names) {
  EXPECT_EQ(getBodyError("mov.b32 %r8, 1;"),
            "t.ptx:5:9: undeclared register '%r8'");
  EXPECT_EQ(getBodyError("mov.b32 %r01, 1;"),
            "t.ptx:5:9: undeclared register '%r01'");
  EXPECT_EQ(getBodyError("mov.b32 %r1, n;"), "t.ptx:5:14: undeclared name 'n'");
  EXPECT_EQ(getBodyError("{ .reg .b32 x; } mov.b32 x, 1;"),
            "t.ptx:5:26: undeclared name 'x'");
  EXPECT_EQ(getBodyError("mov.u32 %r1, %tid.w0;"),
            "t.ptx:5:14: unknown special register '%tid.w0'");
  EXPECT_EQ(getBodyError("mov.u32 %r1, %laneid.x;"),
            "t.ptx:5:14: unknown special register '%laneid.x'");
  EXPECT_EQ(getBodyError("mov.u32 %r1, %envreg32;"),
            "t.ptx:5:14: undeclared register '%envreg32'");
  EXPECT_EQ(getBodyError("mov.u32 %r1, %r2.x;"),
            "t.ptx:5:14: parts of registers ('%r2.x') are not supported");
  EXPECT_EQ(getBodyError(".reg .b32 %r1;"),
            "t.ptx:5:11: '%r1' is defined twice");
  EXPECT_EQ(getBodyError(".reg .b32 p;"), "t.ptx:5:11: 'p' is defined twice");
  EXPECT_EQ(getBodyError(".reg .v4 .b32 x;"),
            "t.ptx:5:6: vector registers are not supported");
  EXPECT_EQ(getBodyError(".reg .b32 a<1000000>; .reg .b64 b<1000000>;"),
            "t.ptx:5:33: more than 1048576 registers");
  EXPECT_EQ(getBodyError(".reg .b32 a<4294967297>;"),
            "t.ptx:5:13: the number of registers must be an integer from 0 to "
            "1048576");
  EXPECT_EQ(getModuleError(".extern .global .b32 x;\n"
                           ".entry k() { st.b32 [x], 1; }"),
            "t.ptx:5:22: variable 'x' is of another file: only '.extern' "
            "declares it here");
  EXPECT_EQ(getModuleError(".global .b32 y; .global .u64 x = y;\n"
                           ".entry k() { st.b32 [x], 1; }"),
            "t.ptx:5:22: addresses in the initial value of 'x' are not "
            "supported");
  EXPECT_EQ(getModuleError(".func f() { ret; } .entry k() { .reg .b64 a; "
                           "mov.b64 a, f; }"),
            "t.ptx:4:57: addresses of functions ('f') are not supported");
  EXPECT_EQ(getModuleError(".func f() { ret; } .func f() { ret; } "),
            "no error");
}

TEST(ParserErrorTest, Labels) {
  EXPECT_EQ(getBodyError("bra L;"), "t.ptx:5:5: undefined label 'L'");
  EXPECT_EQ(getBodyError("{ bra L; } { L: }"),
            "t.ptx:5:7: undefined label 'L'");
  EXPECT_EQ(getBodyError("L: L:"), "t.ptx:5:4: label 'L' is defined twice");
  EXPECT_EQ(getBodyError("bra;"), "t.ptx:5:1: 'bra' has 1 operand");
  EXPECT_EQ(getBodyError("L: bra L, L;"), "t.ptx:5:11: undeclared name 'L'");
  EXPECT_EQ(getBodyError("bra 3;"), "t.ptx:5:5: expected a label, found '3'");
  EXPECT_EQ(getBodyError("brx.idx %r1, T; T: .branchtargets L; L:"),
            "t.ptx:5:14: no list of branch targets 'T' comes before");
  EXPECT_EQ(getBodyError("T: brx.idx %r1, T;"),
            "t.ptx:5:17: 'T' is a label, not a list of branch targets");
  EXPECT_EQ(getBodyError("T: .branchtargets L; bra T; L:"),
            "t.ptx:5:26: 'T' is a list of branch targets, not a label");
  EXPECT_EQ(getBodyError("T: .branchtargets A, B; A:"),
            "t.ptx:5:22: undefined label 'B'");
  EXPECT_EQ(getBodyError("T: .branchtargets A<2>; A0:"),
            "t.ptx:5:19: undefined label 'A1'");
  EXPECT_EQ(getBodyError("brx.idx %r1;"),
            "t.ptx:5:1: 'brx.idx' has 2 operands");
}

TEST(ParserErrorTest, Instructions) {
  EXPECT_EQ(getBodyError("ret"), "t.ptx:6:1: expected an operand, found '}'");
  EXPECT_EQ(getBodyError("add.s32 %r1, %r2 %r3;"),
            "t.ptx:5:18: expected ',' or ';' after an operand, found '%r3'");
  EXPECT_EQ(getBodyError("add.s32 %r1, , %r3;"),
            "t.ptx:5:14: expected an operand, found ','");
  EXPECT_EQ(getBodyError(";"), "t.ptx:5:1: expected an instruction, found ';'");
  EXPECT_EQ(getBodyError("@%p1 { ret; }"),
            "t.ptx:5:6: expected an instruction, found '{'");
  EXPECT_EQ(getBodyError("@%r1 ret;"),
            "t.ptx:5:2: a guard must be a predicate, which '%r1' is not");
  EXPECT_EQ(getBodyError("@1 ret;"),
            "t.ptx:5:2: expected a predicate, found '1'");
  EXPECT_EQ(getBodyError("selp.b32 %r1, 1, 2, !%r2;"),
            "t.ptx:5:22: what '!' negates must be a predicate, which '%r2' is "
            "not");
  EXPECT_EQ(getBodyError("ld.b32 %r1, [4096];"),
            "t.ptx:5:14: an address starts with a register or a variable, not "
            "with '4096'");
  EXPECT_EQ(getBodyError("ld.b32 %r1, [%rd1-8];"),
            "t.ptx:5:18: expected ']' after an address, found '-'");
  EXPECT_EQ(getBodyError("ld.b32 %r1, [%rd1+%r2];"),
            "t.ptx:5:19: expected a constant, found '%r2'");
  EXPECT_EQ(getBodyError("ld.b32 %r1, [];"),
            "t.ptx:5:14: expected an operand, found ']'");
  EXPECT_EQ(getBodyError("mov.b64 {%r1, {%r2}}, %rd1;"),
            "t.ptx:5:15: expected an operand, found '{'");
  EXPECT_EQ(getBodyError("mov.b64 {}, %rd1;"),
            "t.ptx:5:10: expected an operand, found '}'");
  EXPECT_EQ(getBodyError("elect.sync %r1|3, -1;"),
            "t.ptx:5:16: expected a register after '|', found '3'");
}

TEST(ParserErrorTest, Constants) {
  EXPECT_EQ(getBodyError("x 0f3F8;"),
            "t.ptx:5:3: '0f3F8' must have 8 hexadecimal digits after '0f'");
  EXPECT_EQ(getBodyError("x 0dX;"),
            "t.ptx:5:3: '0dX' must have 16 hexadecimal digits after '0d'");
  EXPECT_EQ(getBodyError("x -0f3F800000;"),
            "t.ptx:5:3: '-' does not apply to this floating-point constant");
  EXPECT_EQ(getBodyError("x 09;"), "t.ptx:5:3: malformed number '09'");
  EXPECT_EQ(getBodyError("x 0x;"), "t.ptx:5:3: malformed number '0x'");
  EXPECT_EQ(getBodyError("x 0b12;"), "t.ptx:5:3: malformed number '0b12'");
  EXPECT_EQ(getBodyError("x 12u;"), "t.ptx:5:3: malformed number '12u'");
  EXPECT_EQ(getBodyError("x 1.5.5;"), "t.ptx:5:3: malformed number '1.5.5'");
  EXPECT_EQ(getBodyError("x 1e;"), "t.ptx:5:3: malformed number '1e'");
  EXPECT_EQ(getBodyError("x 1e+;"), "t.ptx:5:3: malformed number '1e+'");
  EXPECT_EQ(getBodyError("x 1e999;"), "t.ptx:5:3: number '1e999' is too large");
  EXPECT_EQ(getBodyError("x 18446744073709551616;"),
            "t.ptx:5:3: number '18446744073709551616' exceeds 64 bits");
  EXPECT_EQ(getBodyError("x 0x10000000000000000;"),
            "t.ptx:5:3: number '0x10000000000000000' exceeds 64 bits");
  EXPECT_EQ(getBodyError("x 1/0;"),
            "t.ptx:5:4: division of a constant by zero");
  EXPECT_EQ(getBodyError("x 1<<64;"),
            "t.ptx:5:4: shift of a constant by more than 63");
  EXPECT_EQ(getBodyError("x 1<<-1;"),
            "t.ptx:5:4: shift of a constant by more than 63");
  EXPECT_EQ(getBodyError("x 1.5+1;"),
            "t.ptx:5:6: arithmetic on floating-point constants is not "
            "supported");
  EXPECT_EQ(getBodyError("x (.s64)1.5;"),
            "t.ptx:5:3: only integer constants are cast");
  EXPECT_EQ(getBodyError("x 1.5 ? 1 : 2;"),
            "t.ptx:5:7: the condition of a constant expression must be an "
            "integer");
  EXPECT_EQ(getBodyError("x (1;"),
            "t.ptx:5:5: expected ')' after a constant expression, found ';'");
  EXPECT_EQ(getBodyError("x (.s32)1;"),
            "t.ptx:5:4: constants are cast to .s64 or .u64, not to '.s32'");
  EXPECT_EQ(getBodyError("x " + std::string(100000, '(')),
            "t.ptx:5:68: constant expression is nested too deeply");
  EXPECT_EQ(getBodyError("x " + std::string(100000, '-')),
            "t.ptx:5:68: constant expression is nested too deeply");
}

TEST(ParserErrorTest, Blocks) {
  EXPECT_EQ(getModuleError(".entry k() { ret;"),
            "t.ptx:4:18: expected '}' at the end of 'k', found the end of the "
            "file");
  EXPECT_EQ(getModuleError(".entry k() { ret; } }"),
            "t.ptx:4:21: expected a directive, found '}'");
  EXPECT_EQ(getBodyError(std::string(100000, '{')),
            "t.ptx:5:256: more than 256 blocks inside of each other");
}

TEST(ParserErrorTest, Calls) {
  EXPECT_EQ(getBodyError("call;"),
            "t.ptx:5:5: expected the name of a function, found ';'");
  EXPECT_EQ(getBodyError("call (%r1) f;"),
            "t.ptx:5:12: expected ',' before the name of a function, found "
            "'f'");
  EXPECT_EQ(getBodyError("call f, (%r1;"),
            "t.ptx:5:13: expected ')' after what is given to a function, found "
            "';'");
  EXPECT_EQ(getBodyError("call f, (%r1), 3;"),
            "t.ptx:5:16: expected the name of a prototype, found '3'");
  EXPECT_EQ(getBodyError("call f, (%r1), p q;"),
            "t.ptx:5:18: expected ';' after 'call', found 'q'");
}

} // namespace
