//===- TileFunctions.cpp - Making and reducing tiles ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `zeros`, `ones`, `full`, `iota`; `sum`, `max` and `min` along an axis,
// `cumsum`.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"

using namespace tessera;
using namespace tessera::frontend;

//===----------------------------------------------------------------------===//
// Making tiles
//===----------------------------------------------------------------------===//

RankedTensorType BuiltinFunctions::evaluateMadeType(const CallExpr &call,
                                                    const Expr *expr) {
  // A type is a name or a name with extents.
  if (!isa<NameExpr, IndexExpr>(expr)) {
    error(expr->place) << "`" << call.callee.text
                       << "` takes the type of a tile, as in `"
                       << call.callee.text
                       << (call.callee.text == "full" ? "(f32[64], 1.0)`"
                                                      : "(f32[64])`");
    return {};
  }
  Type type = walk.evaluateType(expr);
  if (!type || isa<RankedTensorType>(type))
    return cast_if_present<RankedTensorType>(type);
  error(expr->place) << "`" << call.callee.text
                     << "` makes a tile; expected its type, such as `"
                     << (type.isIndex() ? "i32" : printType(type))
                     << "[64]`, got `" << printType(type) << "`";
  return {};
}

Entity BuiltinFunctions::genZeros(const CallExpr &call) {
  if (call.arguments.size() > 1) {
    error(call.arguments[1].value->place)
        << "`" << call.callee.text
        << "` takes one type, that of the tile, as in `" << call.callee.text
        << "(f32[64])`";
    return Entity();
  }
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"type"}, 1, arguments))
    return Entity();
  RankedTensorType type = evaluateMadeType(call, arguments[0]->value);
  if (!type)
    return Entity();
  bool isOne = call.callee.text == "ones";
  Entity value = type.getElementType().isInteger(1) ? Entity::boolean(isOne)
                                                    : Entity::integer(isOne);
  return Entity::runtime(values.getNumber(value, type.getElementType(),
                                          type.getShape(), call.place));
}

Entity BuiltinFunctions::genFull(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"type", "value"}, 2, arguments))
    return Entity();
  RankedTensorType type = evaluateMadeType(call, arguments[0]->value);
  Entity value = walk.genExpr(arguments[1]->value);
  if (!type)
    return Entity();
  SourcePlace place = arguments[1]->value->place;
  if (value.is(Kind::Tile)) {
    error(place) << "the value of `full` is a scalar, got " << value.describe();
    return Entity();
  }
  return Entity::runtime(
      conversions.coerce(value, type, place, "the value of `full`"));
}

Entity BuiltinFunctions::genIota(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"extent"}, 1, arguments))
    return Entity();
  const Expr *expr = arguments[0]->value;
  std::optional<int64_t> extent =
      walk.evaluateInteger(expr, "the extent of `iota`");
  if (!extent)
    return Entity();
  RankedTensorType type =
      getTileType(*extent, builder.getI32Type(), expr->place);
  if (!type)
    return Entity();
  return Entity::runtime(
      tile::IotaOp::create(builder, getLoc(call.place), type));
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

std::optional<int64_t> BuiltinFunctions::evaluateAxis(const Expr *axis,
                                                      const Entity &source,
                                                      StringRef what) {
  std::optional<int64_t> value =
      walk.evaluateInteger(axis, ("the axis of " + what).str());
  if (!value)
    return std::nullopt;
  int64_t rank = source.getShape().size();
  if (*value >= 0 && *value < rank)
    return value;
  auto diagnostic = error(axis->place);
  diagnostic << "the axis of " << what << " is " << *value << ", but "
             << source.describe() << " has the axes 0 to " << rank - 1;
  if (*value < 0 && *value >= -rank)
    diagnostic << "; write `axis = " << *value + rank << "`";
  return std::nullopt;
}

/// Returns the name of a reduction in the language.
static StringRef getFunctionName(tile::ReduceKind kind) {
  switch (kind) {
  case tile::ReduceKind::Sum:
    return "`sum`";
  case tile::ReduceKind::Max:
    return "`max`";
  case tile::ReduceKind::Min:
    return "`min`";
  }
  return "a reduction";
}

bool BuiltinFunctions::checkReduced(const Entity &source, SourcePlace place,
                                    StringRef what) {
  if (!conversions.checkTile(source, place, ("the operand of " + what).str()))
    return false;
  if (!source.getElementType().isInteger(1))
    return true;
  error(place) << what << " is for numbers, got " << source.describe()
               << "; convert with `as i32` or choose with `where`";
  return false;
}

Value BuiltinFunctions::getSummed(const Entity &source, SourcePlace place) {
  Type element = source.getElementType();
  if (!element.isInteger(8) && !element.isInteger(16))
    return source.getValue();
  return conversions.castTo(source, builder.getI32Type(), place).getValue();
}

Value BuiltinFunctions::flipSign(Value tile, SourcePlace place) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned width = type.getElementTypeBitWidth();
  TypedAttr sign = DenseElementsAttr::get(
      type, static_cast<Attribute>(builder.getIntegerAttr(
                type.getElementType(), APInt::getSignMask(width))));
  return arith::XOrIOp::create(builder, getLoc(place), tile,
                               values.getConstant(sign, place));
}

Entity BuiltinFunctions::reduce(tile::ReduceKind kind, const Entity &source,
                                const Expr *axis, SourcePlace place) {
  StringRef what = getFunctionName(kind);
  if (!checkReduced(source, place, what))
    return Entity();
  std::optional<int64_t> value = evaluateAxis(axis, source, what);
  if (!value)
    return Entity();
  Location loc = getLoc(place);
  Value operand = kind == tile::ReduceKind::Sum ? getSummed(source, place)
                                                : source.getValue();
  // The order of unsigned integers is that of signed ones with the other sign.
  bool isFlipped = kind != tile::ReduceKind::Sum &&
                   source.getElementType().isUnsignedInteger();
  if (isFlipped)
    operand = flipSign(operand, place);
  Value result = tile::ReduceOp::create(builder, loc, kind, operand, *value);
  if (isFlipped)
    result = flipSign(result, place);
  // A tile of one dimension reduces to a scalar.
  if (source.getShape().size() == 1)
    return Entity::runtime(
        tensor::ExtractOp::create(builder, loc, result, ValueRange()));
  AxisNames names = source.getAxisNames();
  if (!names.empty())
    names.erase(names.begin() + *value);
  return Entity::runtime(result).withAxisNames(names);
}

Entity BuiltinFunctions::genSum(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "axis"}, 2, arguments, 1))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  return reduce(tile::ReduceKind::Sum, source, arguments[1]->value, call.place);
}

Entity BuiltinFunctions::genCumsum(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "axis", "reverse"}, 2, arguments, 1))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  if (!checkReduced(source, call.place, "`cumsum`"))
    return Entity();
  std::optional<int64_t> axis =
      evaluateAxis(arguments[1]->value, source, "`cumsum`");
  std::optional<bool> reverse = false;
  if (arguments[2])
    reverse = walk.evaluateBool(arguments[2]->value, "`reverse`");
  if (!axis || !reverse)
    return Entity();
  Value value = getSummed(source, call.place);
  return source.withValue(
      tile::ScanOp::create(builder, getLoc(call.place), value.getType(),
                           tile::ReduceKind::Sum, value, *axis, *reverse));
}
