//===- LoopSplit.cpp - A loop split at thresholds ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index-set splitting: the iterations of a loop are divided into up to three
// loops at thresholds, in the original order. A copy of the loop is created for
// each part, and the carried values pass from one to the next.
//
// Invariant: the starts continue the steps of the original loop
// (makeNextStart), so each iteration is executed exactly once, even for empty
// parts and negative bounds.
//
//===----------------------------------------------------------------------===//

#include "LoopSplit.h"

using namespace tessera;
using namespace tessera::tile;

/// Marks the loops that a split created.
constexpr StringLiteral kPeeledAttrName = "tile.peeled";

bool tile::isPartOfSplit(scf::ForOp loop) {
  return loop->hasAttr(kPeeledAttrName);
}

unsigned tile::getDepthOfSplits(scf::ForOp loop) {
  unsigned depth = 0;
  loop.getBody()->walk([&](scf::ForOp inner) {
    if (isPartOfSplit(inner))
      depth = std::max(depth, 1 + getDepthOfSplits(inner));
  });
  return depth;
}

bool Split::implies(scf::ForOp loop, const Mask &mask,
                    const Iterations &iterations) const {
  return mask.canTest && mask.sums.empty() &&
         llvm::all_of(mask.slacks, [&](const LinearExpr &slack) {
           LinearExpr rest = slack.without(iterations.inductionVar);
           if (!isInvariant(loop, rest))
             return false;
           if (holdsAlways(slack, iterations))
             return true;
           int64_t coefficient = slack.getCoefficient(iterations.inductionVar);
           auto isWeaker = [&](const LinearExpr &threshold) {
             return (coefficient < 0 ? rest - threshold : rest + threshold)
                 .isNonNegative();
           };
           if (coefficient == -1)
             return llvm::any_of(upper, isWeaker);
           return coefficient == 1 && llvm::any_of(lower, isWeaker);
         });
}

/// Creates the start of the first iteration at or after `bound`, counted from
/// `first`.
static Value makeNextStart(OpBuilder &builder, Location loc, Value first,
                           Value bound, int64_t step) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value stride = arith::ConstantIndexOp::create(builder, loc, step);
  Value length = arith::SubIOp::create(builder, loc, bound, first);
  length = arith::MaxSIOp::create(builder, loc, length, zero);
  return makeIterationStart(builder, loc, first, length, stride);
}

/// Creates the test that all numbers have 32 bits; null if there are none.
static Value makeTest(OpBuilder &builder, Location loc,
                      ArrayRef<ElementBounds> sums) {
  Value all;
  auto require = [&](const LinearExpr &expr, arith::CmpIPredicate predicate,
                     int64_t limit) {
    Value fits = arith::CmpIOp::create(
        builder, loc, predicate, expr.materialize(builder, loc),
        arith::ConstantIndexOp::create(builder, loc, limit));
    all = all ? arith::AndIOp::create(builder, loc, all, fits) : fits;
  };
  for (const ElementBounds &sum : sums) {
    require(sum.low, arith::CmpIPredicate::sge, kInt32.low);
    require(sum.high, arith::CmpIPredicate::sle, kInt32.high);
  }
  return all;
}

/// Returns the largest number of iterations of the loop at or above all of
/// `upper`; nothing if it is not known.
static std::optional<int64_t> countRest(Value end, ArrayRef<LinearExpr> upper,
                                        int64_t step) {
  int64_t most = 1;
  for (const LinearExpr &last : upper) {
    LinearExpr distance = LinearExpr::get(end) - (last + 1);
    if (!distance.isConstant())
      return std::nullopt;
    most = std::max(most, llvm::divideCeilSigned(distance.getConstant(), step));
  }
  return most;
}

SmallVector<Operation *> tile::splitLoop(scf::ForOp loop,
                                         const Iterations &iterations,
                                         const Split &split) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value end = loop.getUpperBound(), start = loop.getLowerBound();
  SmallVector<Value> carried(loop.getInitArgs());
  auto makeLoop = [&](Value upTo, std::optional<int64_t> maxTripCount = {}) {
    IRMapping mapping;
    auto copy = cast<scf::ForOp>(builder.clone(*loop, mapping));
    copy.getLowerBoundMutable().set(start);
    copy.getUpperBoundMutable().set(upTo);
    copy.getInitArgsMutable().assign(carried);
    copy->setAttr(kPeeledAttrName, builder.getUnitAttr());
    llvm::copy(copy.getResults(), carried.begin());
    if (maxTripCount)
      copy->setAttr(kMaxTripCountAttrName,
                    builder.getI64IntegerAttr(*maxTripCount));
    return mapping;
  };
  auto makeThreshold = [&](ArrayRef<LinearExpr> bounds, bool isLower) {
    Value threshold;
    for (const LinearExpr &bound : bounds) {
      Value value = (isLower ? bound : bound + 1).materialize(builder, loc);
      if (!threshold)
        threshold = value;
      else if (isLower)
        threshold = arith::MaxSIOp::create(builder, loc, threshold, value);
      else
        threshold = arith::MinSIOp::create(builder, loc, threshold, value);
    }
    return arith::MinSIOp::create(builder, loc, threshold, end).getResult();
  };

  Value isSafe = makeTest(builder, loc, split.sums);
  if (!split.lower.empty()) {
    Value bound = makeThreshold(split.lower, /*isLower=*/true);
    if (isSafe)
      bound = arith::SelectOp::create(builder, loc, isSafe, bound, end);
    makeLoop(bound);
    start = makeNextStart(builder, loc, start, bound, iterations.step);
  }
  Value bound = end;
  if (!split.upper.empty())
    bound = makeThreshold(split.upper, /*isLower=*/false);
  // If the test fails, the last loop runs all iterations; with lower
  // thresholds, the first loop does.
  bool canTakeAll = isSafe && split.lower.empty();
  if (canTakeAll)
    bound = arith::SelectOp::create(builder, loc, isSafe, bound, start);
  IRMapping middle = makeLoop(bound);
  if (!split.upper.empty()) {
    start = makeNextStart(builder, loc, start, bound, iterations.step);
    makeLoop(end, canTakeAll ? std::nullopt
                             : countRest(end, split.upper, iterations.step));
  }
  SmallVector<Operation *> masks;
  for (Operation *mask : split.masks)
    masks.push_back(middle.lookup(mask));
  loop->replaceAllUsesWith(carried);
  loop->erase();
  return masks;
}
