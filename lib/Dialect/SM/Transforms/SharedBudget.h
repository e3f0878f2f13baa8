//===- SharedBudget.h - Shared memory that is left --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels with rings may still take of shared memory, before addresses are
// given. All counts are bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDBUDGET_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDBUDGET_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// What a stage of a ring of one tile takes.
inline int64_t getStageBytes(SmemType tile) {
  return llvm::alignTo(tile.getBytes(), tile.getAlignment());
}

/// What rings, tiles and scratch memory leave, as if they were all alive at
/// once; `ignored` ops are about to go.
int64_t getFreeBytes(KernelOp kernel,
                     const llvm::DenseSet<Operation *> &ignored = {});

/// Notes that `kernel` takes `bytes` more than it was planned to.
void addPlannedBytes(KernelOp kernel, int64_t bytes);

/// Takes the second buffer from stores that a program does once, which have
/// time to wait for the first one, if that yields `wanted` bytes; returns how
/// many it yields, or 0. `ignored` ops are about to go.
int64_t shrinkSingleStores(KernelOp kernel, int64_t wanted,
                           const llvm::DenseSet<Operation *> &ignored = {});

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDBUDGET_H
