//===- WideIntegers.h - Scalars in 64 bits ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes `index` values of a kernel once more as i64, each where it is
// defined and only if it is asked for. A value that always has 32 bits is
// extended; else the operation that makes it is repeated on i64 operands.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_INTEGERS_WIDEINTEGERS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_INTEGERS_WIDEINTEGERS_H

#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

#include "mlir/IR/Builders.h"

namespace tessera::tile {

/// Whether `op` gives the low bits of its result from the low bits of its
/// operands.
bool isModular(Operation *op);

class WideIntegers {
public:
  /// The start and the limit of a range, as i64.
  struct Range {
    Value start, limit;
  };

  explicit WideIntegers(KernelOp kernel) : kernel(kernel) {}

  /// Lets loops and branches carry i64 where they carry an `index` that may not
  /// have 32 bits. To be called before all others.
  void widenCarried();

  PositionBounds &getBounds() { return bounds; }
  bool fits(Value value) { return bounds.fits(value); }
  /// Whether `op` sees numbers of 32 bits only.
  bool hasNarrowOperands(Operation *op);

  /// An `index` as i64.
  Value get(Value value);
  /// The same, computed in i64 even if the operation that gives it need not be.
  Value recompute(Value value);
  Range getRange(Value range);
  /// The end of a range of `extent` positions as i64: the lesser of where they
  /// end and the limit, also where the former is beyond 64 bits.
  static Value makeEnd(OpBuilder &builder, Location loc, const Range &range,
                       int64_t extent);
  /// Whether a range begins, ends and is limited in 32 bits.
  bool fitsEnd(Value range);

  /// `wide`, an i64, brought into an interval of 32 bits, as an `index`.
  Value clamp(OpBuilder &builder, Location loc, Value wide, Interval interval);

  /// Forgets what was found, after the IR has changed.
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
