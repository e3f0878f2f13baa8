//===- ExpandedRing.h - Expanded rings and queues ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles or words in shared memory for each slot, a barrier that says that it
// is full, and one that says that it is free.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_EXPANDEDRING_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_EXPANDEDRING_H

#include "RingTurns.h"

namespace tessera::sm {

struct ExpandedRing {
  /// Of a ring, its tiles; of a queue, its numbers; of a ring that roles use in
  /// turn also words, where each role finds the position to go on from.
  SmallVector<Value> slots;
  Value words;
  /// `empty` is null if nobody waits for a free slot.
  Value full, empty;
  int64_t count = 0, bytes = 0;
  /// Whether copies come from other CTAs of the cluster, which must know when a
  /// slot is free.
  bool isShared = false;
  /// Whether copies may end before their tensors do.
  bool isClipped = false;
  /// Whether each warp releases slots by itself.
  bool isReleasedPerWarp = false;
  /// Whether threads fill the slots, with values that they have computed, with
  /// fetches, or with both. The last flag says whether all fetches go past
  /// registers (`cp.async`), including fill values.
  bool isFilledByThreads = false, holdsValues = false, holdsFetches = false,
       isAllAsync = true;
  /// Whether tensor cores read the slots.
  bool isMultiplied = false;
};

/// Makes the tiles and barriers of `ring`, on which somebody `waits` for a free
/// slot, before it; `ring` is the number that they keep.
FailureOr<ExpandedRing> makeMachine(RingAllocOp ring, int64_t number,
                                    bool waits, const RingTurns &turns);

/// Makes the barrier of copies that `role` waits for, to clip them; nothing if
/// no copy of `role` may end before its tensor does.
std::optional<ExpandedRing> makeLanding(RoleOp role);

/// Makes the words and barriers of `queue`, before it.
FailureOr<ExpandedRing> makeMachine(QueueAllocOp queue, int64_t number);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_EXPANDEDRING_H
