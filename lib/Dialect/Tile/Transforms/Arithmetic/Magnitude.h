//===- Magnitude.h - Magnitudes of float values -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dataflow analysis of the numbers that a float value may hold. Passes that
// move a factor, or round a product together with a sum, query it. The rounding
// error of a large number exceeds every difference that an exponent resolves (a
// mask of -1e9), and the scaled number may overflow (a mask of -3.4e38).
//
// The analysis follows a value to its sources and joins their classes. Matrix
// products, factors (`scale`), f16 and f8 numbers and positions are assumed to
// be moderate; docs/passes/tile-fold-exp2.md states the assumption.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAGNITUDE_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAGNITUDE_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// The kinds of numbers that a value may hold. Several may apply.
struct Magnitude {
  /// Results of matrix products, products and functions. They have a rounding
  /// error relative to their own size.
  bool isRounded = false;
  /// Large finite constants that were selected, unchanged.
  bool hasMask = false;
  /// f32 and bf16 numbers from memory, and results of unbounded functions.
  bool isHuge = false;
  /// Huge numbers that were multiplied. Scaling may make them overflow.
  bool isHugeProduct = false;
  /// Large numbers that must keep their unit: a parameter, a number from memory
  /// that is selected, a sum with a mask, a constant that overflows when it is
  /// scaled.
  bool isFixed = false;

  bool isLarge() const { return hasMask || isHuge || isFixed; }
};

Magnitude getMagnitude(Value value);

/// Caches answers for a kernel that does not change.
class MagnitudeCache {
public:
  Magnitude get(Value value);

  /// Checks whether log2(e) may be moved from the result of `sum` to its
  /// operands. Scaling rounds each operand. The error is harmless if an operand
  /// already has a rounding error of its own size. It is not harmless if the
  /// sum may be exact (operands directly from memory), or if the numbers are
  /// fixed.
  bool mayScaleOperands(Operation *sum);

private:
  DenseMap<Value, Magnitude> known;
};

/// Checks whether `op` adds numbers: an addition, a subtraction, a
/// multiply-add, a sum or a cumulative sum over an axis.
bool isSum(Operation *op);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAGNITUDE_H
