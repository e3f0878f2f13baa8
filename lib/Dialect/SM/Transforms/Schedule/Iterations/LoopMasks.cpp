//===- LoopMasks.cpp - The masks of a loop ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopMasks.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/Tile/IR/GuardedMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

/// Adds to `needed` the ops of the body of `loop` that compute `value`, each
/// after those that it needs; false if `value` depends on the iteration.
static bool findInvariant(Value value, scf::ForOp loop,
                          llvm::SetVector<Operation *> &needed) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() > 0 ||
      !isPure(op))
    return false;
  for (Value operand : op->getOperands())
    if (!findInvariant(operand, loop, needed))
      return false;
  needed.insert(op);
  return true;
}

LoopMasks::LoopMasks(scf::ForOp loop) : loop(loop) {
  for (scf::IfOp branch : loop.getBody()->getOps<scf::IfOp>()) {
    LoopMasks more = *this;
    if (branch->hasAttr(tile::kGuardedMasksAttrName) &&
        more.add(branch.getCondition())) {
      more.masks.push_back(branch);
      *this = more;
    }
  }
}

bool LoopMasks::add(Value condition) {
  llvm::SetVector<Operation *> needed;
  if (findInvariant(condition, loop, needed)) {
    for (Operation *op : needed)
      op->moveBefore(loop);
    invariants.insert(condition);
    return true;
  }
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return add(both.getLhs()) && add(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::sge)
    return false;
  tile::LinearExpr slack = tile::LinearExpr::get(compare.getLhs()) -
                           tile::LinearExpr::get(compare.getRhs());
  Value iv = loop.getInductionVar();
  int64_t coefficient = slack.getCoefficient(iv);
  if (coefficient == 0)
    return false;
  (coefficient > 0 ? rising : falling).push_back(slack);
  return llvm::all_of(slack.without(iv).getTerms(), [&](auto term) {
    return loop.isDefinedOutsideOfLoop(term.first);
  });
}

std::pair<Value, Value> LoopMasks::makeWideBounds(OpBuilder &builder) {
  auto widen = [&](Value bound) -> Value {
    return arith::IndexCastOp::create(builder, loop.getLoc(),
                                      builder.getI64Type(), bound);
  };
  Value begin = widen(loop.getLowerBound());
  return {begin, arith::MaxSIOp::create(builder, loop.getLoc(), begin,
                                        widen(loop.getUpperBound()))};
}

Value LoopMasks::makeCommonCondition(OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Value> conditions(invariants.getArrayRef());
  Value iv = loop.getInductionVar();
  // A condition that holds at the end of the loop holds before it.
  for (const tile::LinearExpr &slack : falling) {
    if (rising.empty())
      break;
    tile::LinearExpr last = tile::LinearExpr::get(loop.getUpperBound()) - 1;
    tile::LinearExpr least =
        slack.without(iv) + last * slack.getCoefficient(iv);
    conditions.push_back(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge,
        least.materialize(builder, loc, builder.getI64Type()),
        arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 0)));
  }
  Value all;
  for (Value condition : conditions)
    all = all ? arith::AndIOp::create(builder, loc, all, condition).getResult()
              : condition;
  return all;
}

Value LoopMasks::makeBegin(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Type wide = builder.getI64Type();
  auto [begin, end] = makeWideBounds(builder);
  Value iv = loop.getInductionVar(), first = begin;
  for (const tile::LinearExpr &slack : rising) {
    tile::LinearExpr missing = slack.without(iv) * -1;
    Value least = arith::CeilDivSIOp::create(
        builder, loc, missing.materialize(builder, loc, wide),
        arith::ConstantIntOp::create(builder, loc, wide,
                                     slack.getCoefficient(iv)));
    first = arith::MaxSIOp::create(builder, loc, first, least);
  }
  first = arith::MinSIOp::create(builder, loc, first, end);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    first);
}

Value LoopMasks::makeEnd(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Type wide = builder.getI64Type();
  auto [begin, end] = makeWideBounds(builder);
  Value iv = loop.getInductionVar(), last = end;
  for (const tile::LinearExpr &slack : falling) {
    // The first number at which the slack is negative.
    tile::LinearExpr past = slack.without(iv) + -slack.getCoefficient(iv);
    Value first = arith::FloorDivSIOp::create(
        builder, loc, past.materialize(builder, loc, wide),
        arith::ConstantIntOp::create(builder, loc, wide,
                                     -slack.getCoefficient(iv)));
    last = arith::MinSIOp::create(builder, loc, last, first);
  }
  last = arith::MaxSIOp::create(builder, loc, last, begin);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), last);
}

Value LoopMasks::roundUp(OpBuilder &builder, Value start) {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound();
  Value distance = arith::SubIOp::create(builder, loc, start, begin);
  Value first =
      tile::makeIterationStart(builder, loc, begin, distance, loop.getStep());
  return arith::MinSIOp::create(builder, loc, first, loop.getUpperBound());
}

Value LoopMasks::makeThreshold(OpBuilder &builder, Value common) {
  Value threshold =
      roundUp(builder, begins() ? makeBegin(builder) : makeEnd(builder));
  if (!common)
    return threshold;
  Value none = begins() ? loop.getUpperBound() : loop.getLowerBound();
  return arith::SelectOp::create(builder, loop.getLoc(), common, threshold,
                                 none);
}
