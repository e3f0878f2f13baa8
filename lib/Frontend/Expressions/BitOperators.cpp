//===- BitOperators.cpp - Operators on bits ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `& | ^ ~`, shifts, functions of bits, and unsigned quotients. A shift moves
// in zeros from the right, and signs or zeros from the left. An amount that is
// negative or at least the width moves out all bits: the `arith` shifts are
// undefined there, so the amount is clamped before them.
//
//===----------------------------------------------------------------------===//

#include "Names/CompileTime.h"
#include "Operators.h"

using namespace tessera;
using namespace tessera::frontend;

bool Operators::checkBits(const Entity &operand, SourcePlace place,
                          StringRef what, bool allowsBool) {
  Type element = operand.getElementType();
  if (!isa<FloatType>(element) && (allowsBool || !element.isInteger(1)))
    return true;
  auto diagnostic = error(place);
  diagnostic << what << " is for integers" << (allowsBool ? " and `bool`" : "")
             << ", got " << operand.describe();
  if (auto number = dyn_cast<FloatType>(element))
    diagnostic << "; `bits(x, i" << number.getWidth()
               << ")` gives the bits of floats"
               << (what == "`^`" ? ", and `pow(x, y)` is a power" : "");
  else
    diagnostic << "; convert with `as i32`";
  return false;
}

Value Operators::createOnBits(
    ArrayRef<Value> operands, SourcePlace place,
    function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)> create) {
  Location loc = getLoc(place);
  Type type = operands.front().getType();
  if (!type.isIndex())
    return create(builder, loc, operands);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(arith::IndexCastOp::create(builder, loc,
                                              builder.getI64Type(), operand));
  return arith::IndexCastOp::create(builder, loc, type,
                                    create(builder, loc, wide));
}

/// Returns an integer constant of the type of `like`, a scalar or a tile.
static Value getConstantLike(OpBuilder &builder, Location loc, Value like,
                             int64_t value) {
  TypedAttr attr = builder.getIntegerAttr(
      getElementTypeOrSelf(like.getType()),
      APInt(getElementTypeOrSelf(like.getType()).getIntOrFloatBitWidth(), value,
            /*isSigned=*/true));
  if (auto tensor = dyn_cast<RankedTensorType>(like.getType()))
    attr = DenseElementsAttr::get(tensor, static_cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value Operators::divideUnsigned(Value lhs, Value rhs, SourcePlace place) {
  Location loc = getLoc(place);
  Value zero = getConstantLike(builder, loc, rhs, 0);
  Value divisor = arith::MaxUIOp::create(builder, loc, rhs,
                                         getConstantLike(builder, loc, rhs, 1));
  Value quotient = arith::DivUIOp::create(builder, loc, lhs, divisor);
  Value isZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rhs, zero);
  return arith::SelectOp::create(builder, loc, isZero, zero, quotient);
}

/// Checks for a truth value or a tile of them.
static bool isCondition(const Entity &operand) {
  return operand.is(Entity::Kind::Bool) ||
         (!operand.isNumber() && operand.getElementType().isInteger(1));
}

Entity Operators::applyBits(TokenKind op, const Entity &lhs, const Entity &rhs,
                            SourcePlace place) {
  StringRef what = frontend::describe(op);
  Entity operands[] = {lhs, rhs};
  // `a < b & c` and `a & b < c`.
  if (isCondition(lhs) != isCondition(rhs)) {
    error(place) << what << " is for two integers or two `bool`, got "
                 << lhs.describe() << " and " << rhs.describe() << "; " << what
                 << " binds more tightly than comparisons; conditions are "
                    "combined by `&&` and `||`, as in `a < b && c < d`";
    return Entity();
  }
  if (!conversions.unify(operands, place, what) ||
      !checkBits(operands[0], place, what, /*allowsBool=*/true))
    return Entity();
  return operands[0].withValue(createOnBits(
      {operands[0].getValue(), operands[1].getValue()}, place,
      [&](OpBuilder &builder, Location loc, ArrayRef<Value> x) -> Value {
        if (op == TokenKind::Amp)
          return arith::AndIOp::create(builder, loc, x[0], x[1]);
        if (op == TokenKind::Pipe)
          return arith::OrIOp::create(builder, loc, x[0], x[1]);
        return arith::XOrIOp::create(builder, loc, x[0], x[1]);
      }));
}

Entity Operators::invertBits(const Entity &operand, SourcePlace place) {
  if (!checkBits(operand, place, "`~`", /*allowsBool=*/true))
    return Entity();
  return operand.withValue(createOnBits(
      operand.getValue(), place,
      [](OpBuilder &builder, Location loc, ArrayRef<Value> x) -> Value {
        Value ones = getConstantLike(builder, loc, x[0], -1);
        return arith::XOrIOp::create(builder, loc, x[0], ones);
      }));
}

Entity Operators::applyShift(TokenKind op, const Entity &lhs, const Entity &rhs,
                             SourcePlace place) {
  StringRef what = frontend::describe(op);
  Entity operands[] = {lhs, rhs};
  if (!conversions.unify(operands, place, what) ||
      !checkBits(operands[0], place, what, /*allowsBool=*/false))
    return Entity();
  Type element = operands[0].getElementType();
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  bool isKnown = rhs.is(Kind::Integer);
  if (isKnown && (rhs.getInteger() < 0 || rhs.getInteger() >= width)) {
    error(place) << "a shift of `" << printType(element) << "` is by 0 to "
                 << width - 1 << " bits, got " << rhs.getInteger();
    return Entity();
  }
  bool isLeft = op == TokenKind::LessLess;
  return operands[0].withValue(createOnBits(
      {operands[0].getValue(), operands[1].getValue()}, place,
      [&](OpBuilder &builder, Location loc, ArrayRef<Value> x) -> Value {
        Value amount = x[1];
        if (!isKnown)
          amount = arith::MinUIOp::create(
              builder, loc, amount,
              getConstantLike(builder, loc, amount, width - 1));
        bool isSigned = !element.isUnsignedInteger();
        if (!isLeft && isSigned)
          return arith::ShRSIOp::create(builder, loc, x[0], amount);
        Value shifted =
            isLeft ? Value(arith::ShLIOp::create(builder, loc, x[0], amount))
                   : Value(arith::ShRUIOp::create(builder, loc, x[0], amount));
        if (isKnown)
          return shifted;
        Value isInside = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, amount, x[1]);
        return arith::SelectOp::create(builder, loc, isInside, shifted,
                                       getConstantLike(builder, loc, x[0], 0));
      }));
}

