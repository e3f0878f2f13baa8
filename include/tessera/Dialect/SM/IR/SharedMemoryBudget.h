//===- SharedMemoryBudget.h - Bytes of a planned kernel ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared memory of a planned kernel, by use. The planner, the verifier and
// the passes that apply a plan add the same uses, so their counts agree. The
// addresses follow later (SharedMemoryAllocation.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_SHAREDMEMORYBUDGET_H
#define TESSERA_DIALECT_SM_IR_SHAREDMEMORYBUDGET_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Returns the bytes of one slot of a ring, which holds `tiles`.
int64_t getSlotBytes(ArrayRef<SmemType> tiles);

/// Returns the bytes of `buffers` buffers from which the tensor copies of one
/// role take a store, or an addition; 0 if no tensor copy could do it.
int64_t getStoreBytes(Operation *op, int64_t buffers);

class SharedMemoryBudget {
public:
  /// All shared memory of a block, without uses.
  explicit SharedMemoryBudget(const GpuTarget &target);

  /// Returns the uses by the plan of `kernel`: its rings, its stores, and its
  /// `rest` as scratch memory.
  static SharedMemoryBudget ofPlan(KernelOp kernel);

  /// Adds a ring whose slots hold `tiles`.
  void addRing(ArrayRef<SmemType> tiles, int64_t slots) {
    rings += slots * getSlotBytes(tiles);
  }
  /// Adds `bytes` from which tensor copies store, in buffers or in a ring.
  void addStaging(int64_t bytes) { staging += bytes; }
  /// Adds `bytes` for everything else, from barriers to scratch memory.
  void addScratch(int64_t bytes) { scratch += bytes; }

  int64_t getAvailable() const { return available; }
  int64_t getUsed() const { return rings + staging + scratch; }
  /// Returns the bytes without a use; less than 0 if the uses do not fit.
  int64_t getLeft() const { return available - getUsed(); }

  /// Describes the uses as a phrase of a diagnostic.
  std::string str() const;

private:
  int64_t available;
  int64_t rings = 0, staging = 0, scratch = 0;
};

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_SHAREDMEMORYBUDGET_H
