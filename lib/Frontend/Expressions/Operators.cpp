//===- Operators.cpp - Unary and binary operators ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands known at compile time are evaluated; other operators become `arith`
// operations on scalars or tiles. Integer division is floor division. Float
// comparisons are false on NaN, except `!=`.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Names/CompileTime.h"
#include "Warnings/Warnings.h"

#include <cmath>

using namespace tessera;
using namespace tessera::frontend;

static bool isLogical(TokenKind op) {
  return op == TokenKind::AmpAmp || op == TokenKind::PipePipe;
}

Entity Operators::applyUnary(TokenKind op, const Entity &operand,
                             SourcePlace place) {
  if (operand.isError())
    return Entity();
  if (operand.isCompileTime())
    return evaluateUnary(op, operand, [&] { return error(place); })
        .withInexactQuotient(operand.getInexactQuotient());
  Location loc = getLoc(place);
  Value value = operand.getValue();
  Type element = operand.getElementType();
  std::optional<ArrayRef<int64_t>> shape;
  if (operand.is(Kind::Tile))
    shape = operand.getShape();
  if (op == TokenKind::Tilde && !element.isInteger(1))
    return invertBits(operand, place);
  if (op != TokenKind::Minus && element.isInteger(1)) {
    Value one = values.getNumber(Entity::boolean(true), element, shape, place);
    return operand.withValue(arith::XOrIOp::create(builder, loc, value, one));
  }
  if (op == TokenKind::Minus && isa<FloatType>(element))
    return operand.withValue(arith::NegFOp::create(builder, loc, value));
  if (op == TokenKind::Minus && !element.isInteger(1)) {
    Value zero = values.getNumber(Entity::integer(0), element, shape, place);
    return operand.withValue(arith::SubIOp::create(builder, loc, zero, value))
        .withInexactQuotient(operand.getInexactQuotient());
  }
  error(place) << frontend::describe(op) << " cannot be applied to "
               << operand.describe()
               << (op == TokenKind::Exclaim
                       ? isa<FloatType>(element)
                             ? "; compare before, as in `x == 0.0`"
                             : "; compare before, as in `x == 0`"
                       : "");
  return Entity();
}

bool Operators::checkExactNumbers(const Entity &lhs, const Entity &rhs) {
  return (!rhs.is(Kind::Float) || context.checkExact(lhs)) &&
         (!lhs.is(Kind::Float) || context.checkExact(rhs));
}

/// Returns the inexact quotient that one of the operands was computed from.
static std::optional<InexactQuotient> getInexactQuotient(const Entity &lhs,
                                                         const Entity &rhs) {
  return lhs.getInexactQuotient() ? lhs.getInexactQuotient()
                                  : rhs.getInexactQuotient();
}

/// Checks for a number that is NaN, which no comparison finds.
static bool isNan(const Entity &operand) {
  return operand.is(Entity::Kind::Float) && std::isnan(operand.getFloat());
}

Entity Operators::evaluateKnown(TokenKind op, const Entity &lhs,
                                const Entity &rhs, SourcePlace place) {
  if (!checkExactNumbers(lhs, rhs))
    return Entity();
  Entity result = evaluateBinary(op, lhs, rhs, [&] { return error(place); });
  if (isComparison(op) && !result.isError() && (isNan(lhs) || isNan(rhs)))
    warnOfNanComparison(context, op, place);
  if (!result.is(Kind::Integer))
    return result;
  if (op == TokenKind::Slash &&
      lhs.getInteger() != result.getInteger() * rhs.getInteger())
    return result.withInexactQuotient(
        InexactQuotient{lhs.getInteger(), rhs.getInteger(), place, {}});
  return result.withInexactQuotient(getInexactQuotient(lhs, rhs));
}

