//===- PaddedLoads.h - Zeros past the end in extrema ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds loads whose zeros past the end of a tensor take part in a maximum or a
// minimum.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PADDEDLOADS_H
#define TESSERA_FRONTEND_PADDEDLOADS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// Returns a load without `fill` that may be partial along the reduced axis,
/// and whose zeros may change the result; null if there is none.
tile::LoadOp findPaddedLoad(tile::ReduceOp op);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PADDEDLOADS_H
