//===- MultiCta.cpp - Copies that a cluster shares --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-multicta multicasts copies. CTAs of a cluster run the same
// program and differ by their rank. A copy whose box does not depend on the
// rank is the same in all of them: it is loaded once and sent to all.
//
// Invariant: all CTAs agree on every slot of the ring of such a copy. No branch
// and no loop around the ops that use its slots depends on the rank.
//
//===----------------------------------------------------------------------===//

#include "Rings/SlotUses.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"
#include "tessera/Layout/TmaBoxes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::sm {
#define GEN_PASS_DEF_MULTICTAPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Values and ops that depend on the rank of the CTA: values by data or by
/// control, and ops that some CTAs may execute more often than others.
class RankDependence {
public:
  explicit RankDependence(KernelOp kernel);

  bool contains(Value value) const { return values.contains(value); }
  bool containsAny(ValueRange range) const {
    return llvm::any_of(range, [&](Value v) { return contains(v); });
  }
  /// Checks whether CTAs may disagree on how often they execute `op`.
  bool guards(Operation *op) const;

private:
  bool add(ValueRange range) {
    size_t before = values.size();
    values.insert(range.begin(), range.end());
    return values.size() != before;
  }
  bool visit(Operation *op);

  llvm::DenseSet<Value> values;
};
} // namespace

/// Returns the operands that say how often the regions of `op` run.
static SmallVector<Value> getDecisions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.getCondition()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  return {};
}

RankDependence::RankDependence(KernelOp kernel) {
  // Loops carry dependence back to their start.
  bool changes = true;
  while (changes) {
    changes = false;
    kernel.getBody().walk([&](Operation *op) { changes |= visit(op); });
  }
}

bool RankDependence::visit(Operation *op) {
  if (isa<CtaRankOp>(op))
    return add(op->getResults());
  if (op->getNumRegions() == 0) {
    // Memory is not followed: what is read may be anything that was written.
    bool depends = containsAny(op->getOperands());
    bool changes = depends && add(op->getResults());
    if (!op->hasTrait<OpTrait::IsTerminator>() || !depends)
      return changes;
    // The values that a region yields are results of its op.
    Operation *parent = op->getParentOp();
    changes |= add(parent->getResults());
    for (Region &region : parent->getRegions())
      changes |= add(region.getArguments());
    return changes;
  }
  bool depends =
      containsAny(op->getOperands()) || containsAny(getDecisions(op));
  if (!depends || isa<RoleOp>(op))
    return false;
  bool changes = add(op->getResults());
  for (Region &region : op->getRegions())
    changes |= add(region.getArguments());
  return changes;
}

bool RankDependence::guards(Operation *op) const {
  for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp()) {
    if (isa<RoleOp>(parent))
      continue;
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent) ||
        containsAny(getDecisions(parent)))
      return true;
  }
  return false;
}

static constexpr llvm::StringLiteral kNoCopies =
    "no role fetches tiles for the others";

/// Why CTAs cannot share the copy; none if they can.
static Reason getShareObstacle(CopyStartOp copy, const RankDependence &ranks,
                               int64_t clusterSize) {
  if (ranks.containsAny(copy.getIndices()) ||
      ranks.containsAny(copy.getLimits()))
    return "its position depends on the rank of the CTA";
  SmemType tile = copy.getTile().getType();
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
  if (!boxes)
    return llvm::toString(boxes.takeError());
  llvm::Expected<layout::TmaParts> parts =
      layout::getTmaParts(*boxes, tile.getElementBytes(), clusterSize);
  return parts ? Reason::none() : llvm::toString(parts.takeError());
}

namespace {
struct MultiCta : sm::impl::MultiCtaPassBase<MultiCta> {
  using MultiCtaPassBase::MultiCtaPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getClusterAxis() || kernel->hasAttr(kVariantOfAttrName))
      return;
    if (kernel.getForm() == Form::Planned)
      return warnOfNoCopies(kernel, kNoCopies);
    if (kernel.getForm() != Form::Scheduled)
      return;
    FailureOr<SlotSources> sources = verifySlots(kernel);
    if (failed(sources))
      return signalPassFailure();
    RankDependence ranks(kernel);
    llvm::DenseMap<Value, Operation *> disagreement;
    kernel.walk([&](Operation *op) {
      if (isa<RingAcquireOp, RingWaitOp>(op) && ranks.guards(op))
        disagreement[op->getOperand(0)] = op;
    });
    auto getRing = [&](CopyStartOp copy) {
      auto tile = copy.getTile().getDefiningOp<SlotTileOp>();
      return sources->lookup(tile.getSlot())->getOperand(0);
    };
    llvm::DenseSet<Value> clipped;
    kernel.walk([&](CopyStartOp copy) {
      if (mayEndEarly(copy))
        clipped.insert(getRing(copy));
    });
    bool isShared = false;
    std::string last;
    kernel.walk([&](CopyStartOp copy) {
      Value ring = getRing(copy);
      Reason obstacle =
          disagreement.contains(ring)
              ? "a CTA may take more slots of its ring than another"
          : clipped.contains(ring)
              ? "it may end before its tensor does, and each CTA would have to "
                "wait for it"
              : getShareObstacle(copy, ranks, kernel.getClusterSize());
      if (!obstacle) {
        copy.setMulticast(true);
        isShared = true;
        ++numShared;
        return;
      }
      last = "of the last one, " + obstacle.str();
      if (remarks)
        copy.emitRemark() << "this copy is not shared by the cluster: "
                          << obstacle.str() << " [copy-not-shared]";
    });
    if (!isShared)
      warnOfNoCopies(kernel, last.empty() ? kNoCopies.str() : last);
  }

  static void warnOfNoCopies(KernelOp kernel, const Twine &why) {
    tile::warnOfUnmet(kernel, "cluster",
                      "its CTAs run side by side and share no copy", why,
                      "leave `cluster` away, or let it go along an axis that "
                      "does not index what it is to share, in loops that "
                      "end alike",
                      "nothing-shared");
  }
};
} // namespace
