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

#include "EmptyRole.h"
#include "HandedStores.h"
#include "RingUse.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {
#define GEN_PASS_DEF_STOREROLEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// By ring of the plan, the stores that go through it.
using StoresOfRings =
    llvm::MapVector<PlannedStoreAttr, SmallVector<TmaStoreOp>>;

/// Reports why `store` cannot do what the plan says.
static LogicalResult refuse(TmaStoreOp store, const Twine &why) {
  return store.emitOpError()
         << "cannot leave by ring '" << store.getRing()->getName()
         << "' of the plan: " << why;
}

namespace {
struct StoreRole : sm::impl::StoreRolePassBase<StoreRole> {
  using StoreRolePassBase::StoreRolePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    StoresOfRings rings;
    kernel.walk([&](TmaStoreOp store) {
      if (store.getRing())
        rings[*store.getRing()].push_back(store);
    });
    if (rings.empty())
      return;
    ScalarSlice slice([&](Value value) {
      Operation *parent = value.getParentBlock()->getParentOp();
      return isa<KernelOp>(parent);
    });
    TmaStoreOp first = rings.front().second.front();
    auto math = first->getParentOfType<RoleOp>();
    RoleOp role = findEmptyRole(kernel, "store", /*elected=*/true);
    for (auto &[ring, stores] : rings)
      for (TmaStoreOp store : stores)
        if (failed(check(store, role, math, stores.front(), slice)))
          return signalPassFailure();
    divide(kernel, role, math, slice, rings);
    ++numRoles;
  }

  /// Adds `store` to the slice of `role`, or reports why it cannot be there.
  static LogicalResult check(TmaStoreOp store, RoleOp role, RoleOp math,
                             TmaStoreOp first, ScalarSlice &slice) {
    SmemType tile = getHandedType(store);
    std::string why;
    if (!role)
      return refuse(store, "the kernel has no empty role 'store'");
    if (!math || store->getParentOfType<RoleOp>() != math)
      return refuse(store, "one role hands over tiles, and it is not there");
    if (!tile)
      return refuse(store, "its tile is no sequence of boxes");
    if (tile != getHandedType(first))
      return refuse(store, "tiles of another type go through it");
    if (failed(addHandedStore(slice, store, why)))
      return refuse(store, why);
    return success();
  }

  static void divide(KernelOp kernel, RoleOp role, RoleOp math,
                     ScalarSlice &slice, StoresOfRings &stores) {
    Location loc = kernel.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    llvm::DenseMap<PlannedStoreAttr, Value> rings;
    for (auto &[ring, ops] : stores)
      rings[ring] = RingAllocOp::create(
          builder, loc,
          RingType::get(kernel.getContext(), ring.getStages(),
                        {getHandedType(ops.front())}),
          /*warps=*/false);
    builder.setInsertionPointToStart(&role.getBody().front());
    IRMapping mapping;
    slice.clone(math.getBody().front(), builder, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  auto store = cast<TmaStoreOp>(op);
                  copyOut(at, store, rings.lookup(*store.getRing()), mapping);
                });
    for (auto &[ring, ops] : stores)
      for (TmaStoreOp store : ops) {
        OpBuilder atStore(store);
        handOver(atStore, store.getLoc(), rings.lookup(ring), store.getValue());
        store.erase();
      }
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
};
} // namespace
