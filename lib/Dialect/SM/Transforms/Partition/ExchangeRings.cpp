//===- ExchangeRings.cpp - Tiles that warpgroups exchange -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/PlanEntries.h"

#include "tessera/Dialect/SM/IR/Plan.h"

using namespace tessera;
using namespace tessera::sm;

static LogicalResult exchange(KernelOp kernel, const ComputedRing &planned) {
  SmemStoreOp first = planned.ops.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value ring =
      makeRing(builder, first.getLoc(), planned.slots, planned.getTile());
  for (SmemStoreOp smemStore : planned.ops) {
    OrReason<Operation *> last = findLastProduct(smemStore);
    if (!last)
      return smemStore.emitOpError()
             << "cannot be exchanged by ring '" << getPlanEntryName(smemStore)
             << "' of the plan: " << last.getReason().str();
    OpBuilder atStore(smemStore);
    writeSlot(atStore, smemStore.getLoc(), ring, smemStore.getSource());
    readSlot(smemStore, *last, ring);
  }
  return success();
}

LogicalResult sm::exchangeTiles(KernelOp kernel) {
  for (const ComputedRing &ring : readComputedRings(kernel, Filler::Math))
    if (failed(exchange(kernel, ring)))
      return failure();
  return success();
}
