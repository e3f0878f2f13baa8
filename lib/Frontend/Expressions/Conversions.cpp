//===- Conversions.cpp - Implicit conversions -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language has these implicit conversions and no others:
// - a compile-time number takes the type of the other operand;
// - a run-time `int` takes the element type of a tile, or a float type; a tile
// of
//   `int`s alone has elements of i32;
// - an i32 or i64 scalar becomes an `int` if the other operand is an `int`;
// - a scalar is repeated to the shape of a tile, and so are dimensions of
//   extent 1.
// Every other mixture of types is an error that suggests `as`.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "AxisNames.h"
#include "Shapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::frontend;

/// Checks whether a scalar of the type converts to `int` implicitly.
static bool convertsToInt(Type type) {
  return type.isIndex() || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static constexpr StringRef useOfTF32 =
    "; a `tf32` tile is an operand of `@` only";

static bool isTF32(const Entity &entity) {
  return entity.is(Entity::Kind::Tile) && entity.getElementType().isTF32();
}

bool Conversions::checkOperand(const Entity &entity, SourcePlace place,
                               StringRef what) {
  if (entity.isError())
    return false;
  if (entity.isOperand() && !isTF32(entity))
    return true;
  auto diagnostic = error(place);
  diagnostic << entity.describe() << " cannot be an operand of " << what;
  if (isTF32(entity))
    diagnostic << useOfTF32;
  if (entity.is(Kind::Global))
    diagnostic << "; load a tile of it by index: `x[…]`";
  else if (entity.is(Kind::Range))
    diagnostic << "; its positions are `.index`, its first one is `.start`";
  return false;
}

bool Conversions::checkTile(const Entity &entity, SourcePlace place,
                            StringRef what) {
  if (entity.isError())
    return false;
  if (entity.is(Kind::Tile))
    return true;
  auto diagnostic = error(place);
  diagnostic << what << " is a tile, got " << entity.describe();
  if (entity.is(Kind::Global))
    diagnostic << "; load a tile of it by index: `x[…]`";
  return false;
}

Value Conversions::toIndex(const Entity &entity, SourcePlace place,
                           StringRef what) {
  if (entity.isError())
    return {};
  if (entity.is(Kind::Integer))
    return values.getIndexConstant(entity.getInteger(), place);
  if (entity.is(Kind::Scalar) && convertsToInt(entity.getElementType())) {
    if (entity.getElementType().isIndex())
      return entity.getValue();
    return arith::IndexCastOp::create(
        builder, getLoc(place), builder.getIndexType(), entity.getValue());
  }
  auto diagnostic = error(place);
  diagnostic << what << " is an `int`, got " << entity.describe();
  if (entity.is(Kind::Scalar))
    diagnostic << "; convert with `as int`";
  if (entity.is(Kind::Range))
    diagnostic << "; the start of a range is `.start`";
  return {};
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Checks whether `from` converts to `element` without `as`. `inTile`:
/// `element` is the element type of a tile.
static bool convertsTo(Type from, Type element, bool inTile) {
  if (from == element)
    return true;
  if (from.isIndex())
    return !element.isInteger(1) && (inTile || isa<FloatType>(element));
  return element.isIndex() && convertsToInt(from);
}

/// Ranks an operand; the operand of the highest rank determines the common
/// element type. A tile ranks first, then a scalar without implicit
/// conversions, then an `int`, then other integers. Tiles have no elements of
/// `int`, so an `int` ranks last for a tile.
static unsigned getRank(const Entity &operand, bool forTile) {
  if (operand.is(Entity::Kind::Tile))
    return 4;
  if (!operand.is(Entity::Kind::Scalar))
    return 0;
  Type element = operand.getElementType();
  if (element.isIndex())
    return forTile ? 1 : 2;
  if (convertsToInt(element))
    return forTile ? 2 : 1;
  return 3;
}

Type Conversions::findCommonElement(ArrayRef<Entity> operands,
                                    SourcePlace place, StringRef what,
                                    bool forTile) {
  const Entity *leader =
      llvm::max_element(operands, [&](const Entity &lhs, const Entity &rhs) {
        return getRank(lhs, forTile) < getRank(rhs, forTile);
      });
  if (getRank(*leader, forTile) != 0) {
    Type element = leader->getElementType();
    if (forTile && element.isIndex())
      return builder.getI32Type();
    for (const Entity &operand : operands) {
      if (operand.isCompileTime() ||
          convertsTo(operand.getElementType(), element, forTile))
        continue;
      const Entity &first = *std::min(leader, &operand),
                   &second = *std::max(leader, &operand);
      auto diagnostic = error(place);
      diagnostic << "the operands of " << what << " are " << first.describe()
                 << " and " << second.describe();
      if (!noteUntypedVar(diagnostic, first, second.getElementType()) &&
          !noteUntypedVar(diagnostic, second, first.getElementType()))
        diagnostic << "; convert one with `as`";
      return {};
    }
    return element;
  }
  // All operands are known at compile time and have default types.
  if (llvm::all_of(operands, [](const Entity &e) { return e.is(Kind::Bool); }))
    return builder.getI1Type();
  if (llvm::any_of(operands,
                   [](const Entity &e) { return e.is(Kind::Bool); })) {
    error(place) << "the operands of " << what << " are "
                 << operands.front().describe() << " and "
                 << operands.back().describe();
    return {};
  }
  if (llvm::any_of(operands, [](const Entity &e) { return e.is(Kind::Float); }))
    return builder.getF32Type();
  return forTile ? Type(builder.getI32Type()) : Type(builder.getIndexType());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Conversions::checkQuotient(const Entity &scalar, Type element) {
  if (auto quotient = scalar.getInexactQuotient();
      quotient && quotient->division)
    context.floatQuotients.try_emplace(*quotient->division, element);
  return context.checkExact(scalar);
}

Value Conversions::materialize(const Entity &operand, Type element,
                               std::optional<ArrayRef<int64_t>> shape,
                               SourcePlace place) {
  if (operand.isCompileTime())
    return values.getNumber(operand, element, shape, place);
  Location loc = getLoc(place);
  Value value = operand.getValue();
  if (operand.is(Kind::Scalar) && value.getType() != element) {
    // `findCommonElement` accepts two conversions: `int` to a float or an
    // integer, and i32 or i64 to `int`.
    if (isa<FloatType>(element) && !checkQuotient(operand, element))
      return {};
    Entity converted = castTo(operand, element, place);
    if (converted.isError())
      return {};
    value = converted.getValue();
  }
  if (!shape)
    return value;
  RankedTensorType type = getTileType(*shape, element, place);
  if (!type || value.getType() == type)
    return type ? value : Value();
  if (operand.is(Kind::Scalar))
    return tensor::SplatOp::create(builder, loc, type, value);
  return tile::BroadcastOp::create(builder, loc, type, value);
}

bool Conversions::checkFloats(ArrayRef<Entity> operands, Type element,
                              SourcePlace place, StringRef what) {
  if (isa<FloatType>(element) || element.isInteger(1))
    return true;
  for (const Entity &operand : operands) {
    if (!operand.is(Kind::Float))
      continue;
    if (values.reportInfinity(operand, element, place))
      return false;
    error(place) << operand.describe() << " is not an integer, but " << what
                 << " has an operand of `" << printType(element)
                 << "`; convert that with `as f32`";
    return false;
  }
  return true;
}

bool Conversions::unify(MutableArrayRef<Entity> operands, SourcePlace place,
                        StringRef what) {
  for (const Entity &operand : operands)
    if (operand.isError())
      return false;
  std::optional<SmallVector<int64_t>> shape;
  if (!findCommonShape(context, operands, place, what, shape))
    return false;
  Type element = findCommonElement(operands, place, what, shape.has_value());
  AxisNames names;
  if (!element || !joinAxisNames(context, operands, place, what, names))
    return false;
  if (!checkFloats(operands, element, place, what))
    return false;
  std::optional<ArrayRef<int64_t>> target;
  if (shape)
    target = *shape;
  for (Entity &operand : operands) {
    operand = Entity::runtime(materialize(operand, element, target, place))
                  .withAxisNames(names);
    if (operand.isError())
      return false;
  }
  return true;
}

bool Conversions::noteUntypedVar(InFlightDiagnostic &diagnostic,
                                 const Entity &entity, Type element) {
  const std::optional<UntypedVar> &var = entity.getUntypedVar();
  if (!var || !entity.is(Kind::Scalar))
    return false;
  bool isInt = entity.getElementType().isIndex();
  if (isInt ? !isa<IntegerType>(element) || element.isInteger(1)
            : !element.isF64())
    return false;
  note(diagnostic, var->place)
      << "`" << var->name << "` is declared here as an `"
      << printType(entity.getElementType()) << "`; declare it as `"
      << printType(element) << "`, as in `var " << var->name << " = "
      << (isInt ? "0" : "0.0") << " as " << printType(element) << "`";
  return true;
}

Value Conversions::coerce(const Entity &entity, Type type, SourcePlace place,
                          StringRef what) {
  if (entity.isError())
    return {};
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  std::string conversion =
      element.isInteger(1) ? "; compare it: `!= 0`"
                           : "; convert with `as " + printType(element) + "`";
  auto report = [&](StringRef hint) -> Value {
    auto diagnostic = error(place);
    diagnostic << what << " is " << entity.describe() << ", expected `"
               << printType(type) << "`";
    if (!noteUntypedVar(diagnostic, entity, element))
      diagnostic << hint;
    if (tensor && entity.getShape().size() > size_t(tensor.getRank()))
      noteCombinedPositions(context, diagnostic, entity, place);
    return {};
  };
  if (!entity.isOperand())
    return report("");
  if (entity.is(Kind::Tile)) {
    if (entity.getValue().getType() == type)
      return entity.getValue();
    if (isTF32(entity))
      return report(useOfTF32);
    if (!tensor)
      return report("");
    if (entity.getElementType() != element)
      return report(conversion);
    bool wouldAgree =
        tensor.getRank() == 2 && entity.getShape().size() == 2 &&
        llvm::equal(llvm::reverse(entity.getShape()), tensor.getShape());
    return report(!wouldAgree ? ""
                  : entity.getValue().getDefiningOp<tile::TransposeOp>()
                      ? "; without its `.T` it would agree"
                      : "; with a `.T` it would agree");
  }
  if (entity.is(Kind::Scalar)) {
    if (!convertsTo(entity.getElementType(), element, tensor != nullptr))
      return report(conversion);
  }
  if (entity.is(Kind::Bool) != element.isInteger(1) && entity.isCompileTime())
    return report("");
  return materialize(entity, element,
                     tensor ? std::optional(tensor.getShape()) : std::nullopt,
                     place);
}
