//===- ScaledValues.cpp - Values times a constant ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the values of a ScalePlan by memoized recursion: each operation is
// copied with scaled operands, and a value that the plan multiplies gets a
// product. A loop with a scaled carried value is changed in place. Its yielded
// value is scaled later (finishYields), since it may depend on the region
// argument.
//
// Invariant: after `get`, all loops yield scaled values where they carry scaled
// values. Uses of the old value read a recovered one.
//
//===----------------------------------------------------------------------===//

#include "ScaledValues.h"

#include "ScaleRules.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

Value ScaledValues::get(Value value) {
  Value result = build(value);
  finishYields();
  return result;
}

Value ScaledValues::build(Value value) {
  if (Value known = scaled.lookup(value))
    return known;
  Value result;
  if (!plan.isPushed(value)) {
    result = buildProduct(value);
  } else if (auto [loop, index] = getCarried(value); loop) {
    return buildCarried(loop, index, value); // records the scaled value itself
  } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    return buildBranch(branch, cast<OpResult>(value).getResultNumber());
  } else {
    Operation *op = value.getDefiningOp();
    switch (getScaleRule(op)) {
    case ScaleRule::None:
      result = buildProduct(value);
      break;
    case ScaleRule::Constant: {
      auto constant = cast<arith::ConstantOp>(op);
      auto scale = [&](const APFloat &number) {
        APFloat wide = number;
        bool losesInfo;
        wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
        // Rounds like a product at run time: equal numbers stay equal when
        // scaled.
        APFloat product(wide.convertToDouble() * static_cast<float>(factor));
        product.convert(number.getSemantics(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
        if (product.isInfinity() && number.isFinite())
          product =
              APFloat::getLargest(number.getSemantics(), number.isNegative());
        return product;
      };
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      TypedAttr attribute;
      if (auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue()))
        attribute = elements.mapValues(elements.getElementType(),
                                       [&](const APFloat &number) {
                                         return scale(number).bitcastToAPInt();
                                       });
      else
        attribute = FloatAttr::get(
            constant.getType(),
            scale(cast<FloatAttr>(constant.getValue()).getValue()));
      result = attribute == constant.getValue()
                   ? value
                   : arith::ConstantOp::create(builder, op->getLoc(), attribute)
                         .getResult();
      break;
    }
    case ScaleRule::All:
      result = buildScaledOp(op, getScaledOperands(op));
      break;
    case ScaleRule::One: {
      unsigned index = plan.getCheaperFactor(op);
      // factor * (k * x) with k = 1 / factor is x.
      std::optional<double> constant = getConstantFloat(op->getOperand(index));
      if (constant && std::abs(*constant * factor - 1) < 1e-7)
        result = op->getOperand(1 - index);
      else
        result = buildScaledOp(op, {index});
      break;
    }
    case ScaleRule::Divide: {
      if (plan.scalesDividend(op)) {
        result = buildScaledOp(op, {0});
        break;
      }
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      Uniform inverse = uniforms.divide(builder, op->getLoc(), {{}, factor},
                                        *getUniform(op->getOperand(1)));
      result =
          arith::MulFOp::create(builder, op->getLoc(), op->getOperand(0),
                                uniforms.materialize(builder, op->getLoc(),
                                                     inverse, value.getType()));
      sinks.push_back({result.getDefiningOp(), "a quotient by a scalar"});
      break;
    }
    case ScaleRule::Fma:
      result = buildScaledOp(op, {plan.getCheaperFactor(op), 2});
      break;
    }
  }
  scaled[value] = result;
  return result;
}

/// Returns `product`, limited to the largest number if `value` is finite and
/// the product infinite.
static Value saturate(OpBuilder &builder, Value value, Value product,
                      UniformBuilder &uniforms) {
  Location loc = value.getLoc();
  Type type = value.getType();
  constexpr double largest = std::numeric_limits<float>::max();
  Value size = math::AbsFOp::create(builder, loc, value);
  Value isFinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, size,
                            uniforms.constant(type, largest));
  Value bounded = arith::MaximumFOp::create(builder, loc, product,
                                            uniforms.constant(type, -largest));
  bounded = arith::MinimumFOp::create(builder, loc, bounded,
                                      uniforms.constant(type, largest));
  return arith::SelectOp::create(builder, loc, isFinite, bounded, product);
}

