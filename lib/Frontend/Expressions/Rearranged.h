//===- Rearranged.h - Rearranged tiles --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_REARRANGED_H
#define TESSERA_FRONTEND_REARRANGED_H

#include "KernelContext.h"

#include "tessera/Dialect/Tile/IR/IndexMap.h"

namespace tessera::frontend {

/// Generates the tile of `shape` that `map` takes from `sources`, or a scalar
/// if `shape` is empty. The tile has no axis names. Returns an error entity if
/// the shape is not that of a tile.
Entity genRearranged(KernelContext &context, ValueRange sources,
                     const tile::IndexMap &map, ArrayRef<int64_t> shape,
                     SourcePlace place);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_REARRANGED_H
