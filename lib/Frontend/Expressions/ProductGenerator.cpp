//===- ProductGenerator.cpp - The operator `@` ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `a @ b` becomes a `tile.gemm` onto zeros, and `c + a @ b` a `tile.gemm` onto
// `c`. The transpose of an operand becomes a flag.
//
//===----------------------------------------------------------------------===//

#include "ProductGenerator.h"
#include "AxisNames.h"
#include "Shapes.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// An operand of a product without its transposes and its conversion to TF32.
struct ProductOperand {
  explicit ProductOperand(Value operand) : value(operand) {
    while (Operation *op = value.getDefiningOp()) {
      auto conversion = dyn_cast<arith::TruncFOp>(op);
      bool isConversion =
          conversion && getElementTypeOrSelf(conversion.getType()).isTF32();
      if (!isConversion && !isa<tile::TransposeOp>(op))
        return;
      transposed ^= !isConversion;
      value = op->getOperand(0);
    }
  }

  Value value;
  bool transposed = false;
};
} // namespace

RankedTensorType ProductGenerator::checkOperands(const BinaryExpr &expr,
                                                 const Entity &lhs,
                                                 const Entity &rhs) {
  if (!conversions.checkTile(lhs, expr.lhs->place, "the left operand of `@`") ||
      !conversions.checkTile(rhs, expr.rhs->place, "the right operand of `@`"))
    return {};
  if (lhs.getShape().size() != 2 || rhs.getShape().size() != 2) {
    size_t left = lhs.getShape().size(), right = rhs.getShape().size();
    auto diagnostic = error(expr.place);
    diagnostic << "the operands of `@` have two dimensions, got "
               << lhs.describe() << " and " << rhs.describe()
               << "; a number as index drops its dimension, a range keeps it";
    if (left == 2 && right == 1)
      diagnostic << "; a matrix times a vector is `sum(a * b[_, :], axis = 1)`";
    else if (left == 1 && right == 2)
      diagnostic << "; a vector times a matrix is `sum(a[:, _] * b, axis = 0)`";
    else if (left > 2 || right > 2)
      diagnostic << "; a program multiplies one pair of matrices, so let an "
                    "axis of the grid number the pairs";
    return {};
  }
  if (lhs.getShape()[1] != rhs.getShape()[0]) {
    auto diagnostic = error(expr.place);
    diagnostic << "the operands of `@` are " << lhs.describe() << " and "
               << rhs.describe() << ", whose inner extents "
               << lhs.getShape()[1] << " and " << rhs.getShape()[0]
               << " differ";
    auto suggest = [&](const Entity &operand, StringRef which) {
      bool transposed = ProductOperand(operand.getValue()).transposed;
      diagnostic << (transposed ? "; without its `.T` the "
                                : "; with a `.T` the ")
                 << which << " one would match";
    };
    if (lhs.getShape()[1] == rhs.getShape()[1])
      suggest(rhs, "right");
    else if (lhs.getShape()[0] == rhs.getShape()[0])
      suggest(lhs, "left");
    else if (lhs.getShape()[0] == rhs.getShape()[1])
      diagnostic << "; with the operands swapped, or with both transposed, "
                    "they would match";
    return {};
  }
  Type left = lhs.getElementType(), right = rhs.getElementType();
  if (left != right && !(isFloat8(left) && isFloat8(right))) {
    error(expr.place) << "the operands of `@` are " << lhs.describe() << " and "
                      << rhs.describe() << "; convert one with `as`";
    return {};
  }
  if (!isa<FloatType>(left) && !left.isSignlessInteger(8)) {
    error(expr.place) << "`@` multiplies tiles of floats or of `i8`, got "
                      << lhs.describe() << " and " << rhs.describe();
    return {};
  }
  if (left.isF64()) {
    error(expr.place) << "`@` multiplies tiles of `f32` and of narrower types, "
                         "got "
                      << lhs.describe() << " and " << rhs.describe()
                      << "; convert with `as f32`";
    return {};
  }
  Type element = isa<FloatType>(left) ? Type(builder.getF32Type())
                                      : Type(builder.getI32Type());
  RankedTensorType type =
      getTileType({lhs.getShape()[0], rhs.getShape()[1]}, element, expr.place);
  if (!type || !checkProductAxes(context, lhs, rhs, expr.place))
    return {};
  return type;
}

Entity ProductGenerator::genProduct(const BinaryExpr &expr,
                                    const Entity *accumulator) {
  Entity lhs = walk.genExpr(expr.lhs);
  Entity rhs = walk.genExpr(expr.rhs);
  RankedTensorType type = checkOperands(expr, lhs, rhs);
  if (!type || (accumulator && accumulator->isError()))
    return Entity();
  Type element = type.getElementType();

  Entity result;
  auto create = [&](Value onto) {
    ProductOperand a(lhs.getValue()), b(rhs.getValue());
    Value value = tile::GemmOp::create(
        builder, getLoc(expr.place), type, a.value, b.value, onto, a.transposed,
        b.transposed, lhs.getElementType().isTF32());
    result = Entity::runtime(value).withAxisNames(
        {lhs.getAxisName(0), rhs.getAxisName(1)});
  };
  // An accumulator has the shape of the product or repeats to this shape.
  if (accumulator && accumulator->is(Kind::Tile) &&
      accumulator->getElementType() == element) {
    SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    if (joinShapes(shape, accumulator->getShape()) &&
        ArrayRef<int64_t>(shape) == type.getShape()) {
      Value onto = conversions.materialize(*accumulator, element,
                                           type.getShape(), expr.place);
      if (!onto)
        return Entity();
      create(onto);
      AxisNames names;
      if (!joinAxisNames(context, {*accumulator, result}, expr.place, "`+`",
                         names))
        return Entity();
      return result.withAxisNames(names);
    }
  }
  if (accumulator && accumulator->is(Kind::Tile) && element.isF32() &&
      isa<FloatType>(accumulator->getElementType()) &&
      accumulator->getElementType() != element) {
    Type narrow = accumulator->getElementType();
    error(expr.place) << "`@` adds products of floats in `f32`, but the "
                         "accumulator is "
                      << accumulator->describe() << "; begin with `zeros("
                      << printType(type) << ")`, and convert the result with "
                      << "`as " << printType(narrow) << "`";
    return Entity();
  }
  Entity zero =
      element.isInteger(32) ? Entity::integer(0) : Entity::floating(0.0);
  Value onto = values.getNumber(zero, element, type.getShape(), expr.place);
  if (!onto)
    return Entity();
  create(onto);
  // Other addends follow the rules of `+`.
  return accumulator ? operators.applyBinary(TokenKind::Plus, *accumulator,
                                             result, expr.place)
                     : result;
}
