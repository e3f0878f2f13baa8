//===- TripCount.cpp - Bounds of trip counts --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/Analysis/TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The largest trip count
//===----------------------------------------------------------------------===//

/// How many minima of minima are taken apart: each has two operands to try.
constexpr unsigned kMaxMinima = 3;

static bool isWide(Value value) {
  return value.getType().isIndex() || value.getType().isInteger(64);
}

/// Returns the larger of the bounds that are known.
static std::optional<int64_t> getMax(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  return a && b ? std::optional(std::max(*a, *b)) : a ? a : b;
}

/// Returns the largest constant that is a known lower bound of `difference`. A
/// lower bound of an expression above an operand of a minimum also bounds it
/// above the minimum.
static std::optional<int64_t> getLeast(const tile::LinearExpr &difference,
                                       unsigned depth = kMaxMinima) {
  int64_t constant = difference.getConstant();
  std::optional<int64_t> least;
  if ((difference - constant).isNonNegative())
    least = constant;
  if (depth == 0)
    return least;
  for (auto [atom, factor] : difference.getTerms())
    if (auto minimum = atom.getDefiningOp<arith::MinSIOp>();
        minimum && isWide(atom) && factor < 0)
      for (Value operand : minimum->getOperands())
        least =
            getMax(least, getLeast(difference.without(atom) +
                                       tile::LinearExpr::get(operand) * factor,
                                   depth - 1));
  return least;
}

/// Returns a constant c with `value` >= `base` + c, if one is known.
static std::optional<int64_t> getLeastAbove(Value value,
                                            const tile::LinearExpr &base,
                                            unsigned depth = tile::kMaxDepth);

/// The same by how `value` is computed.
static std::optional<int64_t>
getLeastOfOp(Value value, const tile::LinearExpr &base, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth-- == 0 || !isWide(value))
    return std::nullopt;
  auto get = [&](Value operand, const tile::LinearExpr &from) {
    return getLeastAbove(operand, from, depth);
  };
  if (isa<arith::IndexCastOp>(op) && isWide(op->getOperand(0)))
    return get(op->getOperand(0), base);
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isa<arith::AddIOp>(op))
    return getMax(get(left, base - tile::LinearExpr::get(right)),
                  get(right, base - tile::LinearExpr::get(left)));
  if (isa<arith::SubIOp>(op))
    return get(left, base + tile::LinearExpr::get(right));
  if (isa<arith::MaxSIOp>(op))
    return getMax(get(left, base), get(right, base));
  if (isa<arith::MinSIOp>(op)) {
    std::optional<int64_t> a = get(left, base), b = get(right, base);
    return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  }
  // The next multiple of a number.
  std::optional<int64_t> number = getConstantIntValue(right);
  auto quotient = left.getDefiningOp<arith::CeilDivSIOp>();
  if (isa<arith::MulIOp>(op) && quotient && number && *number > 0 &&
      getConstantIntValue(quotient.getRhs()) == number)
    return get(quotient.getLhs(), base);
  return std::nullopt;
}

static std::optional<int64_t>
getLeastAbove(Value value, const tile::LinearExpr &base, unsigned depth) {
  return getMax(getLeast(tile::LinearExpr::get(value) - base),
                getLeastOfOp(value, base, depth));
}

std::optional<int64_t> sm::getMostIterations(scf::ForOp loop) {
  std::optional<int64_t> least = getLeastAbove(
      loop.getLowerBound(), tile::LinearExpr::get(loop.getUpperBound()));
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!least || !step || loop.getUnsignedCmp())
    return std::nullopt;
  return *least >= 0 ? 0 : llvm::divideCeilSigned(-*least, *step);
}

//===----------------------------------------------------------------------===//
// Loops that run once at most
//===----------------------------------------------------------------------===//

/// Checks whether constants say that `loop` runs at least once.
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

void sm::simplifyShortLoop(scf::ForOp loop) {
  std::optional<int64_t> most = getMostIterations(loop);
  if (!most || *most > 1)
    return;
  if (*most == 0) {
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
