//===- StoreRole.cpp - Stores by a role of their own ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/TensorStore.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "llvm/ADT/MapVector.h"

using namespace tessera;
using namespace tessera::sm;

/// By entry of the plan, the stores that go through its ring.
using StoresOfRings =
    llvm::MapVector<PlannedStoreAttr, SmallVector<TmaStoreOp>>;
using Rings = llvm::DenseMap<PlannedStoreAttr, Value>;

static Rings makeRings(KernelOp kernel, const StoresOfRings &stores) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Rings rings;
  for (auto &[planned, ops] : stores)
    rings[planned] = makeRing(builder, kernel.getLoc(), planned.getSlots(),
                              getStoreRingType(ops.front()));
  return rings;
}

LogicalResult sm::handOverStores(KernelOp kernel, RoleOp role,
                                 const IsVisible &isVisible) {
  StoresOfRings stores;
  kernel.walk([&](TmaStoreOp store) {
    if (PlannedStoreAttr planned = findStore(store))
      stores[planned].push_back(store);
  });
  RoleSlice slice(isVisible);
  for (auto &[planned, ops] : stores)
    for (TmaStoreOp store : ops)
      if (Reason reason = addHandedStore(slice, store))
        return store.emitOpError()
               << "cannot leave by store '" << planned.getName()
               << "' of the plan: " << reason.str();
  if (stores.empty())
    return success();
  Rings rings = makeRings(kernel, stores);
  IRMapping mapping;
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  slice.clone(kernel.getBody().front(), builder, mapping,
              [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                auto store = cast<TmaStoreOp>(op);
                copyOut(at, store, rings.lookup(findStore(store)), mapping);
              });
  for (auto &[planned, ops] : stores)
    for (TmaStoreOp store : ops) {
      OpBuilder atStore(store);
      writeSlot(atStore, store.getLoc(), rings.lookup(planned),
                store.getValue());
      store.erase();
    }
  return success();
}
