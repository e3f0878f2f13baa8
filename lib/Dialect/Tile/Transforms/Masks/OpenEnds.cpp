//===- OpenEnds.cpp - Loads that need not end with their range --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-open-ends. It follows the elements of a load that are past the
// end of a range through the values that depend on them. Along one axis of each
// such value, positions past the end are arbitrary. The load may read anything
// there if each use ends in a selection by the mask of this range, or in a
// store through this range.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::tile {
#define GEN_PASS_DEF_OPENENDSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

namespace {
/// The values that depend on elements past the end of one range.
class EndUses {
public:
  explicit EndUses(Value range) : range(getUnshiftedRange(range)) {}

  /// Checks whether no result depends on what `tile` has past the end of the
  /// range, along `axis`.
  bool areNone(Value tile, int64_t axis);

private:
  bool isUnused(OpOperand &use, int64_t axis);
  bool isUnusedByLoop(scf::ForOp loop, unsigned number, int64_t axis);
  /// Checks whether `mask` is false past the end of the range, along `axis`.
  bool excludesEnd(Value mask, int64_t axis);
  template <typename OpTy>
  bool isWithinRange(OpTy access, int64_t axis);

  Value range;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
};
} // namespace

bool EndUses::excludesEnd(Value mask, int64_t axis) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (auto both = dyn_cast<arith::AndIOp>(op))
    return excludesEnd(both.getLhs(), axis) || excludesEnd(both.getRhs(), axis);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return excludesEnd(broadcast.getSource(), axis);
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    return axis != added &&
           excludesEnd(expand.getSource(), axis < added ? axis : axis - 1);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return excludesEnd(transpose.getSource(), 1 - axis);
  auto valid = dyn_cast<ValidOp>(op);
  return valid && axis == 0 && getUnshiftedRange(valid.getRange()) == range;
}

/// Checks whether `access` leaves out positions of `axis` past the end.
template <typename OpTy>
bool EndUses::isWithinRange(OpTy access, int64_t axis) {
  for (auto [index, axes] :
       llvm::zip(access.getIndices(), access.getIndexAxes()))
    if (isa<RangeType>(index.getType()) && axes.first == axis)
      return getUnshiftedRange(index) == range;
  return false;
}

bool EndUses::isUnusedByLoop(scf::ForOp loop, unsigned number, int64_t axis) {
  return areNone(loop.getRegionIterArg(number), axis) &&
         areNone(loop.getResult(number), axis);
}

bool EndUses::isUnused(OpOperand &use, int64_t axis) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isChosen = use.get() == select.getTrueValue() &&
                    use.get() != select.getFalseValue();
    if (isChosen && excludesEnd(select.getCondition(), axis))
      return true;
  }
  if (OpTrait::hasElementwiseMappableTraits(op) && isPure(op))
    return areNone(op->getResult(0), axis);
  if (auto store = dyn_cast<StoreOp>(op))
    return number == 0 && isWithinRange(store, axis);
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    if (number == 2)
      return areNone(gemm.getResult(), axis);
    unsigned term = number == 0 ? gemm.getTermDimOfA() : gemm.getTermDimOfB();
    return axis != term && areNone(gemm.getResult(), number);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    int64_t reduced = reduce.getAxis();
    return axis != reduced && isa<RankedTensorType>(reduce.getType()) &&
           areNone(reduce.getResult(), axis < reduced ? axis : axis - 1);
  }
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return areNone(expand.getResult(),
                   axis < int64_t(expand.getAxis()) ? axis : axis + 1);
  if (isa<BroadcastOp>(op))
    return areNone(op->getResult(0), axis);
  if (isa<TransposeOp>(op))
    return areNone(op->getResult(0), 1 - axis);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return number >= loop.getNumControlOperands() &&
           isUnusedByLoop(loop, number - loop.getNumControlOperands(), axis);
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return isUnusedByLoop(loop, number, axis);
    return isa<scf::IfOp>(op->getParentOp()) &&
           areNone(op->getParentOp()->getResult(number), axis);
  }
  return false;
}

bool EndUses::areNone(Value tile, int64_t axis) {
  // A value that depends on itself is unused if its other uses are.
  if (!seen.insert({tile, axis}).second)
    return true;
  return llvm::all_of(tile.getUses(),
                      [&](OpOperand &use) { return isUnused(use, axis); });
}

namespace {
struct OpenEnds : tile::impl::OpenEndsPassBase<OpenEnds> {
  using OpenEndsPassBase::OpenEndsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](LoadOp load) {
      if (isa<RankedTensorType>(load.getType()))
        visit(load);
    });
  }

private:
  void visit(LoadOp load) {
    SmallVector<bool> flags;
    for (auto [index, axes] : llvm::zip(load.getIndices(), load.getIndexAxes()))
      flags.push_back(hasUnusedEnd(load, index, axes.first));
    unsigned count = llvm::count(flags, true);
    if (count > 0)
      load.setOpenEnds(flags);
    numOpen += count;
  }

  static bool hasUnusedEnd(LoadOp load, Value index, int64_t axis) {
    // Other programs may write what is past the end of a writable tensor.
    return isa<RangeType>(index.getType()) && !isFullRange(index) &&
           !load.getGlobalType().isWritable() &&
           EndUses(index).areNone(load.getResult(), axis);
  }
};
} // namespace
