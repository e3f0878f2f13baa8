//===- LazyRescale.h - Attributes of lazy rescaling -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes of lazy rescaling, shared by the front end,
// tile-lazy-rescale and the lowering of products. See
// docs/passes/tile-lazy-rescale.md.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_LAZYRESCALE_H
#define TESSERA_DIALECT_TILE_IR_LAZYRESCALE_H

#include "llvm/ADT/StringRef.h"

namespace tessera::tile {

/// On a kernel: running maxima change in each iteration, as written.
constexpr llvm::StringLiteral kNoLazyRescaleAttrName = "tile.no_lazy_rescale";

/// On an `arith.mulf` of f32 tiles: in nearly every iteration, the right
/// operand is 1 in all elements that a warp holds. Each warp then skips the
/// product. The attribute does not change results: x * 1 is x.
constexpr llvm::StringLiteral kRareFactorAttrName = "tile.rare_factor";

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_LAZYRESCALE_H
