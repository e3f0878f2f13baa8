//===- PositionFacts.cpp - Facts about positions ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of LinearBounds.h that follow from the operation that computes a
// scalar, without linear arithmetic. The method is recursion on defining
// operations, up to a depth. All facts are one-sided: `false` means "not
// known".
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace tessera;
using namespace tessera::tile;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 63)
    return std::nullopt;
  return constant.getSExtValue();
}

/// Returns the axis that binds a block argument of a kernel; null for other
/// values.
static AxisAttr getAxis(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  if (!kernel || argument.getArgNumber() < kernel.getNumParams())
    return {};
  return kernel.getAxes()[argument.getArgNumber() - kernel.getNumParams()];
}

/// Returns the loop whose induction variable is `value`, if its step is
/// positive.
static scf::ForOp getForwardLoop(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return {};
  std::optional<int64_t> step = getConstant(loop.getStep());
  return step && *step > 0 ? loop : scf::ForOp();
}

Value tile::getUnshiftedRange(Value range) {
  while (auto shift = range.getDefiningOp<ShiftOp>())
    range = shift.getRange();
  return range;
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// Checks whether a size name is at least 0: it is the extent of some
/// dimension, or that extent plus a number. (An `index` parameter may be
/// negative, and `B + 1` permits -1 for `B`.)
static bool isNonNegativeSymbol(KernelOp kernel, StringAttr symbol) {
  for (BlockArgument param : kernel.getParams()) {
    auto global = dyn_cast<GlobalType>(param.getType());
    if (!global)
      continue;
    for (SizeAttr size : global.getShape())
      if (std::optional<int64_t> offset = size.getOffsetFromSymbol())
        if (*offset <= 0 && size.getSymbols().front() == symbol)
          return true;
  }
  return false;
}

static bool isNonNegativeExpr(KernelOp kernel, SizeAttr size, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isNonNegativeSymbol(kernel, size.getSymbols()[symbol.getPosition()]);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  // Sums, products, quotients and remainders of non-negative numbers are not
  // negative.
  return binary && isNonNegativeExpr(kernel, size, binary.getLHS()) &&
         isNonNegativeExpr(kernel, size, binary.getRHS());
}

static bool isNonNegativeSize(KernelOp kernel, SizeAttr size) {
  return kernel && isNonNegativeExpr(kernel, size, size.getExpr());
}

static KernelOp getKernel(Value value) {
  Operation *parent = value.getParentBlock()->getParentOp();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return kernel;
  return parent->getParentOfType<KernelOp>();
}

/// Checks whether `value` is `bound`, or a minimum with it.
static bool isMinimumWith(Value value, Value bound, unsigned depth) {
  if (value == bound)
    return true;
  auto minimum = value.getDefiningOp<arith::MinSIOp>();
  return minimum && depth-- != 0 &&
         (isMinimumWith(minimum.getLhs(), bound, depth) ||
          isMinimumWith(minimum.getRhs(), bound, depth));
}

bool tile::isLimitNonNegative(Value range, unsigned depth) {
  if (auto op = range.getDefiningOp<RangeOp>()) {
    // In a loop, up to the limit or less, which is above a position.
    scf::ForOp loop = getForwardLoop(op.getStart());
    return (loop && isNonNegative(loop.getLowerBound(), depth) &&
            isMinimumWith(loop.getUpperBound(), op.getLimit(), depth)) ||
           isNonNegative(op.getLimit(), depth);
  }
  AxisAttr axis = getAxis(range);
  return axis && isNonNegativeSize(getKernel(range), axis.getSize());
}

bool tile::isNonNegative(Value value, unsigned depth) {
  if (depth-- == 0)
    return false;
  if (isa<RangeType>(value.getType())) { // the start of a range
    if (auto op = value.getDefiningOp<RangeOp>())
      return isNonNegative(op.getStart(), depth);
    return static_cast<bool>(getAxis(value));
  }
  if (std::optional<int64_t> constant = getConstant(value))
    return *constant >= 0;
  if (getAxis(value))
    return true;
  if (scf::ForOp loop = getForwardLoop(value))
    return isNonNegative(loop.getLowerBound(), depth);
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto size = dyn_cast<SizeOp>(op))
    return isNonNegativeSize(getKernel(value), size.getSize());
  if (auto start = dyn_cast<StartOp>(op))
    return isNonNegative(start.getRange(), depth);
  if (auto limit = dyn_cast<LimitOp>(op))
    return isLimitNonNegative(limit.getRange(), depth);
  if (auto end = dyn_cast<EndOp>(op))
    return isNonNegative(end.getRange(), depth) &&
           isLimitNonNegative(end.getRange(), depth);
  if (isa<arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0), depth) ||
           isNonNegative(op->getOperand(1), depth);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
          arith::IndexCastOp, arith::ExtSIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isNonNegative(operand, depth);
    });
  return false;
}

