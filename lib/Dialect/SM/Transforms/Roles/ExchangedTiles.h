//===- ExchangedTiles.h - Tiles that warpgroups exchange --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Returns the last product that uses the tile of `smemStore`, after which its
/// slot can be released; null with a reason if the tile cannot go through a
/// ring.
Operation *findLastProduct(SmemStoreOp smemStore, std::string &why);

/// Returns the last op that uses the data that `smemStore` writes, after which
/// the slot can be released: a product if it is a tile, a read in its block if
/// it is a vector. Null with a reason if it has other users.
Operation *findLastUse(SmemStoreOp smemStore, std::string &why);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H
