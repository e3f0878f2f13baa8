//===- RoleBudget.cpp - Resources of roles ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleBudget.h"
#include "Roles/ComputedRows.h"
#include "Roles/GatheredLoads.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

int64_t sm::countFetchWarps(const RingPlan &plan) {
  int64_t warps = 0;
  for (const FetchGroup &group : plan.groups)
    for (const RingFetch &fetch : group.fetches)
      if (fetch.isByThreads)
        warps =
            std::max(warps, fetch.positionLayout ? kGatherWarps : kRowWarps);
  return warps;
}

Reason sm::getWarpObstacle(KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  int64_t warps = kernel.getWarps(), loadWarps = target.warpsPerWarpgroup;
  std::string its = ("its " + Twine(warps)).str();
  if (warps % target.warpsPerWarpgroup != 0)
    return its + (warps == 1 ? " warp is" : " warps are") +
           " not a multiple of " + Twine(target.warpsPerWarpgroup) +
           " (one warpgroup)";
  if ((warps + loadWarps) * target.warpSize > target.threadsPerBlock)
    return its + " warps leave no warpgroup for loads";
  return Reason::none();
}

int64_t sm::getBarrierBytes(int64_t slots) {
  return cost::kQueueBytes + cost::kSlotBarrierBytes * slots;
}

RegisterBudget sm::splitRegisters(const GpuTarget &target,
                                  ComputingWarps computing, int64_t wanted,
                                  bool favoursMath, int64_t blocks) {
  int64_t step = target.registerStep, loadWarps = target.warpsPerWarpgroup;
  int64_t warps = computing.math + computing.transform + loadWarps;
  if (warps * target.warpSize > target.threadsPerBlock)
    return {0, 0, 0};
  auto roundDown = [&](int64_t registers) { return registers / step * step; };
  int64_t atEntry =
      target.getRegistersAtEntry(warps * target.warpSize * blocks);
  int64_t most = roundDown(target.registersPerThread);
  // The launch allocates this many, summed over warps (KernelOp, C4).
  int64_t allocated =
      atEntry * warps - cost::kLeastTransformRegisters * computing.transform;
  auto getMath = [&](int64_t load) {
    return std::min(most,
                    roundDown((allocated - load * loadWarps) / computing.math));
  };
  int64_t math =
      getMath(favoursMath ? target.minMaxRegisters : cost::kLoadRegisters);
  if (wanted > 0)
    math = std::min(roundDown(wanted), getMath(target.minMaxRegisters));
  math = std::max(math, target.minMaxRegisters);
  int64_t left = allocated - math * computing.math;
  int64_t load = std::min(roundDown(left / loadWarps), cost::kLoadRegisters);
  if (computing.transform == 0)
    return {load, 0, math};
  int64_t more = (left - load * loadWarps) / computing.transform;
  int64_t transform =
      std::min(most, roundDown(cost::kLeastTransformRegisters + more));
  return {load, transform, math};
}

ScratchBudget sm::getScratchBudget(KernelOp kernel, int64_t turns,
                                   int64_t slots,
                                   function_ref<bool(Operation *)> isRing) {
  int64_t written = 0, converted = 0, moved = 0, repeated = 0;
  kernel.walk([&](Operation *op) {
    auto memory = dyn_cast<SharedMemoryOpInterface>(op);
    if (!memory || isa<TmaStoreOp>(op) || isRing(op))
      return;
    int64_t bytes =
        llvm::alignTo(memory.getSharedBytes(), memory.getSharedAlignment());
    // One operation at a time moves tiles between the threads of a role.
    if (memory.isScratch())
      moved = std::max(moved, bytes);
    else
      written += bytes;
    if (isa<ConvertOp>(op))
      converted = std::max(converted, bytes);
    if (!memory.isScratch() && op->getParentOfType<scf::ForOp>())
      repeated += bytes;
  });
  // Roles have buffers of their own.
  int64_t barriers = getBarrierBytes(slots);
  int64_t ample = getBarrierBytes(std::max(slots, cost::kAmpleSlots));
  int64_t upperBound = ample + turns * (written + repeated + moved);
  // Where programs follow each other, rings are never empty, and what is moved
  // finds no place in them.
  if (turns > 1 || kernel.getPersistent())
    converted = moved;
  int64_t reserved = turns * (written + converted);
  return {barriers + reserved, ample + reserved, upperBound,
          turns * (written + moved)};
}
