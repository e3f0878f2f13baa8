//===- ComputedRings.h - Rings that computing roles fill --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDRINGS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDRINGS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

/// A ring that a computing role fills, with tiles of `sm.smem.store` for MMAs.
struct ComputedRing {
  /// The role "transform", or "math" for tiles that its warpgroups exchange.
  Filler filler;
  /// The stores; each fills a slot.
  SmallVector<SmemStoreOp> ops;
  int64_t slots;

  SmemType getTile() const { return SmemStoreOp(ops.front()).getType(); }
};

/// Returns the last product that uses the tile of `smemStore`, after which its
/// slot can be released; or why the tile cannot go through a ring.
OrReason<Operation *> findLastProduct(SmemStoreOp smemStore);

/// Returns the last op that uses the data that `smemStore` writes, after which
/// the slot can be released. For a tile it is a product, for a vector a read in
/// its block. Otherwise returns which other users it has.
OrReason<Operation *> findLastUse(SmemStoreOp smemStore);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDRINGS_H
