//===- PositionBounds.h - Intervals of positions ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that a scalar integer may hold in any launch. An `int` has 64
// bits in the language, but machine code uses positions of 32 bits. Sources of
// intervals: sizes are at most array::kMaxSize, `index` parameters have 32
// bits, the grid enumerates a size, and induction variables stay within loop
// bounds. Interval analysis propagates them. Sums are also examined as linear
// expressions (LinearBounds.h): `m.end + N - M` is at most N, although its
// terms are larger.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_ANALYSIS_POSITIONBOUNDS_H
#define TESSERA_DIALECT_TILE_ANALYSIS_POSITIONBOUNDS_H

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

namespace tessera::tile {

/// All numbers from `low` to `high`. Numbers beyond 64 bits saturate, so the
/// limits of 64 bits mean "not known".
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  bool contains(const Interval &other) const {
    return low <= other.low && other.high <= high;
  }
};

/// The numbers of 32 bits.
constexpr Interval kInt32{std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()};

class PositionBounds {
public:
  /// Returns the bounds of a scalar of integer type.
  Interval get(Value value);
  /// Returns the bounds of the start and of the limit of a range.
  Interval getStart(Value range);
  Interval getLimit(Value range);
  Interval get(const LinearExpr &expr);

  /// Checks whether a scalar always has 32 bits.
  bool fits(Value value) { return kInt32.contains(get(value)); }
  /// Checks whether all numbers between the two expressions have 32 bits.
  bool fits(const LinearExpr &low, const LinearExpr &high) {
    return get(low).low >= kInt32.low && get(high).high <= kInt32.high;
  }

  /// Forgets what was found, after the IR has changed.
  void clear() { known.clear(); }

private:
  Interval compute(Value value);
  Interval computeOp(Operation *op, Value value);
  Interval getShare(arith::FloorDivSIOp division);
  Interval getNextStart(arith::AddIOp sum);

  DenseMap<Value, Interval> known;
  /// Number of values in the chain that is being computed.
  unsigned depth = 0;
};

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_ANALYSIS_POSITIONBOUNDS_H
