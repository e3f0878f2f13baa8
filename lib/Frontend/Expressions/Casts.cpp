//===- Casts.cpp - The operator `as` ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `as` rounds floats to nearest even and truncates floats to integers toward
// zero. Values out of range saturate: in an integer at its limits (NaN becomes
// 0), in an f8 at the largest finite value. The `arith` casts are undefined out
// of range, so values are clamped before them.
//
// The cast functions take and return a scalar or a tile; `element` is the
// element type of the result.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the type of `like` with another element type.
static Type withElement(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return tensor.clone(element);
  return element;
}

bool tessera::frontend::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

Entity Conversions::castNumber(const Entity &entity, Type element,
                               SourcePlace place) {
  // A number that stays an `int` stays known.
  if (entity.is(Kind::Integer) && element.isIndex())
    return entity.withInexactQuotient(std::nullopt);
  bool isBool = entity.is(Kind::Bool);
  if (element.isInteger(1) && !isBool) {
    error(place) << entity.describe()
                 << " cannot become a `bool`; compare it: `!= 0`";
    return Entity();
  }
  Entity number = isBool && !element.isInteger(1)
                      ? Entity::integer(entity.getBool())
                      : entity;
  // Truncation of a known float to a known integer.
  if (number.is(Kind::Float) && !isa<FloatType>(element)) {
    if (values.reportInfinity(number, element, place))
      return Entity();
    double truncated = std::trunc(number.getFloat());
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    bool isUnsigned = element.isUnsignedInteger();
    double limit =
        std::ldexp(1.0, std::min(isUnsigned ? width : width - 1, 63u));
    if (!(truncated >= (isUnsigned ? 0 : -limit) && truncated < limit)) {
      error(place) << number.describe() << " is out of range of `"
                   << printType(element) << "`";
      return Entity();
    }
    number = Entity::integer(static_cast<int64_t>(truncated));
    if (element.isIndex())
      return number;
  }
  return Entity::runtime(
      values.getNumber(number, element, std::nullopt, place));
}

Entity Conversions::castTo(const Entity &entity, Type element,
                           SourcePlace place) {
  if (entity.isError() || !checkOperand(entity, place, "`as`"))
    return Entity();
  if (element.isTF32()) {
    if (entity.is(Kind::Tile) && entity.getElementType().isF32())
      return Entity::runtime(arith::TruncFOp::create(
          builder, getLoc(place),
          withElement(entity.getValue().getType(), element),
          entity.getValue()));
    error(place) << "`as tf32` is for tiles of `f32`, got "
                 << entity.describe();
    return Entity();
  }
  if (entity.isCompileTime())
    return castNumber(entity, element, place);
  Value value = entity.getValue();
  Type from = entity.getElementType();
  if (from == element)
    return entity.withInexactQuotient(std::nullopt);
  if (element.isInteger(1)) {
    error(place) << entity.describe()
                 << " cannot become a `bool`; compare it: `!= 0`";
    return Entity();
  }
  if (element.isIndex() && entity.is(Kind::Tile)) {
    error(place) << "a tile has elements of `i32` or `i64`, not of `int`";
    return Entity();
  }
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(element);
  Value result = fromFloat && toFloat ? castFloatToFloat(value, element, place)
                 : fromFloat ? castFloatToInteger(value, element, place)
                 : toFloat   ? castIntegerToFloat(value, element, place)
                             : castIntegerToInteger(value, element, place);
  return Entity::runtime(result);
}

Entity Conversions::toPositions(const Entity &entity, SourcePlace place) {
  Type element =
      entity.is(Kind::Tile) ? entity.getElementType() : builder.getNoneType();
  if (!element.isInteger() || element.isInteger(1)) {
    auto diagnostic = error(place);
    diagnostic << "an index that gathers is a tile of integers, got "
               << entity.describe();
    if (isa<FloatType>(element))
      diagnostic << "; convert with `as i32`";
    else if (element.isInteger(1))
      diagnostic << "; a mask chooses elements by `where(mask, x, 0.0)`, where "
                    "`x` is the whole tile";
    return Entity();
  }
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  if (element == i32)
    return entity;
  Value low = castIntegerToInteger(entity.getValue(), i32, place);
  if (!element.isInteger(64))
    return entity.withValue(low);
  Location loc = getLoc(place);
  Value wide = element == i64
                   ? entity.getValue()
                   : castIntegerToInteger(entity.getValue(), i64, place);
  Value isExact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            castIntegerToInteger(low, i64, place), wide);
  auto type = cast<RankedTensorType>(low.getType());
  Value none = values.getConstant(
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(-1)), place);
  return entity.withValue(
      arith::SelectOp::create(builder, loc, isExact, low, none));
}

Value Conversions::clampFloat(Value value, double low, double high,
                              SourcePlace place) {
  Location loc = getLoc(place);
  Value raised = arith::MaximumFOp::create(
      builder, loc, value, values.getFloatLike(value, low, place));
  return arith::MinimumFOp::create(builder, loc, raised,
                                   values.getFloatLike(value, high, place));
}

