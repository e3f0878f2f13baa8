//===- PositionBounds.cpp - How large positions become ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// The longest chain of values that is followed: a program may have one of any
/// length.
static constexpr unsigned kMaxChain = 200;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A number of more than 64 bits, cut off at their limits.
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

/// The quotient, rounded down or up.
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

/// The numbers of a type.
static Interval getTypeBounds(Type type) {
  if (type.isIndex() || type.isInteger(64))
    return {};
  int64_t half = int64_t(1) << (type.getIntOrFloatBitWidth() - 1);
  return type.isInteger(1) ? Interval{-1, 1} : Interval{-half, half - 1};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether `atom` of a linear expression is always below `size`: what walks it.
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
  // What is never above a size that is subtracted leaves at most 0.
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

/// The bounds of a kernel's argument.
static Interval getArgumentBounds(KernelOp kernel, BlockArgument argument) {
  // A launch gives an `int` in 32 bits; a grid axis is an index below a size.
  if (argument.getArgNumber() >= kernel.getNumParams())
    return kSizes;
  return argument.getType().isIndex() ? kInt32
                                      : getTypeBounds(argument.getType());
}

/// Whether the grid gives a range. What loops and branches carry is one that
/// was made somewhere, of which tile-narrow-positions lets through 32 bits.
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

/// The bounds of T * s / S with 0 <= s <= S and T >= 0: a share of T.
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

/// The bounds of first + ceildiv(max(bound - first, 0), step) * step: where the
/// steps that begin at `first` reach `bound`, as tile-peel-masks computes it.
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
        // What a size is computed to may be negative, as B - 1 is.
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
        // The least number of 64 bits is its own magnitude.
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
    // Null in the body of a loop that is being made, as the front end does.
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
  // What leaves the type wraps around in it.
  return type.contains(bounds) ? bounds : type;
}

Interval PositionBounds::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  // What a cycle through a loop sees, and a sum of itself.
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
