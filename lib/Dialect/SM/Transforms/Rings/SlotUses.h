//===- SlotUses.h - Slots are consumed once ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linear discipline of slots: on every path each slot is consumed once, and
// nothing of it is used after that. Loops and conditions may carry slots.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTUSES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTUSES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Where the slots of a kernel come from.
class SlotSources {
public:
  /// The op that took `slot`; for a slot that is carried, one of those that
  /// took it (all take from one ring, on one side).
  Operation *lookup(Value slot) const { return sources.lookup(slot); }

private:
  friend FailureOr<SlotSources> verifySlots(KernelOp kernel);
  llvm::DenseMap<Value, Operation *> sources;
};

/// Checks all slots of `kernel`; reports what is wrong where it is.
FailureOr<SlotSources> verifySlots(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTUSES_H
