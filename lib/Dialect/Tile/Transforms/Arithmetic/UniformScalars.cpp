//===- UniformScalars.cpp - Scalars equal for a tile ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds uniforms and their signs by recursion on defining operations, up to a
// depth. A sign is conservative: Unknown unless the operations imply it.
// Constants are unique per kernel, type and value.
//
//===----------------------------------------------------------------------===//

#include "UniformScalars.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

std::optional<double> tile::getConstantFloat(Value value) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return std::nullopt;
  bool losesInfo;
  constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return constant.convertToDouble();
}

Type tile::getElementType(Value value) {
  return mlir::getElementTypeOrSelf(value.getType());
}

std::optional<Uniform> tile::getUniform(Value value) {
  if (std::optional<double> constant = getConstantFloat(value))
    return Uniform{{}, *constant};
  if (isa<FloatType>(value.getType()))
    return Uniform{value};
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return getUniform(splat.getInput());
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return getUniform(broadcast.getSource());
  if (auto expand = value.getDefiningOp<ExpandDimsOp>())
    return getUniform(expand.getSource());
  return std::nullopt;
}

static Sign getScalarSign(Value scalar, unsigned depth) {
  if (std::optional<double> constant = getConstantFloat(scalar)) {
    if (*constant > 0)
      return Sign::Positive;
    return *constant < 0 ? Sign::Negative : Sign::NonNegative;
  }
  Operation *op = scalar.getDefiningOp();
  if (!op || depth == 0)
    return Sign::Unknown;
  if (isa<math::RsqrtOp>(op))
    return Sign::Positive; // sqrt, exp and exp2 may be zero.
  if (isa<math::SqrtOp, math::ExpOp, math::Exp2Op, math::AbsFOp,
          arith::UIToFPOp>(op))
    return Sign::NonNegative;
  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    // A product or quotient of positive numbers may round to zero.
    auto isNotNegative = [&](Value operand) {
      Sign sign = getScalarSign(operand, depth - 1);
      return sign == Sign::Positive || sign == Sign::NonNegative;
    };
    if (llvm::all_of(op->getOperands(), isNotNegative))
      return Sign::NonNegative;
  }
  return Sign::Unknown;
}

Sign tile::getSign(const Uniform &uniform) {
  if (!uniform.isConstant())
    return getScalarSign(uniform.scalar, /*depth=*/8);
  if (uniform.constant > 0)
    return Sign::Positive;
  return uniform.constant < 0 ? Sign::Negative : Sign::NonNegative;
}

Value UniformBuilder::constant(Type type, double value) {
  Value &known = constants[{type, llvm::bit_cast<uint64_t>(value)}];
  if (known)
    return known;
  auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  TypedAttr attribute =
      builder.getFloatAttr(mlir::getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  known = arith::ConstantOp::create(builder, kernel.getLoc(), attribute);
  return known;
}

Value UniformBuilder::materialize(OpBuilder &builder, Location loc,
                                  const Uniform &uniform, Type type) {
  if (uniform.isConstant())
    return constant(type, uniform.constant);
  if (uniform.scalar.getType() == type)
    return uniform.scalar;
  return tensor::SplatOp::create(builder, loc, uniform.scalar,
                                 cast<RankedTensorType>(type));
}

Value UniformBuilder::hoist(Operation *op) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp())) {
    if (!llvm::all_of(op->getOperands(), [&](Value operand) {
          return loop.isDefinedOutsideOfLoop(operand);
        }))
      break;
    op->moveBefore(loop);
  }
  return op->getResult(0);
}

Uniform UniformBuilder::multiply(OpBuilder &builder, Location loc,
                                 const Uniform &lhs, const Uniform &rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return {{}, lhs.constant * rhs.constant};
  Type f32 = builder.getF32Type();
  Value a = materialize(builder, loc, lhs, f32);
  Value b = materialize(builder, loc, rhs, f32);
  return {hoist(arith::MulFOp::create(builder, loc, a, b))};
}

Uniform UniformBuilder::divide(OpBuilder &builder, Location loc,
                               const Uniform &lhs, const Uniform &rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return {{}, lhs.constant / rhs.constant};
  Type f32 = builder.getF32Type();
  Value a = materialize(builder, loc, lhs, f32);
  Value b = materialize(builder, loc, rhs, f32);
  return {hoist(arith::DivFOp::create(builder, loc, a, b))};
}
