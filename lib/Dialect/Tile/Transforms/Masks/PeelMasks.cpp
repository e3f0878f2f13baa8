//===- PeelMasks.cpp - Loops whose bulk has no mask -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-peel-masks. A slack (MaskSlack.h) that decreases with the
// induction variable i bounds i from above, and a slack that increases bounds
// it from below. The pass splits the loop at these bounds (LoopSplit.h), and
// the middle loop has no masks.
//
// Blocks in which a mask is all false are not skipped. That would be right only
// if such a block provably changed nothing. A row without any valid element
// (NaN in a softmax) already breaks this property. Loop bounds in the kernel
// skip such blocks better.
//
//===----------------------------------------------------------------------===//

#include "LoopSplit.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::tile {
#define GEN_PASS_DEF_PEELMASKSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

/// Largest depth of nested splits. Each split triples the code of the loops
/// within.
constexpr unsigned kMaxDepthOfSplits = 2;

namespace {
struct PeelMasks : tile::impl::PeelMasksPassBase<PeelMasks> {
  using PeelMasksPassBase::PeelMasksPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    changed = false;
    SmallVector<scf::ForOp> loops;
    // Inner loops come first: splitting a loop replaces those within it.
    kernel.walk([&](scf::ForOp loop) {
      if (!isPartOfSplit(loop))
        loops.push_back(loop);
    });
    markFullRanges(kernel);
    for (scf::ForOp loop : loops)
      visit(loop);
    foldValid(kernel);
    markInBounds(kernel);
    if (!changed)
      return;
    // Masks that became constant fold through broadcasts and selections.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(kernel, RewritePatternSet(&getContext()),
                                config);
  }

  void markFull(Operation *range) {
    cast<RangeOp>(range).setFull(true);
    ++numFull;
    changed = true;
  }

  void markFullRanges(KernelOp kernel) {
    kernel.walk([&](RangeOp range) {
      if (!range.getFull() && isFullRange(range))
        markFull(range);
    });
  }

  /// Replaces the masks of full ranges, including shifted ranges.
  void foldValid(KernelOp kernel) {
    kernel.walk([&](ValidOp valid) {
      if (!valid.use_empty() && isFullRange(valid.getRange()))
        replaceByTrue(valid);
    });
  }

  void replaceByTrue(Operation *mask) {
    OpBuilder builder(mask);
    auto type = cast<RankedTensorType>(mask->getResult(0).getType());
    Value allTrue = arith::ConstantOp::create(
        builder, mask->getLoc(), DenseElementsAttr::get(type, true));
    mask->getResult(0).replaceAllUsesWith(allTrue);
    ++numMasks;
    changed = true;
  }

  /// Records in the IR that `mask` is provably all true.
  void discharge(Operation *mask) {
    if (isa<RangeOp>(mask))
      markFull(mask);
    else
      replaceByTrue(mask);
  }

  void markInBounds(KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, AtomicOp>(op))
        llvm::TypeSwitch<Operation *>(op).Case<LoadOp, StoreOp, AtomicOp>(
            [&](auto access) { markAccess(access); });
    });
  }

  template <typename OpTy>
  void markAccess(OpTy access) {
    GlobalType global = access.getGlobalType();
    SmallVector<bool> flags;
    unsigned numNew = 0;
    for (auto [dim, index] : llvm::enumerate(access.getIndices())) {
      bool known = access.isInBounds(dim);
      bool proven = !known && isInBounds(index, global, dim);
      flags.push_back(known || proven);
      numNew += proven;
    }
    if (numNew == 0)
      return;
    access.setInBounds(flags);
    numInBounds += numNew;
  }

  void visit(scf::ForOp loop) {
    // The loop may compute bounds from values outside of it.
    hoistScalars(loop);
    SmallVector<Mask, 0> masks;
    bool hasMask = false;
    loop.getBody()->walk([&](Operation *op) {
      if (std::optional<Mask> mask = getMask(op)) {
        masks.push_back(*mask);
        hasMask |= mask->isValueMask;
      } else if (remarks && isOrderOfTiles(op) &&
                 op->getParentOfType<scf::ForOp>() == loop) {
        op->emitRemark() << "this mask stays: it does not compare positions, "
                            "or not linearly"
                         << " [mask-stays]";
      }
    });
    if (masks.empty())
      return;
    APInt step;
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive() || step.getSignificantBits() > 32 ||
        loop.getUnsignedCmp() || !loop.getInductionVar().getType().isIndex()) {
      if (remarks && hasMask)
        loop.emitRemark() << "this loop keeps its masks: expected an index "
                             "that moves by a constant positive step"
                          << " [loop-keeps-masks]";
      return;
    }
    Iterations iterations = getIterations(loop, step.getSExtValue());

    Split split;
    SmallVector<Mask, 0> implied;
    PositionBounds bounds;
    for (Mask &mask : masks) {
      FailureOr<SmallVector<ElementBounds>> unsafe =
          getUnsafeSums(loop, mask, iterations, bounds);
      mask.canTest = succeeded(unsafe);
      mask.sums.clear();
      if (mask.canTest)
        mask.sums.assign(unsafe->begin(), unsafe->end());
      if (mask.canTest && mask.sums.empty() &&
          llvm::all_of(mask.slacks, [&](const LinearExpr &slack) {
            return isInvariant(loop, slack.without(iterations.inductionVar)) &&
                   holdsAlways(slack, iterations);
          }))
        discharge(mask.op);
      else if (isLeftToGuard(loop, mask.op))
        continue;
      else if (mask.isValueMask || peelLoads)
        addMask(loop, mask, iterations, split);
      else
        implied.push_back(mask);
    }
    if (split.masks.empty())
      return;
    if (getDepthOfSplits(loop) >= kMaxDepthOfSplits) {
      if (remarks)
        loop.emitRemark() << "this loop keeps its masks: the loops within it "
                             "were split already"
                          << " [loop-keeps-masks]";
      return;
    }
    // Ranges that only loads use do not determine the split, but may profit
    // from it.
    for (const Mask &mask : implied)
      if (split.implies(loop, mask, iterations))
        split.masks.push_back(mask.op);
    splitLoop(loop, iterations, split);
  }

  /// Checks whether tile-guard-masks skips `mask`: a comparison of positions
  /// that only selections of products use. Loops of products should remain one
  /// loop: each part of a split fills and drains its pipeline.
  static bool isLeftToGuard(scf::ForOp loop, Operation *mask) {
    return isOrderOfTiles(mask) && mask->getBlock() == loop.getBody() &&
           !loop.getBody()->getOps<GemmOp>().empty() && isForSelections(mask);
  }

  static bool isForSelections(Operation *mask) {
    return llvm::all_of(mask->getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user->getBlock() != mask->getBlock())
        return false;
      if (isa<ExpandDimsOp, BroadcastOp, TransposeOp, arith::AndIOp>(user))
        return isForSelections(user);
      return use.getOperandNumber() == 0 && isSelectionOfProduct(user);
    });
  }

  static void hoistScalars(scf::ForOp loop) {
    auto isScalar = [](Operation *op) {
      return op->getNumRegions() == 0 && isPure(op) &&
             llvm::all_of(op->getResultTypes(), [](Type type) {
               return type.isIndex() || type.isInteger(32);
             });
    };
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [&](Operation *op, Region *) { return isScalar(op); },
        [&](Operation *op, Region *) { op->moveBefore(loop); });
  }

  /// Adds the thresholds of `mask` to the split, if the loop can be split at
  /// them.
  void addMask(scf::ForOp loop, const Mask &mask, const Iterations &iterations,
               Split &split) {
    auto keep = [&](StringRef why) {
      // Inner loops already explained their masks.
      if (remarks && mask.isValueMask &&
          mask.op->getParentOfType<scf::ForOp>() == loop)
        mask.op->emitRemark() << "this mask stays: " << why << " [mask-stays]";
    };
    SmallVector<LinearExpr> lower, upper;
    for (const LinearExpr &slack : mask.slacks) {
      int64_t coefficient = slack.getCoefficient(iterations.inductionVar);
      LinearExpr rest = slack.without(iterations.inductionVar);
      if (!isInvariant(loop, rest))
        return keep("its bounds are computed in the loop");
      if (holdsAlways(slack, iterations))
        continue;
      if (coefficient == 0)
        return keep("it does not depend on the position of the loop");
      if (coefficient != 1 && coefficient != -1)
        return keep("it does not move with the loop at one speed");
      if (holdsNever(slack, iterations))
        return keep("it is never all true");
      if (coefficient < 0)
        upper.push_back(rest);
      else
        lower.push_back(rest * -1);
    }
    if (!mask.canTest || (lower.empty() && upper.empty()))
      return keep("its positions may not have 32 bits");
    // A loop that may be split only once is split at its end.
    unsigned needed = (!upper.empty() || !split.upper.empty()) +
                      (!lower.empty() || !split.lower.empty());
    if (needed > maxSplits)
      return keep("the loop may not be split at one more place");
    llvm::append_range(split.lower, lower);
    llvm::append_range(split.upper, upper);
    llvm::append_range(split.sums, mask.sums);
    split.masks.push_back(mask.op);
  }

  void splitLoop(scf::ForOp loop, const Iterations &iterations,
                 const Split &split) {
    if (remarks)
      loop.emitRemark() << "split into "
                        << 1 + !split.lower.empty() + !split.upper.empty()
                        << " loops; one of them drops " << split.masks.size()
                        << (split.masks.size() == 1 ? " mask" : " masks")
                        << " [loop-split]";
    for (Operation *mask : tile::splitLoop(loop, iterations, split))
      discharge(mask);
    ++numSplit;
    changed = true;
  }

  bool changed = false;
};
} // namespace
