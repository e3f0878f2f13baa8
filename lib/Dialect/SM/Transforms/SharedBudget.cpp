//===- SharedBudget.cpp - Shared memory that is left ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedBudget.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

/// The queue of programs that CTAs draw, and gaps for alignment.
static constexpr int64_t kReservedBytes = 512;
/// A stage is full or empty, as two mbarriers say.
static constexpr int64_t kBarrierBytes = 16;

int64_t sm::getFreeBytes(KernelOp kernel,
                         const llvm::DenseSet<Operation *> &ignored) {
  int64_t taken = kReservedBytes, passing = 0;
  kernel.walk([&](Operation *op) {
    if (ignored.contains(op))
      return;
    if (auto ring = dyn_cast<RingAllocOp>(op)) {
      int64_t perStage = kBarrierBytes;
      for (SmemType tile : ring.getType().getTiles())
        perStage += getStageBytes(tile);
      taken += ring.getType().getStages() * perStage;
    } else if (isa<TmaStoreOp>(op)) {
      taken += getScratchBytes(op);
    } else if (isa<StageOp, ScratchOp, FetchOp>(op)) {
      taken += getStageBytes(cast<SmemType>(op->getResult(0).getType()));
    } else {
      passing = std::max(passing, getScratchBytes(op));
    }
  });
  return getTarget(kernel).sharedMemoryPerBlock - taken - passing;
}

void sm::addPlannedBytes(KernelOp kernel, int64_t bytes) {
  auto planned = kernel->getAttrOfType<IntegerAttr>(kPlannedBytesAttrName);
  if (!planned)
    return;
  int64_t most = getTarget(kernel).sharedMemoryPerBlock;
  kernel->setAttr(
      kPlannedBytesAttrName,
      Builder(kernel.getContext())
          .getI64IntegerAttr(std::min(most, planned.getInt() + bytes)));
}

/// Whether a program executes `op` often.
static bool isInLoop(Operation *op) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
    if (!counted || !isOverPrograms(counted))
      return true;
  }
  return false;
}

int64_t sm::shrinkSingleStores(KernelOp kernel, int64_t wanted,
                               const llvm::DenseSet<Operation *> &ignored) {
  int64_t yielded = 0;
  SmallVector<TmaStoreOp> shrunk;
  kernel.walk([&](TmaStoreOp store) {
    if (yielded >= wanted || ignored.contains(store) || isInLoop(store))
      return;
    int64_t buffers = store.getBuffers();
    yielded += getScratchBytes(store) / buffers * (buffers - 1);
    shrunk.push_back(store);
  });
  if (yielded < wanted)
    return 0;
  for (TmaStoreOp store : shrunk)
    store.setBuffers(1);
  return yielded;
}
