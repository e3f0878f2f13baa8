//===- ScaledValues.cpp - Values times a constant ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledValues.h"

#include "Magnitude.h"
#include "ScaleRules.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

/// What a product costs that saturates: a product, a comparison with infinity,
/// a selection, two bounds.
constexpr double kSaturation = 5;

static bool isInvariantConstant(Value value) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && (*constant == 0 || std::isinf(*constant));
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

void ScaledValues::collectCone(Value value) {
  if (!isScalable(value) || !cone.insert(value).second)
    return;
  if (auto [loop, index] = getCarried(value); loop) {
    collectCone(loop.getInitArgs()[index]);
    collectCone(loop.getRegionIterArg(index));
    collectCone(loop.getYieldedValues()[index]);
    collectCone(loop.getResult(index));
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    collectCone(branch.thenYield().getOperand(index));
    collectCone(branch.elseYield().getOperand(index));
    return;
  }
  if (getScaleRule(op) != ScaleRule::None)
    for (Value operand : op->getOperands())
      collectCone(operand);
}

/// Whether `use` will want the value unscaled after all was built.
bool ScaledValues::usesUnscaled(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<math::ExpOp>(user))
    return false;
  if (auto compare = dyn_cast<arith::CmpFOp>(user))
    return !isInvariantConstant(compare.getLhs()) &&
           !isInvariantConstant(compare.getRhs());
  if (isa<scf::YieldOp>(user))
    return user->getNumOperands() == 0 ||
           !cone.contains(
               user->getParentOp()->getResult(use.getOperandNumber()));
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return !cone.contains(loop.getTiedLoopResult(&use));
  if (getScaleRule(user) == ScaleRule::None ||
      !cone.contains(user->getResult(0)))
    return true;
  return staysUnscaled(user->getResult(0));
}

bool ScaledValues::staysUnscaled(Value value) {
  auto [known, isNew] = unscaled.try_emplace(value, false);
  if (!isNew)
    return known->second;
  bool stays = llvm::any_of(value.getUses(),
                            [&](OpOperand &use) { return usesUnscaled(use); });
  unscaled[value] = stays;
  return stays;
}

/// Whether the product of `value` must be kept from overflowing. Before exp
/// alone it need not: there an infinity and a huge number are the same.
bool ScaledValues::needsSaturation(Value value) {
  auto [known, isNew] = saturations.try_emplace(value, false);
  if (isNew) {
    bool needs = mayBeHuge(value) &&
                 !llvm::all_of(value.getUsers(), llvm::IsaPred<math::ExpOp>);
    saturations[value] = needs;
    return needs;
  }
  return known->second;
}

/// What it costs to have `value` unscaled while the loop-carried values that it
/// is computed from are scaled: their recovery in the loop.
double ScaledValues::getRecoveryCost(Value value) {
  if (!cone.contains(value))
    return 0;
  auto [known, isNew] = recoveryCosts.try_emplace(value, 0);
  if (!isNew)
    return known->second;
  double cost = 0;
  if (getCarried(value).first)
    cost = getPlan(value).push ? getWeight(value) : 0;
  else if (Operation *op = value.getDefiningOp();
           op && getScaleRule(op) != ScaleRule::None)
    for (Value operand : op->getOperands())
      cost += getRecoveryCost(operand);
  return recoveryCosts[value] = cost;
}

ScaledValues::Plan ScaledValues::getPlan(Value value) {
  if (auto known = plans.find(value); known != plans.end())
    return known->second;
  plans[value] = {0, true}; // what a cycle through a loop sees
  Plan plan = computePlan(value);
  plans[value] = plan;
  return plan;
}

