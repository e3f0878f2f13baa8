//===- ScaleRules.cpp - Ops that commute with a factor ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleRules.h"

using namespace tessera;
using namespace tessera::tile;

ScaleRule tile::getScaleRule(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
          arith::SelectOp, math::AbsFOp, tensor::SplatOp, ReduceOp, ScanOp,
          BroadcastOp, ExpandDimsOp, TransposeOp>(op))
    return ScaleRule::All;
  if (isa<arith::MulFOp>(op))
    return ScaleRule::One;
  if (isa<arith::DivFOp>(op))
    return ScaleRule::Divide;
  if (isa<math::FmaOp>(op))
    return ScaleRule::Fma;
  if (isa<arith::ConstantOp>(op))
    return ScaleRule::Constant;
  return ScaleRule::None;
}

bool tile::isScalable(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return value.getType().isF32() ||
         (tile && tile.hasStaticShape() && tile.getElementType().isF32());
}

SmallVector<unsigned> tile::getScaledOperands(Operation *op) {
  SmallVector<unsigned> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isScalable(operand.get()))
      operands.push_back(operand.getOperandNumber());
  return operands;
}

double tile::getWeight(Value value) {
  double weight = 1;
  if (auto shaped = dyn_cast<ShapedType>(value.getType()))
    weight = shaped.getNumElements();
  for (Operation *op = value.getParentBlock()->getParentOp();
       op && !isa<KernelOp>(op); op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      weight *= 64;
  return weight;
}

std::pair<scf::ForOp, unsigned> tile::getCarried(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return {loop, result.getResultNumber()};
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (argument != loop.getInductionVar())
        return {loop, argument.getArgNumber() - 1};
  return {};
}
