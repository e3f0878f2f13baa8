//===- SlotCounts.h - Bounds on slots in use --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of n slots waits where a slot is filled again: filling number i asks
// for release number i - n. Where control flow bounds the number of slots that
// a role takes, some fillings find their slot free in any case, and some
// releases are never asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTCOUNTS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTCOUNTS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Checks whether `acquire` fills a slot for the first time, whenever it runs.
bool isFirstFilling(RingAcquireOp acquire);

/// Checks whether the slot of `ring` that `release` frees is never filled
/// again. All roles use the same slots of a ring.
bool isLastUse(RingReleaseOp release, Value ring);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_SLOTCOUNTS_H