ScaledValues::Plan ScaledValues::computePlan(Value value) {
  if (paid.contains(value))
    return {0, false};
  double here = getWeight(value) * (needsSaturation(value) ? kSaturation : 1);
  if (auto [loop, index] = getCarried(value); loop) {
    // Both the argument and the result change; whoever needs one of them
    // unscaled pays for a product. What is yielded is mostly needed scaled in
    // the loop as well, so its cost counts little; and a product by the factor
    // in every iteration, of a value that was divided by it, would round each
    // time.
    double push = getPlan(loop.getInitArgs()[index]).cost +
                  getPlan(loop.getYieldedValues()[index]).cost;
    for (Value carried :
         {Value(loop.getRegionIterArg(index)), Value(loop.getResult(index))})
      if (staysUnscaled(carried))
        push += getWeight(carried);
    return {std::min(push, here), push <= 4 * here};
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return {here, false};
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    double push = getPlan(branch.thenYield().getOperand(index)).cost +
                  getPlan(branch.elseYield().getOperand(index)).cost;
    if (staysUnscaled(value))
      push += here;
    return {std::min(push, here), push < here};
  }

  double push = 0;
  switch (getScaleRule(op)) {
  case ScaleRule::None:
    return {here, false};
  case ScaleRule::Constant:
    return {0, true};
  case ScaleRule::All: {
    // A product that feeds a sum is free, once: the two fuse.
    double fused = 0;
    for (unsigned index : getScaledOperands(op)) {
      Plan plan = getPlan(op->getOperand(index));
      push += plan.cost;
      if (isa<arith::AddFOp, arith::SubFOp>(op) && !plan.push &&
          !needsSaturation(op->getOperand(index)))
        fused = std::max(fused, plan.cost);
    }
    push -= fused;
    break;
  }
  case ScaleRule::One:
    push = std::min(getPlan(op->getOperand(0)).cost,
                    getPlan(op->getOperand(1)).cost);
    break;
  case ScaleRule::Divide:
    push = getPlan(op->getOperand(0)).cost;
    if (std::optional<Uniform> divisor = getUniform(op->getOperand(1)))
      push = std::min(push,
                      divisor->isConstant() ? 0.0 : getWeight(divisor->scalar));
    break;
  case ScaleRule::Fma:
    push = std::min(getPlan(op->getOperand(0)).cost,
                    getPlan(op->getOperand(1)).cost) +
           getPlan(op->getOperand(2)).cost;
    break;
  }
  // An operation whose unscaled result lives on is done twice. One that is not
  // pushed through may need carried values back in their own unit, each time,
  // and with a rounding that adds up over the iterations.
  // Shapes cost nothing, and a small tile is better scaled before it is used.
  bool isFree =
      isa<tensor::SplatOp, BroadcastOp, ExpandDimsOp, TransposeOp>(op);
  if (!staysUnscaled(value))
    here += getRecoveryCost(value);
  else if (!isFree)
    push += here;
  return {std::min(push, here),
          isFree || isa<ScanOp>(op) ? push <= here : push < here};
}

void ScaledValues::plan(ArrayRef<Value> values) {
  for (Value value : values)
    collectCone(value);
  for (Value value : values)
    getPlan(value);
  // What one use pays for, others have for nothing: the scores of attention are
  // scaled for their exponentials, and then their maximum costs nothing more if
  // it is taken of them. So each product is planned again beside the others.
  DenseSet<Value> seen;
  for (Value value : values)
    collectPaid(value, seen);
  auto planAgain = [&] {
    plans.clear();
    recoveryCosts.clear();
  };
  for (Value product : SmallVector<Value>(paid.begin(), paid.end())) {
    planAgain();
    paid.remove(product);
    if (!getPlan(product).push)
      paid.insert(product);
  }
  planAgain();
  for (Value value : values)
    getPlan(value);
}

/// Adds the products that `build` would make for `value`.
void ScaledValues::collectPaid(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  if (!getPlan(value).push) {
    paid.insert(value);
    return;
  }
  for (Value source : getSources(value))
    collectPaid(source, seen);
}

