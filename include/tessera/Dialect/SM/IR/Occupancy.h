//===- Occupancy.h - Blocks that share a multiprocessor ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that share a multiprocessor hide each other's latency. Registers,
// threads and shared memory limit their number. Roles have register budgets,
// which sm-plan chooses for a number of blocks. In a kernel without roles ptxas
// allocates registers: the number is an estimate, and a bound where setting one
// pays off.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_OCCUPANCY_H
#define TESSERA_DIALECT_SM_IR_OCCUPANCY_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Checks whether the result of `op` takes no registers of its own: constants
/// and what repeats values.
bool repeatsValues(Operation *op);

/// Returns the number of blocks for which registers are bounded; 1 if they are
/// not. For a kernel with roles, it is the number of blocks that fit with the
/// budgets of the roles: the launch of a block allocates only its share.
int64_t getBlocksToBound(KernelOp kernel);

/// Returns the registers of each thread at the start of `kernel`, before its
/// roles redistribute them.
int64_t getRegistersAtEntry(KernelOp kernel);

/// Checks whether `blocks` blocks of `warps` warps fit into a multiprocessor.
/// Roles take `registers`, summed over warps. One product takes `ofProduct`
/// registers of a thread, which must not exceed the registers at the start:
/// ptxas allocates no more to a product.
bool fitsBlocks(const GpuTarget &target, int64_t warps, int64_t registers,
                int64_t ofProduct, int64_t blocks);

/// Blocks that registers and threads are likely to leave room for.
int64_t estimateBlocks(KernelOp kernel);

/// Blocks that have room in shared memory if each takes `bytes` of it.
int64_t getBlocksInSharedMemory(const GpuTarget &target, int64_t bytes);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_OCCUPANCY_H
