//===- ExchangeRings.h - Tiles that warpgroups exchange ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_EXCHANGERINGS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_EXCHANGERINGS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Lets tiles go through the channels that "math" fills, for itself: its warps
/// arrive when they have written, and wait only where a product needs the tile,
/// which may be an iteration later. An error at a tile that cannot.
LogicalResult exchangeTiles(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_EXCHANGERINGS_H