//===----------------------------------------------------------------------===//
// Upper bounds and divisors
//===----------------------------------------------------------------------===//

bool tile::isAtMost(Value value, SizeAttr size, unsigned depth) {
  if (depth-- == 0)
    return false;
  if (std::optional<int64_t> constant = getConstant(value)) {
    std::optional<int64_t> bound = size.getConstantValue();
    return bound && *constant <= *bound;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto other = dyn_cast<SizeOp>(op))
    return other.getSize() == size;
  if (isa<LimitOp, EndOp>(op)) {
    if (auto range = op->getOperand(0).getDefiningOp<RangeOp>())
      return isAtMost(range.getLimit(), size, depth);
    AxisAttr axis = getAxis(op->getOperand(0));
    return axis && axis.getSize() == size;
  }
  if (isa<arith::MinSIOp>(op))
    return isAtMost(op->getOperand(0), size, depth) ||
           isAtMost(op->getOperand(1), size, depth);
  if (isa<arith::MaxSIOp>(op))
    return isAtMost(op->getOperand(0), size, depth) &&
           isAtMost(op->getOperand(1), size, depth);
  return false;
}

int64_t tile::getKnownDivisor(Value value, unsigned depth) {
  if (depth-- == 0)
    return 1;
  if (isa<RangeType>(value.getType())) { // the start of a range
    if (auto op = value.getDefiningOp<RangeOp>())
      return getKnownDivisor(op.getStart(), depth);
    return getAxis(value) ? cast<RangeType>(value.getType()).getExtent() : 1;
  }
  if (std::optional<int64_t> constant = getConstant(value))
    return *constant == std::numeric_limits<int64_t>::min()
               ? 1
               : std::abs(*constant);
  if (scf::ForOp loop = getForwardLoop(value))
    return std::gcd(getKnownDivisor(loop.getLowerBound(), depth),
                    *getConstant(loop.getStep()));
  Operation *op = value.getDefiningOp();
  if (!op)
    return 1;
  if (auto start = dyn_cast<StartOp>(op))
    return getKnownDivisor(start.getRange(), depth);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(getKnownDivisor(op->getOperand(0), depth),
                    getKnownDivisor(op->getOperand(1), depth));
  if (isa<arith::MulIOp>(op)) {
    int64_t lhs = getKnownDivisor(op->getOperand(0), depth);
    int64_t rhs = getKnownDivisor(op->getOperand(1), depth);
    return lhs < (1 << 20) && rhs < (1 << 20) ? lhs * rhs : std::max(lhs, rhs);
  }
  if (auto size = dyn_cast<SizeOp>(op))
    return size.getSize().getExpr().getLargestKnownDivisor();
  return 1;
}

//===----------------------------------------------------------------------===//
// Ranges and accesses
//===----------------------------------------------------------------------===//

bool tile::isFullRange(Value range) {
  range = getUnshiftedRange(range);
  int64_t extent = cast<RangeType>(range.getType()).getExtent();
  if (auto op = range.getDefiningOp<RangeOp>()) {
    if (op.getFull())
      return true;
    LinearExpr start = LinearExpr::get(op.getStart());
    return start.isNonNegative() &&
           (LinearExpr::get(op.getLimit()) - start - extent).isNonNegative();
  }
  AxisAttr axis = getAxis(range);
  std::optional<int64_t> size =
      axis ? axis.getSize().getConstantValue() : std::nullopt;
  return size && *size % extent == 0;
}

bool tile::isInBounds(Value index, GlobalType global, unsigned dim) {
  SizeAttr size = global.getShape()[dim];
  if (index.getType().isIndex()) {
    if (AxisAttr axis = getAxis(index))
      return axis.getSize() == size;
    if (scf::ForOp loop = getForwardLoop(index))
      return isNonNegative(loop.getLowerBound()) &&
             isAtMost(loop.getUpperBound(), size);
    std::optional<int64_t> constant = getConstant(index);
    std::optional<int64_t> bound = size.getConstantValue();
    return constant && bound && *constant >= 0 && *constant < *bound;
  }
  auto type = dyn_cast<RangeType>(index.getType());
  // A shifted range is valid where the range is. Its position is known only if
  // the shift is.
  if (!type || !isFullRange(index))
    return false;
  LinearExpr start = LinearExpr::getStart(index);
  std::optional<int64_t> bound = size.getConstantValue();
  if (start.isConstant() && bound)
    return start.getConstant() >= 0 &&
           start.getConstant() + type.getExtent() <= *bound;
  if (auto op = index.getDefiningOp<RangeOp>())
    return (type.getDimension() &&
            size.getSingleSymbol() == type.getDimension()) ||
           isAtMost(op.getLimit(), size);
  AxisAttr axis = getAxis(index);
  return axis && axis.getSize() == size;
}
