//===- Operators.h - Unary and binary operators -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies operators to operands that are generated already.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_OPERATORS_H
#define TESSERA_FRONTEND_OPERATORS_H

#include "Conversions.h"

namespace tessera::frontend {

class Operators : KernelPart {
public:
  Operators(KernelContext &context, EntryValues &values,
            Conversions &conversions)
      : KernelPart(context), values(values), conversions(conversions) {}

  Entity applyUnary(TokenKind op, const Entity &operand, SourcePlace place);
  /// Applies any binary operator but `@`.
  Entity applyBinary(TokenKind op, const Entity &lhs, const Entity &rhs,
                     SourcePlace place);
  /// Applies a function of bits, `popcount` or `clz`, element by element.
  Entity applyBitFunction(StringRef name, const Entity &operand,
                          SourcePlace place);
  /// The high half of the product of two integers.
  Entity applyHighProduct(const Entity &lhs, const Entity &rhs,
                          SourcePlace place);
  /// Applies `max` or `min`, element by element.
  Entity applyExtremum(bool isMax, const Entity &lhs, const Entity &rhs,
                       SourcePlace place);

private:
  /// Checks the numbers that become floats in an operation on both.
  bool checkExactNumbers(const Entity &lhs, const Entity &rhs);
  Entity evaluateKnown(TokenKind op, const Entity &lhs, const Entity &rhs,
                       SourcePlace place);
  Entity applyLogical(TokenKind op, const Entity &lhs, const Entity &rhs,
                      SourcePlace place);
  Entity applyArithmetic(TokenKind op, const Entity &lhs, const Entity &rhs,
                         SourcePlace place);
  Entity applyComparison(TokenKind op, const Entity &lhs, const Entity &rhs,
                         SourcePlace place);

  // BitOperators.cpp
  /// Divides unsigned integers; the quotient by zero is zero.
  Value divideUnsigned(Value lhs, Value rhs, SourcePlace place);
  Entity applyBits(TokenKind op, const Entity &lhs, const Entity &rhs,
                   SourcePlace place);
  Entity applyShift(TokenKind op, const Entity &lhs, const Entity &rhs,
                    SourcePlace place);
  Entity invertBits(const Entity &operand, SourcePlace place);
  /// Checks for an operand with bits; reports another one.
  bool checkBits(const Entity &operand, SourcePlace place, StringRef what,
                 bool allowsBool);
  /// Generates an operation on integers. The language's `int` has 64 bits.
  Value
  createOnBits(ArrayRef<Value> operands, SourcePlace place,
               function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)>);

  Entity shiftRange(const Entity &range, const Entity &offset,
                    SourcePlace place);

  EntryValues &values;
  Conversions &conversions;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_OPERATORS_H
