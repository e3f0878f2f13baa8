//===- RoleBudget.cpp - What roles get of a multiprocessor ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleBudget.h"
#include "PingPong.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/Movement.h"

using namespace tessera;
using namespace tessera::sm;

/// Enough for a role that computes addresses: spills in it would not hurt, but
/// the assembler must get along.
constexpr int64_t kLoadRegisters = 40;

/// Shared memory that is kept free of rings: barriers, sums across warps, and
/// gaps for alignment.
constexpr int64_t kReservedBytes = 2048;

RegisterBudget sm::splitRegisters(const GpuTarget &target, int64_t mathWarps,
                                  int64_t wanted, bool favoursMath) {
  int64_t step = target.registerStep, loadWarps = target.warpsPerWarpgroup;
  int64_t warps = mathWarps + loadWarps;
  auto roundDown = [&](int64_t registers) { return registers / step * step; };
  int64_t atEntry = target.getRegistersAtEntry(warps * target.warpSize);
  int64_t most = roundDown(target.registersPerThread);
  // The launch allocates this many, summed over warps (KernelOp, C4).
  int64_t allocated = atEntry * warps;
  auto getMath = [&](int64_t load) {
    return std::min(most,
                    roundDown((allocated - load * loadWarps) / mathWarps));
  };
  int64_t math = getMath(favoursMath ? target.minMaxRegisters : kLoadRegisters);
  if (wanted > 0)
    math = std::min(roundDown(wanted), getMath(target.minMaxRegisters));
  math = std::max(math, target.minMaxRegisters);
  int64_t load = roundDown((allocated - math * mathWarps) / loadWarps);
  return {std::min(load, kLoadRegisters), math};
}

int64_t sm::getRingBytes(KernelOp kernel, function_ref<bool(FetchOp)> isRing) {
  int64_t staged = 0, moved = 0, roles = countComputingRoles(kernel);
  kernel.walk([&](Operation *op) {
    auto fetch = dyn_cast<FetchOp>(op);
    if ((fetch && !isRing(fetch)) || isa<StageOp, ScratchOp>(op)) {
      auto tile = cast<SmemType>(op->getResult(0).getType());
      staged += llvm::alignTo(tile.getBytes(), tile.getAlignment());
    } else if (isa<TmaStoreOp>(op)) {
      staged += getScratchBytes(op);
    } else if (isa<ReduceOp, ScanOp>(op) && roles > 1) {
      // Of one role they are in what is kept free.
      moved = std::max(moved, getScratchBytes(op));
    } else if (auto convert = dyn_cast<ConvertOp>(op)) {
      RankedTensorType tile = convert.getType();
      llvm::Expected<layout::Movement> movement = layout::getMovement(
          getLayout(convert.getSource().getType()), getLayout(tile));
      if (!movement) {
        llvm::consumeError(movement.takeError());
        return;
      }
      if (*movement >= layout::Movement::WithinCta)
        moved = std::max(moved, tile.getNumElements() *
                                    getElementBytes(tile.getElementType()));
    }
  });
  // Roles have buffers of their own.
  return getTarget(kernel).sharedMemoryPerBlock - kReservedBytes -
         roles * (staged + moved);
}

LogicalResult sm::chooseStages(KernelOp kernel, RingPlan &plan,
                               int64_t &available) {
  llvm::DenseSet<Operation *> inRings;
  for (const FetchGroup &group : plan.groups)
    for (const RingFetch &fetch : group.fetches)
      inRings.insert(fetch.op);
  available =
      getRingBytes(kernel, [&](FetchOp op) { return inRings.contains(op); });
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  return chooseStages(plan, schedule ? schedule.getStages() : 0, available,
                      kernel.getPersistent());
}
