//===- Occupancy.cpp - Blocks that share a multiprocessor -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Target/GpuTarget.h"

using namespace tessera;
using namespace tessera::sm;

/// What addresses and fetches take beside the accumulators; four blocks of a
/// warpgroup with steps of 128 would spill.
static constexpr int64_t kOthers = 64, kMostBounded = 3;
/// The same of products by threads, which have no descriptors.
static constexpr int64_t kOthersOfThreads = 32;

template <typename... OpTys>
static int64_t countAccumulators(KernelOp kernel) {
  int64_t elements = 0;
  kernel.walk([&](Operation *op) {
    if (!isa<OpTys...>(op))
      return;
    Type type = op->getResult(0).getType();
    if (auto pending = dyn_cast<PendingType>(type))
      type = pending.getTensor();
    elements += cast<RankedTensorType>(type).getNumElements();
  });
  return elements / kernel.getThreads();
}

int64_t sm::getBlocksToBound(KernelOp kernel) {
  if (!kernel.getBody().getOps<RoleOp>().empty())
    return 1;
  int64_t accumulators = countAccumulators<MmaOp, MmaIssueOp>(kernel);
  if (accumulators == 0 || accumulators > kOthers)
    return 1;
  return std::min(kMostBounded, getDefaultGpuTarget().registersPerSM /
                                    (2 * kOthers * kernel.getThreads()));
}

int64_t sm::estimateBlocks(KernelOp kernel) {
  const GpuTarget &target = getDefaultGpuTarget();
  if (int64_t bound = getBlocksToBound(kernel); bound > 1)
    return bound;
  int64_t accumulators = countAccumulators<MmaOp, MmaIssueOp>(kernel);
  int64_t registers = accumulators
                          ? accumulators + kOthers
                          : countAccumulators<DotOp>(kernel) + kOthersOfThreads;
  registers = std::min(registers, target.registersPerThread);
  int64_t threads = kernel.getThreads();
  return std::max<int64_t>(
      1, std::min({target.blocksPerSM, target.threadsPerSM / threads,
                   target.registersPerSM / (registers * threads)}));
}

int64_t sm::getBlocksInSharedMemory(int64_t bytes) {
  const GpuTarget &target = getDefaultGpuTarget();
  return target.sharedMemoryPerSM /
         (bytes + target.reservedSharedMemoryPerBlock);
}
