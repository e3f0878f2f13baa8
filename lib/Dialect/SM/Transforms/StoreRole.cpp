//===- StoreRole.cpp - Stores by a role of their own ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreRole.h"
#include "HandedStores.h"
#include "RingUse.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "llvm/ADT/MapVector.h"

using namespace tessera;
using namespace tessera::sm;

/// By entry of the plan, the stores that go through its ring.
using StoresOfRings =
    llvm::MapVector<PlannedStoreAttr, SmallVector<TmaStoreOp>>;
using Rings = llvm::DenseMap<PlannedStoreAttr, Value>;

static PlannedStoreAttr findPlanned(TmaStoreOp store) {
  PlanAttr plan = store->getParentOfType<KernelOp>().getPlanAttr();
  return plan.findStore(getChannelName(store));
}

static Rings makeRings(KernelOp kernel, const StoresOfRings &stores) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Rings rings;
  for (auto &[planned, ops] : stores) {
    auto type = RingType::get(kernel.getContext(), planned.getStages(),
                              {getHandedType(ops.front())});
    rings[planned] = RingAllocOp::create(builder, kernel.getLoc(), type,
                                         /*warps=*/false);
  }
  return rings;
}

/// What the storing role does for `store`.
static void copyOut(OpBuilder &builder, TmaStoreOp store, Value ring,
                    IRMapping &mapping) {
  Location loc = store.getLoc();
  auto lookup = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  ArrayRef<SmemType> tiles = cast<RingType>(ring.getType()).getTiles();
  auto type = SlotType::get(builder.getContext(), tiles);
  Value slot = RingWaitOp::create(builder, loc, type, ring);
  Value tile =
      SlotTileOp::create(builder, loc, tiles.front(), slot, /*index=*/0);
  PutOp::create(builder, loc, tile, store.getGlobal(),
                lookup(store.getIndices()), lookup(store.getLimits()),
                /*mask=*/Value(), store.getDimsAttr(), store.getInBoundsAttr(),
                store.getAddAttr());
  RingReleaseOp::create(builder, loc, slot);
}

LogicalResult sm::handOverStores(KernelOp kernel, RoleOp role,
                                 const IsGiven &isGiven) {
  StoresOfRings stores;
  kernel.walk([&](TmaStoreOp store) {
    if (PlannedStoreAttr planned = findPlanned(store))
      stores[planned].push_back(store);
  });
  ScalarSlice slice(isGiven);
  for (auto &[planned, ops] : stores)
    for (TmaStoreOp store : ops)
      if (std::string why; failed(addHandedStore(slice, store, why)))
        return store.emitOpError()
               << "cannot leave by store '" << planned.getName()
               << "' of the plan: " << why;
  if (stores.empty())
    return success();
  Rings rings = makeRings(kernel, stores);
  IRMapping mapping;
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  slice.clone(kernel.getBody().front(), builder, mapping,
              [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                auto store = cast<TmaStoreOp>(op);
                copyOut(at, store, rings.lookup(findPlanned(store)), mapping);
              });
  for (auto &[planned, ops] : stores)
    for (TmaStoreOp store : ops) {
      OpBuilder atStore(store);
      handOver(atStore, store.getLoc(), rings.lookup(planned),
               store.getValue());
      store.erase();
    }
  return success();
}
