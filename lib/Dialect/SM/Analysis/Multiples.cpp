//===- Multiples.cpp - Positions that are multiples -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/Analysis/Multiples.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;

/// The greatest multiple that a dividend may have to be; more than any tensor
/// copy needs, and far from the end of 64 bits.
static constexpr int64_t kMaxWidth = int64_t(1) << 32;

tile::SizeAttr Multiple::getRemainder() const {
  return tile::SizeAttr::getNormalized(size.getContext(), size.getSymbols(),
                                       size.getExpr() % width);
}

bool Multiple::contradicts(const Multiple &other) const {
  SmallVector<StringAttr> symbols(size.getSymbols());
  llvm::append_range(symbols, other.size.getSymbols());
  AffineExpr shifted = other.size.getExpr().shiftSymbols(
      other.size.getSymbols().size(), size.getSymbols().size());
  auto remainder = tile::SizeAttr::getNormalized(
      size.getContext(), symbols,
      (size.getExpr() - shifted) % std::gcd(width, other.width));
  return remainder.getConstantValue().value_or(0) != 0;
}

bool Multiples::require(tile::SizeAttr size) {
  Multiple multiple{size, width};
  if (std::optional<int64_t> value = multiple.getRemainder().getConstantValue())
    return *value == 0;
  if (llvm::any_of(
          llvm::concat<const Multiple>(known, own),
          [&](const Multiple &other) { return multiple.contradicts(other); }))
    return false;
  own.push_back(multiple);
  return true;
}

bool Multiples::require(Value position, unsigned depth) {
  if (width == 1)
    return true;
  if (std::optional<int64_t> value = getConstantIntValue(position))
    return *value % width == 0;
  if (depth == 0)
    return false;
  auto requireAll = [&](ValueRange positions) {
    return llvm::all_of(positions,
                        [&](Value v) { return require(v, depth - 1); });
  };
  if (auto argument = dyn_cast<BlockArgument>(position)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           requireAll({loop.getLowerBound(), loop.getStep()});
  }
  Operation *op = position.getDefiningOp();
  if (auto size = dyn_cast<tile::SizeOp>(op))
    return require(size.getSize());
  // A multiple of 64 divided by 2 is one of 32.
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp,
          arith::DivUIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    if (!divisor || *divisor < 1 || *divisor > kMaxWidth / width)
      return false;
    width *= *divisor;
    bool isMultiple = require(op->getOperand(0), depth - 1);
    width /= *divisor;
    return isMultiple;
  }
  // One factor is enough; that of a constant takes no condition.
  if (auto product = dyn_cast<arith::MulIOp>(op)) {
    size_t conditions = own.size();
    if (require(product.getRhs(), depth - 1))
      return true;
    own.truncate(conditions);
    return require(product.getLhs(), depth - 1);
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp>(op))
    return requireAll(op->getOperands());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return requireAll({select.getTrueValue(), select.getFalseValue()});
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return require(op->getOperand(0), depth - 1);
  return false;
}

SmallVector<tile::SizeAttr> Multiples::getRemainders() const {
  return llvm::map_to_vector(
      own, [](const Multiple &multiple) { return multiple.getRemainder(); });
}
