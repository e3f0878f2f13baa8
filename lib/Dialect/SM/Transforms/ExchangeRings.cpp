//===- ExchangeRings.cpp - Tiles that warpgroups exchange -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-exchange-rings. A role fills slots and uses them itself: its
// warps arrive when they have written, and wait only where a product needs the
// tile, which may be an iteration later.
//
//===----------------------------------------------------------------------===//

#include "SharedBudget.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {
#define GEN_PASS_DEF_EXCHANGERINGSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// One tile is written while products read the other one.
static constexpr int64_t kStages = 2;

/// The last op of the block that takes `stage`, if only products of a loop do.
static Operation *findLastProduct(StageOp stage) {
  if (!isa<scf::ForOp>(stage->getParentOp()))
    return nullptr;
  Operation *last = nullptr;
  for (Operation *user : stage->getUsers()) {
    if (!isa<MmaOp>(user) || user->getBlock() != stage->getBlock())
      return nullptr;
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  return last;
}

namespace {
struct ExchangeRings : sm::impl::ExchangeRingsPassBase<ExchangeRings> {
  using ExchangeRingsPassBase::ExchangeRingsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    if (kernel.getForm() != Form::Scheduled || !schedule ||
        !schedule.getPingpong())
      return;
    int64_t perGroup = getTarget(kernel).warpsPerWarpgroup;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (static_cast<int64_t>(role.getWarps()) >= 2 * perGroup)
        role.walk([&](StageOp stage) {
          if (Operation *last = findLastProduct(stage))
            exchange(kernel, stage, last);
        });
  }

  void exchange(KernelOp kernel, StageOp stage, Operation *last) {
    SmemType tile = stage.getType();
    int64_t more = (kStages - 1) * getStageBytes(tile);
    int64_t left = getFreeBytes(kernel);
    if (left < more)
      left += shrinkSingleStores(kernel, more - left);
    if (left < more) {
      if (remarks)
        stage.emitRemark() << "warpgroups meet where they exchange this tile: "
                              "a second one takes "
                           << more << " bytes of shared memory, and only "
                           << left << " are left" << " [warpgroups-meet]";
      return;
    }
    addPlannedBytes(kernel, kStages * getStageBytes(tile));
    Location loc = stage.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value ring = RingAllocOp::create(
        builder, loc, RingType::get(&getContext(), kStages, {tile}),
        /*warps=*/false);
    auto slotType = SlotType::get(&getContext(), {tile});
    builder.setInsertionPoint(stage);
    Value filled = RingAcquireOp::create(builder, loc, slotType, ring);
    FillOp::create(builder, loc,
                   SlotTileOp::create(builder, loc, tile, filled, 0),
                   stage.getSource());
    RingCommitOp::create(builder, loc, filled);
    Value used = RingWaitOp::create(builder, loc, slotType, ring);
    stage.replaceAllUsesWith(
        SlotTileOp::create(builder, loc, tile, used, 0).getResult());
    builder.setInsertionPointAfter(last);
    RingReleaseOp::create(builder, last->getLoc(), used);
    stage.erase();
    ++numRings;
  }
};
} // namespace
