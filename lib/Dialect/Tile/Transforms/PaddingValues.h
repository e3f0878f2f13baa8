//===- PaddingValues.h - What padded elements hold --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padded elements hold anything, as a rule. Constant propagation from loads,
// which fill them, and masks, which are false there, shows where they hold one
// known number: then a reduction may need no mask of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_PADDINGVALUES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_PADDINGVALUES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

class PaddingValues {
public:
  /// Returns the number that all elements of `tile` hold that are padding along
  /// `dim`; null if it is not known.
  TypedAttr get(Value tile, unsigned dim);

private:
  TypedAttr find(Operation *op, unsigned dim);
  TypedAttr fold(Operation *op, unsigned dim);

  llvm::DenseMap<std::pair<Value, unsigned>, TypedAttr> known;
};

/// Returns the number that changes no result of a reduction of `kind`.
TypedAttr getNeutral(ReduceKind kind, Type element);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_PADDINGVALUES_H
