//===- SharedMemoryAllocation.h - Addresses in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers get the lowest address at which they meet no buffer that is alive at
// the same time, those with the strictest alignment first. Time is the order of
// ops in the kernel's text; a loop is one stretch of it for what lives across
// its iterations.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_TRANSFORMS_SHAREDMEMORYALLOCATION_H
#define TESSERA_DIALECT_SM_TRANSFORMS_SHAREDMEMORYALLOCATION_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// A stretch of the text, both ends included.
struct LifeInterval {
  int64_t first, last;
  bool meets(const LifeInterval &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct SharedBuffer {
  Operation *op;
  int64_t bytes, alignment;
  /// The role, or null for a buffer at kernel scope.
  Operation *agent;
  LifeInterval alive;
  std::string what;
  int64_t address = 0;
  /// The number of the buffer that has the same bytes.
  std::optional<unsigned> copyOf = std::nullopt;

  int64_t getEnd() const { return address + bytes; }
};

class SharedMemoryAllocation {
public:
  explicit SharedMemoryAllocation(KernelOp kernel);

  LogicalResult findLives();
  void place();

  /// When an op of the kernel begins and ends.
  LifeInterval getTime(Operation *op) const { return times.lookup(op); }

  std::vector<SharedBuffer> buffers;
  int64_t bytes = 0;

private:
  void addBuffer(Operation *op);
  void add(Operation *op, int64_t bytes, int64_t alignment, std::string what);
  void keepToEnd(SharedBuffer &buffer, Operation *user);
  Operation *findCompletion(SharedBuffer &buffer, Operation *user);
  LogicalResult findSlotsLife(SharedBuffer &buffer);
  void uniteCopies();
  LogicalResult findLife(SharedBuffer &buffer, Value tile);
  bool interfere(const SharedBuffer &a, const SharedBuffer &b) const;

  KernelOp kernel;
  bool hasRoles;
  llvm::DenseMap<Operation *, LifeInterval> times;
};

/// Returns the bytes of shared memory that `kernel` takes, or nothing if it has
/// no plan; says nothing about why.
std::optional<int64_t> findSharedMemoryBytes(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_TRANSFORMS_SHAREDMEMORYALLOCATION_H
