//===- SharedAccesses.h - Accesses to shared memory -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses to shared memory of each op of a kernel with addresses, and the
// barriers that guard the slots that tensor copies fill.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_SHAREDACCESSES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_SHAREDACCESSES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

struct SharedAccess {
  Operation *op;
  AccessKind kind;
  /// Bytes, the end excluded.
  int64_t first, end;
  /// The op that allocates them, or null if that is not known.
  Operation *buffer = nullptr;
  /// Of `sm.slots.at`, or null.
  Value index;

  bool meets(const SharedAccess &other) const {
    return first < other.end && other.first < end;
  }
  /// Checks whether both are to slots of one buffer that are known to differ.
  bool isOfOtherStage(const SharedAccess &other) const;
};

/// The barriers of a ring as its filling side uses them.
struct RingBarriers {
  Value full, empty;
};

class SharedAccesses {
public:
  /// Reports ops without an address.
  static FailureOr<SharedAccesses> get(KernelOp kernel);

  size_t size() const { return accesses.size(); }
  const SharedAccess &operator[](unsigned number) const {
    return accesses[number];
  }
  /// The numbers of the accesses of `op` itself.
  ArrayRef<unsigned> of(Operation *op) const;

  /// Null barriers unless `buffer` is filled again and again as a ring is.
  RingBarriers getBarriers(Operation *buffer) const {
    return rings.lookup(buffer);
  }

private:
  void add(Operation *op);
  void addTile(Operation *op, AccessKind kind, Value tile);
  void addBytes(Operation *op, AccessKind kind, int64_t first, int64_t bytes);

  std::vector<SharedAccess> accesses;
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> numbers;
  llvm::DenseMap<Operation *, RingBarriers> rings;
};

/// Returns the role that contains `op`, or null.
inline RoleOp getRole(Operation *op) { return op->getParentOfType<RoleOp>(); }

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_SHAREDACCESSES_H
