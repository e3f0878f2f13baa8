//===- Extents.cpp - Ranges inside of a dimension ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The groups `tile(g * B, g * B + B, B)` of a dimension `C`, with `g` below
// `C / B`, are inside of the dimension. The end of a range is a linear
// expression. Each of its variables, an axis of the grid or the variable of a
// loop, is at most its bound minus 1, which is affine in the sizes. The range
// is inside if the extent minus the greatest end is not negative for all sizes.
//
//===----------------------------------------------------------------------===//

#include "Extents.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// Affine expressions of sizes over common symbols.
class SizeExpressions {
public:
  AffineExpr get(tile::SizeAttr size) {
    SmallVector<AffineExpr> replacements;
    for (StringAttr symbol : size.getSymbols()) {
      auto *it = llvm::find(symbols, symbol);
      replacements.push_back(
          getAffineSymbolExpr(it - symbols.begin(), size.getContext()));
      if (it == symbols.end())
        symbols.push_back(symbol);
    }
    return size.getExpr().replaceSymbols(replacements);
  }

  /// Returns a scalar that depends on sizes only; null for others.
  AffineExpr get(Value value, unsigned depth = tile::kMaxDepth) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, value.getContext());
    if (auto size = value.getDefiningOp<tile::SizeOp>())
      return get(size.getSize());
    auto quotient = value.getDefiningOp<arith::FloorDivSIOp>();
    std::optional<int64_t> divisor =
        quotient ? getConstantIntValue(quotient.getRhs()) : std::nullopt;
    if (!divisor || *divisor <= 0 || depth-- == 0)
      return {};
    AffineExpr dividend = get(quotient.getLhs(), depth);
    return dividend ? dividend.floorDiv(*divisor) : dividend;
  }

  /// Returns the bound that a variable is below; null for other values.
  AffineExpr getBound(Value variable) {
    auto argument = dyn_cast<BlockArgument>(variable);
    if (!argument)
      return {};
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<tile::KernelOp>(parent)) {
      if (argument.getArgNumber() < kernel.getNumParams())
        return {};
      tile::AxisAttr axis =
          kernel.getAxes()[argument.getArgNumber() - kernel.getNumParams()];
      return axis.isTiled() ? AffineExpr() : get(axis.getSize());
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    std::optional<int64_t> step =
        loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
    return step && *step > 0 && argument == loop.getInductionVar()
               ? get(loop.getUpperBound())
               : AffineExpr();
  }

private:
  SmallVector<StringAttr> symbols;
};
} // namespace

/// Checks whether an expression is a sum of remainders and a number that is not
/// negative.
static bool isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary &&
         (expr.getKind() == AffineExprKind::Mod ||
          (expr.getKind() == AffineExprKind::Add &&
           isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS())));
}

bool tessera::frontend::isInside(Value range, tile::SizeAttr extent) {
  // A start that is not negative is part of being full.
  if (!range.getDefiningOp<tile::RangeOp>() || !tile::isFullRange(range))
    return false;
  int64_t length = cast<tile::RangeType>(range.getType()).getExtent();
  tile::LinearExpr start = tile::LinearExpr::getStart(range);
  SizeExpressions sizes;
  AffineExpr room = sizes.get(extent);
  int64_t constant = start.getConstant() + length;
  for (auto [variable, coefficient] : start.getTerms()) {
    if (AffineExpr size = sizes.get(variable)) {
      room = room + size * -coefficient;
      continue;
    }
    AffineExpr bound = sizes.getBound(variable);
    if (!bound || coefficient < 0)
      return false;
    room = room + bound * -coefficient;
    constant -= coefficient;
  }
  return isNonNegative(room - constant);
}
