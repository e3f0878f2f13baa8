//===- IndexMap.h - The map of a rearrangement ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rearrangement numbers the elements of its sources row by row, one source
// after the other. Its map is affine, up to inverted bits: it gives the number
// of the element at each position of the result.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_INDEXMAP_H
#define TESSERA_DIALECT_TILE_IR_INDEXMAP_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera::tile {

/// Returns the distances of neighbours along each dimension.
SmallVector<int64_t> getRowStrides(ArrayRef<int64_t> shape);

struct IndexMap {
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  int64_t toggle = 0;

  /// Returns the map of a rearrangement of `tile` or `sm`.
  template <typename OpTy>
  static IndexMap get(OpTy op) {
    return {static_cast<int64_t>(op.getOffset()),
            llvm::to_vector(op.getStrides()),
            static_cast<int64_t>(op.getToggle())};
  }
  /// Returns the map of a change of the shape alone.
  static IndexMap getReshape(ArrayRef<int64_t> shape) {
    return {0, getRowStrides(shape), 0};
  }

  int64_t evaluate(ArrayRef<int64_t> position) const;
  /// Returns the numbers for all positions of `shape`, row by row.
  std::vector<int64_t> evaluateAll(ArrayRef<int64_t> shape) const;
  /// Checks whether the numbers are `offset`, `offset + 1`, ….
  bool isContiguous(ArrayRef<int64_t> shape) const;

  /// Checks the map of `op`, whose operands are the sources.
  LogicalResult verify(Operation *op) const;
};

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_INDEXMAP_H
