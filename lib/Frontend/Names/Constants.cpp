//===- Constants.cpp - Values at the top of a kernel ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, sizes and ranges over whole dimensions are the same throughout a
// kernel. They are generated once, at the top, in the order of their first use.
// A number of the source becomes a constant here, in the type of what it meets.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// Moves the builder to the end of what stands at the top of the kernel.
class AtTop {
public:
  AtTop(OpBuilder &builder, Block *entry, Operation *&last)
      : guard(builder), last(last) {
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(entry);
  }

  /// Keeps the operation that defines `value` as the new end.
  Value finish(Value value) {
    last = value.getDefiningOp();
    return value;
  }

private:
  OpBuilder::InsertionGuard guard;
  Operation *&last;
};
} // namespace

Value KernelGenerator::getConstant(TypedAttr value, SourcePlace place) {
  Value &constant = constants[value];
  if (!constant) {
    AtTop top(builder, entry, lastAtTop);
    constant =
        top.finish(arith::ConstantOp::create(builder, getLoc(place), value));
  }
  return constant;
}

Value KernelGenerator::getIndexConstant(int64_t value, SourcePlace place) {
  return getConstant(builder.getIndexAttr(value), place);
}

Value KernelGenerator::getSize(StringRef name, SourcePlace place) {
  AtTop top(builder, entry, lastAtTop);
  auto size = tile::SizeAttr::getSymbol(builder.getStringAttr(name));
  return top.finish(tile::SizeOp::create(builder, getLoc(place),
                                         builder.getIndexType(), size));
}

Value KernelGenerator::getWholeRange(int64_t extent, SourcePlace place) {
  if (Value range = wholeRanges.lookup(extent))
    return range;
  Value start = getIndexConstant(0, place);
  Value limit = getIndexConstant(extent, place);
  AtTop top(builder, entry, lastAtTop);
  Value range = top.finish(tile::RangeOp::create(
      builder, getLoc(place), tile::RangeType::get(context, extent, {}), start,
      limit, /*full=*/false));
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

TypedAttr KernelGenerator::getNumberAttr(const Entity &number, Type element,
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
    warnOfQuotient(number);
    if (auto value = convertNumber(number, floatType.getFloatSemantics()))
      return builder.getFloatAttr(element, *value);
    error(place) << number.describe() << " is out of range of `"
                 << printType(element) << "`";
    return {};
  }
  if (!number.is(Kind::Integer)) {
    error(place) << number.describe() << " is not an integer, expected `"
                 << printType(element) << "`; convert with `as`";
    return {};
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (!llvm::isIntN(width, number.getInteger())) {
    error(place) << number.describe() << " is out of range of `"
                 << printType(element) << "`";
    return {};
  }
  return builder.getIntegerAttr(element, number.getInteger());
}

Value KernelGenerator::getNumber(const Entity &number, Type element,
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
