//===- PaddingValues.h - Values of padded elements --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padded elements are unspecified, but often known: loads fill them, and masks
// are false there. Constant propagation finds the known values. A reduction
// whose padding is known to be neutral needs no mask.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_PADDINGVALUES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_PADDINGVALUES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

class PaddingValues {
public:
  /// Returns the number that all padded elements of `tile` along `dim` hold;
  /// null if it is unknown.
  TypedAttr get(Value tile, unsigned dim);

private:
  TypedAttr find(Operation *op, unsigned dim);
  TypedAttr fold(Operation *op, unsigned dim);

  llvm::DenseMap<std::pair<Value, unsigned>, TypedAttr> known;
};

/// Returns the neutral element of a reduction of `kind`.
TypedAttr getNeutral(ReduceKind kind, Type element);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_PADDINGVALUES_H
