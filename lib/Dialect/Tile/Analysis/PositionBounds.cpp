//===- PositionBounds.cpp - Intervals of positions --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval analysis of scalar integers, by memoized recursion on the operations
// that define a value. A value that is reached again through a loop has the
// interval of its type (no fixed point is computed, so no widening is needed).
// Sums are intersected with the bounds of their linear expressions, in which
// equal terms cancel.
//
// Invariant: each interval contains the number in every launch. Arithmetic uses
// 128 bits and saturates at 64 bits. An interval that leaves its type becomes
// that of the type, since the number may wrap around.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

#include "tessera/Array/Limits.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::tile;

/// Longest chain of values that is followed. Programs may have longer ones.
static constexpr unsigned kMaxChain = 200;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Returns `number`, limited to 64 bits.
static int64_t saturate(__int128 number) {
  constexpr int64_t low = std::numeric_limits<int64_t>::min();
  constexpr int64_t high = std::numeric_limits<int64_t>::max();
  return number < low ? low : number > high ? high : int64_t(number);
}

static Interval operator+(Interval x, Interval y) {
  return {saturate(__int128(x.low) + y.low),
          saturate(__int128(x.high) + y.high)};
}

static Interval operator-(Interval x, Interval y) {
  return {saturate(__int128(x.low) - y.high),
          saturate(__int128(x.high) - y.low)};
}

static Interval operator*(Interval x, Interval y) {
  int64_t corners[] = {
      saturate(__int128(x.low) * y.low), saturate(__int128(x.low) * y.high),
      saturate(__int128(x.high) * y.low), saturate(__int128(x.high) * y.high)};
  return {*std::min_element(corners, corners + 4),
          *std::max_element(corners, corners + 4)};
}

static Interval unite(Interval x, Interval y) {
  return {std::min(x.low, y.low), std::max(x.high, y.high)};
}

static Interval intersect(Interval x, Interval y) {
  return {std::max(x.low, y.low), std::min(x.high, y.high)};
}

/// Returns the quotient, rounded down or up.
static Interval divide(Interval x, Interval divisor, bool roundsUp) {
  // A quotient by an unknown divisor is no larger than the dividend.
  if (divisor.low != divisor.high || divisor.low < 1)
    return {std::min(x.low, saturate(-__int128(x.high))),
            std::max(x.high, saturate(-__int128(x.low)))};
  auto round = [&](int64_t number) {
    int64_t quotient = number / divisor.low, rest = number % divisor.low;
    return quotient + (roundsUp ? rest > 0 : -(rest < 0));
  };
  return {round(x.low), round(x.high)};
}

/// Returns the numbers of a type.
static Interval getTypeBounds(Type type) {
  if (type.isIndex() || type.isInteger(64))
    return {};
  int64_t half = int64_t(1) << (type.getIntOrFloatBitWidth() - 1);
  return type.isInteger(1) ? Interval{-1, 1} : Interval{-half, half - 1};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Checks whether `atom` of a linear expression is always below `size`: it is
/// an induction variable or a grid axis that enumerates the size.
static bool isAlwaysBelow(Value atom, SizeAttr size) {
  auto argument = dyn_cast<BlockArgument>(atom);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast_if_present<scf::ForOp>(parent))
    return argument == loop.getInductionVar() &&
           isAtMost(loop.getUpperBound(), size);
  auto kernel = dyn_cast_if_present<KernelOp>(parent);
  if (!kernel || argument.getArgNumber() < kernel.getNumParams())
    return false;
  unsigned axis = argument.getArgNumber() - kernel.getNumParams();
  return kernel.getAxes()[axis].getSize() == size;
}

