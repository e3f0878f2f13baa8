//===- TileExtents.h - Extents equal by construction ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of tiles that an op requires to be equal can only change together.
// Union-find over all dimensions of all tiles of a kernel gives the classes of
// such dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_TILEEXTENTS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_TILEEXTENTS_H

#include "RearrangedAxes.h"
#include "tessera/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/IntEqClasses.h"

namespace tessera::tile {

class TileExtents {
public:
  explicit TileExtents(KernelOp kernel);

  /// Returns the tiles of the kernel, in program order.
  ArrayRef<Value> getTiles() const { return tiles; }

  /// Returns the number of the class of a dimension of `tile`.
  unsigned getClass(Value tile, unsigned dim) const {
    return classes.findLeader(numbers.lookup(tile) + dim);
  }

  /// Checks whether the extent of a class may change. It may not if a product
  /// that tensor cores may compute uses it, or an op that this analysis does
  /// not know.
  bool mayChange(unsigned number) const { return !fixed.contains(number); }

  /// Checks whether the extent of a class should be the next power of two, as
  /// that of a tile with these elements and more. The tiles then share layouts.
  bool isRounded(unsigned number) const { return rounded.contains(number); }

private:
  void number(Value value);
  void join(Value a, unsigned dimOfA, Value b, unsigned dimOfB);
  void joinAll(Value a, Value b);
  void joinAll(ValueRange a, ValueRange b);
  void fix(Value tile);
  void fix(Value tile, unsigned dim);
  void visit(Operation *op);
  bool visitRegions(Operation *op);
  bool visitRearranged(RearrangeOp op);
  template <typename OpTy>
  void visitAccess(OpTy access, Value moved);

  SmallVector<Value> tiles;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::IntEqClasses classes;
  unsigned numDims = 0;
  llvm::DenseSet<unsigned> fixed, rounded;
};

/// Returns the type of `value` as a tile of at least one dimension, or null.
RankedTensorType getTileType(Value value);

/// Returns the shapes of `tiles`.
SmallVector<ArrayRef<int64_t>> getShapes(ValueRange tiles);

/// Returns the dimensions of `op`, or nothing if a dimension of the result
/// moves along several dimensions of the sources.
std::optional<RearrangedAxes> getRearrangedAxes(RearrangeOp op);

/// Checks whether `op` adds equal elements at the end of a dimension of its
/// first source, so that the extent becomes the next power of two.
bool isExtended(RearrangeOp op, const RearrangedAxes &axes);

/// Checks whether `op` computes each element of its results from the elements
/// at the same position of its operands.
bool isElementwise(Operation *op);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_TILEEXTENTS_H
