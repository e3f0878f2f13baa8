//===- CompileTime.h - Arithmetic at compile time ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates operators and mathematical functions whose operands are all known.
// Integers have 64 bits and do not wrap: an overflow is an error, as is a
// division by zero. `/` and `%` on integers round towards minus infinity, as
// they do at run time. Floats are doubles.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_COMPILETIME_H
#define TESSERA_FRONTEND_COMPILETIME_H

#include "Entity.h"
#include "Parser/Token.h"

#include "mlir/IR/Diagnostics.h"

namespace tessera::frontend {

using EmitError = function_ref<InFlightDiagnostic()>;

bool isComparison(TokenKind op);

/// `op operand`. An error entity, after a message, if that means nothing.
Entity evaluateUnary(TokenKind op, const Entity &operand, EmitError emitError);

/// `lhs op rhs` for an arithmetic operator, a comparison, `&&` or `||`.
Entity evaluateBinary(TokenKind op, const Entity &lhs, const Entity &rhs,
                      EmitError emitError);

/// The elementwise function `name` ("exp", "abs", …) of a number.
Entity evaluateFunction(StringRef name, const Entity &operand,
                        EmitError emitError);

/// The larger, or the smaller, of two numbers; NaN if one of them is.
Entity evaluateExtremum(bool isMax, const Entity &lhs, const Entity &rhs);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_COMPILETIME_H
