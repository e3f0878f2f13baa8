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

#include "ExchangedTiles.h"
#include "RingUse.h"

#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {
#define GEN_PASS_DEF_EXCHANGERINGSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Reports why `stage` cannot do what the plan says.
static LogicalResult refuse(StageOp stage, const Twine &why) {
  return stage.emitOpError()
         << "cannot be exchanged by ring '" << stage.getRing()->getName()
         << "' of the plan: " << why;
}

namespace {
struct ExchangeRings : sm::impl::ExchangeRingsPassBase<ExchangeRings> {
  using ExchangeRingsPassBase::ExchangeRingsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    llvm::MapVector<PlannedChannelAttr, SmallVector<StageOp>> rings;
    kernel.walk([&](StageOp stage) {
      if (stage.getRing())
        rings[*stage.getRing()].push_back(stage);
    });
    for (auto &[ring, stages] : rings)
      if (failed(exchange(kernel, ring, stages)))
        return signalPassFailure();
  }

  LogicalResult exchange(KernelOp kernel, PlannedChannelAttr planned,
                         ArrayRef<StageOp> stages) {
    StageOp first = stages.front();
    SmemType tile = first.getType();
    auto role = first->getParentOfType<RoleOp>();
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value ring = RingAllocOp::create(
        builder, first.getLoc(),
        RingType::get(&getContext(), planned.getStages(), {tile}),
        /*warps=*/false);
    for (StageOp stage : stages) {
      std::string why;
      Operation *last = findLastProduct(stage, why);
      if (!last)
        return refuse(stage, why);
      if (!role || stage->getParentOfType<RoleOp>() != role)
        return refuse(stage, "one role fills and uses it, and it is not there");
      if (stage.getType() != tile)
        return refuse(stage, "tiles of another type go through it");
      OpBuilder atStage(stage);
      handOver(atStage, stage.getLoc(), ring, stage.getSource());
      takeOver(stage, last, ring);
    }
    ++numRings;
    return success();
  }
};
} // namespace