Interval PositionBounds::get(const LinearExpr &expr) {
  SmallVector<std::pair<Value, int64_t>> terms(expr.getTerms());
  Interval sum{expr.getConstant(), expr.getConstant()};
  auto getAtom = [&](Value atom) {
    return isa<RangeType>(atom.getType()) ? getStart(atom) : get(atom);
  };
  // A term minus a size that the term never exceeds is at most 0.
  for (auto &[size, coefficient] : terms) {
    auto op = size.getDefiningOp<SizeOp>();
    if (!op || coefficient != -1)
      continue;
    for (auto &[atom, other] : terms) {
      bool isBelow = isAlwaysBelow(atom, op.getSize());
      if (other != 1 || !(isBelow || isAtMost(atom, op.getSize())))
        continue;
      Interval difference = getAtom(atom) - get(size);
      sum = sum + Interval{difference.low, isBelow ? -1 : 0};
      coefficient = other = 0;
      break;
    }
  }
  for (auto [atom, coefficient] : terms)
    if (coefficient != 0)
      sum = sum + getAtom(atom) * Interval{coefficient, coefficient};
  return sum;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr Interval kSizes{0, array::kMaxSize};

/// Returns the bounds of a kernel's argument.
static Interval getArgumentBounds(KernelOp kernel, BlockArgument argument) {
  // Launches pass an `int` in 32 bits. A grid axis is an index below a size.
  if (argument.getArgNumber() >= kernel.getNumParams())
    return kSizes;
  return argument.getType().isIndex() ? kInt32
                                      : getTypeBounds(argument.getType());
}

/// Checks whether `range` is an axis of the grid. Loops and branches carry
/// ranges that other operations created; tile-narrow-positions keeps these
/// within 32 bits.
static bool isGridRange(Value range) {
  auto argument = dyn_cast<BlockArgument>(range);
  return argument &&
         isa_and_present<KernelOp>(argument.getOwner()->getParentOp());
}

Interval PositionBounds::getStart(Value range) {
  if (auto op = range.getDefiningOp<RangeOp>())
    return get(op.getStart());
  if (auto shift = range.getDefiningOp<ShiftOp>())
    return getStart(shift.getRange()) + get(shift.getOffset());
  return isGridRange(range) ? kSizes : kInt32;
}

Interval PositionBounds::getLimit(Value range) {
  if (auto op = range.getDefiningOp<RangeOp>())
    return get(op.getLimit());
  if (auto shift = range.getDefiningOp<ShiftOp>())
    return getLimit(shift.getRange()) + get(shift.getOffset());
  return isGridRange(range) ? kSizes : kInt32;
}

/// Returns the bounds of T * s / S with 0 <= s <= S and T >= 0, which is a part
/// of T.
Interval PositionBounds::getShare(arith::FloorDivSIOp division) {
  auto product = division.getLhs().getDefiningOp<arith::MulIOp>();
  if (!product)
    return {};
  LinearExpr whole = LinearExpr::get(division.getRhs());
  for (unsigned i : {0, 1}) {
    Value part = product->getOperand(i);
    Interval total = get(product->getOperand(1 - i));
    Interval missing = get(LinearExpr::get(part) - whole);
    if (total.low >= 0 && get(part).low >= 0 && missing.high <= 0)
      return {0, total.high};
  }
  return {};
}

/// Returns the bounds of first + ceildiv(max(bound - first, 0), step) * step:
/// the first step from `first` that reaches `bound`. tile-peel-masks computes
/// it in this form.
Interval PositionBounds::getNextStart(arith::AddIOp sum) {
  auto distance = sum.getRhs().getDefiningOp<arith::MulIOp>();
  auto count = distance ? distance.getLhs().getDefiningOp<arith::CeilDivSIOp>()
                        : arith::CeilDivSIOp();
  auto length =
      count ? count.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  auto difference =
      length ? length.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  if (!difference || difference.getRhs() != sum.getLhs() ||
      count.getRhs() != distance.getRhs() ||
      !matchPattern(length.getRhs(), m_Zero()))
    return {};
  Interval first = get(sum.getLhs()), step = get(count.getRhs());
  if (step.low < 1)
    return {};
  Interval end = get(difference.getLhs()) + step;
  return {first.low, std::max(first.high, end.high)};
}

Interval PositionBounds::computeOp(Operation *op, Value value) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](SizeOp size) {
        // A size expression may be negative, for example B - 1.
        return isNonNegative(value) ? kSizes
                                    : Interval{kInt32.low, kSizes.high};
      })
      .Case([&](StartOp start) { return getStart(start.getRange()); })
      .Case([&](LimitOp limit) { return getLimit(limit.getRange()); })
      .Case([&](EndOp end) {
        int64_t extent = cast<RangeType>(end.getRange().getType()).getExtent();
        Interval last = getStart(end.getRange()) + Interval{extent, extent};
        Interval limit = getLimit(end.getRange());
        return Interval{std::min(last.low, limit.low),
                        std::min(last.high, limit.high)};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return operand(0); })
      .Case([&](arith::AddIOp sum) {
        return intersect(operand(0) + operand(1), getNextStart(sum));
      })
      .Case([&](arith::SubIOp) { return operand(0) - operand(1); })
      .Case([&](arith::MulIOp) { return operand(0) * operand(1); })
      .Case([&](arith::FloorDivSIOp division) {
        return intersect(divide(operand(0), operand(1), /*roundsUp=*/false),
                         getShare(division));
      })
      .Case([&](arith::CeilDivSIOp) {
        return divide(operand(0), operand(1), /*roundsUp=*/true);
      })
      .Case([&](arith::DivSIOp) {
        return unite(divide(operand(0), operand(1), /*roundsUp=*/false),
                     divide(operand(0), operand(1), /*roundsUp=*/true));
      })
      .Case([&](arith::RemSIOp) {
        Interval x = operand(0);
        return Interval{std::min<int64_t>(x.low, 0),
                        std::max<int64_t>(x.high, 0)};
      })
      .Case([&](arith::MinSIOp) {
        return Interval{std::min(operand(0).low, operand(1).low),
                        std::min(operand(0).high, operand(1).high)};
      })
      .Case([&](arith::MaxSIOp) {
        return Interval{std::max(operand(0).low, operand(1).low),
                        std::max(operand(0).high, operand(1).high)};
      })
      .Case([&](math::AbsIOp) {
        Interval x = operand(0), negated = Interval{0, 0} - x;
        // The magnitude of the least 64-bit number is not representable.
        if (x.low == std::numeric_limits<int64_t>::min())
          return Interval{};
        return Interval{std::max({x.low, negated.low, int64_t(0)}),
                        std::max(x.high, negated.high)};
      })
      .Case([&](arith::SelectOp) { return unite(operand(1), operand(2)); })
      .Case([&](scf::IfOp branch) {
        unsigned index = cast<OpResult>(value).getResultNumber();
        return unite(get(branch.thenYield().getOperand(index)),
                     get(branch.elseYield().getOperand(index)));
      })
      .Default([&](Operation *) { return getTypeBounds(value.getType()); });
}

Interval PositionBounds::compute(Value value) {
  Interval type = getTypeBounds(value.getType());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Null in the body of a loop under construction, for example in the front
    // end.
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast_if_present<KernelOp>(parent))
      return getArgumentBounds(kernel, argument);
    auto loop = dyn_cast_if_present<scf::ForOp>(parent);
    if (!loop || argument != loop.getInductionVar())
      return type;
    int64_t low = get(loop.getLowerBound()).low;
    int64_t high = get(loop.getUpperBound()).high;
    return {low, std::max(low, saturate(__int128(high) - 1))};
  }
  Interval bounds = computeOp(value.getDefiningOp(), value);
  if (isa<arith::AddIOp, arith::SubIOp>(value.getDefiningOp()))
    bounds = intersect(bounds, get(LinearExpr::get(value)));
  // A number that leaves the type wraps around.
  return type.contains(bounds) ? bounds : type;
}

Interval PositionBounds::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  // The interval in a cycle through a loop, or in a sum with itself.
  Interval unknown = getTypeBounds(value.getType());
  if (depth == kMaxChain)
    return unknown;
  known[value] = unknown;
  ++depth;
  Interval bounds = compute(value);
  --depth;
  known[value] = bounds;
  return bounds;
}
