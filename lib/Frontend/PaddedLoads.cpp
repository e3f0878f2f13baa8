//===- PaddedLoads.cpp - Zeros past the end in extrema ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load yields zeros for elements that are not valid, and zero is not neutral
// for `max` and `min`. This file follows the operand of a reduction backwards,
// along the reduced axis, to a load that has no `fill` and may be partial. The
// search ends at `where`, which is how masks are written, and at values that
// zeros do not change: `max(abs(x), 1)`.
//
//===----------------------------------------------------------------------===//

#include "PaddedLoads.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace tessera;
using namespace tessera::frontend;

/// Checks whether a loop of known bounds walks over a dimension of known extent
/// by full ranges.
static bool isStepOfWholeLoop(Value index, tile::SizeAttr size) {
  auto range = index.getDefiningOp<tile::RangeOp>();
  auto start = range ? dyn_cast<BlockArgument>(range.getStart()) : nullptr;
  auto loop =
      start ? dyn_cast_if_present<scf::ForOp>(start.getOwner()->getParentOp())
            : nullptr;
  std::optional<int64_t> bound = size.getConstantValue();
  if (!loop || start != loop.getInductionVar() || !bound)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep()),
                         limit = getConstantIntValue(range.getLimit());
  return lower && upper && step && limit && *lower >= 0 && *step > 0 &&
         (*upper - *lower) % *step == 0 &&
         range.getType().getExtent() <= *step && *upper <= *limit &&
         *upper <= *bound;
}

/// Checks whether elements of a load along `axis` may be zeros past the end.
static bool isPadded(tile::LoadOp load, int64_t axis) {
  if (load.getFillAttr())
    return false;
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    if (index.getType().isIndex())
      continue;
    tile::GlobalType global = load.getGlobalType();
    if (axis-- == 0)
      return !tile::isInBounds(index, global, dim) &&
             !isStepOfWholeLoop(index, global.getShape()[dim]);
  }
  return false;
}

/// Checks whether a tile has one value that is not negative.
static bool isNonNegativeConstant(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return !elements.getSplatValue<APFloat>().isNegative();
  return !elements.getSplatValue<APInt>().isNegative();
}

/// Checks whether the results of `op` are at least zero, so that zeros do not
/// change their maximum.
static bool isNonNegative(Operation *op) {
  if (isa<math::AbsFOp, math::SqrtOp>(op))
    return true;
  if (isa<arith::MulFOp>(op))
    return op->getOperand(0) == op->getOperand(1);
  return isa<arith::MaximumFOp>(op) &&
         llvm::any_of(op->getOperands(), isNonNegativeConstant);
}

namespace {
/// An axis of a tile.
struct TileAxis {
  Value tile;
  int64_t axis;
};
} // namespace

/// Returns the tiles from which the elements along an axis are computed, with
/// their corresponding axes.
static SmallVector<TileAxis> getSources(const TileAxis &from, bool isMax) {
  auto [value, axis] = from;
  Operation *op = value.getDefiningOp();
  // Columns of a product are those of `b`, rows are those of `a`.
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return {axis == 1 ? TileAxis{gemm.getB(), 1 - gemm.getTermDimOfB()}
                      : TileAxis{gemm.getA(), 1 - gemm.getTermDimOfA()}};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return {{loop.getYieldedValues()[number], axis}};
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return {{transpose.getSource(), 1 - axis}};
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    if (axis == added)
      return {};
    return {{expand.getSource(), axis - (axis > added)}};
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (broadcast.getSource().getType().getDimSize(axis) == 1)
      return {};
    return {{broadcast.getSource(), axis}};
  }
  if (isa<arith::SelectOp>(op) || (isMax && isNonNegative(op)) ||
      !OpTrait::hasElementwiseMappableTraits(op))
    return {};
  SmallVector<TileAxis> sources;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      sources.push_back({operand, axis});
  return sources;
}

tile::LoadOp tessera::frontend::findPaddedLoad(tile::ReduceOp op) {
  bool isMax = op.getKind() == tile::ReduceKind::Max;
  bool isFloat = isa<FloatType>(op.getSource().getType().getElementType());
  // A `max` of integers, such as lengths, often has no negative operand.
  if (op.getKind() == tile::ReduceKind::Sum || (isMax && !isFloat))
    return nullptr;
  SmallVector<TileAxis> open = {
      {op.getSource(), static_cast<int64_t>(op.getAxis())}};
  llvm::SmallPtrSet<Operation *, 16> visited;
  while (!open.empty()) {
    TileAxis current = open.pop_back_val();
    Operation *producer = current.tile.getDefiningOp();
    if (!producer || !visited.insert(producer).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(producer);
    if (load && isPadded(load, current.axis))
      return load;
    if (!load)
      llvm::append_range(open, getSources(current, isMax));
  }
  return nullptr;
}
