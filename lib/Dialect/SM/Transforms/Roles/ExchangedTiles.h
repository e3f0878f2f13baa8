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

/// The last product that takes the tile of `stage`, after which a slot with it
/// can be given back; null with a reason if the tile cannot go through a ring.
Operation *findLastProduct(StageOp stage, std::string &why);

/// The last op that takes what `stage` writes, after which it can be given
/// back: a product if it is a tile, a read in its block if it is a row. Null
/// with a reason if others take it.
Operation *findLastUse(StageOp stage, std::string &why);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_EXCHANGEDTILES_H
