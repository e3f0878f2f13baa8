//===- PlanStores.cpp - Plan of stores by tensor copies ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanStores.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using namespace tessera::sm;

/// One buffer is written while a copy reads the other one.
static constexpr int64_t kBuffers = 2;

/// Why a store that could be a tensor copy is none.
static constexpr llvm::StringLiteral kNoRoom =
    "its buffers would take shared memory from the slots of rings";

int64_t sm::getWantedSlots(KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  return schedule ? schedule.getStages() : 0;
}

RingBudget::RingBudget(KernelOp kernel, const SharedMemoryBudget &memory)
    : wanted(getWantedSlots(kernel)), memory(memory),
      isPersistent(kernel.getPersistent()) {}

std::optional<SmallVector<int64_t>> RingBudget::getSlots(RingPlan rings,
                                                         int64_t bytes) const {
  int64_t left = memory.getLeft() - bytes;
  if (left < 0 || failed(chooseSlots(rings, wanted, left, isPersistent)))
    return std::nullopt;
  return llvm::map_to_vector(
      rings.rings, [](const PlannedRing &ring) { return ring.slots; });
}

/// How many buffers `op` gets; 0 if it had better stay. Pairs of 16 bits,
/// 4 bytes by 4 bytes, are slow enough to be worth a slot of a ring; others
/// are not. Where roles compute in turn, one of them multiplies while a store
/// waits for its only buffer, so the second one is not worth a slot.
static int64_t chooseBuffers(Operation *op, const TensorStore &store,
                             const RingPlan &rings, int64_t turns,
                             const RingBudget &budget) {
  auto tile = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t warpgroups = getWarps(op) / getTarget(op).warpsPerWarpgroup;
  int64_t parts =
      layout::getProductSplit(tile.getDimSize(0), warpgroups).columns;
  int64_t most = std::min(kBuffers, tile.getDimSize(1) / parts / store.columns);
  int64_t bytes = turns * getStoreBytes(op, 1);
  auto getSlots = [&](int64_t buffers) {
    return budget.getSlots(rings, buffers * bytes);
  };
  if (isa<StoreOp>(op) && getElementBytes(tile.getElementType()) == 2)
    return turns > 1 && getSlots(1) != getSlots(most) ? 1 : most;
  auto slots = getSlots(0);
  for (int64_t buffers = most; slots && buffers > 0; --buffers)
    if (getSlots(buffers) == slots)
      return buffers;
  return 0;
}

SmallVector<StoreChoice>
sm::chooseStores(KernelOp kernel, const RingPlan &rings, int64_t turns,
                 RingBudget &budget,
                 function_ref<void(Operation *, const Twine &)> refuse) {
  SmallVector<StoreChoice> choices;
  auto choose = [&](Operation *op) {
    if (!writesAccumulator(op))
      return;
    OrReason<TensorStore> store = matchTensorStore(op);
    if (!store)
      return refuse(op, store.getReason().str());
    int64_t buffers = chooseBuffers(op, *store, rings, turns, budget);
    if (buffers == 0)
      return refuse(op, kNoRoom);
    budget.memory.addStaging(turns * getStoreBytes(op, buffers));
    choices.push_back({op, buffers, !store->clippedAxes.empty()});
  };
  // Additions take what stores leave.
  kernel.walk([&](StoreOp op) { choose(op); });
  kernel.walk([&](AtomicOp op) { choose(op); });
  return choices;
}

SmallVector<StoreChoice>
sm::takeClippedStores(SmallVectorImpl<StoreChoice> &stores) {
  auto isTaken = [](const StoreChoice &store) {
    return store.isClipped && !isInLoop(store.op);
  };
  auto taken = llvm::filter_to_vector(stores, isTaken);
  llvm::erase_if(stores, isTaken);
  return SmallVector<StoreChoice>(taken);
}

SmallVector<StoreChoice>
sm::fitStores(ArrayRef<StoreChoice> stores, int64_t turns, int64_t left,
              function_ref<void(Operation *, const Twine &)> refuse) {
  SmallVector<StoreChoice> fitting;
  for (StoreChoice store : stores) {
    int64_t bytes = turns * getStoreBytes(store.op, 1);
    store.buffers = std::min(store.buffers, std::max<int64_t>(left, 0) / bytes);
    if (store.buffers == 0) {
      refuse(store.op, kNoRoom);
      continue;
    }
    left -= turns * getStoreBytes(store.op, store.buffers);
    fitting.push_back(store);
  }
  return fitting;
}
