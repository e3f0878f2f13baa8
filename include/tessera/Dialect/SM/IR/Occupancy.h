//===- Occupancy.h - Blocks that share a multiprocessor ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a kernel that share a multiprocessor hide each other's latency. How
// many there are is up to registers, threads and shared memory. Roles have
// budgets of registers, chosen for a number of blocks (sm-plan). In a kernel
// without roles ptxas hands registers out: this is an estimate there, and a
// bound where one is worth setting.
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

/// Blocks for which registers are bounded; 1 where they are not. Of a kernel
/// with roles, as many as the budgets of the roles leave room for: the launch
/// of one block allocates no more than its share.
int64_t getBlocksToBound(KernelOp kernel);

/// Registers of each thread of `kernel` at its start, which its roles share out
/// anew.
int64_t getRegistersAtEntry(KernelOp kernel);

/// Whether so many blocks of `warps` warps fit into the registers of a
/// multiprocessor, if roles take `registers`, summed over warps, and one
/// product takes `ofProduct` of each thread: ptxas gives it no more than
/// threads have at their start.
bool fitsBlocks(const GpuTarget &target, int64_t warps, int64_t registers,
                int64_t ofProduct, int64_t blocks);

/// Blocks that registers and threads are likely to leave room for.
int64_t estimateBlocks(KernelOp kernel);

/// Blocks that have room in shared memory if each takes `bytes` of it.
int64_t getBlocksInSharedMemory(const GpuTarget &target, int64_t bytes);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_OCCUPANCY_H