Entity Operators::applyBitFunction(StringRef name, const Entity &operand,
                                   SourcePlace place) {
  if (!checkBits(operand, place, ("`" + name + "`").str(),
                 /*allowsBool=*/false))
    return Entity();
  return operand.withValue(createOnBits(
      operand.getValue(), place,
      [&](OpBuilder &builder, Location loc, ArrayRef<Value> x) -> Value {
        if (name == "popcount")
          return math::CtPopOp::create(builder, loc, x[0]);
        return math::CountLeadingZerosOp::create(builder, loc, x[0]);
      }));
}

Entity Operators::applyHighProduct(const Entity &lhs, const Entity &rhs,
                                   SourcePlace place) {
  Entity operands[] = {lhs, rhs};
  if (!conversions.unify(operands, place, "`mulhi`") ||
      !checkBits(operands[0], place, "`mulhi`", /*allowsBool=*/false))
    return Entity();
  Type element = operands[0].getElementType();
  if (element.isIndex() || element.getIntOrFloatBitWidth() > 32) {
    error(place) << "`mulhi` is for integers of at most 32 bits, got "
                 << operands[0].describe() << "; convert with `as i32`";
    return Entity();
  }
  // The product in 64 bits; code generation finds the instruction.
  Location loc = getLoc(place);
  Type i64 = builder.getI64Type();
  Entity wide[] = {conversions.castTo(operands[0], i64, place),
                   conversions.castTo(operands[1], i64, place)};
  Value product = arith::MulIOp::create(builder, loc, wide[0].getValue(),
                                        wide[1].getValue());
  // The low bits of the shifted product are the same with and without a sign.
  Value high = arith::ShRUIOp::create(
      builder, loc, product,
      getConstantLike(builder, loc, product, element.getIntOrFloatBitWidth()));
  return conversions.castTo(operands[0].withValue(high), element, place)
      .withAxisNames(operands[0].getAxisNames());
}
