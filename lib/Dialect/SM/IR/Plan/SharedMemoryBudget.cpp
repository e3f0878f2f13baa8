//===- SharedMemoryBudget.cpp - Bytes of a planned kernel -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SharedMemoryBudget.h"
#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;

int64_t sm::getSlotBytes(ArrayRef<SmemType> tiles) {
  int64_t bytes = 0;
  for (SmemType tile : tiles)
    bytes += llvm::alignTo(tile.getBytes(), tile.getAlignment());
  return bytes;
}

int64_t sm::getStoreBytes(Operation *op, int64_t buffers) {
  auto tile = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  const GpuTarget &target = getTarget(op);
  int64_t warpgroups = getWarps(op) / target.warpsPerWarpgroup;
  std::optional<int64_t> columns =
      tile ? getStoreColumns(tile, warpgroups) : std::nullopt;
  return columns ? buffers * target.wgmmaM * *columns *
                       getElementBytes(tile.getElementType()) * warpgroups
                 : 0;
}

/// Returns the bytes that one role takes for what leaves by tensor copies.
static int64_t getStagingBytes(KernelOp kernel) {
  int64_t bytes = 0;
  llvm::DenseSet<PlannedStoreAttr> rings;
  kernel.walk([&](Operation *op) {
    if (!isa<StoreOp, AtomicOp, TmaStoreOp>(op))
      return;
    PlannedStoreAttr store = findStore(op);
    if (!store)
      bytes += isa<TmaStoreOp>(op) ? getScratchBytes(op) : 0;
    else if (!store.getByRole())
      bytes += getStoreBytes(op, store.getBuffers());
    else if (SmemType tile = getStoreRingType(op);
             tile && rings.insert(store).second)
      bytes += store.getSlots() * getSlotBytes(tile);
  });
  return bytes;
}

SharedMemoryBudget::SharedMemoryBudget(const GpuTarget &target)
    : available(target.sharedMemoryPerBlock) {}

SharedMemoryBudget SharedMemoryBudget::ofPlan(KernelOp kernel) {
  PlanAttr plan = kernel.getPlanAttr();
  SharedMemoryBudget budget(getTarget(kernel));
  llvm::DenseSet<StringAttr> known;
  for (auto &[place, ops] : findPlannedSlots(kernel)) {
    // All slots of a ring have the same tiles.
    PlannedRingAttr ring = plan.findRing(place.first);
    if (ring && known.insert(place.first).second)
      budget.addRing(llvm::map_to_vector(ops, getFetchedType), ring.getSlots());
  }
  // Roles that compute in turn have buffers of their own.
  budget.addStaging(plan.getComputingRoles() * getStagingBytes(kernel));
  budget.addScratch(plan.getRest());
  return budget;
}

std::string SharedMemoryBudget::str() const {
  return llvm::formatv("{0} in rings, {1} in stores, {2} for the rest", rings,
                       staging, scratch);
}
