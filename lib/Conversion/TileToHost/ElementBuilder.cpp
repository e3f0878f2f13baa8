//===- ElementBuilder.cpp - Arithmetic on held elements ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results are those of Interpreter/Semantics. Where upstream leaves a
// result undefined (division by zero, wide shifts), the emitted code computes
// with other operands and notes the failure.
//
//===----------------------------------------------------------------------===//

#include "ElementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::host;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

Type host::getHeldType(Type element) {
  return isa<FloatType>(element) && !element.isF64()
             ? Type(Float32Type::get(element.getContext()))
             : element;
}

Type host::getMemoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (isa<FloatType>(element) && element != getHeldType(element))
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

Type host::getLanesType(Type element, int64_t lanes) {
  return lanes == 1 ? element : Type(VectorType::get({lanes}, element));
}

static Type getElement(Type type) { return getElementTypeOrSelf(type); }

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static Value makeConstant(OpBuilder &builder, Location loc, TypedAttr value,
                          int64_t lanes) {
  if (lanes != 1)
    value = DenseElementsAttr::get(VectorType::get({lanes}, value.getType()),
                                   Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value ElementBuilder::getFloat(double value, Type type) {
  return makeConstant(builder, loc,
                      builder.getFloatAttr(type ? type : f32(), value), lanes);
}

Value ElementBuilder::getInteger(int64_t value, Type type) {
  if (!type.isIndex())
    return makeConstant(
        builder, loc,
        builder.getIntegerAttr(type, APInt(getWidth(type), value,
                                           /*isSigned=*/true,
                                           /*implicitTrunc=*/true)),
        lanes);
  return makeConstant(builder, loc, builder.getIndexAttr(value), lanes);
}

Value ElementBuilder::splat(Value scalar) {
  if (lanes == 1)
    return scalar;
  return vector::BroadcastOp::create(builder, loc, typed(scalar.getType()),
                                     scalar);
}

Value ElementBuilder::bitcast(Type element, Value value) {
  return arith::BitcastOp::create(builder, loc, typed(element), value);
}

Value ElementBuilder::widen(Value value) {
  if (getElement(value.getType()).isF64())
    return value;
  return arith::ExtFOp::create(builder, loc, typed(f64()), value);
}

Value ElementBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(builder, loc, condition, x, y);
}

Value ElementBuilder::compare(int predicate, Value x, Value y) {
  return arith::CmpIOp::create(builder, loc, CmpIPredicate(predicate), x, y);
}

Value ElementBuilder::compareFloats(int predicate, Value x, Value y) {
  return arith::CmpFOp::create(builder, loc, CmpFPredicate(predicate), x, y);
}

Value ElementBuilder::anyLane(Value condition) {
  if (lanes == 1)
    return condition;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     condition);
}

Value ElementBuilder::maximum(bool takeLess, Value x, Value y) {
  if (isa<FloatType>(getElement(x.getType()))) {
    if (takeLess)
      return arith::MinimumFOp::create(builder, loc, x, y);
    return arith::MaximumFOp::create(builder, loc, x, y);
  }
  if (takeLess)
    return arith::MinSIOp::create(builder, loc, x, y);
  return arith::MaxSIOp::create(builder, loc, x, y);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Functions that are computed in f64.
static bool isFunction(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log2Op, math::Log10Op, math::Log1pOp, math::SqrtOp,
             math::RsqrtOp, math::CbrtOp, math::ErfOp, math::ErfcOp,
             math::PowFOp, math::SinOp, math::CosOp, math::TanOp, math::SinhOp,
             math::CoshOp, math::TanhOp, math::AsinOp, math::AcosOp,
             math::AtanOp, math::AsinhOp, math::AcoshOp, math::AtanhOp,
             math::Atan2Op>(op);
}

static bool isFloatOp(Operation *op) {
  return isa<arith::NegFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::DivFOp, arith::RemFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, math::AbsFOp,
             math::CeilOp, math::FloorOp, math::TruncOp, math::RoundEvenOp,
             math::CopySignOp, math::ClampFOp, math::IsNaNOp, math::IsInfOp,
             math::IsFiniteOp>(op);
}

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::CeilDivSIOp, arith::RemSIOp, arith::DivUIOp,
             arith::CeilDivUIOp, arith::RemUIOp>(op);
}

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
}