/// What `build` scales for `value`, where it makes no product of it.
SmallVector<Value> ScaledValues::getSources(Value value) {
  if (auto [loop, index] = getCarried(value); loop)
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  Operation *op = value.getDefiningOp();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {branch.thenYield().getOperand(index),
            branch.elseYield().getOperand(index)};
  }
  switch (getScaleRule(op)) {
  case ScaleRule::None:
  case ScaleRule::Constant:
    return {};
  case ScaleRule::All: {
    SmallVector<Value> sources;
    for (unsigned index : getScaledOperands(op))
      sources.push_back(op->getOperand(index));
    return sources;
  }
  case ScaleRule::One:
    return {op->getOperand(getCheaperFactor(op))};
  case ScaleRule::Divide:
    if (!scalesDividend(op))
      return {};
    return {op->getOperand(0)};
  case ScaleRule::Fma:
    return {op->getOperand(getCheaperFactor(op)), op->getOperand(2)};
  }
  llvm_unreachable("a switch over all rules");
}

/// Whether the dividend is scaled, and not the inverse of a uniform divisor.
bool ScaledValues::scalesDividend(Operation *op) {
  std::optional<Uniform> divisor = getUniform(op->getOperand(1));
  double cost =
      divisor && !divisor->isConstant() ? getWeight(divisor->scalar) : 0;
  return !divisor || getPlan(op->getOperand(0)).cost <= cost;
}

/// Which of the first two operands, one of which is scaled.
unsigned ScaledValues::getCheaperFactor(Operation *op) {
  return getPlan(op->getOperand(0)).cost <= getPlan(op->getOperand(1)).cost ? 0
                                                                            : 1;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value ScaledValues::get(Value value) {
  Value result = build(value);
  finishYields();
  return result;
}

Value ScaledValues::build(Value value) {
  if (Value known = scaled.lookup(value))
    return known;
  auto plan = plans.find(value);
  Value result;
  if (plan == plans.end() || !plan->second.push) {
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
        APFloat product(wide.convertToDouble() * factor);
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
      unsigned index = getCheaperFactor(op);
      // factor * (k * x) with k = 1 / factor is x.
      std::optional<double> constant = getConstantFloat(op->getOperand(index));
      if (constant && std::abs(*constant * factor - 1) < 1e-7)
        result = op->getOperand(1 - index);
      else
        result = buildScaledOp(op, {index});
      break;
    }
    case ScaleRule::Divide: {
      if (scalesDividend(op)) {
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
      result = buildScaledOp(op, {getCheaperFactor(op), 2});
      break;
    }
  }
  scaled[value] = result;
  return result;
}

/// `product` of a finite `value`, brought back to the largest number if it has
/// become infinite.
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

/// factor * value, as a product of its own.
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
  if (needsSaturation(value))
    product = saturate(builder, value, product, uniforms);
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  std::string what;
  llvm::raw_string_ostream os(what);
  os << "a product on ";
  if (tile) {
    llvm::interleave(tile.getShape(), os, "x");
    os << " " << tile.getElementType();
  } else {
    os << "a scalar";
  }
  if (tile)
    ++numProducts;
  sinks.push_back({sink, what});
  return product;
}

/// A copy of `op` right after it, with some of its operands scaled.
Value ScaledValues::buildScaledOp(Operation *op, ArrayRef<unsigned> operands) {
  SmallVector<Value> values(op->getOperands());
  for (unsigned index : operands)
    values[index] = build(op->getOperand(index));
  // Building may have replaced loop-carried values among the other operands.
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

/// Lets `loop` carry the scaled value. The uses of the argument and of the
/// result read the recovered value from now on.
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

/// Scales what the changed loops yield; that may change further loops.
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
    // A product made for one user is no reason to read it in another.
    auto plan = plans.find(value);
    if (plan != plans.end() && !plan->second.push)
      continue;
    for (OpOperand &use : value.getUses())
      if (isa<arith::CmpFOp>(use.getOwner()) &&
          isInvariantConstant(
              use.getOwner()->getOperand(1 - use.getOperandNumber())))
        changes.push_back({&use, scaledValue});
  }
  for (auto [use, scaledValue] : changes)
    use->set(scaledValue);
}
