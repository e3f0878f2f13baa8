//===- StoreRole.cpp - Stores by a role of their own ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-store-role. A ring in the other direction: the role that computes
// fills slots with tiles, an elected role takes them and starts their copies.
// Both run the same loops and see the slots in one order, so neither waits for
// ever: before the computing role needs a slot again, the storing role has met
// the same tile, whose copy needs nobody else.
//
//===----------------------------------------------------------------------===//

#include "ScalarSlice.h"
#include "SharedBudget.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Layout/TmaBoxes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {
#define GEN_PASS_DEF_STOREROLEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// A tile is copied while the next one is computed; more stages do not help.
static constexpr int64_t kMostStages = 2;

static bool isInProductLoop(TmaStoreOp store) {
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  return loop && !loop.getBody()->getOps<MmaOp>().empty();
}

/// Whether a tensor copy can take the tile from shared memory as a whole.
static bool isCopyable(SmemType tile) {
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
  if (boxes)
    return true;
  llvm::consumeError(boxes.takeError());
  return false;
}

static SmemType getTile(TmaStoreOp store) {
  return SmemType::getWidest(store.getValue().getType());
}

/// What the role that stores computes for itself.
static SmallVector<Value> getPositions(TmaStoreOp store) {
  SmallVector<Value> values(store.getIndices());
  llvm::append_range(values, store.getLimits());
  return values;
}

namespace {
/// The stores of one tile type, and the ring that they go through.
struct StoreRing {
  SmallVector<TmaStoreOp> stores;
  int64_t stages = 0;
  Value ring;
};

struct StoreRole : sm::impl::StoreRolePassBase<StoreRole> {
  using StoreRolePassBase::StoreRolePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Scheduled)
      return;
    RoleOp load, math;
    unsigned numMath = 0;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
      if (role.getElected())
        load = role;
      if (role.getName().starts_with("math")) {
        math = role;
        ++numMath;
      }
    }
    // Roles in turn keep their stores.
    if (!load || numMath != 1)
      return;
    SmallVector<TmaStoreOp> stores;
    math.walk([&](TmaStoreOp store) {
      if (isInProductLoop(store))
        stores.push_back(store);
    });
    if (stores.empty())
      return;
    ScalarSlice slice([&](Value value) {
      Operation *parent = value.getParentBlock()->getParentOp();
      return isa<KernelOp>(parent);
    });
    llvm::MapVector<Type, StoreRing> rings;
    for (TmaStoreOp store : stores) {
      std::string why;
      if (load.getWarps() < 2)
        why = "the load role has no warp to spare";
      else if (!isCopyable(getTile(store)))
        why = "its tile is no sequence of boxes";
      else if (succeeded(slice.add(store, getPositions(store), why)))
        rings[getTile(store)].stores.push_back(store);
      if (remarks && !why.empty())
        keep(store, why);
    }
    if (rings.empty() || !chooseStages(kernel, rings))
      return;
    divide(kernel, load, math, slice, rings);
    ++numRoles;
  }

  void keep(TmaStoreOp store, const Twine &why) {
    store.emitRemark() << "this store is no copy of another role: " << why
                       << " [store-in-place]";
  }

  /// Gives each ring its stages; false if they do not fit.
  bool chooseStages(KernelOp kernel, llvm::MapVector<Type, StoreRing> &rings) {
    llvm::DenseSet<Operation *> moved;
    int64_t perStage = 0;
    for (auto &[tile, ring] : rings) {
      moved.insert_range(ring.stores);
      perStage += getStageBytes(cast<SmemType>(tile));
    }
    int64_t left = getFreeBytes(kernel, moved);
    if (left < perStage)
      left += shrinkSingleStores(kernel, perStage - left, moved);
    int64_t stages = std::min(kMostStages, left / perStage);
    for (auto &[tile, ring] : rings) {
      ring.stages = stages;
      addPlannedBytes(kernel, stages * getStageBytes(cast<SmemType>(tile)));
      if (stages == 0 && remarks)
        for (TmaStoreOp store : ring.stores)
          keep(store, "its tile takes " + Twine(getStageBytes(getTile(store))) +
                          " bytes of shared memory, and only " + Twine(left) +
                          " are left");
    }
    return stages > 0;
  }

  static void divide(KernelOp kernel, RoleOp load, RoleOp math,
                     ScalarSlice &slice,
                     llvm::MapVector<Type, StoreRing> &rings) {
    Location loc = kernel.getLoc();
    MLIRContext *context = kernel.getContext();
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    llvm::DenseMap<Operation *, Value> ringOf;
    for (auto &[tile, ring] : rings) {
      ring.ring = RingAllocOp::create(
          builder, loc,
          RingType::get(context, ring.stages, {cast<SmemType>(tile)}),
          /*warps=*/false);
      for (TmaStoreOp store : ring.stores)
        ringOf[store] = ring.ring;
    }
    load.setWarps(load.getWarps() - 1);
    builder.setInsertionPoint(math);
    auto role =
        RoleOp::create(builder, loc, builder.getStringAttr("store"),
                       builder.getI64IntegerAttr(1), load.getRegistersAttr(),
                       /*elected=*/builder.getUnitAttr());
    builder.setInsertionPointToEnd(&role.getBody().emplaceBlock());
    IRMapping mapping;
    slice.clone(math.getBody().front(), builder, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  copyOut(at, cast<TmaStoreOp>(op), ringOf.lookup(op), mapping);
                });
    for (auto &[tile, ring] : rings)
      for (TmaStoreOp store : ring.stores)
        handOver(store, ring.ring);
  }

  static SlotTileOp makeTile(OpBuilder &builder, Location loc, Value slot) {
    SmemType tile = cast<SlotType>(slot.getType()).getTiles().front();
    return SlotTileOp::create(builder, loc, tile, slot, /*index=*/0);
  }

  static SlotType getSlot(Value ring) {
    return SlotType::get(ring.getContext(),
                         cast<RingType>(ring.getType()).getTiles());
  }

  /// What the storing role does for `store`.
  static void copyOut(OpBuilder &builder, TmaStoreOp store, Value ring,
                      IRMapping &mapping) {
    Location loc = store.getLoc();
    auto lookup = [&](ValueRange values) {
      return llvm::map_to_vector(
          values, [&](Value value) { return mapping.lookupOrDefault(value); });
    };
    Value slot = RingWaitOp::create(builder, loc, getSlot(ring), ring);
    PutOp::create(builder, loc, makeTile(builder, loc, slot), store.getGlobal(),
                  lookup(store.getIndices()), lookup(store.getLimits()),
                  /*mask=*/Value(), store.getDimsAttr(),
                  store.getInBoundsAttr(), store.getAddAttr());
    RingReleaseOp::create(builder, loc, slot);
  }

  /// What the computing role does for `store`.
  static void handOver(TmaStoreOp store, Value ring) {
    OpBuilder builder(store);
    Location loc = store.getLoc();
    Value slot = RingAcquireOp::create(builder, loc, getSlot(ring), ring);
    FillOp::create(builder, loc, makeTile(builder, loc, slot),
                   store.getValue());
    RingCommitOp::create(builder, loc, slot);
    store.erase();
  }
};
} // namespace
