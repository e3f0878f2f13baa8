//===- Magnitude.h - How large numbers may be -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dataflow analysis of the numbers that a float value may hold. Passes that
// move a factor or round a product together with a sum ask for the answer: the
// rounding of a large number exceeds every difference that an exponent resolves
// (a mask of -1e9), and the scaled number may overflow (a mask of -3.4e38).
//
// The analysis follows a value to its sources and joins what they say. Matrix
// products, factors (`scale`), f16 and f8 numbers and positions are assumed to
// be moderate; docs/passes/tile-fold-exp2.md states the assumption.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// The kinds of numbers that a value may hold. Several may be true.
struct Magnitude {
  /// Results of matrix products, products and functions, which have a rounding
  /// error of their own size.
  bool isRounded = false;
  /// Large finite constants that were selected, unchanged.
  bool hasMask = false;
  /// f32 and bf16 numbers from memory, and results of unbounded functions.
  bool isHuge = false;
  /// Huge numbers that were multiplied. Scaled, they overflow where they did
  /// not before.
  bool isHugeProduct = false;
  /// Large numbers that must keep their unit: a parameter, a number from memory
  /// that is selected, a sum with a mask, a constant that overflows when it is
  /// scaled.
  bool isFixed = false;

  bool isLarge() const { return hasMask || isHuge || isFixed; }
};

Magnitude getMagnitude(Value value);

/// Answers questions about a kernel that does not change in between.
class MagnitudeCache {
public:
  Magnitude get(Value value);

  /// Whether log2(e) may be moved from the result of `sum` to its operands,
  /// each of which is rounded when it is scaled. An error of their own size is
  /// harmless if one of the operands has such an error already. It is not if
  /// the sum may be exact (operands that come from memory as they are), or if
  /// the numbers are fixed.
  bool mayScaleOperands(Operation *sum);

private:
  DenseMap<Value, Magnitude> known;
};

/// Whether `op` adds numbers: an addition, a subtraction, a multiply-add, a sum
/// or a cumulative sum over an axis.
bool isSum(Operation *op);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H
