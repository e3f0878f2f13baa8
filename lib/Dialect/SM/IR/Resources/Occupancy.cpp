//===- Occupancy.cpp - Blocks that share a multiprocessor -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace tessera;
using namespace tessera::sm;

bool sm::repeatsValues(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tensor::SplatOp, BroadcastOp>(op);
}

// The estimates below do not use RegisterPressure: its budgets ask for the
// bound here, and with its count MMAs of f8 with scales get other slots, which
// nobody has measured.

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

static bool isAccumulator(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto mma = dyn_cast<MmaOp>(user);
    auto issue = dyn_cast<MmaIssueOp>(user);
    return (mma && mma.getAccumulator() == value) ||
           (issue && issue.getAccumulator() == value);
  });
}

/// Returns the greatest number of registers of a thread that hold tiles, other
/// than accumulators, that a loop carries.
static int64_t countCarriedBeside(KernelOp kernel) {
  int64_t most = 0;
  kernel.walk([&](LoopLikeOpInterface loop) {
    int64_t carried = 0;
    for (Value value : loop.getRegionIterArgs())
      if (auto tile = dyn_cast<RankedTensorType>(value.getType());
          tile && !isAccumulator(value))
        carried += getTileRegisters(tile);
    most = std::max(most, carried);
  });
  return most;
}

bool sm::fitsBlocks(const GpuTarget &target, int64_t warps, int64_t registers,
                    int64_t ofProduct, int64_t blocks) {
  int64_t threads = warps * target.warpSize;
  if (blocks * threads > target.threadsPerSM || blocks > target.blocksPerSM)
    return false;
  int64_t atEntry = target.getRegistersAtEntry(threads * blocks);
  return registers <= atEntry * warps &&
         std::max(ofProduct, target.minMaxRegisters) <= atEntry;
}

/// Returns the registers of a thread that the largest product of `kernel`
/// needs.
static int64_t getMostProductNeed(KernelOp kernel) {
  int64_t most = 0;
  kernel.walk([&](Operation *op) {
    if (isa<MmaOp, MmaIssueOp>(op))
      most = std::max(most, getProductNeed(op));
  });
  return most;
}

/// Counts the blocks that fit with the register budgets of their roles; 1 if a
/// role has no budget.
static int64_t countBlocksOfRoles(KernelOp kernel) {
  int64_t registers = 0, ofProduct = getMostProductNeed(kernel);
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    if (!role.getRegisters())
      return 1;
    registers += *role.getRegisters() * role.getWarps();
  }
  const GpuTarget &target = getTarget(kernel);
  int64_t most = target.blocksPerSM;
  if (std::optional<int64_t> bytes = kernel.getSharedMemory())
    most = std::min(most, getBlocksInSharedMemory(target, *bytes));
  int64_t blocks = 1;
  while (blocks < most && fitsBlocks(target, kernel.getWarps(), registers,
                                     ofProduct, blocks + 1))
    ++blocks;
  return blocks;
}

int64_t sm::getBlocksToBound(KernelOp kernel) {
  if (!kernel.getBody().getOps<RoleOp>().empty())
    return countBlocksOfRoles(kernel);
  const GpuTarget &target = getTarget(kernel);
  // The hint is meant for the original kernel, not for its variants. A product
  // gets the registers that it needs in any case.
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (schedule && schedule.getRegisters() > 0 &&
      !kernel->hasAttr(kVariantOfAttrName)) {
    int64_t registers =
        llvm::alignTo(schedule.getRegisters(), target.registerStep);
    int64_t threads = kernel.getThreads();
    int64_t blocks = std::clamp<int64_t>(
        target.registersPerSM / (registers * threads), 1,
        std::min(target.blocksPerSM, target.threadsPerSM / threads));
    int64_t need = getMostProductNeed(kernel);
    while (blocks > 1 && target.getRegistersAtEntry(threads * blocks) < need)
      --blocks;
    return blocks;
  }
  int64_t accumulators = countAccumulators<MmaOp, MmaIssueOp>(kernel);
  if (accumulators == 0 || accumulators > cost::kPlainMmaRegisters)
    return 1;
  // A product that is scaled before it is added to a tile is live together with
  // the tile: under the bound such loops spill.
  if (countCarriedBeside(kernel) > cost::kMostCarriedRegisters)
    return 1;
  return std::min(cost::kMostBoundedBlocks,
                  target.registersPerSM /
                      (2 * cost::kPlainMmaRegisters * kernel.getThreads()));
}

int64_t sm::getRegistersAtEntry(KernelOp kernel) {
  return getTarget(kernel).getRegistersAtEntry(kernel.getThreads() *
                                               getBlocksToBound(kernel));
}

int64_t sm::estimateBlocks(KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  if (int64_t bound = getBlocksToBound(kernel); bound > 1)
    return bound;
  int64_t accumulators = countAccumulators<MmaOp, MmaIssueOp>(kernel);
  int64_t registers = accumulators ? accumulators + cost::kPlainMmaRegisters
                                   : countAccumulators<DotOp>(kernel) +
                                         cost::kPlainDotRegisters;
  registers = std::min(registers, target.registersPerThread);
  int64_t threads = kernel.getThreads();
  return std::max<int64_t>(
      1, std::min({target.blocksPerSM, target.threadsPerSM / threads,
                   target.registersPerSM / (registers * threads)}));
}

int64_t sm::getBlocksInSharedMemory(const GpuTarget &target, int64_t bytes) {
  return target.sharedMemoryPerSM /
         (bytes + target.reservedSharedMemoryPerBlock);
}
