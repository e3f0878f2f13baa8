//===- VariableErrorTest.cpp - What is wrong with variables ---------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedText.h"

using namespace tessera::emu;

namespace {

TEST(VariableErrorTest, Declarations) {
  EXPECT_EQ(getModuleError(".global .b32 x; .const .b32 x;"),
            "t.ptx:4:29: 'x' is defined twice");
  EXPECT_EQ(getModuleError(".global x;"),
            "t.ptx:4:9: expected a type, found 'x'");
  EXPECT_EQ(getModuleError(".global .texref x;"),
            "t.ptx:4:9: unknown type '.texref'");
  EXPECT_EQ(getModuleError(".global .bf16 x;"),
            "t.ptx:4:9: registers and variables have no type '.bf16'");
  EXPECT_EQ(getModuleError(".global .pred x;"),
            "t.ptx:4:9: only registers are predicates");
  EXPECT_EQ(getModuleError(".global .align 3 .b8 x;"),
            "t.ptx:4:16: alignment must be a power of two");
  EXPECT_EQ(getModuleError(".shared .b8 x[];"),
            "t.ptx:4:13: array 'x' has no size");
  EXPECT_EQ(getModuleError(".shared .b8 x[0];"),
            "t.ptx:4:14: the size of an array must be from 1 to 4294967296");
  EXPECT_EQ(getModuleError(".global .b8 x[-1];"),
            "t.ptx:4:14: the size of an array must be from 1 to 4294967296");
  EXPECT_EQ(getModuleError(".global .b64 x[65536][65536];"),
            "t.ptx:4:14: variable 'x' is too large");
  EXPECT_EQ(getModuleError(".shared .b32 x = 3;"),
            "t.ptx:4:16: only variables in global and constant memory have "
            "initial values");
  EXPECT_EQ(getModuleError(".global .f32 x = 1;"),
            "t.ptx:4:18: '1' cannot be the initial value of a variable of type "
            ".f32");
  EXPECT_EQ(getModuleError(".global .f64 x = 0f3F800000;"),
            "t.ptx:4:18: '0f3F800000' cannot be the initial value of a "
            "variable of type .f64");
  EXPECT_EQ(getModuleError(".global .f16 x = 1.0;"),
            "t.ptx:4:18: '1.0' cannot be the initial value of a variable of "
            "type .f16");
  EXPECT_EQ(getModuleError(".global .b8 x[2] = {1, 2, 3};"),
            "t.ptx:4:27: more initial values than the 2 elements here");
  EXPECT_EQ(getModuleError(".global .b8 x[2][2] = {1, 2};"),
            "t.ptx:4:24: expected '{' before initial values, found '1'");
  EXPECT_EQ(getModuleError(".global .v2 .b8 x[2] = {{1, 2}, {3}};"),
            "t.ptx:4:33: a vector needs 2 initial values, not 1");
  EXPECT_EQ(getModuleError(".global .b8 x[] = {{1}};"),
            "t.ptx:4:20: expected an initial value, found '{'");
  EXPECT_EQ(getModuleError(".global .b8 x = 1"),
            "t.ptx:4:18: expected ';' after a variable, found the end of the "
            "file");
}

TEST(VariableErrorTest, Extents) {
  EXPECT_EQ(getBodyError(".extern .global .b32 x;"),
            "t.ptx:5:1: '.extern' in a function is only supported of shared "
            "memory");
  EXPECT_EQ(getModuleError(".global .b8 x[1.5];"),
            "t.ptx:4:15: expected an integer, found '1.5'");
  std::string sizes;
  for (unsigned i = 0; i < 17; ++i)
    sizes += "[1]";
  EXPECT_EQ(getModuleError(".global .b8 x" + sizes + ";"),
            "t.ptx:4:62: array of more than 16 dimensions");
  // The third element of 2^27 bytes.
  EXPECT_EQ(getModuleError(".global .b8 x[][134217728] = {{1}, {2}, {3}};"),
            "t.ptx:4:42: initial value is too long");
}

} // namespace
