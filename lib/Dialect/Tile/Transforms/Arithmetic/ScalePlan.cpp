//===- ScalePlan.cpp - The cheapest place of a factor -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic programming over the dataflow graph below the arguments of exp
// (`cone`). The cost of a value is the smaller one of two: a product of the
// value itself, or the costs of its operands (push). Costs are memoized. A
// value in a cycle through a loop counts as free while the cycle is computed. A
// second pass plans each product again while the other products are free, so
// that several uses share a product.
//
//===----------------------------------------------------------------------===//

#include "ScalePlan.h"

#include "ScaleRules.h"
#include "UniformScalars.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

/// Cost of a product that saturates: a product, a comparison with infinity, a
/// selection, two bounds.
constexpr double kSaturation = 5;

bool tile::isUnchangedByFactor(Value value) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && (*constant == 0 || std::isinf(*constant));
}

void ScalePlan::collectCone(Value value) {
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

/// Checks whether `use` needs the unscaled value after all values are built.
bool ScalePlan::usesUnscaled(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<math::ExpOp>(user))
    return false;
  if (auto compare = dyn_cast<arith::CmpFOp>(user))
    return !isUnchangedByFactor(compare.getLhs()) &&
           !isUnchangedByFactor(compare.getRhs());
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

bool ScalePlan::staysUnscaled(Value value) {
  auto [known, isNew] = unscaled.try_emplace(value, false);
  if (!isNew)
    return known->second;
  bool stays = llvm::any_of(value.getUses(),
                            [&](OpOperand &use) { return usesUnscaled(use); });
  unscaled[value] = stays;
  return stays;
}

bool ScalePlan::needsSaturation(Value value) {
  auto [known, isNew] = saturations.try_emplace(value, false);
  if (isNew) {
    bool needs = magnitudes.get(value).isHuge &&
                 !llvm::all_of(value.getUsers(), llvm::IsaPred<math::ExpOp>);
    saturations[value] = needs;
    return needs;
  }
  return known->second;
}

/// Returns the cost of an unscaled `value` whose sources include scaled
/// loop-carried values: their recovery in the loop.
double ScalePlan::getRecoveryCost(Value value) {
  if (!cone.contains(value))
    return 0;
  auto [known, isNew] = recoveryCosts.try_emplace(value, 0);
  if (!isNew)
    return known->second;
  double cost = 0;
  if (getCarried(value).first)
    cost = getChoice(value).push ? getWeight(value) : 0;
  else if (Operation *op = value.getDefiningOp();
           op && getScaleRule(op) != ScaleRule::None)
    for (Value operand : op->getOperands())
      cost += getRecoveryCost(operand);
  return recoveryCosts[value] = cost;
}

/// Checks whether a loop or a branch may carry `value` scaled. Its other
/// readers divide by the factor, which does not undo an overflow.
bool ScalePlan::mayRecover(Value value) {
  Magnitude magnitude = magnitudes.get(value);
  return !magnitude.isFixed && !magnitude.isHugeProduct &&
         (magnitude.isRounded || !magnitude.isHuge);
}

ScalePlan::Choice ScalePlan::getChoice(Value value) {
  if (auto known = choices.find(value); known != choices.end())
    return known->second;
  choices[value] = {0, true}; // the value in a cycle through a loop
  Choice choice = computeChoice(value);
  choices[value] = choice;
  return choice;
}

ScalePlan::Choice ScalePlan::computeChoice(Value value) {
  if (paid.contains(value))
    return {0, false};
  double here = getWeight(value) * (needsSaturation(value) ? kSaturation : 1);
  bool isChosenByRegion =
      getCarried(value).first || value.getDefiningOp<scf::IfOp>();
  if (isChosenByRegion && !mayRecover(value))
    return {here, false};
  if (auto [loop, index] = getCarried(value); loop) {
    // Both the argument and the result change. Users of an unscaled argument or
    // result pay for a product. The yielded value is usually needed scaled in
    // the loop as well, so its cost counts little. A product by the factor in
    // every iteration, of a value that was divided by the factor, would also
    // round each time.
    double push = getChoice(loop.getInitArgs()[index]).cost +
                  getChoice(loop.getYieldedValues()[index]).cost;
    for (Value carried :
         {Value(loop.getRegionIterArg(index)), Value(loop.getResult(index))})
      if (staysUnscaled(carried))
        push += getWeight(carried);
    return {std::min(push, here), push <= 4 * here};
  }
  Operation *op = value.getDefiningOp();
  if (!op || (isSum(op) && !magnitudes.mayScaleOperands(op)))
    return {here, false};
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    double push = getChoice(branch.thenYield().getOperand(index)).cost +
                  getChoice(branch.elseYield().getOperand(index)).cost;
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
    // The first product that feeds a sum is free: the two fuse.
    double fused = 0;
    for (unsigned index : getScaledOperands(op)) {
      Choice choice = getChoice(op->getOperand(index));
      push += choice.cost;
      if (isa<arith::AddFOp, arith::SubFOp>(op) && !choice.push &&
          !needsSaturation(op->getOperand(index)))
        fused = std::max(fused, choice.cost);
    }
    push -= fused;
    break;
  }
  case ScaleRule::One:
    push = std::min(getChoice(op->getOperand(0)).cost,
                    getChoice(op->getOperand(1)).cost);
    break;
  case ScaleRule::Divide:
    push = getChoice(op->getOperand(0)).cost;
    if (std::optional<Uniform> divisor = getUniform(op->getOperand(1)))
      push = std::min(push,
                      divisor->isConstant() ? 0.0 : getWeight(divisor->scalar));
    break;
  case ScaleRule::Fma:
    push = std::min(getChoice(op->getOperand(0)).cost,
                    getChoice(op->getOperand(1)).cost) +
           getChoice(op->getOperand(2)).cost;
    break;
  }
  // An operation whose unscaled result is used is executed twice. An operation
  // whose result is multiplied itself may need recovered carried values: in
  // each iteration, and with a rounding that accumulates. Shapes cost nothing,
  // and a small tile is better scaled before its use.
  bool isFree =
      isa<tensor::SplatOp, BroadcastOp, ExpandDimsOp, TransposeOp>(op);
  if (!staysUnscaled(value))
    here += getRecoveryCost(value);
  else if (!isFree)
    push += here;
  return {std::min(push, here),
          isFree || isa<ScanOp>(op) ? push <= here : push < here};
}

