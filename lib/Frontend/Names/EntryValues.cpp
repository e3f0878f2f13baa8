//===- EntryValues.cpp - Values at the entry of a kernel --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of the source becomes a constant in the type of the other operand.
// Numbers are rounded to nearest even; a finite number that the type cannot
// hold is an error.
//
//===----------------------------------------------------------------------===//

#include "EntryValues.h"
#include "Warnings/Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// Moves the builder after the values at the entry of the kernel.
class AtEntry {
public:
  AtEntry(OpBuilder &builder, Block *entry, Operation *&last)
      : guard(builder), last(last) {
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(entry);
  }

  /// Makes the operation that defines `value` the last one.
  Value finish(Value value) {
    last = value.getDefiningOp();
    return value;
  }

private:
  OpBuilder::InsertionGuard guard;
  Operation *&last;
};
} // namespace

void EntryValues::setEntry(Block *block) {
  entry = block;
  last = nullptr;
  constants.clear();
  wholeRanges.clear();
}

Value EntryValues::getConstant(TypedAttr value, SourcePlace place) {
  Value &constant = constants[value];
  if (!constant) {
    AtEntry guard(builder, entry, last);
    constant =
        guard.finish(arith::ConstantOp::create(builder, getLoc(place), value));
  }
  return constant;
}

Value EntryValues::getIndexConstant(int64_t value, SourcePlace place) {
  return getConstant(builder.getIndexAttr(value), place);
}

Value EntryValues::getSize(StringRef name, SourcePlace place) {
  AtEntry guard(builder, entry, last);
  auto size = tile::SizeAttr::getSymbol(builder.getStringAttr(name));
  return guard.finish(tile::SizeOp::create(builder, getLoc(place),
                                           builder.getIndexType(), size));
}

Value EntryValues::getWholeRange(int64_t extent, SourcePlace place) {
  if (Value range = wholeRanges.lookup(extent))
    return range;
  Value start = getIndexConstant(0, place);
  Value limit = getIndexConstant(extent, place);
  AtEntry guard(builder, entry, last);
  Value range = guard.finish(tile::RangeOp::create(
      builder, getLoc(place),
      tile::RangeType::get(builder.getContext(), extent, {}), start, limit,
      /*full=*/false));
  wholeRanges[extent] = range;
  return range;
}

/// The number in the format `semantics`, rounded to nearest even. Nothing if a
/// finite number becomes infinite, or the format lacks infinity.
static std::optional<APFloat>
convertNumber(const Entity &number, const llvm::fltSemantics &semantics) {
  APFloat value(semantics);
  bool finite = true;
  if (number.is(Entity::Kind::Integer)) {
    value.convertFromAPInt(APInt(64, number.getInteger(), /*isSigned=*/true),
                           /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
  } else {
    value = APFloat(number.getFloat());
    finite = value.isFinite();
    if (value.isInfinity() && !APFloat::semanticsHasInf(semantics))
      return std::nullopt;
    bool losesInfo;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  }
  if (finite && !value.isFinite())
    return std::nullopt;
  return value;
}

bool EntryValues::reportInfinity(const Entity &number, Type element,
                                 SourcePlace place) {
  if (!number.is(Kind::Float) || !std::isinf(number.getFloat()))
    return false;
  bool isLeast = number.getFloat() < 0;
  error(place) << "integers have no infinity; the "
               << (isLeast ? "least" : "greatest") << " number of `"
               << printType(element) << "` is "
               << printExtremum(element, isLeast);
  return true;
}

TypedAttr EntryValues::getNumberAttr(const Entity &number, Type element,
                                     SourcePlace place) {
  if (number.is(Kind::Bool)) {
    if (element.isInteger(1))
      return builder.getIntegerAttr(element, number.getBool());
    error(place) << number.describe() << " is a `bool`, expected `"
                 << printType(element) << "`";
    return {};
  }
  if (element.isInteger(1)) {
    error(place) << "expected a `bool`, got " << number.describe();
    return {};
  }
  if (auto floatType = dyn_cast<FloatType>(element)) {
    if (!context.checkExact(number))
      return {};
    if (auto value = convertNumber(number, floatType.getFloatSemantics())) {
      if (value->isZero() && number.getFloat() != 0)
        warnOfUnderflow(context, number, element, place);
      return builder.getFloatAttr(element, *value);
    }
    error(place) << number.describe() << " is out of range of `"
                 << printType(element) << "`";
    return {};
  }
  if (reportInfinity(number, element, place))
    return {};
  if (!number.is(Kind::Integer)) {
    error(place) << number.describe() << " is not an integer, expected `"
                 << printType(element) << "`; convert with `as`";
    return {};
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  bool fits = element.isUnsignedInteger()
                  ? number.getInteger() >= 0 &&
                        llvm::isUIntN(width, number.getInteger())
                  : llvm::isIntN(width, number.getInteger());
  if (!fits) {
    auto diagnostic = error(place);
    diagnostic << number.describe() << " is out of range of `"
               << printType(element) << "`";
    if (number.getInteger() < 0 && element.isUnsignedInteger())
      diagnostic << ", which has no negative numbers; a number is subtracted "
                    "by `x - 1`";
    return {};
  }
  return builder.getIntegerAttr(element, number.getInteger());
}

Value EntryValues::getNumber(const Entity &number, Type element,
                             std::optional<ArrayRef<int64_t>> shape,
                             SourcePlace place) {
  TypedAttr attr = getNumberAttr(number, element, place);
  if (!attr)
    return {};
  if (shape) {
    RankedTensorType type = getTileType(*shape, element, place);
    if (!type)
      return {};
    attr = DenseElementsAttr::get(type, static_cast<Attribute>(attr));
  }
  return getConstant(attr, place);
}

Value EntryValues::getFloatLike(Value like, double value, SourcePlace place) {
  Type element = getElementTypeOrSelf(like.getType());
  auto tensor = dyn_cast<RankedTensorType>(like.getType());
  return getNumber(Entity::floating(value), element,
                   tensor ? std::optional(tensor.getShape()) : std::nullopt,
                   place);
}
