//===- ExchangeRings.cpp - Tiles that warpgroups exchange -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/ExchangedTiles.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "llvm/ADT/MapVector.h"

using namespace tessera;
using namespace tessera::sm;

static LogicalResult exchange(KernelOp kernel, PlannedRingAttr planned,
                              ArrayRef<StageOp> stages) {
  StageOp first = stages.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value ring =
      makeRing(builder, first.getLoc(), planned.getStages(), first.getType());
  for (StageOp stage : stages) {
    std::string why;
    Operation *last = findLastProduct(stage, why);
    if (!last)
      return stage.emitOpError()
             << "cannot be exchanged by ring '" << planned.getName()
             << "' of the plan: " << why;
    OpBuilder atStage(stage);
    handOver(atStage, stage.getLoc(), ring, stage.getSource());
    takeOver(stage, last, ring);
  }
  return success();
}

LogicalResult sm::exchangeTiles(KernelOp kernel) {
  llvm::MapVector<PlannedRingAttr, SmallVector<StageOp>> plannedRings;
  kernel.walk([&](StageOp stage) {
    PlannedRingAttr planned = findRing(stage);
    if (planned && planned.isExchange())
      plannedRings[planned].push_back(stage);
  });
  for (auto &[planned, stages] : plannedRings)
    if (failed(exchange(kernel, planned, stages)))
      return failure();
  return success();
}