ScalePlan::ScalePlan(ArrayRef<Value> values) {
  for (Value value : values)
    collectCone(value);
  for (Value value : values)
    getChoice(value);
  // A product that one use pays for is free for other uses. For example, the
  // scores of attention are scaled for their exponentials. The maximum of the
  // scaled scores then costs nothing more. Each product is therefore planned
  // again, with the other products free.
  DenseSet<Value> seen;
  for (Value value : values)
    collectPaid(value, seen);
  auto planAgain = [&] {
    choices.clear();
    recoveryCosts.clear();
  };
  for (Value product : SmallVector<Value>(paid.begin(), paid.end())) {
    planAgain();
    paid.remove(product);
    if (!getChoice(product).push)
      paid.insert(product);
  }
  planAgain();
  for (Value value : values)
    getChoice(value);
}

/// Adds the products that ScaledValues would make for `value`.
void ScalePlan::collectPaid(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  if (!getChoice(value).push) {
    paid.insert(value);
    return;
  }
  for (Value source : getSources(value))
    collectPaid(source, seen);
}

SmallVector<Value> ScalePlan::getSources(Value value) {
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

bool ScalePlan::scalesDividend(Operation *op) {
  std::optional<Uniform> divisor = getUniform(op->getOperand(1));
  double cost =
      divisor && !divisor->isConstant() ? getWeight(divisor->scalar) : 0;
  return !divisor || getChoice(op->getOperand(0)).cost <= cost;
}

unsigned ScalePlan::getCheaperFactor(Operation *op) {
  return getChoice(op->getOperand(0)).cost <= getChoice(op->getOperand(1)).cost
             ? 0
             : 1;
}

bool ScalePlan::isPushed(Value value) const {
  auto choice = choices.find(value);
  return choice != choices.end() && choice->second.push;
}

bool ScalePlan::isProduct(Value value) const {
  auto choice = choices.find(value);
  return choice != choices.end() && !choice->second.push;
}
