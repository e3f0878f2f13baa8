//===- TileCoordinates.h - Coordinates of elements --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinates of the elements that a thread holds, as code. A register's
// coordinate has a part of the thread and a part of the register. They are
// added, unless bits of the layout overlap; then they are combined by exclusive
// or. The part of the thread is computed once for a tile and dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_TILECOORDINATES_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_TILECOORDINATES_H

#include "LoweringContext.h"
#include "tessera/Layout/Layout.h"

namespace tessera::sm {

/// `dynamic + constant`; `dynamic` is an i32, or null for 0.
struct Coordinate {
  Value dynamic;
  int64_t constant = 0;
};

class TileCoordinates {
public:
  /// All code is created here, at the insertion point of `builder`.
  TileCoordinates(OpBuilder &builder, Location loc,
                  const layout::Layout &layout, const ThreadGroup &threads);

  const Coordinate &get(int64_t reg, unsigned dim) const {
    return coordinates[dim][reg];
  }

private:
  /// Coordinates by dimension and register.
  SmallVector<std::vector<Coordinate>> coordinates;
};

/// Emits the digit of `number` (which is below `bound`) with `count` values and
/// the place value `place`.
Value emitDigit(OpBuilder &builder, Location loc, Value number, int64_t bound,
                int64_t place, int64_t count);

/// Emits `x + y`; null is 0.
Value emitSum(OpBuilder &builder, Location loc, Value x, Value y);

/// The holder that acts for an element which several threads or registers hold.
struct Holders {
  SmallVector<int64_t> registers;
  /// Whether the thread acts, an i1; null if all threads do.
  Value isHolder;
};
Holders getHolders(OpBuilder &builder, Location loc,
                   const layout::Layout &layout, const ThreadGroup &threads);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_TILECOORDINATES_H
