//===- ExchangedTiles.h - Tiles that warpgroups exchange --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

/// Returns the last product that uses the tile of `smemStore`, after which its
/// slot can be released; or why the tile cannot go through a ring.
OrReason<Operation *> findLastProduct(SmemStoreOp smemStore);

/// Returns the last op that uses the data that `smemStore` writes, after which
/// the slot can be released. For a tile it is a product, for a vector a read in
/// its block. Otherwise returns which other users it has.
OrReason<Operation *> findLastUse(SmemStoreOp smemStore);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H
