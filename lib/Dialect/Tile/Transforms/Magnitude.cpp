//===- Magnitude.cpp - How large numbers may be -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Magnitude.h"

#include "ScaleRules.h"
#include "UniformScalars.h"

#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::tile;

/// Whether all numbers of a float type are small.
static bool isNarrow(Type element) {
  return element.isF16() || isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

/// Whether the results of `op` are moderate whatever its operands are.
static bool isBounded(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp, math::LogOp, math::Log2Op,
             math::SqrtOp, math::RsqrtOp, math::TanhOp, math::ErfOp,
             arith::ConstantOp>(op);
}

/// What `value` takes its size from: nothing if it is moderate by itself,
/// failure if it may be huge.
static LogicalResult addSources(Value value,
                                llvm::SmallSetVector<Value, 16> &sources) {
  Type element = getElementType(value);
  if (!isa<FloatType>(element) || isNarrow(element))
    return success();
  if (auto [loop, index] = getCarried(value); loop) {
    sources.insert(loop.getInitArgs()[index]);
    sources.insert(loop.getYieldedValues()[index]);
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return success(isa<FloatType>(value.getType())); // a parameter
  if (isBounded(op))
    return success();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    sources.insert(branch.thenYield().getOperand(index));
    sources.insert(branch.elseYield().getOperand(index));
    return success();
  }
  if (auto product = dyn_cast<GemmOp>(op)) {
    sources.insert(product.getAccumulator());
    return success();
  }
  if (getScaleRule(op) == ScaleRule::None &&
      !isa<arith::ExtFOp, arith::TruncFOp>(op))
    return failure();
  for (Value operand : op->getOperands())
    sources.insert(operand);
  return success();
}

bool tile::mayBeHuge(Value value) {
  llvm::SmallSetVector<Value, 16> sources;
  sources.insert(value);
  for (size_t next = 0; next < sources.size(); ++next)
    if (failed(addSources(sources[next], sources)))
      return true;
  return false;
}