Value Conversions::castFloatToFloat(Value value, Type element,
                                    SourcePlace place) {
  Location loc = getLoc(place);
  Type from = getElementTypeOrSelf(value.getType());
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = element.getIntOrFloatBitWidth();
  // Formats of one width convert through f32, which represents both.
  if (fromWidth == toWidth) {
    value = arith::ExtFOp::create(
        builder, loc, withElement(value.getType(), builder.getF32Type()),
        value);
    fromWidth = 32;
  }
  if (fromWidth == 64 && toWidth < 32)
    return castFloatToFloat(roundToOdd(value, place), element, place);
  Type type = withElement(value.getType(), element);
  if (toWidth > fromWidth)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (isFloat8(element)) {
    double largest =
        APFloat::getLargest(cast<FloatType>(element).getFloatSemantics())
            .convertToDouble();
    value = clampFloat(value, -largest, largest, place);
  }
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value Conversions::roundToOdd(Value value, SourcePlace place) {
  Location loc = getLoc(place);
  Type wide = value.getType();
  Type single = withElement(wide, builder.getF32Type());
  Type bits = withElement(wide, builder.getI32Type());
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::ExtUIOp::create(
        builder, loc, bits,
        arith::CmpFOp::create(builder, loc, predicate, lhs, rhs));
  };
  // The number next to an inexact one that is nearer to zero, with its last bit
  // set.
  Value rounded = arith::TruncFOp::create(builder, loc, single, value);
  Value back = arith::ExtFOp::create(builder, loc, wide, rounded);
  Value isInexact = compare(arith::CmpFPredicate::ONE, back, value);
  Value isBeyond = compare(arith::CmpFPredicate::OGT,
                           math::AbsFOp::create(builder, loc, back),
                           math::AbsFOp::create(builder, loc, value));
  Value pattern = arith::BitcastOp::create(builder, loc, bits, rounded);
  pattern = arith::SubIOp::create(builder, loc, pattern, isBeyond);
  pattern = arith::OrIOp::create(builder, loc, pattern, isInexact);
  return arith::BitcastOp::create(builder, loc, single, pattern);
}

Value Conversions::castFloatToInteger(Value value, Type element,
                                      SourcePlace place) {
  Location loc = getLoc(place);
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(
        builder, loc, withElement(value.getType(), builder.getF32Type()),
        value);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  value = arith::SelectOp::create(
      builder, loc, isNan, values.getFloatLike(value, 0.0, place), value);
  // `int` is converted through i64, which `fptosi` supports.
  Type integer = element.isIndex() ? builder.getI64Type() : element;
  unsigned width = integer.getIntOrFloatBitWidth();
  bool isUnsigned = integer.isUnsignedInteger();
  unsigned bits = isUnsigned ? width : width - 1;
  double limit = std::ldexp(1.0, bits);
  // The largest float that fits: the limit of a small type, else the one below
  // it.
  auto source = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  unsigned precision = source.getFPMantissaWidth();
  bool isExact = bits <= precision;
  double high = isExact
                    ? limit - 1
                    : limit - std::ldexp(1.0, static_cast<int>(bits) -
                                                  static_cast<int>(precision));
  Value clamped = clampFloat(value, isUnsigned ? 0 : -limit, high, place);
  Type type = withElement(value.getType(), integer);
  Value result =
      isUnsigned ? Value(arith::FPToUIOp::create(builder, loc, type, clamped))
                 : Value(arith::FPToSIOp::create(builder, loc, type, clamped));
  if (!isExact) {
    Value over =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, value,
                              values.getFloatLike(value, limit, place));
    TypedAttr attr = builder.getIntegerAttr(
        integer, isUnsigned ? APInt::getMaxValue(width)
                            : APInt::getSignedMaxValue(width));
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tensor, static_cast<Attribute>(attr));
    Value largest = values.getConstant(attr, place);
    result = arith::SelectOp::create(builder, loc, over, largest, result);
  }
  if (element.isIndex())
    result = arith::IndexCastOp::create(builder, loc, element, result);
  return result;
}

Value Conversions::castIntegerToFloat(Value value, Type element,
                                      SourcePlace place) {
  Location loc = getLoc(place);
  if (value.getType().isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  // Out of the range of an f8 the value must saturate: over f32, which is exact
  // where an f8 is finite.
  Type direct = isFloat8(element) ? builder.getF32Type() : element;
  Type type = withElement(value.getType(), direct);
  Type from = getElementTypeOrSelf(value.getType());
  Value result =
      from.isInteger(1) || from.isUnsignedInteger()
          ? Value(arith::UIToFPOp::create(builder, loc, type, value))
          : Value(arith::SIToFPOp::create(builder, loc, type, value));
  return direct == element ? result : castFloatToFloat(result, element, place);
}

Value Conversions::castIntegerToInteger(Value value, Type element,
                                        SourcePlace place) {
  Location loc = getLoc(place);
  Type from = getElementTypeOrSelf(value.getType());
  Type type = withElement(value.getType(), element);
  if (from.isInteger(1)) {
    if (!element.isIndex())
      return arith::ExtUIOp::create(builder, loc, type, value);
    value = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, type, value);
  }
  // Through i64: a cast of an `index` to fewer bits and back folds away, as if
  // no bits were lost.
  if (from.isIndex()) {
    Type i64 = builder.getI64Type();
    value = arith::IndexCastOp::create(builder, loc, i64, value);
    return element == i64 ? value : castIntegerToInteger(value, element, place);
  }
  if (element.isIndex() && from.isUnsignedInteger())
    value = castIntegerToInteger(value, builder.getI64Type(), place);
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned width = element.getIntOrFloatBitWidth();
  // Only the sign changes, which is not in the final IR.
  if (fromWidth == width)
    return arith::BitcastOp::create(builder, loc, type, value);
  if (fromWidth < width && from.isUnsignedInteger())
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (fromWidth < width)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}
