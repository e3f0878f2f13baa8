//===- ExchangeRings.cpp - Tiles that warpgroups exchange -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/ComputedRings.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "llvm/ADT/MapVector.h"

using namespace tessera;
using namespace tessera::sm;

static LogicalResult exchange(KernelOp kernel, PlannedRingAttr planned,
                              ArrayRef<SmemStoreOp> stores) {
  SmemStoreOp first = stores.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value ring =
      makeRing(builder, first.getLoc(), planned.getSlots(), first.getType());
  for (SmemStoreOp smemStore : stores) {
    OrReason<Operation *> last = findLastProduct(smemStore);
    if (!last)
      return smemStore.emitOpError()
             << "cannot be exchanged by ring '" << planned.getName()
             << "' of the plan: " << last.getReason().str();
    OpBuilder atStage(smemStore);
    handOver(atStage, smemStore.getLoc(), ring, smemStore.getSource());
    takeOver(smemStore, *last, ring);
  }
  return success();
}

LogicalResult sm::exchangeTiles(KernelOp kernel) {
  llvm::MapVector<PlannedRingAttr, SmallVector<SmemStoreOp>> plannedRings;
  kernel.walk([&](SmemStoreOp smemStore) {
    PlannedRingAttr planned = findRing(smemStore);
    if (planned && planned.isExchange())
      plannedRings[planned].push_back(smemStore);
  });
  for (auto &[planned, stores] : plannedRings)
    if (failed(exchange(kernel, planned, stores)))
      return failure();
  return success();
}