Entity Operators::applyBinary(TokenKind op, const Entity &lhs,
                              const Entity &rhs, SourcePlace place) {
  if (lhs.isError() || rhs.isError())
    return Entity();
  if (lhs.isCompileTime() && rhs.isCompileTime())
    return evaluateKnown(op, lhs, rhs, place);
  if (op == TokenKind::Plus && rhs.is(Kind::Range) && !lhs.is(Kind::Range))
    return shiftRange(rhs, lhs, place);
  if (op == TokenKind::Plus && lhs.is(Kind::Range) && !rhs.is(Kind::Range))
    return shiftRange(lhs, rhs, place);
  StringRef what = frontend::describe(op);
  if (op == TokenKind::Minus && lhs.is(Kind::Range)) {
    error(place) << lhs.describe() << " cannot be an operand of " << what
                 << "; a sum moves a range, as in `x[n + -1]`; its positions "
                    "are `.index`, its first one is `.start`";
    return Entity();
  }
  if (!conversions.checkOperand(lhs, place, what) ||
      !conversions.checkOperand(rhs, place, what))
    return Entity();
  if (isComparison(op))
    return applyComparison(op, lhs, rhs, place);
  if (isLogical(op))
    return applyLogical(op, lhs, rhs, place);
  if (isBitOperator(op))
    return applyBits(op, lhs, rhs, place);
  if (isShift(op))
    return applyShift(op, lhs, rhs, place);
  return applyArithmetic(op, lhs, rhs, place);
}

Entity Operators::applyLogical(TokenKind op, const Entity &lhs,
                               const Entity &rhs, SourcePlace place) {
  StringRef what = frontend::describe(op);
  Entity operands[] = {lhs, rhs};
  if (!conversions.unify(operands, place, what))
    return Entity();
  if (!operands[0].getElementType().isInteger(1)) {
    error(place) << what << " is for `bool`, got " << lhs.describe() << " and "
                 << rhs.describe() << "; compare before, as in `x != 0.0`";
    return Entity();
  }
  Location loc = getLoc(place);
  Value a = operands[0].getValue(), b = operands[1].getValue();
  return operands[0].withValue(
      op == TokenKind::AmpAmp
          ? Value(arith::AndIOp::create(builder, loc, a, b))
          : Value(arith::OrIOp::create(builder, loc, a, b)));
}

Entity Operators::applyArithmetic(TokenKind op, const Entity &lhs,
                                  const Entity &rhs, SourcePlace place) {
  StringRef what = frontend::describe(op);
  Entity operands[] = {lhs, rhs};
  if (!conversions.unify(operands, place, what))
    return Entity();
  Location loc = getLoc(place);
  Value a = operands[0].getValue(), b = operands[1].getValue();
  Type element = operands[0].getElementType();
  bool isFloat = isa<FloatType>(element);
  if (op == TokenKind::Slash && !rhs.isNumber())
    warnOfNarrowFunction(context, operands[0], "the quotient", place);
  if (element.isInteger(1) || (isFloat && op == TokenKind::Percent)) {
    auto diagnostic = error(place);
    diagnostic << what << " is not for `" << printType(element) << "`";
    if (isFloat)
      diagnostic << "; the remainder of floats is `fmod(x, y)`";
    return Entity();
  }
  if (!isFloat && (op == TokenKind::Slash || op == TokenKind::Percent) &&
      rhs.is(Kind::Integer) && rhs.getInteger() == 0) {
    error(place) << "division of an integer by zero";
    return Entity();
  }
  auto divide = [&]() -> Value {
    if (element.isUnsignedInteger())
      return divideUnsigned(a, b, place);
    return arith::FloorDivSIOp::create(builder, loc, a, b);
  };
  Value result;
  switch (op) {
  case TokenKind::Plus:
    result = isFloat ? Value(arith::AddFOp::create(builder, loc, a, b))
                     : Value(arith::AddIOp::create(builder, loc, a, b));
    break;
  case TokenKind::Minus:
    result = isFloat ? Value(arith::SubFOp::create(builder, loc, a, b))
                     : Value(arith::SubIOp::create(builder, loc, a, b));
    break;
  case TokenKind::Star:
    result = isFloat ? Value(arith::MulFOp::create(builder, loc, a, b))
                     : Value(arith::MulIOp::create(builder, loc, a, b));
    break;
  case TokenKind::Slash:
    result =
        isFloat ? Value(arith::DivFOp::create(builder, loc, a, b)) : divide();
    break;
  case TokenKind::Percent: {
    Value multiple = arith::MulIOp::create(builder, loc, divide(), b);
    result = arith::SubIOp::create(builder, loc, a, multiple);
    break;
  }
  default:
    break;
  }
  Entity entity = operands[0].withValue(result);
  if (isFloat || !entity.is(Kind::Scalar) || op == TokenKind::Percent)
    return entity;
  return entity.withInexactQuotient(op == TokenKind::Slash
                                        ? InexactQuotient{0, 0, place, loc}
                                        : getInexactQuotient(lhs, rhs));
}