static bool isPlainInteger(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::CmpIOp,
             arith::AddUIExtendedOp, arith::MulSIExtendedOp,
             arith::MulUIExtendedOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
             arith::IndexCastUIOp, arith::SelectOp>(op);
}

static bool isCast(Operation *op) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return truncate.getRoundingmode().value_or(
               arith::RoundingMode::to_nearest_even) ==
           arith::RoundingMode::to_nearest_even;
  return isa<arith::ExtFOp, arith::BitcastOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp>(op);
}

bool ElementBuilder::supports(Operation *op) {
  return isFunction(op) || isFloatOp(op) || isDivision(op) || isShift(op) ||
         isPlainInteger(op) || isCast(op) ||
         isa<arith::FloorDivSIOp, math::AbsIOp, math::FmaOp>(op);
}

bool ElementBuilder::canFail(Operation *op) {
  return isDivision(op) || isShift(op);
}

Value ElementBuilder::emitFloat(Operation *op, ArrayRef<Value> x) {
  auto isNaN = [&](Value value) {
    return compareFloats(int(CmpFPredicate::UNO), value, value);
  };
  auto compareWithInfinity = [&](CmpFPredicate predicate) {
    return compareFloats(int(predicate),
                         math::AbsFOp::create(builder, loc, x[0]),
                         getFloat(std::numeric_limits<double>::infinity(),
                                  getElement(x[0].getType())));
  };
  if (auto compared = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(int(compared.getPredicate()), x[0], x[1]);
  if (isa<math::IsNaNOp>(op))
    return isNaN(x[0]);
  if (isa<math::IsInfOp>(op))
    return compareWithInfinity(CmpFPredicate::OEQ);
  if (isa<math::IsFiniteOp>(op))
    return compareWithInfinity(CmpFPredicate::OLT);
  Type element = getElement(op->getResult(0).getType());
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return select(isNaN(x[0]), x[1],
                  select(isNaN(x[1]), x[0],
                         maximum(isa<arith::MinNumFOp>(op), x[0], x[1])));
  if (isa<math::ClampFOp>(op))
    return select(
        compareFloats(int(CmpFPredicate::OLT), x[0], x[1]), x[1],
        select(compareFloats(int(CmpFPredicate::OGT), x[0], x[2]), x[2], x[0]));
  OperationState state(loc, op->getName(), x, typed(getHeldType(element)));
  Value result = builder.create(state)->getResult(0);
  // These choose a value or change a sign; others are rounded.
  if (isa<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp,
          math::CopySignOp>(op))
    return result;
  return round(element, result);
}

Value ElementBuilder::emitDivision(Operation *op, Value x, Value y,
                                   Value &failed) {
  Type type = getElement(x.getType());
  Value zero = getInteger(0, type), one = getInteger(1, type);
  Value byZero = compare(int(CmpIPredicate::eq), y, zero);
  bool isSigned = isa<arith::DivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
                      arith::FloorDivSIOp>(op);
  Value byMinusOne, isSpecial = byZero;
  if (isSigned) {
    byMinusOne = compare(int(CmpIPredicate::eq), y, getInteger(-1, type));
    isSpecial = arith::OrIOp::create(builder, loc, byZero, byMinusOne);
  }
  Value divisor = select(isSpecial, one, y);
  if (!isSigned) {
    failed = anyLane(byZero);
    Value rest = arith::RemUIOp::create(builder, loc, x, divisor);
    if (isa<arith::RemUIOp>(op))
      return rest;
    Value quotient = arith::DivUIOp::create(builder, loc, x, divisor);
    if (isa<arith::DivUIOp>(op))
      return quotient;
    Value isMore = compare(int(CmpIPredicate::ne), rest, zero);
    return select(isMore, arith::AddIOp::create(builder, loc, quotient, one),
                  quotient);
  }
  Value rest = arith::RemSIOp::create(builder, loc, x, divisor);
  if (isa<arith::RemSIOp>(op)) {
    failed = anyLane(byZero);
    return select(byMinusOne, zero, rest);
  }
  Value quotient = arith::DivSIOp::create(builder, loc, x, divisor);
  Value negative = arith::SubIOp::create(builder, loc, zero, x);
  if (isa<arith::DivSIOp, arith::CeilDivSIOp>(op)) {
    Value least =
        getInteger(int64_t(uint64_t(1) << (getWidth(type) - 1)), type);
    Value overflows = arith::AndIOp::create(
        builder, loc, byMinusOne, compare(int(CmpIPredicate::eq), x, least));
    failed = anyLane(arith::OrIOp::create(builder, loc, byZero, overflows));
  }
  if (!isa<arith::DivSIOp>(op)) {
    auto isNegative = [&](Value value) {
      return compare(int(CmpIPredicate::slt), value, zero);
    };
    Value differs =
        arith::XOrIOp::create(builder, loc, isNegative(x), isNegative(divisor));
    bool isDown = isa<arith::FloorDivSIOp>(op);
    Value moved =
        isDown ? Value(arith::SubIOp::create(builder, loc, quotient, one))
               : Value(arith::AddIOp::create(builder, loc, quotient, one));
    Value isInexact = compare(int(CmpIPredicate::ne), rest, zero);
    Value kept = isDown ? select(differs, moved, quotient)
                        : select(differs, quotient, moved);
    quotient = select(isInexact, kept, quotient);
  }
  quotient = select(byMinusOne, negative, quotient);
  // The division of the language is defined for zero.
  return select(byZero, zero, quotient);
}

Value ElementBuilder::emitInteger(Operation *op, ArrayRef<Value> x,
                                  Value &failed) {
  if (isDivision(op) || isa<arith::FloorDivSIOp>(op))
    return emitDivision(op, x[0], x[1], failed);
  Type type = getElement(x[0].getType());
  if (isa<math::AbsIOp>(op)) {
    Value zero = getInteger(0, type);
    return select(compare(int(CmpIPredicate::slt), x[0], zero),
                  arith::SubIOp::create(builder, loc, zero, x[0]), x[0]);
  }
  Value isWide;
  if (type.isInteger(1)) // the constant 1 is a width that i1 cannot hold
    isWide = compare(int(CmpIPredicate::ne), x[1], getInteger(0, type));
  else
    isWide = compare(int(CmpIPredicate::uge), x[1],
                     getInteger(getWidth(type), type));
  failed = anyLane(isWide);
  Value amount = select(isWide, getInteger(0, type), x[1]);
  OperationState state(loc, op->getName(), {x[0], amount}, x[0].getType());
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value ElementBuilder::toInteger(bool isSigned, Type element, Value x) {
  unsigned width = getWidth(element);
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0.0;
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  uint64_t last = isSigned ? (uint64_t(1) << (width - 1)) - 1
                           : ~uint64_t(0) >> (64 - width);
  uint64_t first = isSigned ? ~uint64_t(0) << (width - 1) : 0;
  Value wide = widen(x);
  Value isHigh =
      compareFloats(int(CmpFPredicate::OGE), wide, getFloat(end, f64()));
  Value isLow =
      compareFloats(int(CmpFPredicate::OLE), wide, getFloat(low, f64()));
  Value isNaN = compareFloats(int(CmpFPredicate::UNO), wide, wide);
  Value isOutside = arith::OrIOp::create(
      builder, loc, isNaN, arith::OrIOp::create(builder, loc, isHigh, isLow));
  Value inside = select(isOutside, getFloat(0, f64()), wide);
  Type target = width == 32 ? element : i64();
  Value result;
  if (isSigned)
    result = arith::FPToSIOp::create(builder, loc, typed(target), inside);
  else
    result = arith::FPToUIOp::create(builder, loc, typed(target), inside);
  if (width < 32)
    result = arith::TruncIOp::create(builder, loc, typed(element), result);
  result = select(isHigh, getInteger(int64_t(last), element), result);
  return select(isLow, getInteger(int64_t(first), element), result);
}

Value ElementBuilder::toFloat(bool isSigned, Type element, Value x) {
  auto convert = [&](Type type, Value value, bool asSigned) -> Value {
    if (asSigned)
      return arith::SIToFPOp::create(builder, loc, typed(type), value);
    return arith::UIToFPOp::create(builder, loc, typed(type), value);
  };
  if (element == getHeldType(element))
    return convert(element, x, isSigned);
  if (getWidth(getElement(x.getType())) < 64)
    return roundWide(element, convert(f64(), x, isSigned));
  // The last bit that fits collects those that do not (a sticky bit).
  Value zero = getInteger(0, i64()), low = getInteger(2047, i64());
  Value isNegative = compare(int(CmpIPredicate::slt), x, zero);
  Value magnitude = x;
  if (isSigned)
    magnitude =
        select(isNegative, arith::SubIOp::create(builder, loc, zero, x), x);
  Value rest = arith::AndIOp::create(builder, loc, magnitude, low);
  Value sticky = select(compare(int(CmpIPredicate::ne), rest, zero),
                        getInteger(2048, i64()), zero);
  Value collected = arith::OrIOp::create(
      builder, loc,
      arith::AndIOp::create(builder, loc, magnitude, getInteger(~2047, i64())),
      sticky);
  Value isLarge = compare(int(CmpIPredicate::ugt), magnitude,
                          getInteger((int64_t(1) << 53) - 1, i64()));
  Value wide = convert(f64(), select(isLarge, collected, magnitude), false);
  if (isSigned)
    wide = select(isNegative, arith::NegFOp::create(builder, loc, wide), wide);
  return roundWide(element, wide);
}

Value ElementBuilder::emitCast(Operation *op, Value x) {
  Type from = getElement(op->getOperand(0).getType());
  Type element = getElement(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::TruncFOp, arith::ExtFOp>(
          [&](Operation *) { return round(element, x); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](Operation *) {
        return toFloat(isa<arith::SIToFPOp>(op), element, x);
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *) {
        return toInteger(isa<arith::FPToSIOp>(op), element, x);
      })
      .Default([&](Operation *) {
        // A bitcast, through the bits in memory.
        Value bits = encode(from, x);
        Type memory = getMemoryType(element);
        if (getElement(bits.getType()) != memory)
          bits = bitcast(memory, bits);
        return decode(element, bits);
      });
}

SmallVector<Value> ElementBuilder::emit(Operation *op, ArrayRef<Value> x,
                                        Value &failed) {
  Type element = getElement(op->getResult(0).getType());
  if (isFunction(op)) {
    SmallVector<Value> wide;
    for (Value value : x)
      wide.push_back(widen(value));
    return {roundWide(element, emitFunction(op, wide))};
  }
  if (isa<math::FmaOp>(op))
    return {multiplyAdd(element, x[0], x[1], x[2])};
  if (isFloatOp(op))
    return {emitFloat(op, x)};
  if (isCast(op))
    return {emitCast(op, x[0])};
  if (isa<arith::SelectOp>(op) && !isa<VectorType>(x[0].getType()))
    return {select(splat(x[0]), x[1], x[2])};
  if (isPlainInteger(op)) {
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(typed(getHeldType(getElement(type))));
    OperationState state(loc, op->getName(), x, types);
    if (auto compared = dyn_cast<arith::CmpIOp>(op))
      state.addAttribute(compared.getPredicateAttrName(),
                         compared.getPredicateAttr());
    return llvm::to_vector_of<Value>(builder.create(state)->getResults());
  }
  return {emitInteger(op, x, failed)};
}
