//===- Combiner.h - The region of a reduction -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A combiner is the region of a reduction or a scan: an associative function of
// two groups of scalars, one scalar for each source.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_COMBINER_H
#define TESSERA_DIALECT_TILE_IR_COMBINER_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Checks the region of `op`, which combines elements of the given types.
LogicalResult verifyCombiner(Operation *op, Region &combiner,
                             ArrayRef<Type> elements);

/// Checks that the operands of `op` are tiles of one shape with `axis`, and
/// that there are as many results.
LogicalResult verifyCombinedSources(Operation *op, int64_t axis);

/// Checks whether `op` is in the region of a reduction, which is independent of
/// the values of the kernel.
inline bool isInCombiner(Operation *op) {
  return isa<ReduceWithOp, ScanWithOp>(op->getParentOp());
}

SmallVector<Type> getElementTypes(ValueRange tiles);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_COMBINER_H
