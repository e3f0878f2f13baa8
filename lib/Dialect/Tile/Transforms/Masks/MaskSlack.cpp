//===- MaskSlack.cpp - When a mask is all true ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbolic bounds of masks. A comparison of positions or a range becomes linear
// expressions (LinearBounds.h), its slacks. Over the iterations of a loop, a
// linear expression is least at the first or at the last iteration, by the sign
// of its coefficient.
//
// Invariant: a mask whose slacks are all at least 0 is all true, provided that
// its sums have 32 bits. The converse need not be true.
//
//===----------------------------------------------------------------------===//

#include "MaskSlack.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Checks whether `mask` only tells which elements of a tile are valid
/// positions. Accesses have such a mask in any case.
static bool isOfPositions(Value mask, unsigned depth = kMaxDepth) {
  auto isPosition = [](OpOperand &use) {
    return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
        .Case<LoadOp, StoreOp, AtomicOp>([&](auto access) {
          return use.getOperandNumber() >=
                 access.getIndices().getBeginOperandIndex();
        })
        .Default(false);
  };
  return depth > 0 && !mask.use_empty() &&
         llvm::all_of(mask.getUsers(), [&](Operation *user) {
           if (isa<arith::AndIOp>(user))
             return isOfPositions(user->getResult(0), depth - 1);
           auto select = dyn_cast<arith::SelectOp>(user);
           return select && select.getCondition() == mask &&
                  llvm::all_of(select->getUses(), isPosition);
         });
}

/// Checks whether some tile.valid shows the validity of `range`, shifted or
/// not.
static bool isTested(Value range) {
  return llvm::any_of(range.getUsers(), [](Operation *user) {
    return (isa<ValidOp>(user) && !isOfPositions(user->getResult(0))) ||
           (isa<ShiftOp>(user) && isTested(user->getResult(0)));
  });
}

/// Returns the slack of a comparison of positions; nothing if it is not linear.
static std::optional<LinearExpr> getSlack(arith::CmpIOp compare) {
  auto lhs = getElementBounds(compare.getLhs());
  auto rhs = getElementBounds(compare.getRhs());
  if (!lhs || !rhs)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    return lhs->low - rhs->high;
  case arith::CmpIPredicate::sgt:
    return lhs->low - rhs->high - 1;
  case arith::CmpIPredicate::sle:
    return rhs->low - lhs->high;
  case arith::CmpIPredicate::slt:
    return rhs->low - lhs->high - 1;
  default:
    return std::nullopt;
  }
}

bool tile::isOrderOfTiles(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare && isa<RankedTensorType>(compare.getType()) &&
         compare.getPredicate() != arith::CmpIPredicate::eq &&
         compare.getPredicate() != arith::CmpIPredicate::ne &&
         !isOfPositions(compare.getResult());
}

std::optional<Mask> tile::getMask(Operation *op) {
  if (auto range = dyn_cast<RangeOp>(op)) {
    if (range.getFull())
      return std::nullopt;
    LinearExpr start = LinearExpr::get(range.getStart());
    LinearExpr limit = LinearExpr::get(range.getLimit());
    return Mask{op,
                {limit - start - range.getType().getExtent(), start},
                {},
                isTested(range)};
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !isa<RankedTensorType>(compare.getType()))
    return std::nullopt;
  std::optional<LinearExpr> slack = getSlack(compare);
  if (!slack)
    return std::nullopt;
  Mask mask{op, {*slack}, {}, true};
  collectSums(compare.getLhs(), mask.sums);
  collectSums(compare.getRhs(), mask.sums);
  return mask;
}

bool tile::isInvariant(scf::ForOp loop, const LinearExpr &expr) {
  return llvm::all_of(expr.getTerms(), [&](auto &term) {
    return loop.isDefinedOutsideOfLoop(term.first);
  });
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

bool tile::isSelectionOfTiles(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return false;
  auto mask = dyn_cast<RankedTensorType>(select.getCondition().getType());
  return mask && mask.getRank() > 1;
}

bool tile::isSelectionOfProduct(Operation *op) {
  if (!isSelectionOfTiles(op))
    return false;
  auto select = cast<arith::SelectOp>(op);
  SmallVector<Value> left = {select.getTrueValue(), select.getFalseValue()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!left.empty()) {
    Operation *definition = left.pop_back_val().getDefiningOp();
    if (!definition || definition->getBlock() != op->getBlock() ||
        !seen.insert(definition).second)
      continue;
    if (isa<GemmOp>(definition))
      return true;
    llvm::append_range(left, definition->getOperands());
  }
  return false;
}

Iterations tile::getIterations(scf::ForOp loop, int64_t step) {
  LinearExpr first = LinearExpr::get(loop.getLowerBound());
  LinearExpr end = LinearExpr::get(loop.getUpperBound());
  // The last iteration starts at most at ub - 1; at ub - step if the steps
  // reach that number exactly.
  LinearExpr last = end - 1;
  LinearExpr length = end - first;
  if (length.isConstant() && length.getConstant() > 0)
    last = first + (length.getConstant() - 1) / step * step;
  else if (getKnownDivisor(loop.getLowerBound()) % step == 0 &&
           getKnownDivisor(loop.getUpperBound()) % step == 0)
    last = end - step;
  return {loop.getInductionVar(), step, first, last};
}

bool tile::holdsAlways(const LinearExpr &slack, const Iterations &iterations) {
  int64_t coefficient = slack.getCoefficient(iterations.inductionVar);
  const LinearExpr &worst =
      coefficient < 0 ? iterations.last : iterations.first;
  return (slack.without(iterations.inductionVar) + worst * coefficient)
      .isNonNegative();
}

bool tile::holdsNever(const LinearExpr &slack, const Iterations &iterations) {
  int64_t coefficient = slack.getCoefficient(iterations.inductionVar);
  const LinearExpr &best = coefficient < 0 ? iterations.first : iterations.last;
  LinearExpr value =
      slack.without(iterations.inductionVar) + best * coefficient;
  return (value * -1 - 1).isNonNegative();
}

/// Returns `expr` at its least, or its largest, over the iterations.
static LinearExpr getExtreme(const LinearExpr &expr,
                             const Iterations &iterations, bool isLeast) {
  int64_t coefficient = expr.getCoefficient(iterations.inductionVar);
  const LinearExpr &end =
      (coefficient > 0) == isLeast ? iterations.first : iterations.last;
  return expr.without(iterations.inductionVar) + end * coefficient;
}

FailureOr<SmallVector<ElementBounds>>
tile::getUnsafeSums(scf::ForOp loop, const Mask &mask,
                    const Iterations &iterations, PositionBounds &bounds) {
  // Numbers that are compared with these must also stay within 64 bits.
  constexpr Interval computable{-(int64_t(1) << 62), int64_t(1) << 62};
  SmallVector<ElementBounds> unsafe;
  for (const ElementBounds &sum : mask.sums) {
    if (bounds.fits(sum.low, sum.high))
      continue;
    ElementBounds extremes{getExtreme(sum.low, iterations, true),
                           getExtreme(sum.high, iterations, false)};
    if (bounds.fits(extremes.low, extremes.high))
      continue;
    for (const LinearExpr &extreme : {extremes.low, extremes.high})
      if (!isInvariant(loop, extreme) ||
          !computable.contains(bounds.get(extreme)))
        return failure();
    unsafe.push_back(extremes);
  }
  return unsafe;
}