static arith::CmpFPredicate getFloatPredicate(TokenKind op) {
  switch (op) {
  case TokenKind::EqualEqual:
    return arith::CmpFPredicate::OEQ;
  case TokenKind::ExclaimEqual:
    return arith::CmpFPredicate::UNE;
  case TokenKind::Less:
    return arith::CmpFPredicate::OLT;
  case TokenKind::LessEqual:
    return arith::CmpFPredicate::OLE;
  case TokenKind::Greater:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate getIntegerPredicate(TokenKind op, bool isUnsigned) {
  switch (op) {
  case TokenKind::EqualEqual:
    return arith::CmpIPredicate::eq;
  case TokenKind::ExclaimEqual:
    return arith::CmpIPredicate::ne;
  case TokenKind::Less:
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case TokenKind::LessEqual:
    return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case TokenKind::Greater:
    return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  default:
    return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
}

Entity Operators::applyComparison(TokenKind op, const Entity &lhs,
                                  const Entity &rhs, SourcePlace place) {
  StringRef what = frontend::describe(op);
  Entity operands[] = {lhs, rhs};
  if (!conversions.unify(operands, place, what))
    return Entity();
  Location loc = getLoc(place);
  Value a = operands[0].getValue(), b = operands[1].getValue();
  Type element = operands[0].getElementType();
  if (isa<FloatType>(element)) {
    if (isNan(lhs) || isNan(rhs))
      warnOfNanComparison(context, op, place);
    return operands[0].withValue(
        arith::CmpFOp::create(builder, loc, getFloatPredicate(op), a, b));
  }
  if (element.isInteger(1) && op != TokenKind::EqualEqual &&
      op != TokenKind::ExclaimEqual) {
    error(place) << what << " is not for `bool`";
    return Entity();
  }
  return operands[0].withValue(arith::CmpIOp::create(
      builder, loc, getIntegerPredicate(op, element.isUnsignedInteger()), a,
      b));
}

Entity Operators::applyExtremum(bool isMax, const Entity &lhs,
                                const Entity &rhs, SourcePlace place) {
  StringRef what = isMax ? "`max`" : "`min`";
  if (lhs.isNumber() && rhs.isNumber()) {
    if (!checkExactNumbers(lhs, rhs))
      return Entity();
    return evaluateExtremum(isMax, lhs, rhs);
  }
  Entity operands[] = {lhs, rhs};
  if (!conversions.checkOperand(lhs, place, what) ||
      !conversions.checkOperand(rhs, place, what) ||
      !conversions.unify(operands, place, what))
    return Entity();
  Location loc = getLoc(place);
  Value a = operands[0].getValue(), b = operands[1].getValue();
  Type element = operands[0].getElementType();
  if (element.isInteger(1)) {
    error(place) << what << " is not for `bool`";
    return Entity();
  }
  Value result;
  if (isa<FloatType>(element))
    result = isMax ? Value(arith::MaximumFOp::create(builder, loc, a, b))
                   : Value(arith::MinimumFOp::create(builder, loc, a, b));
  else if (element.isUnsignedInteger())
    result = isMax ? Value(arith::MaxUIOp::create(builder, loc, a, b))
                   : Value(arith::MinUIOp::create(builder, loc, a, b));
  else
    result = isMax ? Value(arith::MaxSIOp::create(builder, loc, a, b))
                   : Value(arith::MinSIOp::create(builder, loc, a, b));
  return operands[0].withValue(result);
}

Entity Operators::shiftRange(const Entity &range, const Entity &offset,
                             SourcePlace place) {
  if (offset.is(Kind::Tile)) {
    error(place) << "the offset of a range is an `int`, got "
                 << offset.describe()
                 << "; the positions of a range as numbers are `.index as "
                 << printType(offset.getElementType()) << "`";
    return Entity();
  }
  Value by = conversions.toIndex(offset, place, "the offset of a range");
  if (!by)
    return Entity();
  return Entity::runtime(
      tile::ShiftOp::create(builder, getLoc(place), range.getValue(), by));
}
