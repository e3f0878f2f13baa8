//===- Expressions.h - Constant expressions ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 4.5.5 "Constant Expressions": the operators of C on signed or
// unsigned integers of 64 bits. Floating point only supports a sign here.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_EXPRESSIONS_H
#define TESSERA_LIB_EMULATOR_PARSER_EXPRESSIONS_H

#include "Literals.h"

namespace tessera::emu::parsing {

/// Checks whether an expression may start at this token.
bool startsExpression(const Token &token);

/// Parses the longest expression at the cursor.
bool parseExpression(Cursor &cursor, Constant &constant);

/// Parses an expression that must be an integer.
bool parseIntegerExpression(Cursor &cursor, int64_t &value);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_EXPRESSIONS_H
