//===- TripCount.cpp - Iterations that are run for sure ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

using namespace tessera;
using namespace tessera::sm;

/// Whether constants say that `loop` runs at least once.
static bool isKnownToRun(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  return first && end && *first >= 0 && *first < *end;
}

scf::IfOp
sm::replaceIfRun(scf::ForOp loop,
                 function_ref<SmallVector<Value>(OpBuilder &)> build) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> results;
  scf::IfOp branch;
  if (isKnownToRun(loop)) {
    results = build(builder);
  } else {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                           : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(
        builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
    auto yield = [](OpBuilder &at, Location where, ValueRange values) {
      scf::YieldOp::create(at, where, values);
    };
    auto buildElse = [&](OpBuilder &inner, Location where) {
      yield(inner, where, loop.getInitArgs());
    };
    branch = scf::IfOp::create(
        builder, loc, runs,
        [&](OpBuilder &inner, Location where) {
          yield(inner, where, build(inner));
        },
        loop.getNumResults() == 0
            ? function_ref<void(OpBuilder &, Location)>(nullptr)
            : buildElse);
    results.assign(branch.result_begin(), branch.result_end());
  }
  loop->replaceAllUsesWith(results);
  loop.erase();
  return branch;
}

/// The larger of the bounds that are known.
static std::optional<int64_t> getMax(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  return a && b ? std::optional(std::max(*a, *b)) : a ? a : b;
}

/// A constant c with `value` >= `base` + c, if one is known.
static std::optional<int64_t> getLeastAbove(Value value,
                                            const tile::LinearExpr &base,
                                            unsigned depth = tile::kMaxDepth) {
  tile::LinearExpr difference = tile::LinearExpr::get(value) - base;
  int64_t constant = difference.getConstant();
  if ((difference - constant).isNonNegative())
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || depth == 0)
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  std::optional<int64_t> number = getConstantIntValue(right);
  if (isa<arith::AddIOp>(op))
    return getMax(
        getLeastAbove(left, base - tile::LinearExpr::get(right), depth - 1),
        getLeastAbove(right, base - tile::LinearExpr::get(left), depth - 1));
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    std::optional<int64_t> a = getLeastAbove(left, base, depth - 1),
                           b = getLeastAbove(right, base, depth - 1);
    if (isa<arith::MaxSIOp>(op))
      return getMax(a, b);
    return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  }
  // The next multiple of a number.
  auto quotient = left.getDefiningOp<arith::CeilDivSIOp>();
  if (isa<arith::MulIOp>(op) && quotient && number && *number > 0 &&
      getConstantIntValue(quotient.getRhs()) == number)
    return getLeastAbove(quotient.getLhs(), base, depth - 1);
  return std::nullopt;
}

void sm::simplifyShortLoop(scf::ForOp loop) {
  std::optional<int64_t> least = getLeastAbove(
      loop.getLowerBound(), tile::LinearExpr::get(loop.getUpperBound()));
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!least || !step || loop.getUnsignedCmp() || *least + *step < 0)
    return;
  if (*least >= 0) {
    loop->replaceAllUsesWith(loop.getInitArgs());
    loop.erase();
    return;
  }
  replaceIfRun(loop, [&](OpBuilder &builder) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : loop.getYieldedValues())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  });
}
