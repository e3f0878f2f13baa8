//===- IntegerQuotients.cpp - Rounded quotients as floats -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `x * (1 / N)` is 0 for an `int` N above 1. The front end notes each division
// of integers whose result becomes a float without `as`. The check runs on the
// complete body, where the divisors of a loop variable are known: a quotient
// such as `n.start / 64` is exact and has no warning.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns an operand of a quotient of floats: a number, which adapts to the
/// other operand, or `name`.
static std::string printOperand(Value operand, const char *name,
                                const std::string &type) {
  if (std::optional<int64_t> number = getConstantIntValue(operand))
    return std::to_string(*number) + (*name == 'a' ? ".0" : "");
  return std::string("(") + name + " as " + type + ")";
}

static void warnOfIntegerQuotient(KernelContext &context, Operation *op,
                                  Type element) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (std::optional<int64_t> number = getConstantIntValue(divisor);
      number && *number != 0 && tile::getKnownDivisor(dividend) % *number == 0)
    return;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, op);
  if (!diagnostic)
    return;
  std::string type = printType(element);
  *diagnostic << "this quotient of integers is rounded down before it becomes "
                 "`"
              << type << "` [integer-quotient]";
  diagnostic->attachNote(findPlace(op->getLoc()))
      << "divide floats, as in `" << printOperand(dividend, "a", type) << " / "
      << printOperand(divisor, "b", type)
      << "`; to round down, write `(a / b) as " << type << "`, or `(a / b) as "
      << printType(getElementTypeOrSelf(op->getResult(0).getType())) << "`";
  noteCall(*diagnostic, op);
}

void tessera::frontend::warnOfIntegerQuotients(KernelContext &context,
                                               tile::KernelOp kernel) {
  if (context.floatQuotients.empty())
    return;
  kernel.walk([&](arith::FloorDivSIOp op) {
    if (Type element = context.floatQuotients.lookup(op->getLoc()))
      warnOfIntegerQuotient(context, op, element);
  });
}
