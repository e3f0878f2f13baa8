//===- ExpandRings.cpp - Rings as barriers ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-expand-rings makes the barriers of each ring (ExpandedRing.h),
// and expands the operations of roles on them (RoleExpansion.h). A slot becomes
// the index of its slot, so that it may be released after the next one is
// acquired.
//
// Three simplifications use static counts of fillings. A slot that is filled
// for the first time is free without a wait. A slot that is not filled again
// is not released. A ring whose slots are filled once has no barriers for free
// slots.
//
//===----------------------------------------------------------------------===//

#include "RoleExpansion.h"
#include "SlotCounts.h"
#include "SlotUses.h"
#include "tessera/Dialect/SM/Analysis/Progress.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_EXPANDRINGSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Describes how a role of one thread or of several fills tiles of `ring`.
static StringRef getFilling(RingAllocOp ring, bool isElected) {
  if (isElected)
    return "copy";
  if (!ring.holdsValues())
    return "fetch";
  return ring.holdsFetches() ? "fetch or 'sm.slot.store'" : "'sm.slot.store'";
}

/// Users of a slot wait for one copy of each of its tiles, or one fetch, or one
/// filling.
static LogicalResult verifyFilled(RingAcquireOp acquire) {
  auto ring = acquire.getRing().getDefiningOp<RingAllocOp>();
  bool isElected = acquire->getParentOfType<RoleOp>().getElected();
  StringRef name = getFilling(ring, isElected);
  auto fills = [&](Operation *op) {
    return isElected ? isa<CopyStartOp>(op)
                     : isa<FetchStartOp, SlotStoreOp>(op);
  };
  SmallVector<unsigned> copies(acquire.getSlot().getType().getTiles().size());
  for (Operation *user : acquire->getUsers())
    if (auto tile = dyn_cast<SlotTileOp>(user))
      for (Operation *copy : tile->getUsers())
        if (fills(copy) && copy->getBlock() == acquire->getBlock())
          ++copies[tile.getIndex()];
  for (auto [index, count] : llvm::enumerate(copies))
    if (count != 1)
      return acquire.emitError()
             << "expected one " << name << " into tile " << index
             << " of this slot, in the block of its acquire, got " << count;
  return success();
}

/// Checks whether `user` reads a tile through the asynchronous proxy, or passes
/// it to an op that may.
static bool readsAsynchronously(Operation *user) {
  auto access = dyn_cast<SharedAccessOpInterface>(user);
  return !access || llvm::any_of(access.getSharedUses(), [](SharedUse use) {
    return use.kind == AccessKind::AsyncRead;
  });
}

namespace {
struct ExpandRings : sm::impl::ExpandRingsPassBase<ExpandRings> {
  using ExpandRingsPassBase::ExpandRingsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() == Form::Expanded)
      return;
    FailureOr<SlotSources> sources = verifySlots(kernel);
    if (failed(sources))
      return signalPassFailure();
    WalkResult walk = kernel.walk([&](RingAcquireOp acquire) {
      return WalkResult(verifyFilled(acquire));
    });
    if (walk.wasInterrupted())
      return signalPassFailure();

    FailureOr<RingTurns> turns = verifyRingTurns(kernel);
    if (failed(turns))
      return signalPassFailure();

    RingExpansion expansion;
    expansion.turns = std::move(*turns);
    auto getRing = [&](Value slot) {
      return sources->lookup(slot)->getOperand(0);
    };
    kernel.walk([&](Operation *op) {
      auto acquire = dyn_cast<RingAcquireOp>(op);
      auto release = dyn_cast<RingReleaseOp>(op);
      // How many slots other roles take in turn is not counted.
      auto isLastUse = [&](RingReleaseOp release) {
        Value ring = getRing(release.getSlot());
        return !expansion.turns.contains(ring) && sm::isLastUse(release, ring);
      };
      if ((acquire && isFirstFilling(acquire)) ||
          (release && isLastUse(release)))
        expansion.needless.insert(op);
    });
    int64_t number = 0;
    SmallVector<RingAllocOp> rings(kernel.getBody().getOps<RingAllocOp>());
    for (RingAllocOp ring : rings) {
      bool waits = llvm::any_of(ring->getUsers(), [&](Operation *op) {
        return isa<RingAcquireOp>(op) && !expansion.needless.contains(op);
      });
      FailureOr<ExpandedRing> machine =
          makeMachine(ring, number++, waits, expansion.turns);
      if (failed(machine))
        return signalPassFailure();
      expansion.machines[ring.getResult()] = *machine;
    }
    SmallVector<QueueAllocOp> queues(kernel.getBody().getOps<QueueAllocOp>());
    for (QueueAllocOp queue : queues) {
      FailureOr<ExpandedRing> machine = makeMachine(queue, number++);
      if (failed(machine))
        return signalPassFailure();
      expansion.machines[queue.getResult()] = *machine;
    }
    SmallVector<RoleOp> roles(kernel.getBody().getOps<RoleOp>());
    for (RoleOp role : roles)
      if (std::optional<ExpandedRing> landing = makeLanding(role)) {
        expansion.landings[role] = landing->full;
        expansion.machines[landing->full] = *landing;
      }
    auto getMachine = [&](Value slot) {
      return &expansion.machines.find(getRing(slot))->second;
    };
    kernel.walk([&](SlotTileOp tile) {
      if (llvm::any_of(tile->getUsers(), readsAsynchronously))
        expansion.machines.find(getRing(tile.getSlot()))->second.isMultiplied =
            true;
    });
    kernel.walk([&](Operation *op) {
      if (isa<SlotTileOp, RingReleaseOp, RingCommitOp>(op))
        expansion.ofOp[op] = getMachine(op->getOperand(0));
      else if (auto copy = dyn_cast<CopyStartOp>(op))
        expansion.ofOp[op] =
            getMachine(copy.getTile().getDefiningOp<SlotTileOp>().getSlot());
    });
    if (failed(proveProgress(kernel)))
      return signalPassFailure();
    for (RoleOp role : roles)
      expandRole(role, expansion);
    bool isShared = llvm::any_of(expansion.machines, [](const auto &entry) {
      return entry.second.isShared;
    });
    if (isShared)
      meetAround(kernel);
    for (RingAllocOp ring : rings)
      ring.erase();
    for (QueueAllocOp queue : queues)
      queue.erase();
    numRings += rings.size();
    kernel.setForm(Form::Expanded);
  }

  /// The CTAs of a cluster meet before one may write to another, and before one
  /// leaves that another may write to.
  static void meetAround(KernelOp kernel) {
    auto roles = kernel.getBody().getOps<RoleOp>();
    OpBuilder builder(*roles.begin());
    ClusterBarrierOp::create(builder, kernel.getLoc());
    builder.setInsertionPoint(kernel.getBody().front().getTerminator());
    ClusterBarrierOp::create(builder, kernel.getLoc());
  }
};
} // namespace
