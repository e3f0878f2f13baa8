//===- RingUse.h - Slots in place of fetches --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the operations of roles that replace a fetch of the kernel: one role
// acquires a slot and fills it, the others wait for it and release it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_RINGUSE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_RINGUSE_H

#include "Roles/RingPlan.h"

#include "mlir/IR/IRMapping.h"

namespace tessera::sm {

/// Fills a slot of `ring` with what `group` fetches; `mapping` has the scalars
/// of the role that does so.
void fillSlot(OpBuilder &builder, const FetchGroup &group, Value ring,
              IRMapping &mapping);

/// Replaces the fetches of `group` by a slot of `ring`. `isFilledAgain` says
/// whether its slots are.
void useSlot(const FetchGroup &group, Value ring, bool isFilledAgain);

/// Makes a ring of `stages` slots with `tiles`. Each warp releases its slots by
/// itself if `isReleasedPerWarp`.
Value makeRing(OpBuilder &builder, Location loc, int64_t slots,
               ArrayRef<SmemType> tiles, bool isReleasedPerWarp = false);

/// Hands `tile` over through the next slot of `ring`, whose only tile it is.
void writeSlot(OpBuilder &builder, Location loc, Value ring, Value tile);

/// Makes the users of the tile of `smemStore` take it from the next slot of
/// `ring`, which is released after `last`. Erases `smemStore`.
void readSlot(SmemStoreOp smemStore, Operation *last, Value ring);

/// Stores the next tile of `ring`, as `store` says; `mapping` has the scalars
/// of the role that does so.
void copyOut(OpBuilder &builder, TmaStoreOp store, Value ring,
             IRMapping &mapping);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_RINGUSE_H