/// Creates the product factor * value.
Value ScaledValues::buildProduct(Value value) {
  OpBuilder builder(value.getContext());
  Value constant = uniforms.constant(value.getType(), factor);
  builder.setInsertionPointAfterValue(value);
  if (value.getParentBlock() == constant.getParentBlock() &&
      isa<BlockArgument>(value))
    builder.setInsertionPointAfterValue(constant); // both begin the kernel
  Location loc = value.getLoc();
  Value product = arith::MulFOp::create(builder, loc, value, constant);
  Operation *sink = product.getDefiningOp();
  if (plan.needsSaturation(value))
    product = saturate(builder, value, product, uniforms);
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  std::string what;
  llvm::raw_string_ostream os(what);
  os << "a product on ";
  if (tile) {
    llvm::interleave(tile.getShape(), os, "x");
    os << " " << printType(tile.getElementType());
  } else {
    os << "a scalar";
  }
  if (tile)
    ++numProducts;
  sinks.push_back({sink, what});
  return product;
}

/// Creates a copy of `op` after it, with some of its operands scaled.
Value ScaledValues::buildScaledOp(Operation *op, ArrayRef<unsigned> operands) {
  SmallVector<Value> values(op->getOperands());
  for (unsigned index : operands)
    values[index] = build(op->getOperand(index));
  // Other operands may be loop-carried values that were replaced in the
  // meantime.
  for (OpOperand &operand : op->getOpOperands())
    if (!llvm::is_contained(operands, operand.getOperandNumber()))
      values[operand.getOperandNumber()] = operand.get();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(values);
  return copy->getResult(0);
}

Value ScaledValues::recover(OpBuilder &builder, Value value) {
  return arith::MulFOp::create(builder, value.getLoc(), value,
                               uniforms.constant(value.getType(), 1 / factor));
}

/// Makes `loop` carry the scaled value. The uses of the argument and of the
/// result then read the recovered value.
Value ScaledValues::buildCarried(scf::ForOp loop, unsigned index, Value value) {
  bool wantsResult = isa<OpResult>(value);
  Value init = build(loop.getInitArgs()[index]);
  loop.getInitArgsMutable()[index].set(init);
  Value argument = loop.getRegionIterArg(index), result = loop.getResult(index);
  OpBuilder builder(loop.getContext());
  for (Value carried : {argument, result}) {
    if (carried == result)
      builder.setInsertionPointAfter(loop);
    else
      builder.setInsertionPointToStart(loop.getBody());
    Value recovered = recover(builder, carried);
    carried.replaceAllUsesExcept(recovered, recovered.getDefiningOp());
    scaled[recovered] = carried;
  }
  openYields.push_back({loop, index});
  ++numCarried;
  sinks.push_back({loop, ("the loop-carried value " + Twine(index)).str()});
  return wantsResult ? result : argument;
}

Value ScaledValues::buildBranch(scf::IfOp branch, unsigned index) {
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
    yield.setOperand(index, build(yield.getOperand(index)));
  Value result = branch.getResult(index);
  OpBuilder builder(branch.getContext());
  builder.setInsertionPointAfter(branch);
  Value recovered = recover(builder, result);
  result.replaceAllUsesExcept(recovered, recovered.getDefiningOp());
  scaled[recovered] = result;
  return result;
}

/// Scales the yielded values of the changed loops. Further loops may change.
void ScaledValues::finishYields() {
  while (!openYields.empty()) {
    auto [loop, index] = openYields.pop_back_val();
    Operation *yield = loop.getBody()->getTerminator();
    yield->setOperand(index, build(yield->getOperand(index)));
  }
}

void ScaledValues::rewriteComparisons() {
  SmallVector<std::pair<OpOperand *, Value>> changes;
  for (auto [value, scaledValue] : scaled) {
    // A product that was created for one user does not replace the value for
    // other users.
    if (plan.isProduct(value))
      continue;
    for (OpOperand &use : value.getUses())
      if (isa<arith::CmpFOp>(use.getOwner()) &&
          isUnchangedByFactor(
              use.getOwner()->getOperand(1 - use.getOperandNumber())))
        changes.push_back({&use, scaledValue});
  }
  for (auto [use, scaledValue] : changes)
    use->set(scaledValue);
}
