//===- Occupancy.h - Blocks that share a multiprocessor ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a kernel without roles hide each other's latency. How many there
// are is up to registers, which ptxas hands out, and to shared memory. Of
// registers this is an estimate, and a bound where one is worth setting.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_OCCUPANCY_H
#define TESSERA_DIALECT_SM_IR_OCCUPANCY_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Registers of a thread that hold a tile.
int64_t getTileRegisters(RankedTensorType tile);

/// Whether the result of `op` takes no registers of its own: constants and what
/// repeats values.
bool repeatsValues(Operation *op);

/// Blocks for which registers are bounded; 1 where they are not.
int64_t getBlocksToBound(KernelOp kernel);

/// Blocks that registers and threads are likely to leave room for.
int64_t estimateBlocks(KernelOp kernel);

/// Blocks that have room in shared memory if each takes `bytes` of it.
int64_t getBlocksInSharedMemory(const GpuTarget &target, int64_t bytes);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_OCCUPANCY_H
