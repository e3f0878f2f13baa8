//===- CompileTime.h - Arithmetic at compile time ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates operators and mathematical functions of operands that are known at
// compile time. Integers have 64 bits; overflow and division by zero are
// errors.
// `/` and `%` on integers round towards minus infinity, as they do at run time.
// Floats are doubles.
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
/// Checks for `<<` and `>>`.
bool isShift(TokenKind op);
/// Checks for `&`, `|` and `^`.
bool isBitOperator(TokenKind op);

/// Evaluates `op operand`; an error entity, after a message, if it is
/// undefined.
Entity evaluateUnary(TokenKind op, const Entity &operand, EmitError emitError);

/// Evaluates `lhs op rhs` for any binary operator but `@`.
Entity evaluateBinary(TokenKind op, const Entity &lhs, const Entity &rhs,
                      EmitError emitError);

/// Evaluates the elementwise function `name` ("exp", "abs", …) of a number.
Entity evaluateFunction(StringRef name, const Entity &operand,
                        EmitError emitError);

/// Evaluates the function `name` ("atan2", "pow", …) of two numbers.
Entity evaluateFunctionOfTwo(StringRef name, const Entity &lhs,
                             const Entity &rhs, EmitError emitError);

/// Returns the larger or the smaller of two numbers; NaN if one of them is NaN.
Entity evaluateExtremum(bool isMax, const Entity &lhs, const Entity &rhs);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_COMPILETIME_H
