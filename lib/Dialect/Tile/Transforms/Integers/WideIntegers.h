//===- WideIntegers.h - Scalars in 64 bits ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes `index` values of a kernel once more as i64, at their definition and
// only on request. A value that always has 32 bits is extended. For any other
// value, the operation that defines it is repeated on i64 operands.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_INTEGERS_WIDEINTEGERS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_INTEGERS_WIDEINTEGERS_H

#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

#include "mlir/IR/Builders.h"

namespace tessera::tile {

/// Checks whether the low bits of the result of `op` depend only on the low
/// bits of its operands.
bool isModular(Operation *op);

class WideIntegers {
public:
  /// The start and the limit of a range, as i64.
  struct Range {
    Value start, limit;
  };

  explicit WideIntegers(KernelOp kernel) : kernel(kernel) {}

  /// Makes loops and branches carry i64 if they carry an `index` that may not
  /// have 32 bits. Call it before all other functions.
  void widenCarried();

  PositionBounds &getBounds() { return bounds; }
  bool fits(Value value) { return bounds.fits(value); }
  /// Checks whether all operands of `op` have 32 bits.
  bool hasNarrowOperands(Operation *op);

  /// Returns an `index` as i64.
  Value get(Value value);
  /// Returns the same value, computed in i64 even if its operation need not be.
  Value recompute(Value value);
  Range getRange(Value range);
  /// Returns the end of a range of `extent` positions as i64. The end is the
  /// smaller one of start + extent and the limit, even if the sum is beyond 64
  /// bits.
  static Value makeEnd(OpBuilder &builder, Location loc, const Range &range,
                       int64_t extent);
  /// Checks whether the start, the end and the limit of a range have 32 bits.
  bool fitsEnd(Value range);

  /// Returns `wide`, an i64, clamped to an interval of 32 bits, as an `index`.
  Value clamp(OpBuilder &builder, Location loc, Value wide, Interval interval);

  /// Clears the cache, after the IR has changed.
  void clear();

private:
  Value compute(Value value);
  scf::ForOp widenLoop(scf::ForOp loop);
  scf::IfOp widenBranch(scf::IfOp branch);

  KernelOp kernel;
  PositionBounds bounds;
  DenseMap<Value, Value> known;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_INTEGERS_WIDEINTEGERS_H
